package zombies

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// soon is how near a deadline is worth a flag.
const soon = 2 * time.Hour

// columns chooses widths by the screen and by the longest amount, so that no
// amount is ever cut. Numbers come first: a name that a terminal draws wider
// than we measured cannot move them.
func (m *Model) columns() []widget.Column[inventory.Zombie] {
	type column = widget.Column[inventory.Zombie]
	const never = widget.Always
	amount := canvas.Width("amount")
	for _, z := range m.table.Rows() {
		amount = max(amount, canvas.Width(z.Payment.Captured.String()))
	}
	day, what := len("12-04"), 12
	if m.width >= wide {
		day, what = len("2026-12-04"), 16
	}
	plain := func(f func(inventory.Zombie) string) func(inventory.Zombie) widget.Cell {
		return func(z inventory.Zombie) widget.Cell { return widget.Cell{Text: f(z)} }
	}
	return []column{
		{Title: "age", Width: 7, Right: true, Priority: never, Cell: plain(func(z inventory.Zombie) string {
			return m.mark() + since(m.env.Now().Sub(z.Payment.ZombieSince))
		})},
		{Title: "amount", Width: amount, Right: true, Priority: never, Cell: plain(func(z inventory.Zombie) string { return z.Payment.Captured.String() })},
		{Title: "why", Width: len("duplicate"), Priority: 60, Cell: plain(func(z inventory.Zombie) string { return string(z.Payment.ZombieKind) })},
		{Title: "late by", Width: 7, Right: true, Priority: 40, Cell: plain(lateBy)},
		{Title: "now", Width: 8, Priority: 50, Cell: m.stockCell},
		{Title: "can", Width: 6, Priority: never, Cell: canCell},
		{Title: "until", Width: 6, Right: true, Priority: 25, Cell: m.untilCell},
		{Title: "day", Width: day, Priority: 30, Cell: plain(func(z inventory.Zombie) string {
			if z.Booking.Day.IsZero() {
				return "-"
			}
			s := z.Booking.Day.String()
			return s[max(0, len(s)-day):]
		})},
		{Title: "what", Width: what, Priority: 35, Cell: plain(claim)},
		{Title: "who", Priority: 45, Cell: func(z inventory.Zombie) widget.Cell {
			return widget.Cell{Text: z.Booking.Buyer, Style: theme.Quote}
		}},
	}
}

// claim is the claim in few cells: how much or which first, since the name may
// be cut.
func claim(z inventory.Zombie) string {
	if unmatched(z) {
		return "unknown"
	}
	switch b := z.Booking; b.Kind {
	case inventory.ClaimSeats:
		return b.Claimed()
	case inventory.ClaimRange:
		return taken(b) + " " + b.Name
	case inventory.ClaimPool:
	}
	return fmt.Sprintf("%dx %s", z.Booking.Quantity, z.Booking.Name)
}

func lateBy(z inventory.Zombie) string {
	if z.LateBy <= 0 {
		return "-"
	}
	switch {
	case z.LateBy < time.Second:
		return "<1s"
	case z.LateBy < time.Minute:
		return fmt.Sprintf("%ds", int(z.LateBy.Seconds()))
	case z.LateBy < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(z.LateBy.Minutes()), int(z.LateBy.Seconds())%60)
	}
	return since(z.LateBy)
}

// stockCell is what its day has left now.
func (m *Model) stockCell(z inventory.Zombie) widget.Cell {
	switch {
	case unmatched(z):
		return widget.Cell{Text: "-", Style: theme.Muted}
	case errors.Is(z.CanGo, inventory.ErrStopSell):
		return widget.Cell{Text: "stopped", Style: theme.Warn}
	case errors.Is(z.CanGo, inventory.ErrCutoffPassed):
		return widget.Cell{Text: "over", Style: theme.Muted}
	case errors.Is(z.CanGo, inventory.ErrSeatTaken), errors.Is(z.CanGo, inventory.ErrRangeTaken):
		return widget.Cell{Text: m.mark() + "taken", Style: theme.Warn}
	case z.Left < 0 && z.CanGo == nil:
		return widget.Cell{Text: m.mark() + "free"}
	case z.Left < 0: // seats and ranges are not counted
		return widget.Cell{Text: "-", Style: theme.Muted}
	}
	st := theme.Text
	if z.Left < z.Booking.Quantity {
		st = theme.Warn
	}
	return widget.Cell{Text: fmt.Sprintf("%s%d left", m.mark(), z.Left), Style: st}
}

func canCell(z inventory.Zombie) widget.Cell {
	switch {
	case z.Disputed:
		return widget.Cell{Text: "wait", Style: theme.Warn}
	case z.CanGo == nil:
		return widget.Cell{Text: "revive", Style: theme.OK}
	}
	return widget.Cell{Text: "refund"}
}

