package dialog

import (
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
)

// button is one choice at the bottom of a dialog.
type button struct {
	label string
	dead  string // why it cannot be pressed now
}

// drawButtons draws the buttons in one row, centred, the focused one marked by
// ">" as well as by its style; focus < 0 marks none. When they do not fit in
// one row only the focused one and its number are drawn.
func drawButtons(c canvas.Canvas, y int, buttons []button, focus int) {
	w, _ := c.Size()
	const gap = 3
	total := -gap
	for _, b := range buttons {
		total += canvas.Width(canvas.Clean(b.label)) + 6 + gap
	}
	if total > w {
		drawNarrow(c, y, buttons, max(focus, 0))
		return
	}
	x := (w - total) / 2
	for i, b := range buttons {
		x = drawButton(c, x, y, b, i == focus) + gap
	}
}

func drawButton(c canvas.Canvas, x, y int, b button, focused bool) int {
	mark, st := "  ", theme.Button
	switch {
	case focused && b.dead == "":
		mark, st = "> ", theme.ButtonOn
	case focused:
		mark, st = "> ", theme.Dead
	case b.dead != "":
		st = theme.Dead
	}
	x = c.Text(x, y, theme.Accent, mark)
	return c.Text(x, y, st, "[ "+b.label+" ]")
}

func drawNarrow(c canvas.Canvas, y int, buttons []button, focus int) {
	x := 0
	if focus > 0 {
		x = c.Text(x, y, theme.Muted, "<")
	}
	x = drawButton(c, x, y, buttons[focus], true)
	if focus < len(buttons)-1 {
		c.Text(x+1, y, theme.Muted, ">")
	}
}
