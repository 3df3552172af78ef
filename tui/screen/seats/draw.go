package seats

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// oldAfter is two missed polls and a little, as in row 1.
const oldAfter = 6 * time.Second

// Draw draws the screen.
func (m *Model) Draw(c canvas.Canvas) {
	a := m.layout()
	m.drawHead(c.Sub(a.head))
	body := c.Sub(a.body)
	switch {
	case m.event == inventory.EventID{}:
		m.drawEvents(body)
		return
	case !m.seatMap.Ready():
		drawText(body, m.waiting("The seats", m.seatMap.Err(), m.since()))
		return
	case len(m.hall.seats) == 0:
		ref := m.seatMap.Value().Event.Ref
		drawText(body, []string{"This event has no seats yet.", fmt.Sprintf("They come from a file: holdfast seat import %s FILE.csv", ref)})
		return
	}
	m.drawCounts(c.Sub(a.counts))
	if m.zoomed {
		m.blocks.Draw(body)
	} else {
		m.drawGrid(body)
	}
	drawLegend(c.Sub(a.legend), m.zoomed)
	m.drawPane(c, a.pane)
}

func (m *Model) since() time.Time {
	since, _ := m.seatMap.Running()
	return since
}

// drawHead says which event it is; while one searches, the field stands there.
func (m *Model) drawHead(c canvas.Canvas) {
	w, _ := c.Size()
	if m.finding.typing {
		x := c.Text(1, 0, theme.Heading, "find ")
		m.finding.field.Draw(c.Sub(canvas.Rect{X: x, W: min(w-x, 40), H: 1}), true)
		c.Text(x+41, 0, theme.Muted, findHint)
		return
	}
	style, remark := theme.Rule, m.remark()
	if m.old() != "" {
		style = theme.Warn
	}
	const around = 7 // blanks and the least of the line between the two
	room := max(0, w-canvas.Width(canvas.Clean(remark))-around)
	c.Rule(0, style, theme.Heading, canvas.Cut(m.title(room, c.Glyphs().Ellipsis), room, c.Glyphs().Ellipsis), remark)
}

// title is the event and its start; where there is little room, the name is
// what is cut.
func (m *Model) title(room int, ellipsis string) string {
	if (m.event == inventory.EventID{}) {
		return "COMING EVENTS"
	}
	if !m.seatMap.Ready() {
		return "SEATS"
	}
	e := m.seatMap.Value().Event
	start := "  " + m.start(e)
	return canvas.Cut(e.Name, max(8, room-len(start)), ellipsis) + start
}

// start is when an event begins, on the wall of the screen's zone.
func (m *Model) start(e inventory.Event) string {
	layout := "Mon 2006-01-02 15:04 -07:00"
	if m.width < narrow {
		layout = "01-02 15:04 -07"
	}
	return e.StartsAt.In(m.env.Zone()).Format(layout)
}

// remark is what must be known before anything is done; what makes the numbers
// untrustworthy comes first.
func (m *Model) remark() string {
	switch {
	case m.old() != "":
		return m.old()
	case m.moving != nil:
		return "moving " + short(m.moving.from)
	case m.anchor != 0:
		return "range: v ends it"
	case len(m.marks) > 0:
		return fmt.Sprintf("%d marked", len(m.marks))
	case m.event != inventory.EventID{} && m.seatMap.Ready():
		return m.sales()
	}
	return ""
}

// sales says why the event as a whole sells nothing now, empty when it sells.
func (m *Model) sales() string {
	e := m.seatMap.Value().Event
	switch err := e.Admit(m.env.Now()); {
	case err == nil:
		return ""
	case errors.Is(err, inventory.ErrStopSell):
		return "SALES STOPPED"
	case errors.Is(err, inventory.ErrNotOnSale):
		return "on sale from " + m.at(e.SalesFrom)
	}
	return "sales ended " + m.at(e.SalesUntil)
}

// readAt is when what is on screen was read.
func (m *Model) readAt() time.Time {
	if (m.event == inventory.EventID{}) {
		return m.events.ReadAt()
	}
	return m.seatMap.ReadAt()
}

// old says since when the numbers are not fresh; it is empty while they are.
func (m *Model) old() string {
	readAt := m.readAt()
	if readAt.IsZero() {
		return ""
	}
	link := m.env.Link().State
	if link != ui.Stale && link != ui.Offline && m.env.Now().Sub(readAt) <= oldAfter {
		return ""
	}
	if m.width < narrow {
		return "~" + m.at(readAt)
	}
	return "~ as of " + m.at(readAt) + ", saving is off"
}

