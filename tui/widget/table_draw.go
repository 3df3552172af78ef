package widget

import (
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
)

// gutter is the room before the columns: cursor, flag, mark.
const gutter = 3

// Draw draws the heading and the rows that fit into c.
func (t *Table[R, K]) Draw(c canvas.Canvas) {
	w, h := c.Size()
	if w <= 0 || h <= 0 {
		return
	}
	cols := fitColumns(t.Columns, w-gutter)
	x := gutter
	for _, col := range cols {
		title := col.Title
		if title != "" && title == t.Sorted {
			title += " " + sortMark(c.Glyphs(), t.Down)
		}
		drawCell(c, x, 0, col.Width, col.Right, Cell{title, theme.Heading})
		x += col.Width + 1
	}
	for y := 1; y < h && t.top+y-1 < len(t.rows); y++ {
		t.drawRow(c, y, w, cols, t.rows[t.top+y-1])
	}
}

func (t *Table[R, K]) drawRow(c canvas.Canvas, y, w int, cols []Column[R], r R) {
	k := t.key(r)
	if t.Flag != nil {
		f := t.Flag(r)
		c.Fit(1, y, 1, f.Style, f.Text)
	}
	x := gutter
	for _, col := range cols {
		drawCell(c, x, y, col.Width, col.Right, col.Cell(r))
		x += col.Width + 1
	}
	if _, ok := t.marked[k]; ok {
		c.Text(2, y, theme.Marked, "m")
		c.Emphasise(canvas.Rect{X: 2, Y: y, W: w - 2, H: 1}, canvas.Bold)
	}
	if t.has && k == t.cursor {
		c.Text(0, y, theme.Accent, ">")
		c.Emphasise(canvas.Rect{X: 0, Y: y, W: w, H: 1}, canvas.Reverse)
	}
}

func drawCell(c canvas.Canvas, x, y, width int, right bool, cell Cell) {
	if right {
		c.FitRight(x, y, width, cell.Style, cell.Text)
		return
	}
	c.Fit(x, y, width, cell.Style, cell.Text)
}

func sortMark(g canvas.Glyphs, down bool) string {
	if down {
		return g.SortDown
	}
	return g.SortUp
}

// minFlexible is the least that the column without a width is worth showing with.
const minFlexible = 8

// fitColumns drops the columns of the lowest priority until the rest fits and
// gives the column without a width what is left.
func fitColumns[R any](columns []Column[R], width int) []Column[R] {
	cols := append([]Column[R](nil), columns...)
	for {
		need, lowest := -1, -1
		for i, col := range cols {
			if need++; col.Width > 0 {
				need += col.Width
			} else {
				need += minFlexible
			}
			if col.Priority < Always && (lowest < 0 || col.Priority < cols[lowest].Priority) {
				lowest = i
			}
		}
		if need <= width || lowest < 0 {
			return stretch(cols, width)
		}
		cols = append(cols[:lowest], cols[lowest+1:]...)
	}
}

func stretch[R any](cols []Column[R], width int) []Column[R] {
	left := width - max(0, len(cols)-1)
	flexible := -1
	for i, col := range cols {
		left -= col.Width
		if col.Width <= 0 {
			flexible = i
		}
	}
	if flexible >= 0 {
		cols[flexible].Width = max(1, left)
	}
	return cols
}
