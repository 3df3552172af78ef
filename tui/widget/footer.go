package widget

import (
	"holdfast/tui/canvas"
	"holdfast/tui/keys"
	"holdfast/tui/theme"
)

// DrawFooter draws the hints of the tables into all rows of c.
func DrawFooter(c canvas.Canvas, tables ...keys.Table) {
	w, h := c.Size()
	c.Clear(c.Bounds())
	for y, line := range keys.Footer(w-2, h, tables...) {
		x := 1
		for _, hint := range line {
			key, text := theme.Key, theme.Text
			if hint.Disabled {
				key, text = theme.Dead, theme.Dead
			}
			x = c.Text(x, y, key, hint.Label)
			x = c.Text(x+1, y, text, hint.Help) + 2
		}
	}
}
