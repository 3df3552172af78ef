package zombies

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/canvas"
	"holdfast/tui/dialog"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
)

// story is how one zombie came about.
type story struct {
	of      inventory.PaymentID
	booking inventory.Booking // with its payments; zero for unmatched money
	journal []inventory.JournalEntry
	failed  []inventory.Refund // refunds of this payment that came back
}

// reader is what a story is read from.
type reader interface {
	lister
	teller
}

func readStory(ctx context.Context, r reader, z inventory.Zombie) (story, error) {
	s := story{of: z.Payment.ID}
	refunds, err := r.Refunds(ctx, inventory.RefundFilter{Venue: z.Venue, State: inventory.RefundFailed, Limit: maxRows})
	if err != nil {
		return s, err
	}
	for _, f := range refunds {
		if f.PaymentID == z.Payment.ID {
			s.failed = append(s.failed, f)
		}
	}
	if unmatched(z) {
		return s, nil
	}
	if s.booking, err = r.Booking(ctx, z.Payment.BookingID); err != nil {
		return s, err
	}
	s.journal, err = r.Journal(ctx, z.Payment.BookingID)
	return s, err
}

// storyFor is the story of a row, if it has been read.
func (m *Model) storyFor(z inventory.Zombie) (story, bool) {
	s := m.story.Value()
	return s, m.story.Ready() && s.of == z.Payment.ID
}

// line is one line of the pane; when is empty where the moment is not known.
type line struct {
	style canvas.Style
	when  string
	text  string
}

// moment is a line of the story before it is put in order.
type moment struct {
	at    time.Time
	text  string
	style canvas.Style
}

// lines tells the story in the order in which it happened.
func (m *Model) lines(z inventory.Zombie, s story) []line {
	var all []moment
	for _, e := range s.journal {
		if text := told(e, taken(z.Booking)); text != "" {
			all = append(all, moment{e.At, text, theme.Text})
		}
	}
	payments := s.booking.Payments
	if len(payments) == 0 {
		payments = []inventory.Payment{z.Payment}
	}
	for _, p := range payments {
		all = append(all, paid(p, z)...)
	}
	for _, f := range s.failed {
		at := f.DoneAt
		if at.IsZero() {
			at = f.RequestedAt
		}
		all = append(all, moment{at, fmt.Sprintf("refund ..%s of %s FAILED: %s", f.ID.Short(), f.Amount, f.LastError), theme.Bad})
	}
	slices.SortStableFunc(all, func(a, b moment) int { return a.at.Compare(b.at) })
	out := make([]line, len(all))
	for i, e := range all {
		out[i] = line{e.style, m.at(e.at), e.text}
	}
	return out
}

// told is one transition of the booking in plain words, empty for a note about
// money that the payments and refunds tell themselves.
func told(e inventory.JournalEntry, what string) string {
	text := ""
	switch e.Cause {
	case inventory.CauseHold:
		text = "held " + what
	case inventory.CauseComp:
		text = "given without payment"
	case inventory.CausePay:
		text = "payment asked for: the place was kept for its answer"
	case inventory.CausePaid:
		text = "confirmed: paid in time"
	case inventory.CauseLateButStillHeld:
		text = "confirmed: paid late, but the place had never left"
	case inventory.CauseDeclined:
		text = "payment declined, still held"
	case inventory.CauseExpired:
		text = "time ran out: " + what + " back on sale"
	case inventory.CauseReleased:
		text = "released: " + what + " back on sale"
	case inventory.CauseCancelled:
		text = "cancelled: " + what + " back on sale"
	case inventory.CauseExtended:
		text = "given more time"
	case inventory.CauseRevived:
		text = "revived"
	case inventory.CauseFree:
		text = "confirmed: nothing to pay"
	case inventory.CauseGivenUp:
		text = "given up, nobody knew how the payment ended: " + what + " back on sale"
	case inventory.CausePaymentLate, inventory.CauseRefundSucceeded, inventory.CauseRefundFailed:
		return ""
	default:
		text = string(e.Cause)
	}
	text += " (" + e.Actor + ")"
	if e.Reason != "" {
		text += ` "` + e.Reason + `"`
	}
	return text
}

