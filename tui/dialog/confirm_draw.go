package dialog

import (
	"fmt"

	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// confirmWidth is the width of a dialog where there is room.
const confirmWidth = 76

// Size asks for the height that the text needs.
func (c *Confirm) Size(w, h int) (int, int) {
	w = min(w, confirmWidth)
	return w, min(h, len(c.lines(w-6))+len(c.fields())+c.tail()+4)
}

// tail is the rows below the text: why a button is dead, the buttons.
func (c *Confirm) tail() int { return 3 }

// Draw draws text, fields and buttons; text that does not fit scrolls.
func (c *Confirm) Draw(cv canvas.Canvas, at Moment) {
	in := cv.Border(theme.Dialog, c.spec.Title, theme.Dialog)
	area := in.Bounds().Inset(2, 0)
	bottom, area := area.Bottom(min(c.tail(), area.H))
	fields, area := area.Bottom(min(len(c.fields()), area.H))
	if area.H > 4 {
		_, area = area.Top(1)
	}
	drawScrolled(in.Sub(area), c.lines(area.W), &c.scroll)
	c.drawFields(in.Sub(fields))
	c.drawBottom(in.Sub(bottom), at)
}

func (c *Confirm) drawFields(cv canvas.Canvas) {
	w, _ := cv.Size()
	for i, f := range c.fields() {
		label := c.labelOf(i)
		if i == c.focus {
			cv.Text(0, i, theme.Accent, ">")
		}
		x := cv.Text(2, i, theme.Text, canvas.Cut(label, w/2, cv.Glyphs().Ellipsis)) + 2
		f.Draw(cv.Sub(canvas.Rect{X: x, Y: i, W: w - x, H: 1}), i == c.focus)
	}
}

func (c *Confirm) labelOf(i int) string {
	if c.fields()[i] == &c.reason {
		return c.spec.Reason
	}
	return "Type " + c.spec.Type + " to go on"
}

func (c *Confirm) drawBottom(cv canvas.Canvas, at Moment) {
	w, h := cv.Size()
	note := func(s string) {
		cv.Text(2, h-2, theme.Warn, canvas.Cut(s, w-2, cv.Glyphs().Ellipsis))
	}
	switch {
	case c.result != nil:
		drawButtons(cv, h-1, []button{{label: "Close"}}, 0)
		return
	case !c.sent.IsZero():
		note(fmt.Sprintf("sent, no answer yet (%s); it cannot be done twice", widget.Age(at.Now.Sub(c.sent))))
		drawButtons(cv, h-1, c.buttons(at, "sent"), -1)
		return
	}
	if i := c.waiting(); c.lost && i >= 0 {
		note("nothing was typed; up, then type " + c.wanted(i))
	} else if i := c.focus - c.cancelStop() - 1; i >= 0 {
		if why := c.dead(i, at); why != "" {
			note(c.spec.Actions[i].Label + ": " + why)
		}
	} else if at.NoSave != "" {
		note(at.NoSave)
	}
	drawButtons(cv, h-1, c.buttons(at, ""), c.focus-c.cancelStop())
}

func (c *Confirm) buttons(at Moment, allDead string) []button {
	out := []button{{label: "Cancel", dead: allDead}}
	for i, a := range c.spec.Actions {
		b := button{label: a.Label, dead: c.dead(i, at)}
		if allDead != "" {
			b.dead = allDead
		}
		out = append(out, b)
	}
	return out
}

func (c *Confirm) lines(width int) []line {
	if c.result != nil {
		out := wrapAll([]string{c.result.Text}, width, theme.Bad)
		return append(append(out, wrapAll(c.result.Lines, width, theme.Text)...), line{})
	}
	out := append(wrapAll(c.last, width, theme.Bad), wrapAll(c.spec.Intro, width, theme.Text)...)
	if len(c.spec.Facts) > 0 {
		out = append(out, line{})
	}
	out = append(out, factLines(c.spec.Facts, width)...)
	if !c.spec.ReadAt.IsZero() {
		out = append(out, line{})
		seen := "Seen at " + c.spec.ReadAt.Format("15:04:05 -07:00") + ". Checked again in the database."
		out = append(out, wrapAll([]string{seen}, width, theme.Muted)...)
	}
	return append(out, line{})
}
