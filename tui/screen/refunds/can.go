package refunds

import (
	"fmt"
	"strings"

	"holdfast/inventory"
	"holdfast/tui/theme"
)

const (
	underWay  = "the last decision about its payment has no answer yet"
	notRead   = "its payment has not been read yet"
	notWhole  = "too many refunds came after it to list: use holdfast refund"
	onItsWay  = "its money is on its way back already"
	allBack   = "its money went back already"
	disputed  = "the payer disputes it at the bank, which decides: a refund could pay twice"
	lostThere = "the payer has the money back from the bank: a refund would pay twice"
)

// movable says whether any of a payment can be sent back now; the database
// decides.
func (m *Model) movable(s story) (ok bool, why string) {
	p := s.payment
	_, _, left := s.sums()
	switch {
	case m.deciding[p.ID]:
		return false, underWay
	case !s.whole:
		return false, notWhole
	case p.Dispute == inventory.DisputeOpen:
		return false, disputed
	case p.Dispute == inventory.DisputeLost:
		return false, lostThere
	case p.Standing == inventory.StandingRefunding:
		return false, onItsWay
	case p.Standing == inventory.StandingRefunded, left <= 0:
		return false, allBack
	case p.Standing == "":
		return false, "it was never captured: there is nothing to send back"
	}
	return true, ""
}

// retryable says whether a refund can be asked for again; the database decides.
func (m *Model) retryable(r row) (ok bool, why string) {
	s, known := m.storyFor(r)
	switch {
	case m.deciding[r.PaymentID]:
		return false, underWay
	case r.State != inventory.RefundFailed:
		return false, fmt.Sprintf("this is %s: only a FAILED refund can be asked for again", r.State)
	case !known || !s.knows(r.Refund):
		return false, notRead
	}
	if next, done := again(s.refunds)[r.ID]; done {
		return false, fmt.Sprintf("it was asked for again: ..%s, %s", next.ID.Short(), next.State)
	}
	if ok, why := m.movable(s); !ok {
		return false, why
	}
	_, _, left := s.sums()
	switch {
	case r.Amount.Minor > left:
		return false, fmt.Sprintf("only %s is left of its payment", s.money(left))
	case s.payment.Standing == inventory.StandingApplied && r.Amount.Minor == left:
		return false, "its booking stands on this money now; M refunds and cancels it"
	}
	return true, ""
}

// partable says whether a part of the payment of a refund can be sent back.
func (m *Model) partable(r row) (ok bool, why string) {
	s, known := m.storyFor(r)
	if !known {
		return false, notRead
	}
	return m.movable(s)
}

// advice says how a refund stands, what can be done, and what happens if nobody
// does anything.
func (m *Model) advice(r row) []line {
	out := []line{{style: theme.Text, text: m.meaning(r)}}
	s, known := m.storyFor(r)
	if !known {
		return out
	}
	if text := m.failure(r, s); text != "" {
		out = append(out, line{style: theme.Warn, text: text})
	}
	text := s.account() + " " + belongs(s)
	if ok, why := m.movable(s); ok {
		text += " M gives back a part of what is left, or all of it."
	} else if why != onItsWay && why != allBack { // as has just been said
		text += " Not now: " + why + "."
	}
	return append(out, line{style: theme.Text, text: text})
}

// meaning says what the state of a refund means.
func (m *Model) meaning(r row) string {
	next := " now"
	if at := r.NextTryAt; at.After(m.env.Now()) {
		next = " at " + m.at(at)
	}
	switch {
	case r.External && r.State == inventory.RefundSucceeded:
		return "It was made at the provider itself, not from here, and it went back at " + m.at(r.DoneAt) + "."
	case r.External && r.open():
		return "It was made at the provider itself, not from here. It is not done: the provider will say when it is."
	case r.State == inventory.RefundRequested && r.SentAt.IsZero():
		return "Asked for, not sent yet: nothing has gone back. The refund job sends it" + next + "."
	case r.State == inventory.RefundRequested:
		return fmt.Sprintf("Asked for and sent %s, without an answer: it may be at the provider or not. It is sent again%s, with the same key, so that it cannot go twice.", times(r.Tries), next)
	case r.State == inventory.RefundPending:
		return "The provider has it and it is not done. It is asked about" + next + "."
	case r.State == inventory.RefundSucceeded:
		return "It went back at " + m.at(r.DoneAt) + "."
	}
	return "It did not go back: " + because(r.Refund) + "."
}

// failure says what came after a refund that failed.
func (m *Model) failure(r row, s story) string {
	if r.State != inventory.RefundFailed {
		return ""
	}
	if next, done := again(s.refunds)[r.ID]; done {
		return fmt.Sprintf("It was asked for again at %s: ..%s, %s.", m.at(next.RequestedAt), next.ID.Short(), next.State)
	}
	if ok, why := m.retryable(r); !ok {
		return "It cannot be asked for again: " + why + "."
	}
	return "It waits for you: ! asks again, as a new refund with a new key, since the old key has its answer for ever."
}

// account says where the captured money of a payment went.
func (s story) account() string {
	gone, onWay, left := s.sums()
	var parts []string
	for _, p := range []struct {
		minor inventory.Minor
		words string
	}{{gone, "went back"}, {onWay, "is on its way"}, {left, "is left"}} {
		if p.minor != 0 {
			parts = append(parts, s.money(p.minor).String()+" "+p.words)
		}
	}
	return fmt.Sprintf("Of %s captured, %s.", s.payment.Captured, strings.Join(parts, ", "))
}

// belongs says where the captured money of a payment stands.
func belongs(s story) string {
	switch s.payment.Standing {
	case inventory.StandingApplied:
		return "It pays for a booking that is " + string(s.booking.State) + "."
	case inventory.StandingZombie:
		return "What is left is a zombie: the Zombies screen decides about it."
	case inventory.StandingRefunding, inventory.StandingRefunded:
		return ""
	}
	return "It was never captured."
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
