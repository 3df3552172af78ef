package pgstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"holdfast/inventory"
)

// RefundPayment asks for money back: amount 0 means all that is left of it.
// The row is committed with its one key; the refund job sends it. Giving back
// all that is left of an applied payment also cancels its booking, since a
// confirmed booking nobody paid for must not exist; a part leaves it standing.
// version is the payment's that the decision was made on, 0 does not check it.
//
// Refusals: ErrNotAllowed (not captured, or all of it is on its way back),
// ErrDisputed, ErrStale, a FieldError when amount is more than what is left.
func (s *Store) RefundPayment(ctx context.Context, id inventory.PaymentID, version int, amount inventory.Minor, actor inventory.Actor, reason string) (inventory.Refund, error) {
	if amount < 0 {
		return inventory.Refund{}, inventory.Invalid("amount", "must not be negative")
	}
	return s.refund(ctx, id, amount, actor, reason, func(p inventory.Payment, _ time.Time) error { return asSeen(p, version) })
}

// RefundZombie is RefundPayment for the whole of a zombie and nothing else: a
// payment that was revived meanwhile is ErrNotAllowed, and its booking stays.
func (s *Store) RefundZombie(ctx context.Context, id inventory.PaymentID, version int, actor inventory.Actor, reason string) (inventory.Refund, error) {
	return s.refund(ctx, id, 0, actor, reason, func(p inventory.Payment, _ time.Time) error {
		if p.Standing != inventory.StandingZombie {
			return fmt.Errorf("payment %s is %s: %w", p.ID, p.Standing, inventory.ErrNotAllowed)
		}
		return asSeen(p, version)
	})
}

// refund asks for a refund if allowed says so of the locked payment at this
// time.
func (s *Store) refund(ctx context.Context, id inventory.PaymentID, amount inventory.Minor, actor inventory.Actor, reason string, allowed func(inventory.Payment, time.Time) error) (inventory.Refund, error) {
	if err := inventory.CheckReason(reason); err != nil {
		return inventory.Refund{}, err
	}
	var r inventory.Refund
	err := s.inTx(ctx, "refund payment "+id.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		b, p, err := lockClaimOfPayment(ctx, tx, id)
		if err != nil {
			return err
		}
		now, err := s.clock(ctx, tx)
		if err != nil {
			return err
		}
		if err := allowed(p, now); err != nil {
			return err
		}
		if p, err = s.freeOfBooking(ctx, tx, p, b, amount, step{to: inventory.StateCancelled, cause: inventory.CauseCancelled, actor: actor, reason: reason}); err != nil {
			return err
		}
		r, err = s.requestRefund(ctx, tx, p, amount, reason, actor)
		return err
	})
	return r, err
}

// freeOfBooking cancels the booking that stands on an applied payment, if
// amount is all that is left of it.
func (s *Store) freeOfBooking(ctx context.Context, tx pgx.Tx, p inventory.Payment, b inventory.Booking, amount inventory.Minor, st step) (inventory.Payment, error) {
	if p.Standing != inventory.StandingApplied {
		return p, nil
	}
	left, err := leftOf(ctx, tx, p)
	if err != nil || amount != 0 && amount != left {
		return p, err
	}
	if b, err = s.leave(ctx, tx, b, st); err != nil {
		return p, err
	}
	return s.orphan(ctx, tx, p, b)
}

// asSeen compares the version that somebody decided on with the one that
// stands.
func asSeen(p inventory.Payment, version int) error {
	if version == 0 || version == p.Version {
		return nil
	}
	return &inventory.StaleError{Object: "payment " + p.ID.String(), Seen: version, Current: p.Version}
}

// leftOf is what of a captured and locked payment is not on its way back.
func leftOf(ctx context.Context, tx pgx.Tx, p inventory.Payment) (inventory.Minor, error) {
	var gone inventory.Minor
	err := tx.QueryRow(ctx, sqlRefundSum, pgx.StrictNamedArgs{"payment": p.ID}).Scan(&gone)
	return p.Captured.Minor - gone, err
}

