package line

import (
	"fmt"
	"strings"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// textLine is one line of the pane.
type textLine struct {
	style canvas.Style
	text  string
}

// drawPane reads out in words what the cursor is on.
func (m *Model) drawPane(c canvas.Canvas) {
	w, h := c.Size()
	d, ok := m.selected()
	s, there := m.here()
	if !ok || !there {
		return
	}
	title, remark := d.Resource.Name+"  "+m.cursorWords(), m.stateWords(d, s)
	c.Rule(0, theme.Rule, theme.Heading, canvas.Cut(title, w-canvas.Width(remark)-7, c.Glyphs().Ellipsis), remark)
	var lines []textLine
	if m.left != "" {
		lines = append(lines, textLine{theme.Warn, m.left})
	}
	if text := m.marked(d); text != "" {
		lines = append(lines, textLine{theme.Text, text})
	}
	lines = append(lines, m.readOut(d, s)...)
	y := 1
	for i, l := range wrapLines(lines, w-3) {
		if y == h-1 && i < len(wrapLines(lines, w-3))-1 {
			l = textLine{theme.Muted, "enter shows the rest"}
		}
		if y < h {
			c.Text(2, y, l.style, l.text)
		}
		y++
	}
}

func wrapLines(lines []textLine, width int) []textLine {
	var out []textLine
	for _, l := range lines {
		if l.text == "" {
			continue
		}
		for _, s := range widget.Wrap(l.text, width) {
			out = append(out, textLine{l.style, s})
		}
	}
	return out
}

// cursorWords is the moment under the cursor, as no clock could be misread.
func (m *Model) cursorWords() string {
	c := m.axis.columns[m.column()]
	text := clock(c.from, m.face(), m.day)
	for _, h := range m.labelled().hours() {
		if i := m.column(); h.twin != 0 && i >= h.first && i < h.last {
			order := map[byte]string{'a': "first", 'b': "second"}[h.twin]
			return text + ", the " + order + " time"
		}
	}
	return text
}

// stateWords is what stands there, in a word or two.
func (m *Model) stateWords(d inventory.ResourceDay, s spot) string {
	switch s.what {
	case cellFree:
		if d.Resource.StopSell {
			return "free, sales stopped"
		}
		return "free"
	case cellClosed:
		return "closed"
	case cellTurnaround:
		return "turnaround"
	}
	return fmt.Sprintf("%s v%d", m.word(s.booking), s.booking.Version)
}

// word is the state of a booking as the console calls it.
func (m *Model) word(b inventory.Booking) string {
	switch {
	case b.State == inventory.StatePaymentPending:
		return "PAYING"
	case b.State == inventory.StateHeld && !m.env.Now().Before(b.ExpiresAt):
		return "DUE"
	}
	return string(b.State)
}

// inOneLine reads out the cursor where there is no room for more.
func (m *Model) inOneLine() string {
	d, _ := m.selected()
	s, ok := m.here()
	if !ok {
		return ""
	}
	if text := m.marked(d); text != "" {
		return text
	}
	text := m.cursorWords() + " " + m.stateWords(d, s)
	if s.booking.ID != placing {
		text += " " + s.booking.Buyer
	}
	return text
}

// marked says what the marked run is, and whether it could be had.
func (m *Model) marked(d inventory.ResourceDay) string {
	run, ok := m.run()
	if !ok || m.anchor.IsZero() {
		return ""
	}
	text := fmt.Sprintf("Marked: %s, %s, %s", fromTo(run, m.face(), m.day), lasts(run, m.face()), d.Resource.Price(run.Length()))
	if taken(d, run) {
		return text + ". Not all of it is free."
	}
	return text + "; n takes it."
}

// readOut is everything about what the cursor is on.
func (m *Model) readOut(d inventory.ResourceDay, s spot) []textLine {
	switch s.what {
	case cellFree:
		return m.freeWords(d, s)
	case cellClosed:
		return []textLine{{theme.Text, m.openWords(d)}}
	case cellTurnaround:
		b := s.booking
		return []textLine{
			{theme.Text, fmt.Sprintf("Kept free until %s, %s after ..%s of %s.", clock(turnaroundEnd(d, b), m.face(), m.day), short(d.Resource.Turnaround), b.ID.Short(), b.Buyer)},
			{theme.Muted, m.openWords(d)},
		}
	}
	b := s.booking
	lines := m.about(b)
	if s.others > 0 {
		lines = append(lines, textLine{theme.Warn, fmt.Sprintf("%d more in the same column: - makes columns shorter.", s.others)})
	}
	if story, known := m.storyFor(b); known {
		lines = append(lines, m.payments(story)...)
		lines = append(lines, m.journal(story)...)
	} else if err := m.story.Err(); err != nil && m.storyOf == b.ID {
		lines = append(lines, textLine{theme.Warn, "its story could not be read: " + inventory.Message(err)})
	}
	return lines
}

// about is what the line itself knows of a booking.
func (m *Model) about(b inventory.Booking) []textLine {
	lines := []textLine{
		{theme.Text, fmt.Sprintf("..%s for %s, %s%s", b.ID.Short(), b.Buyer, b.Amount, m.until(b))},
		{theme.Text, fmt.Sprintf("%s is %s.", fromTo(b.During, m.face(), m.day), lasts(b.During, m.face()))},
	}
	if text := m.askedFor(b); text != "" {
		lines = append(lines, textLine{theme.Warn, text})
	}
	return append(lines, textLine{theme.Muted, "In the database: " + stored(b.During)})
}

// until is how long a hold still has.
func (m *Model) until(b inventory.Booking) string {
	if !b.State.Hold() || b.ExpiresAt.IsZero() {
		return ""
	}
	left := widget.Left(b.ExpiresAt.Sub(m.env.Now()))
	switch m.word(b) {
	case "DUE":
		return ", past its time (" + left + "), still counted"
	case "PAYING":
		return ", payment asked, its end unknown"
	}
	return ", ends in " + left
}

// askedFor tells when the wall no longer shows at the stored instants what the
// buyer asked for, since the rules of the zone have changed.
func (m *Model) askedFor(b inventory.Booking) string {
	shown := inventory.LocalRange{From: timezone.WallTimeOf(b.During.From, m.zone), To: timezone.WallTimeOf(b.During.To, m.zone)}
	if b.LocalFrom.Day.IsZero() || shown == (inventory.LocalRange{From: b.LocalFrom, To: b.LocalTo}) {
		return ""
	}
	return fmt.Sprintf("Asked for as %s to %s: the rules of the zone have changed since.", b.LocalFrom, b.LocalTo)
}

// freeWords says how far free time reaches and what may be booked in it.
func (m *Model) freeWords(d inventory.ResourceDay, s spot) []textLine {
	from := m.axis.columns[m.column()].from
	r := d.Resource
	var lines []textLine
	switch free := s.free; {
	case !free.To.After(from):
		lines = append(lines, textLine{theme.Text, "Too near to the next booking: the turnaround of " + short(r.Turnaround) + " would not fit."})
	default:
		lines = append(lines, textLine{theme.Text, fmt.Sprintf("Free from %s, %s.", fromTo(free, m.face(), m.day), lasts(free, m.face()))})
	}
	return append(lines, textLine{theme.Text, rules(r)}, textLine{theme.Muted, m.openWords(d)})
}

// rules says what a resource lets one book.
func rules(r inventory.Resource) string {
	var parts []string
	if r.Slot > 0 {
		parts = append(parts, "in slots of "+short(r.Slot))
	}
	parts = append(parts, short(r.MinStay)+" to "+short(r.MaxStay))
	if r.Turnaround > 0 {
		parts = append(parts, short(r.Turnaround)+" kept free after each")
	}
	if r.PricePerHour.Minor > 0 {
		parts = append(parts, r.PricePerHour.String()+" an hour")
	}
	return "Booked " + strings.Join(parts, ", ") + "."
}

// openWords says when a resource is open on the day on screen.
func (m *Model) openWords(d inventory.ResourceDay) string {
	if len(d.Open) == 0 {
		return "Closed all day."
	}
	from, to := timezone.DayBounds(m.day, m.zone)
	var parts []string
	for _, o := range d.Open {
		if !o.From.After(from) && !o.To.Before(to) {
			return "Open all day."
		}
		parts = append(parts, fromTo(o, m.face(), m.day))
	}
	return "Open " + strings.Join(parts, " and ") + "."
}

// drawnAt is when the numbers on screen were read, as dialogs say it.
func (m *Model) drawnAt() time.Time { return m.list.ReadAt().In(m.env.Zone()) }
