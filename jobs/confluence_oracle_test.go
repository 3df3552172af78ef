package jobs_test

import (
	"fmt"
	"slices"
	"strings"

	"holdfast/inventory"
	"holdfast/inventory/payment/simulated"
)

// outcome is where a booking and its money end: one word for the booking and
// one for each charge. "none" is money that was never taken.
type outcome struct {
	booking inventory.BookingState
	money   []string
}

func (o outcome) String() string {
	return fmt.Sprintf("%s [%s]", o.booking, strings.Join(o.money, ", "))
}

const (
	moneyNone      = "none"
	moneyApplied   = "applied"
	moneyRefunded  = "refunded"
	moneyLate      = "zombie late"
	moneyDuplicate = "zombie duplicate"
	moneyMismatch  = "zombie mismatch"
)

// outcomes says where a story must end, from the provider's ledger alone and
// one fact about the telling: whether the place was still there when we first
// heard of money that fits. That fact is all that order and delay may decide,
// apart from which of two captures the booking stands on; where there are two,
// each is one outcome.
//
// One more choice remains when the money that the booking stands on is given
// back elsewhere: the other capture came before that, as a duplicate, or after
// it, as late money.
func (s story) outcomes(inPlace bool) []outcome {
	var all []outcome
	stands := inPlace || s.policy == inventory.LateRevive && s.room
	for i, c := range s.charges {
		if !c.fits() || !stands {
			continue
		}
		all = append(all, s.standingOn(i, moneyDuplicate))
		if whole, _ := c.givenBack(); whole {
			all = append(all, s.standingOn(i, moneyLate))
			if other := 1 - i; inPlace && s.policy == inventory.LateRevive && s.room && len(s.charges) == 2 && s.charges[other].fits() {
				again := s.standingOn(i, moneyLate)
				again.booking, again.money[other] = inventory.StateConfirmed, moneyApplied
				all = append(all, again)
			}
		}
	}
	if len(all) == 0 {
		o := outcome{booking: inventory.StateExpired}
		for _, c := range s.charges {
			o.money = append(o.money, s.unowned(c, moneyLate))
		}
		all = append(all, o)
	}
	return all
}

// standingOn is the outcome if the booking was confirmed by charge i; rest is
// what other money that fits is to it.
func (s story) standingOn(i int, rest string) outcome {
	o := outcome{booking: inventory.StateConfirmed}
	for j, c := range s.charges {
		if j != i {
			o.money = append(o.money, s.unowned(c, rest))
			continue
		}
		whole, lasts := c.givenBack()
		switch {
		case whole && lasts:
			o.booking = inventory.StateCancelled
			o.money = append(o.money, moneyRefunded)
		case whole: // it went and came back
			o.booking = inventory.StateCancelled
			o.money = append(o.money, moneyLate)
		default:
			o.money = append(o.money, moneyApplied)
		}
	}
	return o
}

// unowned is where money ends that no booking stands on.
func (s story) unowned(c charge, kind string) string {
	whole, lasts := c.givenBack()
	switch {
	case !c.captured():
		return moneyNone
	case whole && lasts:
		return moneyRefunded
	case c.wrong:
		return moneyMismatch
	case s.policy == inventory.LateAsk:
		return kind
	case lasts: // part is gone already, so the provider refuses to refund the whole: work for the desk
		return kind
	}
	return moneyRefunded
}

// inPlace follows a telling for as long as its place is there, and reports
// whether money that fits was heard of by then.
func (d telling) inPlace() bool {
	w := walk{telling: d, rows: map[int]bool{}}
	if d.ours {
		w.waits, w.nameless = true, true
	}
	if d.answered {
		w.hear(0, d.charges[0].path[0])
	}
	for phase := range phases {
		w.past = phase >= pastTheEnd
		switch phase {
		case afterSweep:
			w.gone = w.gone || !w.waits
		case afterDoubt:
			w.ask(false)
		case veryLate:
			w.ask(true)
		}
		for _, h := range d.heard {
			if c := d.charges[h.charge]; h.phase == phase && h.step < len(c.path) {
				w.hear(h.charge, c.path[h.step])
			}
			if h.phase == phase && w.past && !d.room { // whoever wants the place reclaims a hold that is over
				w.gone = w.gone || !w.waits
			}
		}
	}
	return w.found
}

// walk is what is known at one moment of a telling.
type walk struct {
	telling
	past     bool         // the hold's end
	waits    bool         // PAYMENT_PENDING: the place is kept as long as an attempt is open
	nameless bool         // our attempt, of which we know no id of the provider's yet
	rows     map[int]bool // charges that we know of, and whether they are open
	gone     bool         // the place
	found    bool         // money that fits, while the place was there
}

func (w *walk) hear(i int, state simulated.State) {
	if w.gone || w.found {
		return
	}
	open, known := w.rows[i]
	if !known {
		open = true
		if w.ours && (i == 0 || w.charges[i].twin) {
			w.nameless = false
		}
	}
	switch state {
	case simulated.StatePending:
		w.rows[i] = open
		return
	case simulated.StateSucceeded:
		if !w.charges[i].wrong {
			late := !w.waits && w.past && w.policy == inventory.LateRefund
			w.gone, w.found = late, !late
			return
		}
	case simulated.StateFailed, simulated.StateCancelled:
	}
	w.rows[i] = false
	w.attemptEnded()
}

// attemptEnded lets the place go, or leaves it to the hold's own time, when no
// attempt is open any more.
func (w *walk) attemptEnded() {
	if !w.waits || w.nameless {
		return
	}
	for _, open := range w.rows {
		if open {
			return
		}
	}
	w.waits, w.gone = false, w.past
}

// ask is the reconcile job: it hears the last word about every open attempt. A
// payment that the provider does not know is believed to be none only in the
// end.
func (w *walk) ask(end bool) {
	if !w.waits {
		return
	}
	var about []int
	for i, c := range w.charges {
		if w.rows[i] || w.nameless && len(c.path) > 0 && (i == 0 || c.twin) {
			about = append(about, i)
		}
	}
	slices.SortStableFunc(about, func(a, b int) int { // captured ones first
		return strings.Compare(string(w.charges[b].final()), string(w.charges[a].final()))
	})
	for _, i := range about {
		last := w.charges[i].final()
		if last == simulated.StatePending {
			last = simulated.StateCancelled // what is open is cancelled
		}
		w.hear(i, last)
	}
	if end && w.nameless {
		w.nameless = false
		w.attemptEnded()
	}
}