// mark is put before numbers that are not fresh.
func (m *Model) mark() string {
	if m.old() != "" {
		return "~"
	}
	return ""
}

// drawCounts says how the section stands; when it is wider than the screen, how
// to see the rest. What has no room goes in this order: the sum, where the rest
// is, how seats stand that are not free.
func (m *Model) drawCounts(c canvas.Canvas) {
	w, _ := c.Size()
	name, n := "WHOLE HALL", m.hall.all()
	where, more := "", ""
	if p, ok := m.hall.where(m.cursor); ok && !m.zoomed {
		sec := &m.hall.sections[p.section]
		name, n, more = sec.name, sec.counts, m.more()
		if len(m.hall.sections) > 1 {
			where = fmt.Sprintf("section %d of %d", p.section+1, len(m.hall.sections))
		}
	}
	const gap = 2
	least := min(canvas.Width(canvas.Clean(name)), leastName)
	if where != "" && more != "" {
		where += ", "
	}
	long, short := n.words(m.mark())
	all := [][2]string{
		{long + fmt.Sprintf("  of %d", n.total()), where + more},
		{long + fmt.Sprintf("  of %d", n.total()), more},
		{long, more},
		{short, more},
		{short, "more"},
		{short, ""},
	}
	if more == "" {
		all = slices.Delete(all, 4, 5)
	}
	text, remark := short, ""
	for _, t := range all {
		if 1+least+gap+len(t[0])+gap+len(t[1]) < w {
			text, remark = t[0], t[1]
			break
		}
	}
	x := c.Text(1, 0, theme.Heading, canvas.Cut(name, w-1-gap-len(text)-gap-len(remark)-1, c.Glyphs().Ellipsis)) + gap
	c.Text(x, 0, theme.Text, text)
	c.Text(w-1-len(remark), 0, theme.Accent, remark)
}

// words is how seats stand, in many words and in few.
func (c counts) words(mark string) (long, short string) {
	long = fmt.Sprintf("free %s%d  held %s%d  booked %s%d  off %s%d", mark, c.free, mark, c.held, mark, c.booked, mark, c.off)
	if c.repair > 0 {
		long += fmt.Sprintf("  REPAIR %s%d", mark, c.repair)
	}
	return long, fmt.Sprintf("free %s%d of %d", mark, c.free, c.total())
}

// leastName is what a section's name needs to be told from others.
const leastName = 10

func drawLegend(c canvas.Canvas, zoomed bool) {
	w, h := c.Size()
	if h == 0 {
		return
	}
	text := "o free   h held   # booked   x off sale   ? needs repair   m marked   > cursor"
	if zoomed {
		text = "# booked   h held   . free; of seats that are not off sale"
	}
	if len(text)+2 > w {
		text = "o free h held # booked x off sale m marked"
	}
	if len(text)+1 > w {
		text = "o free h held # booked x off m mark"
	}
	c.Fit(1, 0, w-1, theme.Muted, text)
}

// waiting is shown before the first answer. It never shows a zero.
func (m *Model) waiting(what string, err error, since time.Time) []string {
	if err != nil {
		return []string{what + " could not be read: " + inventory.Message(err) + ".", "Trying again every 2 seconds; r tries now."}
	}
	if d := m.env.Now().Sub(since); d >= time.Second {
		return []string{"asking the database ... " + widget.Age(d)}
	}
	return []string{"asking the database ..."}
}

func drawText(c canvas.Canvas, paragraphs []string) {
	w, _ := c.Size()
	y := 1
	for _, p := range paragraphs {
		for _, s := range widget.Wrap(p, w-6) {
			c.Text(3, y, theme.Text, s)
			y++
		}
	}
}

// at writes a moment in the zone of the screen; what is today's goes without
// saying.
func (m *Model) at(t time.Time) string {
	zone := m.env.Zone()
	t = t.In(zone)
	now := m.env.Now().In(zone)
	switch {
	case t.Format(time.DateOnly) == now.Format(time.DateOnly):
		return t.Format(time.TimeOnly)
	case t.Year() == now.Year():
		return t.Format("01-02 " + time.TimeOnly)
	}
	return t.Format(time.DateOnly + " " + time.TimeOnly)
}
