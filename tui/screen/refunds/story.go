package refunds

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
)

// mostRefunds is how many refunds one question to the database can bring.
const mostRefunds = 1000

// story is all that is known of one payment.
type story struct {
	payment inventory.Payment
	booking inventory.Booking // with its payments; zero for unmatched money
	journal []inventory.JournalEntry
	refunds []inventory.Refund // of this payment, oldest first
	whole   bool               // none of its refunds is missing
}

func readStory(ctx context.Context, r reader, id inventory.PaymentID) (story, error) {
	var s story
	var err error
	if s.payment, err = r.Payment(ctx, id); err != nil {
		return s, err
	}
	if s.matched() {
		if s.booking, err = r.Booking(ctx, s.payment.BookingID); err != nil {
			return s, err
		}
		if s.journal, err = r.Journal(ctx, s.payment.BookingID); err != nil {
			return s, err
		}
	}
	list, err := r.Refunds(ctx, inventory.RefundFilter{Venue: venueOf(s.booking), Limit: mostRefunds})
	if err != nil {
		return s, err
	}
	// No refund is older than its payment's capture.
	s.whole = len(list) < mostRefunds || list[len(list)-1].RequestedAt.Before(s.payment.CapturedAt)
	s.refunds = slices.DeleteFunc(list, func(f inventory.Refund) bool { return f.PaymentID != id })
	slices.SortFunc(s.refunds, oldestFirst)
	return s, nil
}

// matched reports that the money belongs to a booking.
func (s story) matched() bool { return s.payment.BookingID != inventory.BookingID{} }

// knows reports that the story has heard of a refund as it stands.
func (s story) knows(r inventory.Refund) bool {
	return slices.ContainsFunc(s.refunds, func(f inventory.Refund) bool {
		return f.ID == r.ID && f.State == r.State && f.Tries == r.Tries && f.LastError == r.LastError
	})
}

// money is an amount in the currency of the payment.
func (s story) money(n inventory.Minor) inventory.Money {
	return inventory.Money{Minor: n, Currency: s.payment.Captured.Currency}
}

// sums is what went back, what is on its way, and what is left of the payment.
func (s story) sums() (gone, onWay, left inventory.Minor) {
	for _, f := range s.refunds {
		switch f.State {
		case inventory.RefundSucceeded:
			gone += f.Amount.Minor
		case inventory.RefundRequested, inventory.RefundPending:
			onWay += f.Amount.Minor
		case inventory.RefundFailed: // it is still here
		}
	}
	return gone, onWay, s.payment.Captured.Minor - gone - onWay
}

// storyFor is the story of a row's payment, if it has been read.
func (m *Model) storyFor(r row) (story, bool) {
	s := m.story.Value()
	return s, m.story.Ready() && s.payment.ID == r.PaymentID
}

// line is one line of the pane; when is empty where there is no moment.
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
func (m *Model) lines(s story) []line {
	var all []moment
	for _, e := range s.journal {
		if text := told(e, taken(s.booking)); text != "" {
			all = append(all, moment{e.At, text, theme.Text})
		}
	}
	payments := s.booking.Payments
	if len(payments) == 0 {
		payments = []inventory.Payment{s.payment}
	}
	for _, p := range payments {
		all = append(all, paid(p, s.payment.ID)...)
	}
	for _, f := range s.refunds {
		all = append(all, refunded(f)...)
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
	if e.Cause == inventory.CausePaymentLate || e.Cause == inventory.CauseRefundSucceeded || e.Cause == inventory.CauseRefundFailed {
		return ""
	}
	words := map[inventory.Cause]string{
		inventory.CauseHold:             "held " + what,
		inventory.CauseComp:             "given without payment",
		inventory.CausePay:              "payment asked for: the place was kept for its answer",
		inventory.CausePaid:             "confirmed: paid in time",
		inventory.CauseLateButStillHeld: "confirmed: paid late, but the place had never left",
		inventory.CauseDeclined:         "payment declined, still held",
		inventory.CauseExpired:          "time ran out: " + what + " back on sale",
		inventory.CauseReleased:         "released: " + what + " back on sale",
		inventory.CauseCancelled:        "cancelled: " + what + " back on sale",
		inventory.CauseExtended:         "given more time",
		inventory.CauseRevived:          "revived",
		inventory.CauseFree:             "confirmed: nothing to pay",
		inventory.CauseGivenUp:          "given up, nobody knew how the payment ended: " + what + " back on sale",
	}
	text, known := words[e.Cause]
	if !known {
		text = string(e.Cause)
	}
	return text + " (" + e.Actor + ")" + quoted(e.Reason)
}

// paid is what happened to one payment; of is the one that the story is about.
func paid(p inventory.Payment, of inventory.PaymentID) []moment {
	var out []moment
	name := "payment .." + p.ID.Short()
	if p.ProviderKey != "" {
		text := fmt.Sprintf("%s asked: %s (%s, try %d)", name, p.Amount, p.Provider, p.Attempt)
		if p.State != inventory.PaymentSucceeded {
			text += ", " + string(p.State)
		}
		out = append(out, moment{p.CreatedAt, text, theme.Text})
	}
	if p.CapturedAt.IsZero() {
		return out
	}
	text := fmt.Sprintf("%s captured: %s", name, p.Captured)
	if p.ZombieKind != "" {
		text += " -> ZOMBIE (" + string(p.ZombieKind) + ")"
	}
	if p.ID != of {
		text += ", now " + string(p.Standing)
	}
	return append(out, moment{p.CapturedAt, text, theme.Text})
}

// refunded is what happened to one refund.
func refunded(f inventory.Refund) []moment {
	name := fmt.Sprintf("refund ..%s of %s", f.ID.Short(), f.Amount)
	asked := moment{f.RequestedAt, name + " asked for (" + f.RequestedBy + ")" + quoted(f.Reason), theme.Text}
	if f.External {
		asked.text = name + " made at the provider, not from here"
	}
	out := []moment{asked}
	if !f.SentAt.IsZero() {
		out = append(out, moment{f.SentAt, fmt.Sprintf("refund ..%s sent to %s for the first time", f.ID.Short(), f.Provider), theme.Text})
	}
	switch f.State {
	case inventory.RefundSucceeded:
		return append(out, moment{f.DoneAt, name + " SUCCEEDED: it went back", theme.OK})
	case inventory.RefundFailed:
		return append(out, moment{f.DoneAt, name + " FAILED: " + because(f), theme.Bad})
	case inventory.RefundRequested, inventory.RefundPending: // no news yet
	}
	return out
}

// about is the claim and the payment in one line each.
func (s story) about() []string {
	p := s.payment
	payment := fmt.Sprintf("payment ..%s, %s captured at %s", p.ID.Short(), p.Captured, p.Provider)
	if !s.matched() {
		return []string{payment + ", for nothing that we know"}
	}
	b := s.booking
	return []string{
		fmt.Sprintf("%s, %s, for %s (%s v%d)", b.Claimed(), timezone.DayLabel(b.Day), b.Buyer, b.State, b.Version),
		payment,
	}
}

// because is why a refund failed, in the provider's words.
func because(f inventory.Refund) string {
	if f.LastError == "" {
		return "no reason was given"
	}
	return f.LastError
}

func quoted(reason string) string {
	if reason == "" {
		return ""
	}
	return ` "` + reason + `"`
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

// venueOf is the slug of the venue at which something is claimed; empty for
// money that belongs to no booking.
func venueOf(b inventory.Booking) string {
	venue, _, _ := strings.Cut(b.Ref(), "/")
	return venue
}