// requestRefund adds a refund row to a locked payment. A zombie is on its way
// back from then on.
func (s *Store) requestRefund(ctx context.Context, tx pgx.Tx, p inventory.Payment, amount inventory.Minor, reason string, actor inventory.Actor) (inventory.Refund, error) {
	if p.Dispute == inventory.DisputeOpen || p.Dispute == inventory.DisputeLost {
		return inventory.Refund{}, inventory.ErrDisputed
	}
	return s.insertRefund(ctx, tx, p, newRefund{amount: amount, reason: reason, by: actor})
}

// newRefund is a refund row to be.
type newRefund struct {
	amount   inventory.Minor // 0: all that is left
	reason   string
	by       inventory.Actor
	external bool               // made at the provider
	retryOf  inventory.RefundID // the failed one that this one repeats; each is repeated once
}

// insertRefund checks what is left of a locked payment and adds the row. Every
// refund counts in the payment's version, so that two people who saw the same
// payment do not both give a part of it back.
func (s *Store) insertRefund(ctx context.Context, tx pgx.Tx, p inventory.Payment, n newRefund) (inventory.Refund, error) {
	if p.State != inventory.PaymentSucceeded {
		return inventory.Refund{}, fmt.Errorf("payment %s is %s: %w", p.ID, p.State, inventory.ErrNotAllowed)
	}
	left, err := leftOf(ctx, tx, p)
	switch {
	case err != nil:
		return inventory.Refund{}, err
	case left == 0:
		return inventory.Refund{}, fmt.Errorf("nothing is left of payment %s: %w", p.ID, inventory.ErrNotAllowed)
	case n.amount > left:
		return inventory.Refund{}, inventory.Invalid("amount", "is more than what is left of the payment, %s",
			inventory.Money{Minor: left, Currency: p.Captured.Currency})
	case n.amount == 0:
		n.amount = left
	}
	id := inventory.NewRefundID()
	_, err = tx.Exec(ctx, sqlRefundInsert, pgx.StrictNamedArgs{
		"id": id, "payment": p.ID, "amount": n.amount, "currency": p.Captured.Currency, "reason": n.reason,
		"by": n.by.String(), "external": n.external, "retry_of": idOrNull(n.retryOf.UUID), "now": s.now,
	})
	if err != nil {
		return inventory.Refund{}, err
	}
	to := p.Standing
	if to == inventory.StandingZombie {
		to = inventory.StandingRefunding
	}
	if _, err := s.stand(ctx, tx, p, to, "", 0); err != nil {
		return inventory.Refund{}, err
	}
	return getRefund(ctx, tx, id)
}

// RetryRefund asks again for what a failed refund did not give back: a new
// row with a new key, since the old key's answer is a failure for life. Each
// failed refund is repeated once: pressed twice it is ErrNotAllowed.
func (s *Store) RetryRefund(ctx context.Context, id inventory.RefundID, actor inventory.Actor) (inventory.Refund, error) {
	var r inventory.Refund
	err := s.inTx(ctx, "retry refund "+id.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		_, p, old, err := lockRefund(ctx, tx, id)
		if err != nil {
			return err
		}
		if old.State != inventory.RefundFailed {
			return fmt.Errorf("refund %s is %s: %w", id, old.State, inventory.ErrNotAllowed)
		}
		if p.Dispute == inventory.DisputeOpen || p.Dispute == inventory.DisputeLost {
			return inventory.ErrDisputed
		}
		if left, err := leftOf(ctx, tx, p); err != nil || p.Standing == inventory.StandingApplied && left <= old.Amount.Minor {
			// Revived since: giving it all back is a decision about a booking now.
			return cmp.Or(err, fmt.Errorf("payment %s stands on a booking: %w", p.ID, inventory.ErrNotAllowed))
		}
		r, err = s.insertRefund(ctx, tx, p, newRefund{amount: old.Amount.Minor, reason: old.Reason, by: actor, retryOf: old.ID})
		return err
	})
	return r, err
}

// Refunds returns refunds, newest first.
func (s *Store) Refunds(ctx context.Context, f inventory.RefundFilter) ([]inventory.Refund, error) {
	var out []inventory.Refund
	err := s.read(ctx, "list refunds", func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlRefundList, pgx.StrictNamedArgs{
			"venue": textOrNull(f.Venue), "state": textOrNull(string(f.State)), "limit": bounded(f.Limit, 200, 1000),
		})
		var err error
		out, err = pgx.CollectRows(rows, scanRefund)
		return err
	})
	return out, err
}