// paid is what happened to one payment. Of money that a shop took by itself we
// first hear when it is captured.
func paid(p inventory.Payment, z inventory.Zombie) []moment {
	var out []moment
	if p.ProviderKey != "" {
		text := fmt.Sprintf("payment ..%s asked: %s (%s, try %d)", p.ID.Short(), p.Amount, p.Provider, p.Attempt)
		if p.State != inventory.PaymentSucceeded {
			text += ", " + string(p.State)
		}
		out = append(out, moment{p.CreatedAt, text, theme.Text})
	}
	if p.CapturedAt.IsZero() {
		return out
	}
	text := fmt.Sprintf("payment ..%s captured: %s", p.ID.Short(), p.Captured)
	if p.ID != z.Payment.ID {
		return append(out, moment{p.CapturedAt, text + ", " + string(p.Standing), theme.Text})
	}
	if z.LateBy > 0 {
		text += ", " + lateBy(z) + " late"
	}
	return append(out, moment{p.CapturedAt, text + " -> ZOMBIE", theme.Bad})
}

// advice says what can be done about a zombie now, and what happens if nobody
// does anything.
func (m *Model) advice(z inventory.Zombie) []line {
	back := fmt.Sprintf("Refund sends %s back, once.", z.Payment.Captured)
	text := ""
	switch {
	case z.Disputed:
		text = "Wait: " + disputed + "."
	case z.Payment.ZombieKind == inventory.ZombieLate && z.CanGo == nil:
		text = fmt.Sprintf("Revive takes %s on %s again, once, and confirms. It changes nothing if they are gone by then. %s",
			z.Booking.Claimed(), timezone.DayLabel(z.Booking.Day), back)
	case z.Payment.ZombieKind == inventory.ZombieLate:
		text = "It cannot be revived now: " + whyNot(z) + ". " + back
	case z.Payment.ZombieKind == inventory.ZombieDuplicate:
		text = "Its booking was paid by another payment already. " + back
	case z.Payment.ZombieKind == inventory.ZombieMismatch:
		text = fmt.Sprintf("%s came where %s was due, so it confirmed nothing. Find out why before you refund it. %s", z.Payment.Captured, z.Booking.Amount, back)
	default:
		text = fmt.Sprintf("It names no booking and no payment that we know. %s calls it %q: ask there what it was for. %s",
			z.Payment.Provider, z.Payment.ProviderPayment, back)
	}
	return []line{{style: theme.Text, text: text}, {style: theme.Warn, text: m.deadline(z)}}
}

func (m *Model) deadline(z inventory.Zombie) string {
	by := z.Payment.DecideBy
	left := by.Sub(m.env.Now())
	switch {
	case by.IsZero():
		return "Nothing happens by itself: it waits for you."
	case left <= 0:
		return "The time to decide was over at " + m.at(by) + ": the refund job sends it back next."
	}
	return fmt.Sprintf("Decide by %s, in %s; after that it is refunded by itself.", m.at(by), since(left))
}

// about is the claim and the payment in one line each.
func about(z inventory.Zombie) []string {
	payment := fmt.Sprintf("payment ..%s, %s at %s", z.Payment.ID.Short(), z.Payment.Captured, z.Payment.Provider)
	if unmatched(z) {
		return []string{payment}
	}
	return []string{
		fmt.Sprintf("%s, %s, for %s", z.Booking.Claimed(), timezone.DayLabel(z.Booking.Day), z.Booking.Buyer),
		payment,
	}
}

// open shows the whole story of the selected zombie, or asks for it first.
func (m *Model) open() tea.Cmd {
	z, ok := m.table.Selected()
	if !ok {
		return nil
	}
	s, known := m.storyFor(z)
	if !known {
		m.opening = true
		return m.ask(z)
	}
	var happened, can []dialog.Fact
	for _, l := range m.lines(z, s) {
		happened = append(happened, dialog.Fact{Label: l.when, Text: l.text})
	}
	for _, l := range m.advice(z) {
		can = append(can, dialog.Fact{Text: l.text})
	}
	ids := []dialog.Fact{{Label: "payment", Text: z.Payment.ID.String()}, {Label: "at provider", Text: z.Payment.ProviderPayment}}
	if !unmatched(z) {
		ids = append(ids, dialog.Fact{Label: "booking", Text: z.Payment.BookingID.String()})
	}
	return ui.OpenDialog(dialog.NewList("ZOMBIE .."+z.Payment.ID.Short(), about(z), []dialog.Group{
		{Title: "What happened", Facts: happened},
		{Title: "What can be done", Facts: can},
		{Title: "Whole ids", Facts: ids},
	}))
}
