package zombies

import (
	"context"
	"errors"
	"fmt"
	"time"

	"holdfast/inventory"
	"holdfast/tui/dialog"
)

// lookLimit bounds looking for money whose decision did not simply succeed.
const lookLimit = 4 * time.Second

// whereabouts is where money stands now, and who brought it there.
type whereabouts struct {
	zombie  bool // still one, at version
	version int
	revived inventory.JournalEntry // the transition that took it, zero if none did
	refund  inventory.Refund       // the newest refund of it, zero if there is none
	known   bool
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

// lookFor asks where money stands now. The limit of the decision may be used
// up, so it has its own. What cannot be read stays unknown.
func lookFor(ctx context.Context, r reader, z inventory.Zombie) whereabouts {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	now, err := r.Zombie(ctx, z.Payment.ID)
	switch {
	case err == nil:
		return whereabouts{zombie: true, version: now.Payment.Version, known: true}
	case !errors.Is(err, inventory.ErrNotFound):
		return whereabouts{}
	}
	w := whereabouts{known: true}
	if entries, err := r.Journal(ctx, z.Payment.BookingID); err == nil {
		for _, e := range entries {
			if e.Cause == inventory.CauseRevived {
				w.revived = e
			}
		}
	}
	refunds, err := r.Refunds(ctx, inventory.RefundFilter{Venue: z.Venue, Limit: maxRows})
	if err != nil {
		return w
	}
	for _, f := range refunds {
		if f.PaymentID == z.Payment.ID {
			w.refund = f
			break // newest first
		}
	}
	return w
}

// whoDecided says what has become of the money instead.
func (m *Model) whoDecided(d decided) []string {
	w := d.now
	switch {
	case w.refund.ID != inventory.RefundID{}:
		return []string{fmt.Sprintf("Someone else decided: refund asked for by %s at %s (%s).", w.refund.RequestedBy, m.at(w.refund.RequestedAt), w.refund.State)}
	case w.revived.Seq > 0:
		return []string{fmt.Sprintf("Someone else decided: revived by %s at %s (v%d).", w.revived.Actor, m.at(w.revived.At), w.revived.Seq)}
	case w.zombie && w.version != d.z.Payment.Version:
		return []string{fmt.Sprintf("It changed while you looked (v%d, now v%d) and is still a zombie.", d.z.Payment.Version, w.version), "Close this and look at it again."}
	case w.zombie:
		return []string{"It is still a zombie; this is not possible for it."}
	case w.known:
		return []string{"Someone else decided about it."}
	}
	return []string{"Close this and look at the list."}
}

// lookedUp answers for a decision whose own answer was lost. What is not there
// yet may still come, so a no is never more than "so far".
func (m *Model) lookedUp(d decided, what string) dialog.Outcome {
	w, me := d.now, m.actor.String()
	switch {
	case d.revived && w.revived.Actor == me && w.revived.Seq == d.z.Booking.Version+1:
		return dialog.Outcome{OK: true, Text: fmt.Sprintf("the answer was lost, but it went through: revived, v%d: %s", w.revived.Seq, what)}
	case !d.revived && w.refund.RequestedBy == me:
		return dialog.Outcome{OK: true, Text: fmt.Sprintf("the answer was lost, but it went through: refund asked for, %s", w.refund.Amount)}
	case w.zombie && w.version == d.z.Payment.Version:
		return dialog.Outcome{Text: "The answer was lost. So far nothing has changed.", Lines: []string{"Close this, wait for fresh numbers and look again before you repeat it."}}
	case w.known:
		return dialog.Outcome{Text: "The answer was lost.", Lines: m.whoDecided(d)}
	}
	return dialog.Outcome{Text: "The answer was lost, and the money cannot be looked up.", Lines: []string{"Look at it again when the database is back. Do not repeat it blindly."}}
}