// FindRefund resolves a whole id, or an ending of at least 6 characters that
// only one refund has.
func (s *Store) FindRefund(ctx context.Context, text string) (inventory.RefundID, error) {
	if id, err := inventory.ParseRefundID(text); err == nil {
		return id, nil
	}
	var ids []inventory.RefundID
	err := s.findByEnding(ctx, "refund", text, sqlRefundFind, func(row pgx.CollectableRow) error {
		var id inventory.RefundID
		err := row.Scan(&id)
		ids = append(ids, id)
		return err
	})
	if err != nil {
		return inventory.RefundID{}, err
	}
	return ids[0], nil
}

// ClaimRefunds returns at most limit refunds of these providers that are due to
// be sent or asked about, and puts each one's next try off, with growing delay, in a committed
// transaction of its own: no lock is kept while the provider thinks, and two
// daemons do not send the same refund at once. If they did, its key for life
// would still make it one refund.
func (s *Store) ClaimRefunds(ctx context.Context, providers []string, limit int) ([]inventory.RefundTask, error) {
	var out []inventory.RefundTask
	err := s.inTx(ctx, "claim refunds", beginJob, func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlRefundClaim, pgx.StrictNamedArgs{"providers": providers, "limit": limit, "now": s.now})
		var err error
		out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (t inventory.RefundTask, err error) {
			r := &t.Refund
			return t, row.Scan(append(refundFields(r), (*zeronull.Text)(&t.ProviderPayment))...)
		})
		return err
	})
	return out, err
}

// RefundAnswered applies what the provider says of a refund. States only move
// forward, and a failure is the last word: a bank may return a refund that had
// succeeded. A failed refund puts its payment back on the desk.
func (s *Store) RefundAnswered(ctx context.Context, id inventory.RefundID, answer inventory.ProviderRefund) (inventory.Refund, error) {
	var r inventory.Refund
	err := s.inTx(ctx, "note the provider's answer on refund "+id.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		var err error
		r, _, err = s.applyRefund(ctx, tx, id, answer)
		return err
	})
	return r, err
}

func (s *Store) applyRefund(ctx context.Context, tx pgx.Tx, id inventory.RefundID, answer inventory.ProviderRefund) (inventory.Refund, bool, error) {
	b, p, r, err := lockRefund(ctx, tx, id)
	if err != nil {
		return r, false, err
	}
	if answer.Amount.Minor != 0 && answer.Amount != r.Amount {
		return r, false, inventory.Invalid("amount", "the provider refunded %s where %s was asked", answer.Amount, r.Amount)
	}
	tag, err := tx.Exec(ctx, sqlRefundMove, pgx.StrictNamedArgs{
		"id": id, "state": answer.State, "provider_refund": textOrNull(answer.ID), "error": answer.Reason, "now": s.now,
	})
	if err != nil {
		return r, false, err
	}
	if tag.RowsAffected() == 0 {
		return r, false, nil // there or further already
	}
	if err := s.restand(ctx, tx, p, b); err != nil {
		return r, false, err
	}
	if r, err = getRefund(ctx, tx, id); err != nil {
		return r, true, err
	}
	return r, true, s.noteRefund(ctx, tx, b, r)
}

// restand gives a payment the standing that its refunds leave it with. A
// payment whose booking still stands on it stays applied. What is back on the
// desk gets a new deadline: without one it would wait for ever, and with the
// old one a refund that fails would be asked for again at once.
func (s *Store) restand(ctx context.Context, tx pgx.Tx, p inventory.Payment, b inventory.Booking) error {
	if p.Standing == inventory.StandingApplied {
		return nil
	}
	var open int
	var done inventory.Minor
	if err := tx.QueryRow(ctx, sqlRefundProgress, pgx.StrictNamedArgs{"payment": p.ID}).Scan(&open, &done); err != nil {
		return err
	}
	to, wait := inventory.StandingZombie, time.Duration(0)
	switch {
	case open > 0:
		to = inventory.StandingRefunding
	case done == p.Captured.Minor:
		to = inventory.StandingRefunded
	case b.ID != inventory.BookingID{}:
		rule, err := lateRule(ctx, tx, b.ID)
		if err != nil {
			return err
		}
		wait = rule.Deadline
	}
	if to == p.Standing {
		return nil
	}
	_, err := s.stand(ctx, tx, p, to, "", wait)
	return err
}

