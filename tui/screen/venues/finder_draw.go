package venues

import (
	"fmt"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// zoneColumns is the room before the country's name, which comes last.
const (
	zoneWidth   = 31
	offsetWidth = 7
	nextWidth   = 17
)

// drawFinder draws the zone page: what matches above, below it the next clock
// changes and what the change would do.
func (m *Model) drawFinder(c canvas.Canvas) {
	f := m.find
	w, h := c.Size()
	title, remark := "TIME ZONE OF A NEW VENUE", "where is it?"
	if f.venue != nil {
		title, remark = "TIME ZONE of "+f.venue.Name, "now "+f.venue.Zone
	}
	c.Rule(0, theme.Rule, theme.Heading, canvas.Cut(title, w-canvas.Width(remark)-7, c.Glyphs().Ellipsis), remark)
	x := c.Text(2, 1, theme.Heading, "Find") + 1
	f.search.Draw(c.Sub(canvas.Rect{X: x, Y: 1, W: min(26, w-x), H: 1}), true)
	c.Text(x+28, 1, theme.Muted, "city, country, code, +01, or an old name")

	below := m.below(w)
	rest := canvas.Rect{Y: 2, W: w, H: h - 2}
	list, under := rest.Top(max(min(rest.H, 4), rest.H-len(below)))
	m.drawMatches(c.Sub(list))
	p := c.Sub(under)
	for y, l := range below {
		if l.style == theme.Heading {
			p.Rule(y, theme.Rule, theme.Heading, l.text, "")
			continue
		}
		p.Text(2, y, l.style, l.text)
	}
}

func (m *Model) drawMatches(c canvas.Canvas) {
	f := m.find
	w, h := c.Size()
	c.Text(3, 0, theme.Heading, "zone")
	c.Text(3+zoneWidth, 0, theme.Heading, "now")
	c.Text(3+zoneWidth+offsetWidth, 0, theme.Heading, "next change")
	c.Text(3+zoneWidth+offsetWidth+nextWidth, 0, theme.Heading, "country")
	switch {
	case m.zones == nil:
		c.Text(3, 2, theme.Text, "reading the zone rules "+c.Glyphs().Ellipsis)
		return
	case len(f.matches) == 0:
		for i, s := range widget.Wrap("Nothing matches. Try a bigger city of the same country, the country itself, or an offset such as +05:30.", w-6) {
			c.Text(3, 2+i, theme.Text, s)
		}
		return
	}
	at := 0
	for i, match := range f.matches {
		if match.Zone.Name() == f.cursor {
			at = i
		}
	}
	rows := h - 1
	if match, ok := f.selected(); ok && f.search.Value() != "" {
		rows--
		c.Fit(3, h-1, w-3, theme.Muted, foundBy(match, len(f.matches)))
	}
	top := max(0, min(at-rows/2, len(f.matches)-rows))
	for y := 0; y < rows && top+y < len(f.matches); y++ {
		drawMatch(c, 1+y, w, f.matches[top+y], top+y == at)
	}
}

func drawMatch(c canvas.Canvas, y, w int, match timezone.Match, here bool) {
	c.Fit(3, y, zoneWidth-1, theme.Text, match.Zone.Name())
	c.Fit(3+zoneWidth, y, offsetWidth-1, theme.Text, match.Offset.String())
	next := "never"
	if match.HasNext {
		next = fmt.Sprintf("%s %s", dayOf(match.Next, match.Zone), signed(match.Next))
	}
	c.Fit(3+zoneWidth+offsetWidth, y, nextWidth-1, theme.Text, next)
	country := match.Country
	if match.Note != "" {
		country += ", " + match.Note
	}
	x := 3 + zoneWidth + offsetWidth + nextWidth
	c.Fit(x, y, w-x, theme.Text, country)
	if here {
		c.Text(0, y, theme.Accent, ">")
		c.Emphasise(canvas.Rect{Y: y, W: w, H: 1}, canvas.Reverse)
	}
}

func signed(c timezone.ClockChange) string {
	if c.Shift() > 0 {
		return "+" + short(c.Shift())
	}
	return "-" + short(-c.Shift())
}

func foundBy(match timezone.Match, n int) string {
	text := "found by " + match.By
	if match.OldName != "" {
		text += " " + match.OldName + ", which is " + match.Zone.Name() + " today"
	}
	if n >= maxZones {
		return text + fmt.Sprintf("; the first %d, type more", n)
	}
	return text + fmt.Sprintf("; %d match", n)
}

// below is what stands under the matches: clock changes, and the preview.
func (m *Model) below(w int) []line {
	f := m.find
	match, ok := f.selected()
	if !ok {
		return nil
	}
	const changes = 2
	lines := []line{{theme.Heading, "NEXT CLOCK CHANGES in " + match.Zone.Name()}}
	next := timezone.NextChanges(match.Zone, m.env.Now(), changes)
	if len(next) == 0 {
		lines = append(lines, line{theme.Text, "none: its clocks do not change"})
	}
	for _, c := range next {
		lines = append(lines, wrapped(describe(c, match.Zone), w, theme.Text)...)
	}
	if f.venue == nil {
		return lines
	}
	if f.same() {
		return append(lines, line{theme.Heading, "THIS IS ITS ZONE NOW"})
	}
	lines = append(lines, line{theme.Heading, "IF YOU CHANGE " + f.venue.Zone + " -> " + match.Zone.Name() + " (a preview)"})
	for _, s := range m.preview(match) {
		lines = append(lines, wrapped(s, w, theme.Text)...)
	}
	return lines
}

func wrapped(s string, w int, st canvas.Style) []line {
	var out []line
	for _, l := range widget.Wrap(s, w-4) {
		out = append(out, line{st, l})
	}
	return out
}

// preview says what a change to the match would mean.
func (m *Model) preview(match timezone.Match) []string {
	f := m.find
	switch {
	case f.counts.Err() != nil:
		return []string{"What it would touch could not be read: " + inventory.Message(f.counts.Err())}
	case !f.counts.Ready():
		return []string{"asking the database what it would touch ..."}
	}
	from, known := presentZone(*f.venue)
	if !known {
		n := f.counts.Value()
		return []string{
			"Its present zone is unknown, so nothing can be compared.",
			fmt.Sprintf("%d pool days, with %d places taken, keep their dates; their sales end with the day there.", n.days, n.taken),
			running(n.holds),
		}
	}
	return consequences(from, match.Zone, f.counts.Value(), m.env.Now())
}
