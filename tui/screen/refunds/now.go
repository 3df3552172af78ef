package refunds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"holdfast/inventory"
	"holdfast/tui/dialog"
)

// lookLimit bounds looking for money whose decision did not simply succeed.
const lookLimit = 4 * time.Second

// moved reports that something has happened to a payment between two readings.
func moved(drawn, now story) bool {
	return drawn.payment.Version != now.payment.Version || !now.whole || len(now.after(drawn)) > 0
}

// after is the refunds that an earlier reading of the story did not have,
// newest first.
func (s story) after(drawn story) []inventory.Refund {
	var out []inventory.Refund
	for _, f := range slices.Backward(s.refunds) {
		if !slices.ContainsFunc(drawn.refunds, func(d inventory.Refund) bool { return d.ID == f.ID }) {
			out = append(out, f)
		}
	}
	return out
}

// movedOrUnknown reports errors after which one has to look where the money is.
func movedOrUnknown(err error) bool {
	for _, e := range []error{inventory.ErrUnknownOutcome, inventory.ErrStale, inventory.ErrNotAllowed, inventory.ErrNotFound} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// lookFor asks how the payment stands now. The limit of the decision may be
// used up, so it has its own. What cannot be read stays unknown.
func lookFor(ctx context.Context, r reader, id inventory.PaymentID) *story {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	s, err := readStory(ctx, r, id)
	if err != nil {
		return nil
	}
	return &s
}

// outcome is what the dialog says about the database's answer.
func (m *Model) outcome(d decided) dialog.Outcome {
	switch {
	case d.err == nil:
		return dialog.Outcome{OK: true, Text: fmt.Sprintf("refund asked for: %s (..%s), not done yet", d.refund.Amount, d.refund.ID.Short())}
	case errors.Is(d.err, inventory.ErrUnknownOutcome):
		return m.lookedUp(d)
	case movedOrUnknown(d.err):
		return dialog.Outcome{Text: "Nothing was changed by you.", Lines: m.whoMoved(d)}
	case errors.Is(d.err, inventory.ErrDisputed):
		return dialog.Outcome{Text: "Nothing changed: " + disputed + "."}
	case len(inventory.FieldErrors(d.err)) > 0: // what is left is less than what was on screen
		return dialog.Outcome{Text: "Nothing changed: " + inventory.Message(d.err) + "."}
	}
	return dialog.Outcome{Again: true, Text: "not done: " + inventory.Message(d.err)}
}

// whoMoved says what has become of the money instead.
func (m *Model) whoMoved(d decided) []string {
	const look = "Close this and look at it again."
	if d.now == nil {
		return []string{"Close this and look at the list."}
	}
	if later := d.now.after(d.s); len(later) > 0 {
		f := later[0]
		return []string{fmt.Sprintf("Someone else decided: refund ..%s of %s asked for by %s at %s (%s).", f.ID.Short(), f.Amount, f.RequestedBy, m.at(f.RequestedAt), f.State), look}
	}
	var revived inventory.JournalEntry
	for _, e := range d.now.journal {
		if e.Cause == inventory.CauseRevived {
			revived = e
		}
	}
	was, is := d.s.payment, d.now.payment
	switch {
	case was.Standing == inventory.StandingZombie && is.Standing == inventory.StandingApplied && revived.Seq > 0:
		return []string{fmt.Sprintf("Someone else decided: revived by %s at %s (v%d).", revived.Actor, m.at(revived.At), revived.Seq), look}
	case was.Version != is.Version:
		return []string{fmt.Sprintf("Its payment changed while you looked (v%d, now v%d): it is %s.", was.Version, is.Version, is.Standing), look}
	}
	return []string{"This is not possible for it as it stands: the money is " + string(is.Standing) + ".", look}
}

// lookedUp answers for a decision whose own answer was lost. What is not there
// yet may still come, so a no is never more than "so far".
func (m *Model) lookedUp(d decided) dialog.Outcome {
	if d.now == nil {
		return dialog.Outcome{Text: "The answer was lost, and the payment cannot be looked up.", Lines: []string{"Look at it again when the database is back. Do not repeat it blindly."}}
	}
	for _, f := range d.now.after(d.s) {
		if f.RequestedBy == m.actor.String() && f.Amount == d.amount {
			return dialog.Outcome{OK: true, Text: fmt.Sprintf("the answer was lost, but it went through: %s asked for", f.Amount)}
		}
	}
	if moved(d.s, *d.now) {
		return dialog.Outcome{Text: "The answer was lost.", Lines: m.whoMoved(d)}
	}
	return dialog.Outcome{Text: "The answer was lost. So far nothing has changed.", Lines: []string{"Close this, wait for fresh numbers and look again before you repeat it."}}
}
