package holds

import (
	"fmt"
	"time"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

const (
	wide   = 100 // columns from which the pane stands beside the list
	narrow = 60  // below, row 1 has to say alone what being old means
	// tall is the height from which there is a pane below the list.
	tall    = 13
	paneLow = 7 // rows of the pane below the list, its heading included
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
		a.pane, a.list = a.list.Bottom(paneLow)
	}
	return a
}

// Draw draws the screen.
func (m *Model) Draw(c canvas.Canvas) {
	a := m.layout()
	m.drawHead(c.Sub(a.head))
	switch {
	case !m.list.Ready():
		m.table.Draw(c.Sub(a.list))
		m.drawText(c.Sub(a.list), m.waiting())
	case len(m.table.Rows()) == 0:
		m.drawText(c.Sub(a.list), m.nothing())
	default:
		m.table.Draw(c.Sub(a.list))
		if row, ok := m.table.Selected(); ok && !a.pane.Empty() {
			m.drawPane(c, a.pane, row)
		}
	}
}

func (m *Model) drawHead(c canvas.Canvas) {
	w, _ := c.Size()
	if m.typing {
		x := c.Text(1, 0, theme.Heading, "find ")
		m.field.Draw(c.Sub(canvas.Rect{X: x, W: min(w-x, 50), H: 1}), true)
		c.Text(x+51, 0, theme.Muted, "buyer, pool, or the end of an id")
		return
	}
	style, remark := theme.Rule, m.remark()
	if m.old() != "" {
		style = theme.Warn
	}
	const around = 7 // blanks and the least of the line between the two
	room := w - canvas.Width(canvas.Clean(remark)) - around
	c.Rule(0, style, theme.Heading, canvas.Cut(m.counts(room), room, c.Glyphs().Ellipsis), remark)
}

// counts sums up the holds of the venue, whatever the filter. An amount is
// shown whole or not at all.
func (m *Model) counts(room int) string {
	if !m.list.Ready() {
		return "HOLDS"
	}
	n, mark := m.list.Value().Counts, ""
	n.Due += m.fallenDue()
	if m.old() != "" {
		mark = "~"
	}
	if n.Held+n.Paying == 0 {
		return mark + "NO HOLDS"
	}
	text := fmt.Sprintf("%s%d holds", mark, n.Held+n.Paying)
	if n.Held+n.Paying == 1 {
		text = mark + "1 hold"
	}
	parts := fmt.Sprintf("%s: %d held, %d due, %d paying", text, n.Held-n.Due, n.Due, n.Paying)
	if canvas.Width(parts) > room {
		return text
	}
	text = parts
	for i, a := range n.AtStake {
		joint := "  "
		if i > 0 {
			joint = " + "
		}
		more := fmt.Sprintf("%s%d more", joint, len(n.AtStake)-i)
		if i == len(n.AtStake)-1 {
			more = ""
		}
		if next := text + joint + mark + a.String(); canvas.Width(next+more) <= room {
			text = next
			continue
		}
		if i > 0 {
			text += fmt.Sprintf(" + %d more", len(n.AtStake)-i)
		}
		break
	}
	return text
}

// fallenDue counts the rows whose time has ended since the database counted, so
// that heading and rows go by the same clock.
func (m *Model) fallenDue() int {
	l, n := m.list.Value(), 0
	for _, b := range l.Bookings {
		if m.word(b) == due && b.ExpiresAt.After(l.AsOf) {
			n++
		}
	}
	return n
}

// remark says which rows are shown and in which order; what makes the numbers
// untrustworthy comes first.
func (m *Model) remark() string {
	l := m.list.Value()
	matches := fmt.Sprint(len(l.Bookings))
	if l.More {
		matches = fmt.Sprintf("the first %d", len(l.Bookings))
	}
	switch {
	case m.old() != "":
		return m.old()
	case m.search != "" && !m.list.Ready():
		return fmt.Sprintf("filter %q, esc clears", m.search)
	case m.search != "":
		return fmt.Sprintf("filter %q: %s, esc clears", m.search, matches)
	case m.ended && l.More:
		return matches + ", newest first"
	case m.ended:
		return "ended ones too, newest first"
	case l.More:
		return matches + " to end"
	}
	return ""
}

