package seats

import (
	"fmt"
	"strings"
	"time"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// line is one line of the pane.
type line struct {
	style canvas.Style
	text  string
}

// drawPane reads out what is under the cursor, below the hall or beside it.
func (m *Model) drawPane(c canvas.Canvas, area canvas.Rect) {
	if area.Empty() {
		return
	}
	beside := m.width >= wide
	if beside {
		var bar canvas.Rect
		bar, area = area.Left(1)
		c.Fill(bar, theme.Rule, c.Glyphs().Vertical)
	}
	p := c.Sub(area)
	w, _ := p.Size()
	title, remark, lines := m.words(beside)
	room := max(0, w-canvas.Width(canvas.Clean(remark))-6)
	p.Rule(0, theme.Rule, theme.Heading, canvas.Cut(title, room, c.Glyphs().Ellipsis), remark)
	m.drawLines(p, lines)
}

// words is what the pane says; the whole of it where there is room.
func (m *Model) words(whole bool) (title, remark string, lines []line) {
	if m.left != "" {
		lines = append(lines, line{theme.Warn, m.left})
	}
	if m.zoomed {
		b, ok := m.blocks.Selected()
		if !ok {
			return "", "", lines
		}
		lines = append(lines, line{theme.Text, fmt.Sprintf("%s, rows %s: %s.", b.key.section, b.rows, b.counts.sentence())})
		return canvas.Cut(b.key.section, longestName, "...") + " " + b.rows, "enter opens it", lines
	}
	s, ok := m.under()
	if !ok {
		return "", "", lines
	}
	if m.moving != nil {
		lines = append(lines, m.movingWords(s))
	}
	if m.anchor != 0 {
		a, _ := m.hall.seat(m.anchor)
		lines = append(lines, line{theme.Accent, fmt.Sprintf("From %s to here: v marks what can be marked, esc leaves.", full(a))})
	}
	title, remark = short(s), fmt.Sprintf("%s v%d", m.word(s), s.Version)
	lines = append(lines, m.seatWords(s)...)
	if marked := m.marked(); len(marked) > 0 {
		lines = append(lines, line{theme.Accent, fmt.Sprintf("%d marked: %s, %s", len(marked), names(marked, 5), price(marked))})
	}
	lines = append(lines, line{theme.Muted, m.whereWords(s)})
	if k, ok := m.about.known[m.party.key]; ok && whole && taken(s) {
		lines = append(lines, line{theme.Text, ""})
		lines = append(lines, m.payments(k.booking)...)
		lines = append(lines, m.journal(k.journal)...)
	}
	return title, remark, lines
}

// word is the state of a seat as the pane's heading has it.
func (m *Model) word(s inventory.Seat) string {
	k, ok := m.about.known[m.party.key]
	switch {
	case s.NeedsRepair:
		return "NEEDS REPAIR"
	case s.State == inventory.SeatAvailable:
		return "FREE"
	case s.State == inventory.SeatKilled:
		return "OFF SALE"
	case ok && k.booking.State == inventory.StatePaymentPending:
		return "PAYING"
	case ok && k.booking.State == inventory.StateHeld && m.over(k.booking):
		return "DUE"
	}
	return string(s.State)
}

func (m *Model) over(b inventory.Booking) bool { return !m.env.Now().Before(b.ExpiresAt) }

// seatWords is who has the seat and on what terms, or why nobody can.
func (m *Model) seatWords(s inventory.Seat) []line {
	switch {
	case s.NeedsRepair:
		return []line{{theme.Bad, "Its state and its owner contradict each other: it is not sold. holdfast check tells why."}}
	case s.State == inventory.SeatKilled:
		return []line{{theme.Text, fmt.Sprintf("off sale: %s; it costs %s (%s)", s.KillReason, s.Price, category(s))}}
	case !taken(s):
		return []line{{theme.Text, fmt.Sprintf("nobody has it; it costs %s (%s)", s.Price, category(s))}}
	}
	k, ok := m.about.known[m.party.key]
	switch {
	case ok:
		return []line{{theme.Text, m.owner(s, k.booking)}}
	case m.about.query.Err() != nil && m.about.of == m.party.key:
		return []line{{theme.Warn, "its booking could not be read: " + inventory.Message(m.about.query.Err())}}
	}
	text := fmt.Sprintf("booking ..%s%s: asking who has it ...", s.BookingID.Short(), m.with(s))
	return []line{{theme.Muted, text}}
}

// whereWords is where a seat is, its names in full; what it costs has been said
// of a seat that nobody has.
func (m *Model) whereWords(s inventory.Seat) string {
	text := fmt.Sprintf("%s, row %s, seat %d", s.Section, s.Row, s.Number)
	if taken(s) {
		text += fmt.Sprintf("; this seat costs %s", s.Price)
	}
	return text
}

// owner is the sentence about a seat that somebody has.
func (m *Model) owner(s inventory.Seat, b inventory.Booking) string {
	what := "booking"
	if b.State.Hold() {
		what = "hold"
	}
	text := fmt.Sprintf("%s, %s ..%s%s, %s%s, ", b.Buyer, what, b.ID.Short(), m.with(s), b.Amount, m.categoryOfAll(s))
	switch b.State {
	case inventory.StateHeld:
		if m.over(b) {
			return text + "until " + m.at(b.ExpiresAt) + ": over, not swept yet, still counted"
		}
		return text + fmt.Sprintf("until %s, %s left", m.at(b.ExpiresAt), m.remaining(b))
	case inventory.StatePaymentPending:
		return text + "a payment was asked for, its end unknown: the seat is kept"
	case inventory.StateConfirmed:
		return text + "confirmed " + m.at(b.UpdatedAt)
	default:
		return text + string(b.State) + " since " + m.at(b.UpdatedAt)
	}
}

// categoryOfAll is the category of a booking's seats if they have one in common.
func (m *Model) categoryOfAll(s inventory.Seat) string {
	for _, o := range m.party.seats {
		if o.Category != s.Category {
			return ""
		}
	}
	return " (" + category(s) + ")"
}

// remaining is the time a hold still has, to the second.
func (m *Model) remaining(b inventory.Booking) string {
	d := b.ExpiresAt.Sub(m.env.Now())
	if d >= time.Hour {
		return widget.Left(d)
	}
	return fmt.Sprintf("%s%02d:%02d", m.mark(), int(d.Minutes()), int(d.Seconds())%60)
}

// with names the other seats of a seat's booking.
func (m *Model) with(s inventory.Seat) string {
	var others []inventory.Seat
	apart := false
	for _, o := range m.party.seats {
		if o.ID != s.ID {
			others = append(others, o)
			apart = apart || o.Section != s.Section
		}
	}
	if len(others) == 0 {
		return ""
	}
	text := names(others, 4)
	if !apart { // the section goes without saying
		text = strings.TrimPrefix(text, canvas.Cut(s.Section, longestName, "...")+" ")
	}
	return " with " + text
}

// payments are the attempts to take money, a line each.
func (m *Model) payments(b inventory.Booking) []line {
	var out []line
	for _, p := range b.Payments {
		text := fmt.Sprintf("%s payment ..%s, try %d: %s %s", m.at(p.CreatedAt), p.ID.Short(), p.Attempt, p.Amount, p.State)
		if p.Standing != "" {
			text += ", " + string(p.Standing)
		}
		out = append(out, line{theme.Text, text + " at " + p.Provider})
	}
	return out
}

// journal is every transition, a line each.
func (m *Model) journal(entries []inventory.JournalEntry) []line {
	var out []line
	for _, e := range entries {
		text := fmt.Sprintf("%s v%d %s: %s by %s", m.at(e.At), e.Seq, e.To, strings.ReplaceAll(string(e.Cause), "_", " "), e.Actor)
		if e.Reason != "" {
			text += ` "` + e.Reason + `"`
		}
		out = append(out, line{theme.Muted, text})
	}
	return out
}

// drawLines draws as many lines as there is room for below the heading, and
// says when that is not all.
func (m *Model) drawLines(p canvas.Canvas, lines []line) {
	w, h := p.Size()
	var wrapped []line
	for _, l := range lines {
		for _, s := range widget.Wrap(l.text, w-3) {
			wrapped = append(wrapped, line{l.style, s})
		}
	}
	for i, l := range wrapped {
		y := i + 1
		if y >= h {
			return
		}
		if y == h-1 && i < len(wrapped)-1 && h > paneLow {
			l = line{theme.Muted, "enter shows the rest"}
		}
		p.Text(2, y, l.style, l.text)
	}
}
