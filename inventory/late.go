package inventory

import "time"

// Verdict is what the moment that learns of captured money does with it.
type Verdict struct {
	Action Action
	Kind   ZombieKind // of the zombie, where the action makes or leaves one
}

// Action is one way to treat captured money.
type Action string

// Actions on captured money.
const (
	ActConfirm         Action = "confirm"           // in time: the booking is confirmed
	ActConfirmLate     Action = "confirm_late"      // past its end, but the place never left: confirm, take nothing again
	ActExpireAndRefund Action = "expire_and_refund" // past its end, policy refund: the place goes back now
	ActRevive          Action = "revive_or_refund"  // the place has left: take it again if admission allows
	ActRefund          Action = "refund"
	ActKeepZombie      Action = "zombie" // staff decide, until the deadline
)

// NeedsClaim reports whether the action changes what is taken, so that the lock
// on what is claimed is wanted before the booking's.
func (a Action) NeedsClaim() bool { return a == ActExpireAndRefund || a == ActRevive }

// JudgeCapture decides what captured money means for the booking that it
// names, by the state graph and the venue's policy, never by the order in
// which callbacks arrive. now is the database's clock, read under the
// booking's lock.
func JudgeCapture(b Booking, captured Money, policy LatePolicy, now time.Time) Verdict {
	if captured != b.Amount {
		return Verdict{ActKeepZombie, ZombieMismatch} // never confirmed, and never refunded unseen
	}
	switch b.State {
	case StatePaymentPending:
		return Verdict{Action: ActConfirm} // its place is kept while the payment is in doubt
	case StateHeld:
		switch {
		case now.Before(b.ExpiresAt):
			return Verdict{Action: ActConfirm}
		case policy == LateRefund:
			return Verdict{ActExpireAndRefund, ZombieLate}
		}
		return Verdict{Action: ActConfirmLate}
	case StateConfirmed:
		return byPolicy(policy, ActRefund, ZombieDuplicate)
	case StateExpired, StateCancelled, StateNone:
	}
	return byPolicy(policy, ActRevive, ZombieLate)
}

// byPolicy is what the three policies do with money that has no place now;
// whenRevive is what is left to try under policy revive.
func byPolicy(policy LatePolicy, whenRevive Action, kind ZombieKind) Verdict {
	switch policy {
	case LateRefund:
		return Verdict{ActRefund, kind}
	case LateRevive:
		return Verdict{whenRevive, kind}
	case LateAsk:
	}
	return Verdict{ActKeepZombie, kind}
}