// old says since when the numbers are not fresh; it is empty while they are.
func (m *Model) old() string {
	if !m.list.Ready() {
		return ""
	}
	readAt := m.list.ReadAt()
	link := m.env.Link().State
	if link != ui.Stale && link != ui.Offline && m.env.Now().Sub(readAt) <= oldAfter {
		return ""
	}
	if m.width < narrow {
		return "~ as of " + m.at(readAt)
	}
	return "~ as of " + m.at(readAt) + ", saving is off"
}

// waiting is shown before the first answer. It never shows a zero.
func (m *Model) waiting() []string {
	if err := m.list.Err(); err != nil {
		return []string{"The holds could not be read: " + inventory.Message(err) + ".", "Trying again every 2 seconds; r tries now."}
	}
	since, _ := m.list.Running()
	if d := m.env.Now().Sub(since); d >= time.Second {
		return []string{"asking the database ... " + widget.Age(d)}
	}
	return []string{"asking the database ..."}
}

// nothing says why the list is empty and what would fill it.
func (m *Model) nothing() []string {
	l := m.list.Value()
	if m.search != "" {
		of := fmt.Sprintf("None of the %d holds matches %q.", l.Counts.Held+l.Counts.Paying, m.search)
		if m.ended {
			of = fmt.Sprintf("No booking of this venue matches %q.", m.search)
		}
		text := []string{of, "esc clears the filter."}
		if !m.ended {
			text = append(text, "a looks among those that have ended too.")
		}
		return text
	}
	if l.last == nil {
		return []string{"No holds: nothing has been booked at this venue yet.", "A hold comes here when a shop asks for places of one of its pools."}
	}
	return []string{
		"No holds now.",
		fmt.Sprintf("The newest booking: %s, %s since %s.", l.last.Claimed(), l.last.State, m.at(l.last.UpdatedAt)),
		"A hold comes here when a shop asks for places; a shows the bookings that have ended.",
	}
}

func (m *Model) drawText(c canvas.Canvas, paragraphs []string) {
	w, _ := c.Size()
	y := 2
	for _, p := range paragraphs {
		for _, s := range widget.Wrap(p, w-6) {
			c.Text(3, y, theme.Text, s)
			y++
		}
	}
}

// drawPane draws what is known of the selected booking, below the list or
// beside it.
func (m *Model) drawPane(c canvas.Canvas, area canvas.Rect, b inventory.Booking) {
	if m.width >= wide {
		var bar canvas.Rect
		bar, area = area.Left(1)
		c.Fill(bar, theme.Rule, c.Glyphs().Vertical)
	}
	p := c.Sub(area)
	w, _ := p.Size()
	title := ".." + b.ID.Short() + "  " + b.Buyer
	p.Rule(0, theme.Rule, theme.Heading, canvas.Cut(title, w/2, c.Glyphs().Ellipsis), m.paneRemark(b))

	var lines []line
	if m.left != "" {
		lines = append(lines, line{theme.Warn, m.left})
	}
	lines = append(lines, m.about(b)...)
	lines = append(lines, m.meaning(b))
	s, known := m.storyFor(b)
	switch {
	case known:
		lines = append(lines, m.payments(s)...)
		lines = append(lines, m.journal(s)...)
	case m.story.Err() != nil:
		lines = append(lines, line{theme.Warn, "its story could not be read: " + inventory.Message(m.story.Err())})
	default:
		lines = append(lines, line{theme.Muted, "its payments and journal: asking " + c.Glyphs().Ellipsis})
	}
	lines = append(lines, keyOf(b))
	m.drawLines(p, lines)
}

// drawLines draws as many lines as there is room for below the heading, and
// says when that is not all.
func (m *Model) drawLines(p canvas.Canvas, lines []line) {
	w, h := p.Size()
	y := 1
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
		if y == h-1 && i < len(wrapped)-1 {
			l = line{theme.Muted, "enter shows the rest"}
		}
		p.Text(2, y, l.style, l.text)
		y++
	}
}

func (m *Model) paneRemark(b inventory.Booking) string {
	left := b.ExpiresAt.Sub(m.env.Now())
	switch m.word(b) {
	case due:
		return "past its time, not swept, still counted"
	case "PAYING":
		return "payment asked, its end unknown"
	case string(inventory.StateHeld):
		return "ends in " + widget.Left(left)
	}
	return string(b.State) + " " + m.at(b.UpdatedAt)
}
