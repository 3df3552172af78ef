package venues

import (
	"fmt"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

const (
	wide   = 120 // columns from which the pane stands beside the list
	narrow = 60  // below, row 1 has to say alone what being old means
	// tall is the height from which there is a pane below the list.
	tall    = 14
	paneLow = 10 // rows of the pane below the list, its heading included
	// oldAfter is two missed polls and a little, as in row 1.
	oldAfter = 6 * time.Second
)

// areas is where everything is.
type areas struct{ head, list, pane canvas.Rect }

func (m *Model) layout() areas {
	var a areas
	a.head, a.list = canvas.Box(m.width, m.high).Top(1)
	switch {
	case m.width >= wide:
		a.pane, a.list = a.list.Right(m.width * 2 / 5)
	case m.high >= tall:
		a.pane, a.list = a.list.Bottom(min(paneLow, a.list.H/2+1))
	}
	return a
}

// Draw draws the screen.
func (m *Model) Draw(c canvas.Canvas) {
	switch {
	case m.find != nil && m.find.ahead != nil:
		m.drawAhead(c)
		return
	case m.find != nil:
		m.drawFinder(c)
		return
	}
	a := m.layout()
	m.drawHead(c.Sub(a.head))
	switch {
	case !m.list.Ready():
		m.table.Draw(c.Sub(a.list))
		drawText(c.Sub(a.list), m.waiting())
	case len(m.table.Rows()) == 0:
		drawText(c.Sub(a.list), []string{
			"No venues yet.",
			"n adds one: first you choose where it is, then its name and currency; a adds a pool to it, and the horizon job makes the days.",
		})
	default:
		m.table.Draw(c.Sub(a.list))
		if v, ok := m.table.Selected(); ok && !a.pane.Empty() {
			m.drawPane(c, a.pane, v)
		}
	}
}

func (m *Model) drawHead(c canvas.Canvas) {
	title, style, remark := "VENUES", theme.Rule, "* in focus"
	if m.list.Ready() {
		switch n := len(m.list.Value().venues); n {
		case 0:
			title = "NO VENUES"
		case 1:
			title = "1 VENUE"
		default:
			title = fmt.Sprintf("%d VENUES", n)
		}
	}
	if m.old() != "" {
		title, style, remark = "~"+title, theme.Warn, m.old()
	}
	c.Rule(0, style, theme.Heading, title, remark)
}

// old says since when what is shown is not fresh; it is empty while it is.
func (m *Model) old() string {
	if !m.list.Ready() {
		return ""
	}
	readAt := m.list.ReadAt()
	link := m.env.Link().State
	if link != ui.Stale && link != ui.Offline && m.env.Now().Sub(readAt) <= oldAfter {
		return ""
	}
	at := readAt.In(m.env.Zone()).Format(time.TimeOnly)
	if m.width < narrow {
		return "~ as of " + at
	}
	return "~ as of " + at + ", saving is off"
}

func (m *Model) waiting() []string {
	if err := m.list.Err(); err != nil {
		return []string{"The venues could not be read: " + inventory.Message(err) + ".", "Trying again every 2 seconds; r tries now."}
	}
	since, _ := m.list.Running()
	if d := m.env.Now().Sub(since); d >= time.Second {
		return []string{"asking the database ... " + widget.Age(d)}
	}
	return []string{"asking the database ..."}
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

// line is one line of a pane.
type line struct {
	style canvas.Style
	text  string
}

// drawPane draws the rules and pools of the selected venue.
func (m *Model) drawPane(c canvas.Canvas, area canvas.Rect, v inventory.Venue) {
	if m.width >= wide {
		var bar canvas.Rect
		bar, area = area.Left(1)
		c.Fill(bar, theme.Rule, c.Glyphs().Vertical)
	}
	p := c.Sub(area)
	w, h := p.Size()
	p.Rule(0, theme.Rule, theme.Heading, canvas.Cut(v.Name, w-14, c.Glyphs().Ellipsis), fmt.Sprintf("v%d", v.Version))
	y := 1
	lines := m.about(v)
	for i, l := range lines {
		for _, s := range widget.Wrap(l.text, w-3) {
			if y == h-1 && i < len(lines)-1 {
				l, s = line{style: theme.Muted}, fmt.Sprintf("%d more lines; a wider or higher terminal shows them", len(lines)-i)
			}
			if y < h {
				p.Text(2, y, l.style, s)
			}
			y++
		}
	}
}

func (m *Model) about(v inventory.Venue) []line {
	lines := []line{
		{theme.Text, fmt.Sprintf("Holds live %s and up to %s more, %s at the longest when extended.", short(v.HoldTTL), short(v.HoldJitter), short(v.HoldMaxLife))},
		{theme.Text, policy(v)},
		{theme.Text, fmt.Sprintf("A payment whose end is unknown: after %s the provider is asked, after %s the place is given up.", short(v.DoubtAfter), short(v.DoubtCap))},
	}
	zone, err := timezone.ParseZone(v.Zone)
	if err != nil {
		lines = append([]line{{theme.Bad, "Its zone is unknown, and never guessed: " + err.Error() + ". No new days are made; z chooses a zone."}}, lines...)
	} else {
		lines = append(lines, line{theme.Text, nextChange(zone, m.env.Now())})
	}
	pools := m.list.Value().pools[v.Slug]
	if len(pools) == 0 {
		lines = append(lines, line{theme.Warn, "It has no pool yet, so nothing is sold by the day: a adds one."})
	}
	for _, p := range pools {
		text := fmt.Sprintf("%s: %s for one, %s, %d days ahead", p.Ref.Pool, p.Price, weekly(p.Week), p.HorizonDays)
		if p.MaxPerBuyer > 0 {
			text += fmt.Sprintf(", %d a buyer", p.MaxPerBuyer)
		}
		if p.Late.Policy != "" {
			text += ", late money: " + string(p.Late.Policy)
		}
		lines = append(lines, line{theme.Text, text + " - " + p.Name})
	}
	return lines
}

// nextChange says when the clocks of a zone change next.
func nextChange(zone timezone.Zone, now time.Time) string {
	next := timezone.NextChanges(zone, now, 1)
	if len(next) == 0 {
		return "Its clocks do not change."
	}
	before, after := next[0].Faces()
	day := dayOf(next[0], zone)
	return fmt.Sprintf("Next clock change: %s, %s -> %s (a day of %s).", timezone.DayLabel(day), before.Time, after.Time, short(timezone.DayLength(day, zone)))
}
