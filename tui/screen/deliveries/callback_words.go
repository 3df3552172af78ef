package deliveries

import (
	"cmp"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/dialog"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// columns chooses widths by the screen and by the longest amount, so that no
// amount is ever cut.
func (m *callbacks) columns() []widget.Column[callback] {
	const never = widget.Always
	amount := canvas.Width("amount")
	for _, r := range m.table.Rows() {
		amount = max(amount, canvas.Width(amountOf(r)))
	}
	plain := func(f func(callback) string) func(callback) widget.Cell {
		return func(r callback) widget.Cell { return widget.Cell{Text: f(r)} }
	}
	cols := []widget.Column[callback]{
		{Title: "age", Width: 7, Right: true, Priority: never, Cell: plain(func(r callback) string { return m.mark() + since(m.env.Now().Sub(r.ReceivedAt)) })},
		{Title: "amount", Width: amount, Right: true, Priority: 45, Cell: plain(amountOf)},
		{Title: "state", Width: len(inventory.InboxUnmatched), Priority: never, Cell: callbackState},
		{Title: "tries", Width: len("tries"), Right: true, Priority: 30, Cell: plain(func(r callback) string { return fmt.Sprint(r.Tries) })},
		{Title: "callback", Width: len(inventory.EventPaymentProcessing), Priority: never, Cell: plain(func(r callback) string { return string(r.Kind) })},
	}
	if m.width >= wide {
		cols = append(cols, widget.Column[callback]{Title: "provider", Width: 10, Priority: 25, Cell: plain(func(r callback) string { return r.Provider })})
	}
	return append(cols, widget.Column[callback]{Title: "how it stands", Priority: 50, Cell: func(r callback) widget.Cell {
		return widget.Cell{Text: r.stands(), Style: theme.Quote}
	}})
}

func amountOf(r callback) string {
	if r.Amount.Currency == "" {
		return "-"
	}
	return r.Amount.String()
}

func callbackState(r callback) widget.Cell {
	c := widget.Cell{Text: string(r.State)}
	switch r.State {
	case inventory.InboxApplied:
		c.Style = theme.OK
	case inventory.InboxUnmatched:
		c.Style = theme.Warn
	case inventory.InboxParked:
		c.Style = theme.Muted
		if r.waits() {
			c.Style = theme.Bad
		}
	case inventory.InboxStored:
	}
	return c
}

// stands says in few words how it stands.
func (r callback) stands() string {
	switch {
	case r.Problem != "":
		return "must not be applied: " + r.Problem
	case r.Note != "":
		return r.Note
	case r.State == inventory.InboxStored:
		return "to be applied"
	}
	return ""
}

// page is what the side says of itself and of the callback under the cursor.
func (m *callbacks) page() page {
	p := page{health: m.health(), nothing: m.nothing()}
	if r, ok := m.table.Selected(); ok {
		p.title, p.remark = r.name(), string(r.State)
		p.lines = []line{{theme.Text, m.meaning(r)}, {theme.Warn, guestLine(r.forGuests())}, {theme.Quote, "It says: " + r.says()}}
	}
	return p
}

// health says in one sentence what all of it means for guests.
func (m *callbacks) health() line {
	s := m.list.Value().sum
	refused := s.parked - s.waiting
	switch {
	case s.waiting > 0:
		return line{theme.Bad, fmt.Sprintf("Waiting for you: %s%s that could not be applied. The bookings know nothing of it.", m.mark(), atLeast(s.waiting))}
	case s.unmatched > 0:
		return line{theme.Warn, fmt.Sprintf("%s%s unmatched: looked at again by itself, later and later, for half a day.", m.mark(), atLeast(s.unmatched))}
	case s.stored > 0:
		return line{theme.Text, fmt.Sprintf("%s%s to be applied, as usual.", m.mark(), atLeast(s.stored))}
	case refused > 0:
		return line{theme.Text, fmt.Sprintf("All that may be applied is applied. Kept, and never to be applied: %s%s.", m.mark(), atLeast(refused))}
	}
	return line{theme.OK, "All that payment providers told is applied."}
}

func (m *callbacks) nothing() []string {
	text := []string{
		"No callback waits: what payment providers told is in the bookings and their money.",
		"A callback stays here while it is not applied, when it names nothing we know, and when it could not or must not be applied.",
	}
	if !m.history {
		return append(text, "a shows those that are applied too.")
	}
	return text
}

// meaning says how the callback stands and what can be done.
func (m *callbacks) meaning(r callback) string {
	switch {
	case r.Problem != "":
		return "It is kept and must never be applied: " + r.Problem + "."
	case r.State == inventory.InboxApplied:
		return fmt.Sprintf("Applied at %s: %s.", m.at(r.AppliedAt), cmp.Or(r.Note, "no change"))
	case r.State == inventory.InboxUnmatched:
		return fmt.Sprintf("It %s. Looked at %s so far; again by itself, later and later. ! looks now.", cmp.Or(r.Note, "names nothing we know"), times(r.Tries))
	case r.State == inventory.InboxParked:
		return fmt.Sprintf("Tried %s and parked: %s. Nothing of it happens until ! applies it again.", times(r.Tries), cmp.Or(r.Note, "no reason was given"))
	case r.Note != "":
		return fmt.Sprintf("Tried %s: %s. It is tried again by itself.", times(r.Tries), r.Note)
	}
	return "It is to be applied; that happens by itself."
}

// forGuests says what it means for the guest that this is not applied.
func (r callback) forGuests() string {
	if r.State == inventory.InboxApplied || r.Problem != "" {
		return ""
	}
	text, known := map[inventory.EventKind]string{
		inventory.EventPaymentSucceeded:  "somebody has paid; until it is applied their place can run out all the same.",
		inventory.EventPaymentFailed:     "a payment was declined; its place is kept longer than need be.",
		inventory.EventPaymentCancelled:  "a payment was called off; its place is kept longer than need be.",
		inventory.EventPaymentProcessing: "nothing changes yet: the provider has not decided.",
		inventory.EventRefundSucceeded:   "money went back, and here it still counts as on its way.",
		inventory.EventRefundFailed:      "money did not go back, and here it still counts as on its way: they wait for it.",
		inventory.EventRefundPending:     "nothing changes yet: the money is still on its way.",
		inventory.EventDisputeOpened:     "the payer disputes it at the bank; a refund from here could pay twice.",
		inventory.EventDisputeWon:        "the bank decided for us; until it is applied no refund can be sent.",
		inventory.EventDisputeLost:       "the bank gave the money back; a refund from here would pay twice.",
	}[r.Kind]
	if !known {
		return "nobody here knows what it means."
	}
	return text
}

// says puts what the provider told into words.
func (r callback) says() string {
	words := []string{r.Provider + " " + string(r.Kind)}
	for _, w := range []struct{ what, text string }{
		{"", amountText(r)},
		{"payment ", r.ProviderPayment},
		{"refund ", r.ProviderRefund},
		{"our reference ", r.Reference},
		{"", r.Reason},
	} {
		if w.text != "" {
			words = append(words, w.what+w.text)
		}
	}
	if !r.Live {
		words = append(words, "test mode")
	}
	return strings.Join(words, ", ")
}

func amountText(r callback) string {
	if r.Amount.Currency == "" {
		return ""
	}
	return r.Amount.String()
}

// open shows all of one callback.
func (m *callbacks) open(r callback) tea.Cmd {
	stands := []dialog.Fact{{Text: m.meaning(r)}}
	if text := r.forGuests(); text != "" {
		stands = append(stands, dialog.Fact{Label: "for guests", Text: text})
	}
	which := []dialog.Fact{{Label: "received", Text: m.at(r.ReceivedAt)}, {Label: "provider", Text: r.Provider}, {Label: "event", Text: r.ID}}
	for _, f := range []dialog.Fact{{Label: "payment there", Text: r.ProviderPayment}, {Label: "refund there", Text: r.ProviderRefund}, {Label: "our reference", Text: r.Reference}} {
		if f.Text != "" {
			which = append(which, f)
		}
	}
	return ui.OpenDialog(dialog.NewList(strings.ToUpper(string(r.Kind)), []string{r.says()}, []dialog.Group{
		{Title: "How it stands", Facts: stands},
		{Title: "Which it is", Facts: which},
	}))
}