// untilCell is how long a person still has to decide.
func (m *Model) untilCell(z inventory.Zombie) widget.Cell {
	if z.Payment.DecideBy.IsZero() {
		return widget.Cell{Text: "you", Style: theme.Warn}
	}
	left := z.Payment.DecideBy.Sub(m.env.Now())
	if left <= 0 {
		return widget.Cell{Text: "now", Style: theme.Warn}
	}
	return widget.Cell{Text: since(left)}
}

// flag marks what will not wait, or waits for a person only.
func (m *Model) flag(z inventory.Zombie) widget.Cell {
	by := z.Payment.DecideBy
	if by.IsZero() || by.Sub(m.env.Now()) < soon {
		return widget.Cell{Text: "!", Style: theme.Bad}
	}
	return widget.Cell{}
}

// unmatched reports money that belongs to no booking at all.
func unmatched(z inventory.Zombie) bool { return z.Payment.BookingID == inventory.BookingID{} }

// whyNot says why admission would not let a zombie revive now.
func whyNot(z inventory.Zombie) string {
	switch err := z.CanGo; {
	case errors.Is(err, inventory.ErrSoldOut):
		if z.Left < 0 {
			return "sold out"
		}
		return fmt.Sprintf("sold out, %d left and %d needed", z.Left, z.Booking.Quantity)
	case errors.Is(err, inventory.ErrSeatTaken):
		return "somebody else has a seat of it"
	case errors.Is(err, inventory.ErrRangeTaken):
		return "somebody else has that time"
	case errors.Is(err, inventory.ErrStopSell):
		return "the sales of " + forWhat(z.Booking) + " are stopped"
	case errors.Is(err, inventory.ErrCutoffPassed):
		return "the sales of " + forWhat(z.Booking) + " are over"
	case errors.Is(err, inventory.ErrHoldExists):
		return "the buyer holds or has booked that day again"
	default:
		return inventory.Message(err)
	}
}

// since writes a length of time in at most 6 cells, with seconds only while
// they matter: a row that changes every second costs a line over the wire.
func since(d time.Duration) string {
	const day = 24 // hours; a length of time, not a calendar day
	h, min, sec := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case d < 0:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", sec)
	case d < 2*time.Minute:
		return fmt.Sprintf("%dm%02ds", min, sec)
	case h == 0:
		return fmt.Sprintf("%dm", min)
	case h < 2*day:
		return fmt.Sprintf("%dh%02dm", h, min)
	}
	return fmt.Sprintf("%dd", h/day)
}

// taken says what a booking takes, without the name of it: "2 places",
// "D-07, D-08", "10:00-11:00".
func taken(b inventory.Booking) string {
	switch b.Kind {
	case inventory.ClaimSeats:
		return strings.TrimSuffix(b.Claimed(), " of "+b.Name)
	case inventory.ClaimRange:
		return strings.TrimPrefix(b.Claimed(), b.Name+" ")
	case inventory.ClaimPool:
	}
	if b.Quantity == 1 {
		return "1 place"
	}
	return fmt.Sprintf("%d places", b.Quantity)
}

// forWhat says whose sales a booking comes under.
func forWhat(b inventory.Booking) string {
	switch b.Kind {
	case inventory.ClaimSeats:
		return "that event"
	case inventory.ClaimRange:
		return b.Name
	case inventory.ClaimPool:
	}
	return "that day"
}

// takenAgain says what a revive takes. Seats and ranges are free or not; only
// places are counted.
func takenAgain(z inventory.Zombie) string {
	switch b := z.Booking; {
	case z.Left < 0 && len(b.Seats) == 1:
		return taken(b) + " is taken again (it is free now)"
	case z.Left < 0 && b.Kind == inventory.ClaimSeats:
		return taken(b) + " are taken again (they are free now)"
	case z.Left < 0 || b.Kind == inventory.ClaimRange:
		return taken(b) + " is taken again (it is free now)"
	}
	return fmt.Sprintf("%s of that day are taken again (%d left now)", taken(z.Booking), z.Left)
}

// room says that there is room for a revive.
func room(z inventory.Zombie) string {
	if z.Left < 0 {
		return taken(z.Booking) + " free"
	}
	return fmt.Sprintf("%d left, %d needed", z.Left, z.Booking.Quantity)
}

// sum writes amounts by currency: "EUR 4,116.00 and GBP 90.00".
func sum(zs []inventory.Zombie) string {
	var order []inventory.Currency
	total := map[inventory.Currency]inventory.Minor{}
	for _, z := range zs {
		c := z.Payment.Captured
		if _, seen := total[c.Currency]; !seen {
			order = append(order, c.Currency)
		}
		total[c.Currency] += c.Minor
	}
	words := make([]string, len(order))
	for i, c := range order {
		words[i] = inventory.Money{Minor: total[c], Currency: c}.String()
	}
	return strings.Join(words, " and ")
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
