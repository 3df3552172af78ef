package refunds

import (
	"fmt"
	"strings"
	"time"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// columns chooses widths by the screen and by the longest amount, so that no
// amount is ever cut. Numbers come first: a name that a terminal draws wider
// than we measured cannot move them.
func (m *Model) columns() []widget.Column[row] {
	const never = widget.Always
	amount := canvas.Width("amount")
	for _, r := range m.table.Rows() {
		amount = max(amount, canvas.Width(r.Amount.String()))
	}
	plain := func(f func(row) string) func(row) widget.Cell {
		return func(r row) widget.Cell { return widget.Cell{Text: f(r)} }
	}
	cols := []widget.Column[row]{
		{Title: "asked", Width: 7, Right: true, Priority: never, Cell: plain(func(r row) string {
			return m.mark() + since(m.env.Now().Sub(r.RequestedAt))
		})},
		{Title: "amount", Width: amount, Right: true, Priority: never, Cell: plain(func(r row) string { return r.Amount.String() })},
		{Title: "state", Width: len(inventory.RefundRequested), Priority: never, Cell: stateCell},
		{Title: "next", Width: 6, Right: true, Priority: 40, Cell: plain(m.next)},
		{Title: "tries", Width: len("tries"), Right: true, Priority: 25, Cell: plain(func(r row) string { return fmt.Sprint(r.Tries) })},
	}
	if m.width >= roomy { // below, the pane says them
		cols = append(cols,
			widget.Column[row]{Title: "payment", Width: 10, Priority: 20, Cell: plain(func(r row) string { return ".." + r.PaymentID.Short() })},
			widget.Column[row]{Title: "by", Width: 12, Priority: 30, Cell: plain(func(r row) string { return r.RequestedBy })},
		)
	}
	return append(cols,
		widget.Column[row]{Title: "how it stands", Priority: 50, Cell: func(r row) widget.Cell {
			return widget.Cell{Text: r.stands(), Style: theme.Quote}
		}},
	)
}

// flag marks what waits for a person.
func flag(r row) widget.Cell {
	if r.waits {
		return widget.Cell{Text: "!", Style: theme.Bad}
	}
	return widget.Cell{}
}

func stateCell(r row) widget.Cell {
	c := widget.Cell{Text: string(r.State)}
	switch r.State {
	case inventory.RefundSucceeded:
		c.Style = theme.OK
	case inventory.RefundFailed:
		c.Style = theme.Muted
		if r.waits {
			c.Style = theme.Bad
		}
	case inventory.RefundPending:
		c.Style = theme.Warn
	case inventory.RefundRequested:
	}
	return c
}

// stands says in few words how a refund stands. Nothing is called done before
// the provider has said so.
func (r row) stands() string {
	said := ""
	if r.LastError != "" {
		said = ": " + r.LastError
	}
	text := ""
	switch r.State {
	case inventory.RefundRequested:
		switch {
		case r.External:
			text = "not confirmed yet"
		case r.SentAt.IsZero():
			text = "asked for, not sent yet"
		default:
			text = "asked for, sent, no answer" + said
		}
	case inventory.RefundPending:
		text = "the provider has it, not done" + said
	case inventory.RefundSucceeded:
		text = "it went back"
	case inventory.RefundFailed:
		text = because(r.Refund)
		if !r.waits {
			text = "settled since: " + text
		}
	}
	if r.External {
		return "made at the provider; " + text
	}
	return text
}

// next is when the refund job looks at a refund again.
func (m *Model) next(r row) string {
	if !r.open() || r.External || r.NextTryAt.IsZero() {
		return "-"
	}
	left := r.NextTryAt.Sub(m.env.Now())
	if left <= 0 {
		return "now"
	}
	return since(left)
}

// open reports that the end of a refund is not known yet.
func (r row) open() bool {
	return r.State == inventory.RefundRequested || r.State == inventory.RefundPending
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

// sum writes amounts by currency: "EUR 4,116.00 and GBP 90.00".
func sum(rows []row) string {
	var order []inventory.Currency
	total := map[inventory.Currency]inventory.Minor{}
	for _, r := range rows {
		if _, seen := total[r.Amount.Currency]; !seen {
			order = append(order, r.Amount.Currency)
		}
		total[r.Amount.Currency] += r.Amount.Minor
	}
	words := make([]string, len(order))
	for i, c := range order {
		words[i] = inventory.Money{Minor: total[c], Currency: c}.String()
	}
	return strings.Join(words, " and ")
}

// at writes a moment in the zone of the screen: what is today's goes without
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
