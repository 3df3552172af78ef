package dialog

import (
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// line is one line of a dialog's text.
type line struct {
	style canvas.Style
	text  string
	label string
	col   int // where text begins after a label
}

func wrapAll(paragraphs []string, width int, st canvas.Style) []line {
	var out []line
	for _, p := range paragraphs {
		for _, s := range widget.Wrap(p, width) {
			out = append(out, line{style: st, text: s})
		}
	}
	return out
}

func factLines(facts []Fact, width int) []line {
	col := 0
	for _, f := range facts {
		col = max(col, canvas.Width(canvas.Clean(f.Label)))
	}
	col = min(col+2, width/2)
	var out []line
	for _, f := range facts {
		for i, s := range widget.Wrap(f.Text, width-col) {
			l := line{text: s, col: col}
			if i == 0 {
				l.label = f.Label
			}
			out = append(out, l)
		}
	}
	return out
}

// drawScrolled draws the lines from the scroll position and says when there are more.
func drawScrolled(c canvas.Canvas, lines []line, scroll *int) {
	w, h := c.Size()
	if h <= 0 {
		return
	}
	*scroll = max(0, min(*scroll, len(lines)-h))
	for y := 0; y < h && *scroll+y < len(lines); y++ {
		l := lines[*scroll+y]
		c.Fit(0, y, l.col, theme.Heading, l.label)
		c.Fit(l.col, y, w-l.col, l.style, l.text)
	}
	if *scroll+h < len(lines) {
		c.FitRight(0, h-1, w, theme.Muted, "more: pgdn")
	}
}
