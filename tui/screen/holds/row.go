package holds

import (
	"fmt"
	"strings"
	"time"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// due is the word for a hold whose time is over and that still counts as taken.
const due = "DUE"

// setColumns fits the columns to the screen and the rows.
func (m *Model) setColumns() {
	m.table.Columns, m.table.Sorted = m.columns(), "left"
	if m.ended {
		m.table.Sorted = ""
	}
}

// columns chooses widths by the screen and by the longest amount, so that no
// amount is ever cut. Numbers come first: a name that a terminal draws wider
// than we measured cannot move them.
func (m *Model) columns() []widget.Column[inventory.Booking] {
	type column = widget.Column[inventory.Booking]
	const never = widget.Always
	amount := canvas.Width("amount")
	for _, b := range m.table.Rows() {
		amount = max(amount, canvas.Width(b.Amount.String()))
	}
	state, day, what := len("PAYING"), len("12-04"), 14
	if m.ended {
		state = len("CONFIRMED")
	}
	if m.width >= wide {
		day, what = len("2026-12-04"), 22
	}
	return []column{
		{Title: "left", Width: 7, Right: true, Priority: never, Cell: m.leftCell},
		{Title: "state", Width: state, Priority: never, Cell: m.stateCell},
		{Title: "qty", Width: 5, Right: true, Priority: 50, Cell: func(b inventory.Booking) widget.Cell {
			return widget.Cell{Text: fmt.Sprint(b.Quantity)}
		}},
		{Title: "amount", Width: amount, Right: true, Priority: never, Cell: func(b inventory.Booking) widget.Cell {
			return widget.Cell{Text: b.Amount.String()}
		}},
		{Title: "day", Width: day, Priority: 30, Cell: func(b inventory.Booking) widget.Cell {
			s := b.Day.String()
			return widget.Cell{Text: s[max(0, len(s)-day):]}
		}},
		{Title: "id ends", Width: 8, Priority: 20, Cell: func(b inventory.Booking) widget.Cell {
			return widget.Cell{Text: b.ID.Short(), Style: theme.Muted}
		}},
		{Title: "what", Width: what, Priority: 40, Cell: func(b inventory.Booking) widget.Cell {
			return widget.Cell{Text: which(b)}
		}},
		{Title: "who", Priority: 45, Cell: func(b inventory.Booking) widget.Cell {
			return widget.Cell{Text: b.Buyer, Style: theme.Quote}
		}},
	}
}

func (m *Model) leftCell(b inventory.Booking) widget.Cell {
	if !b.State.Hold() || b.ExpiresAt.IsZero() {
		return widget.Cell{Text: "-", Style: theme.Muted}
	}
	left := b.ExpiresAt.Sub(m.env.Now())
	st := theme.Text
	if left < 2*time.Minute {
		st = theme.Warn
	}
	text := widget.Left(left)
	if m.old() != "" && !strings.HasPrefix(text, "~") {
		text = "~" + text
	}
	return widget.Cell{Text: text, Style: st}
}

func (m *Model) stateCell(b inventory.Booking) widget.Cell {
	switch word := m.word(b); word {
	case due:
		return widget.Cell{Text: word, Style: theme.Bad}
	case "PAYING":
		return widget.Cell{Text: word, Style: theme.Warn}
	case string(inventory.StateConfirmed):
		return widget.Cell{Text: word, Style: theme.OK}
	case string(inventory.StateExpired), string(inventory.StateCancelled):
		return widget.Cell{Text: word, Style: theme.Muted}
	default:
		return widget.Cell{Text: word}
	}
}

// word is the state as the screen calls it.
func (m *Model) word(b inventory.Booking) string {
	switch {
	case b.State == inventory.StatePaymentPending:
		return "PAYING"
	case b.State == inventory.StateHeld && !m.env.Now().Before(b.ExpiresAt):
		return due
	}
	return string(b.State)
}

// flag marks what a person may want to look at first.
func (m *Model) flag(b inventory.Booking) widget.Cell {
	if m.word(b) == due {
		return widget.Cell{Text: "!", Style: theme.Bad}
	}
	return widget.Cell{}
}

// which is the claim in few cells. Of seats and ranges, which of them comes
// before the name, since the end may be cut; a quantity has its own column.
func which(b inventory.Booking) string {
	switch b.Kind {
	case inventory.ClaimSeats:
		return b.Claimed()
	case inventory.ClaimRange:
		return strings.TrimPrefix(b.Claimed(), b.Name+" ") + " " + b.Name
	case inventory.ClaimPool:
	}
	return b.Name
}

// freed says what a release gives back, up to "back on sale".
func freed(b inventory.Booking) string {
	switch b.Kind {
	case inventory.ClaimSeats:
		if len(b.Seats) == 1 {
			return "the seat goes"
		}
		return fmt.Sprintf("%d seats go", len(b.Seats))
	case inventory.ClaimRange:
		return "the time goes"
	case inventory.ClaimPool:
	}
	if b.Quantity == 1 {
		return "1 place of this day goes"
	}
	return fmt.Sprintf("%d places of this day go", b.Quantity)
}

// venueOf is the slug of the venue at which something is claimed.
func venueOf(b inventory.Booking) string {
	venue, _, _ := strings.Cut(b.Ref(), "/")
	return venue
}

// short writes a duration without the parts that are zero: 10m, not 10m0s.
func short(d time.Duration) string {
	s := d.Round(time.Second).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// at writes a moment in the zone of the screen: what is
// today's goes without saying.
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