// RefundUnanswered notes why a refund got no answer. It stays as it is and is
// tried again with the same key: no answer is not a failure.
func (s *Store) RefundUnanswered(ctx context.Context, id inventory.RefundID, cause string) error {
	return s.inTx(ctx, "note that refund "+id.String()+" got no answer", beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sqlRefundNote, pgx.StrictNamedArgs{"id": id, "error": cause})
		return err
	})
}

// DecideOverdueZombies asks for refunds of zombies whose deadline has passed
// without a decision (policy ask). It returns how many. One that cannot be
// refunded does not keep the others waiting; one that somebody decides in this
// moment is left to them.
func (s *Store) DecideOverdueZombies(ctx context.Context, limit int) (int, error) {
	var due []inventory.PaymentID
	err := s.read(ctx, "list overdue zombies", func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlZombiesOverdue, pgx.StrictNamedArgs{"limit": limit, "now": s.now})
		var err error
		due, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (id inventory.PaymentID, err error) { return id, row.Scan(&id) })
		return err
	})
	if err != nil {
		return 0, err
	}
	done := 0
	var failed []error
	for _, id := range due {
		_, err := s.refund(ctx, id, 0, inventory.Job(string(inventory.JobRefund)), "nobody decided before the deadline", overdueZombie)
		switch {
		case refusal(err): // somebody decided just now
		case err != nil:
			failed = append(failed, err)
		default:
			done++
		}
	}
	return done, errors.Join(failed...)
}

// overdueZombie allows a refund only of what is still a zombie past its
// deadline: a payment that was revived in this moment belongs to its booking.
func overdueZombie(p inventory.Payment, now time.Time) error {
	if p.Standing != inventory.StandingZombie || p.DecideBy.IsZero() || now.Before(p.DecideBy) {
		return inventory.ErrNotAllowed
	}
	return nil
}

// lockRefund locks in order a refund's booking, if its money has one, and its
// payment; the refund itself only changes under the payment's lock.
func lockRefund(ctx context.Context, tx pgx.Tx, id inventory.RefundID) (b inventory.Booking, p inventory.Payment, r inventory.Refund, err error) {
	if r, err = getRefund(ctx, tx, id); err != nil {
		return b, p, r, err
	}
	if p, err = getPayment(ctx, tx, r.PaymentID); err != nil {
		return b, p, r, err
	}
	if p.BookingID != (inventory.BookingID{}) {
		if b, err = lockBooking(ctx, tx, p.BookingID); err != nil {
			return b, p, r, err
		}
	}
	if p, err = lockPayment(ctx, tx, r.PaymentID); err != nil {
		return b, p, r, err
	}
	r, err = getRefund(ctx, tx, id) // as it stands under the payment's lock
	return b, p, r, err
}

func getRefund(ctx context.Context, tx pgx.Tx, id inventory.RefundID) (inventory.Refund, error) {
	rows, _ := tx.Query(ctx, sqlRefundGet, pgx.StrictNamedArgs{"id": id})
	return pgx.CollectExactlyOneRow(rows, scanRefund)
}

func scanRefund(row pgx.CollectableRow) (r inventory.Refund, err error) {
	return r, row.Scan(refundFields(&r)...)
}

func refundFields(r *inventory.Refund) []any {
	return []any{
		&r.ID, &r.PaymentID, &r.Amount.Minor, &r.Amount.Currency, &r.State, &r.Provider, (*zeronull.Text)(&r.ProviderRefund),
		&r.Reason, &r.RequestedBy, &r.RequestedAt, orNull(&r.DoneAt), &r.Tries, orNull(&r.SentAt), orNull(&r.NextTryAt), &r.LastError, &r.External,
	}
}
