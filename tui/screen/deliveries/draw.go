package deliveries

import (
	"fmt"
	"time"

	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

const (
	wide   = 100 // columns from which the pane stands beside the list
	narrow = 60  // below, there is room for the shortest words only
	// tall is the height from which there is a pane below the list.
	tall     = 12
	paneHigh = 9 // rows of the pane below the list, where there is room
	listLow  = 4 // rows that the list keeps
	// oldAfter is two missed polls and a little, as in row 1.
	oldAfter = 6 * time.Second
)

// areas is where everything is.
type areas struct{ health, list, pane canvas.Rect }

func (h *half[R, K, S]) layout() areas {
	var a areas
	a.health, a.list = canvas.Box(h.width, h.high).Top(1)
	switch {
	case h.width >= wide:
		a.pane, a.list = a.list.Right(h.width * 2 / 5)
	case h.high >= tall:
		a.pane, a.list = a.list.Bottom(min(paneHigh, a.list.H-listLow))
	}
	return a
}

// size takes the side's size and the columns that fit it.
func (h *half[R, K, S]) size(width, high int, columns []widget.Column[R]) {
	h.width, h.high = width, high
	h.table.Columns = columns
	h.table.SetHeight(h.layout().list.H)
}

// page is what a side says of itself.
type page struct {
	health  line
	nothing []string // said when there are no rows
	title   string   // of the pane
	remark  string
	lines   []line
}

// draw draws the side: how it is in one sentence, the list, and the pane of the
// row under the cursor.
func (h *half[R, K, S]) draw(c canvas.Canvas, p page) {
	a := h.layout()
	if !h.list.Ready() {
		h.table.Draw(c.Sub(a.list))
		drawText(c.Sub(a.list), h.asking())
		return
	}
	c.Fit(1, a.health.Y, a.health.W-2, p.health.style, p.health.text)
	if len(h.table.Rows()) == 0 {
		drawText(c.Sub(a.list), p.nothing)
		return
	}
	h.table.Draw(c.Sub(a.list))
	if !a.pane.Empty() {
		h.drawPane(c, a.pane, p)
	}
}

func drawText(c canvas.Canvas, paragraphs []string) {
	w, _ := c.Size()
	y := 2
	for _, p := range paragraphs {
		for _, s := range widget.Wrap(p, w-6) {
			c.Text(3, y, theme.Text, s)
			y++
		}
	}
}

func (h *half[R, K, S]) drawPane(c canvas.Canvas, area canvas.Rect, p page) {
	if h.width >= wide {
		var bar canvas.Rect
		bar, area = area.Left(1)
		c.Fill(bar, theme.Rule, c.Glyphs().Vertical)
	}
	in := c.Sub(area)
	w, high := in.Size()
	in.Rule(0, theme.Rule, theme.Heading, canvas.Cut(p.title, w-canvas.Width(p.remark)-7, c.Glyphs().Ellipsis), p.remark)
	lines := p.lines
	if h.left != "" {
		lines = append([]line{{theme.Warn, h.left}}, lines...)
	}
	var wrapped []line
	for _, l := range lines {
		if l.text == "" {
			continue
		}
		for _, s := range widget.Wrap(l.text, w-3) {
			wrapped = append(wrapped, line{l.style, s})
		}
	}
	for i, l := range wrapped {
		y := i + 1
		if y == high-1 && i < len(wrapped)-1 {
			in.Text(2, y, theme.Muted, "enter shows the rest")
			return
		}
		in.Text(2, y, l.style, l.text)
	}
}

// since writes a length of time in at most 6 cells, with seconds only while
// they matter: a row that changes every second costs a line over the wire.
func since(d time.Duration) string {
	const day = 24 // hours; a length of time, not a calendar day
	h, min, sec := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case d < 0:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", sec)
	case d < 2*time.Minute:
		return fmt.Sprintf("%dm%02ds", min, sec)
	case h == 0:
		return fmt.Sprintf("%dm", min)
	case h < 2*day:
		return fmt.Sprintf("%dh%02dm", h, min)
	}
	return fmt.Sprintf("%dd", h/day)
}

// count says how many of something: "1 message", "2 messages".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// times says how often: "once", "3 times".
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
