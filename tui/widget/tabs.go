package widget

import (
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
)

// Tab is one screen's name in row 2.
type Tab struct {
	Key   string
	Title string
	Badge string // "3!", what waits there; may be empty
}

// Tabs is row 2: the screens, the one on screen in brackets. On narrow screens
// it shows the part round the active one.
type Tabs struct {
	Items  []Tab
	Active int
	Crumb  string // what was opened on top of the active screen
}

// Draw draws the tabs into the first row of c.
func (t Tabs) Draw(c canvas.Canvas) {
	w, _ := c.Size()
	c.Clear(canvas.Rect{W: w, H: 1})
	for i, r := range t.layout(w) {
		if r.Empty() {
			continue
		}
		if i == t.Active {
			c.Text(r.X, 0, theme.TabOn, "["+t.label(i)+"]")
			continue
		}
		c.Text(r.X+1, 0, theme.Tab, t.label(i))
	}
}

// At returns the tab drawn at column x of a row of the given width.
func (t Tabs) At(x, width int) (int, bool) {
	for i, r := range t.layout(width) {
		if r.Contains(x, 0) {
			return i, true
		}
	}
	return 0, false
}

func (t Tabs) label(i int) string {
	s := t.Items[i].Key + " " + t.Items[i].Title
	if b := t.Items[i].Badge; b != "" {
		s += " " + b
	}
	if i == t.Active && t.Crumb != "" {
		s += " > " + t.Crumb
	}
	return s
}

// layout gives each tab its cells; tabs that do not fit get none.
func (t Tabs) layout(width int) []canvas.Rect {
	rects := make([]canvas.Rect, len(t.Items))
	if t.Active < 0 || t.Active >= len(t.Items) {
		return rects
	}
	size := func(i int) int { return canvas.Width(canvas.Clean(t.label(i))) + 2 }
	first, last, used := t.Active, t.Active, size(t.Active)
	for grown := true; grown; {
		grown = false
		if first > 0 && used+size(first-1)-1 <= width {
			first--
			used += size(first) - 1 // neighbours share the cell of a bracket
			grown = true
		}
		if last < len(t.Items)-1 && used+size(last+1)-1 <= width {
			last++
			used += size(last) - 1
			grown = true
		}
	}
	x := 0
	for i := first; i <= last; i++ {
		rects[i] = canvas.Rect{X: x, W: size(i), H: 1}
		x += size(i) - 1
	}
	return rects
}
