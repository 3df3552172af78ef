package pgstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"holdfast/inventory"
)

// RefundPayment asks for money back: amount 0 means all that is left of it.
// The row is committed with its one key; the refund job sends it. Giving the
// whole of an applied payment back also cancels its booking, since a
// confirmed booking nobody paid for must not exist; a part leaves it standing.
//
// Refusals: ErrNotAllowed (not captured, or on its way back already),
// ErrDisputed, ErrStale, a FieldError when amount is more than what is left.
func (s *Store) RefundPayment(ctx context.Context, id inventory.PaymentID, version int, amount inventory.Minor, actor inventory.Actor, reason string) (inventory.Refund, error) {
	if err := inventory.CheckReason(reason); err != nil {
		return inventory.Refund{}, err
	}
	if amount < 0 {
		return inventory.Refund{}, inventory.Invalid("amount", "must not be negative")
	}
	var r inventory.Refund
	err := s.inTx(ctx, "refund payment "+id.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		b, p, err := lockClaimOfPayment(ctx, tx, id)
		if err != nil {
			return err
		}
		if version != 0 && version != p.Version {
			return &inventory.StaleError{Object: "payment " + id.String(), Seen: version, Current: p.Version}
		}
		if p.Standing == inventory.StandingApplied && (amount == 0 || amount == p.Captured.Minor) {
			if _, err = s.leave(ctx, tx, b, step{to: inventory.StateCancelled, cause: inventory.CauseCancelled, actor: actor, reason: reason}); err != nil {
				return err
			}
			if p, err = s.orphan(ctx, tx, p, b); err != nil {
				return err
			}
		}
		r, err = s.requestRefund(ctx, tx, p, amount, reason, actor)
		return err
	})
	return r, err
}

// requestRefund adds a refund row to a locked payment. A zombie is on its way
// back from then on.
func (s *Store) requestRefund(ctx context.Context, tx pgx.Tx, p inventory.Payment, amount inventory.Minor, reason string, actor inventory.Actor) (inventory.Refund, error) {
	if p.Standing != inventory.StandingZombie && p.Standing != inventory.StandingApplied {
		return inventory.Refund{}, fmt.Errorf("payment %s is %s %s: %w", p.ID, p.State, p.Standing, inventory.ErrNotAllowed)
	}
	if p.Dispute == inventory.DisputeOpen || p.Dispute == inventory.DisputeLost {
		return inventory.Refund{}, inventory.ErrDisputed
	}
	return s.insertRefund(ctx, tx, p, amount, reason, actor, false)
}

// insertRefund checks what is left of a locked payment and adds the row.
func (s *Store) insertRefund(ctx context.Context, tx pgx.Tx, p inventory.Payment, amount inventory.Minor, reason string, actor inventory.Actor, external bool) (inventory.Refund, error) {
	var gone inventory.Minor
	if err := tx.QueryRow(ctx, sqlRefundSum, pgx.StrictNamedArgs{"payment": p.ID}).Scan(&gone); err != nil {
		return inventory.Refund{}, err
	}
	left := p.Captured.Minor - gone
	if amount == 0 {
		amount = left
	}
	if amount > left || left == 0 {
		return inventory.Refund{}, inventory.Invalid("amount", "is more than what is left of the payment, %s",
			inventory.Money{Minor: left, Currency: p.Captured.Currency})
	}
	id := inventory.NewRefundID()
	_, err := tx.Exec(ctx, sqlRefundInsert, pgx.StrictNamedArgs{
		"id": id, "payment": p.ID, "amount": amount, "currency": p.Captured.Currency,
		"reason": reason, "by": actor.String(), "external": external, "now": s.now,
	})
	if err != nil {
		return inventory.Refund{}, err
	}
	if p.Standing == inventory.StandingZombie {
		if _, err := s.stand(ctx, tx, p, inventory.StandingRefunding, "", 0); err != nil {
			return inventory.Refund{}, err
		}
	}
	return getRefund(ctx, tx, id)
}

// RetryRefund asks again for what a failed refund did not give back: a new
// row with a new key, since the old key's answer is a failure for life.
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
		r, err = s.requestRefund(ctx, tx, p, old.Amount.Minor, old.Reason, actor)
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

// ClaimRefunds returns at most limit refunds that are due to be sent or asked
// about, and puts each one's next try off, with growing delay, in a committed
// transaction of its own: no lock is kept while the provider thinks, and two
// daemons do not send the same refund at once. If they did, its key for life
// would still make it one refund.
func (s *Store) ClaimRefunds(ctx context.Context, limit int) ([]inventory.RefundTask, error) {
	var out []inventory.RefundTask
	err := s.inTx(ctx, "claim refunds", beginJob, func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlRefundClaim, pgx.StrictNamedArgs{"limit": limit, "now": s.now})
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
	if err := s.restand(ctx, tx, p); err != nil {
		return r, false, err
	}
	if r, err = getRefund(ctx, tx, id); err != nil {
		return r, true, err
	}
	return r, true, s.noteRefund(ctx, tx, b, r)
}

// restand gives a payment the standing that its refunds leave it with. A
// payment whose booking still stands on it stays applied.
func (s *Store) restand(ctx context.Context, tx pgx.Tx, p inventory.Payment) error {
	var open int
	var done inventory.Minor
	if err := tx.QueryRow(ctx, sqlRefundProgress, pgx.StrictNamedArgs{"payment": p.ID}).Scan(&open, &done); err != nil {
		return err
	}
	to := inventory.StandingZombie
	switch {
	case p.Standing == inventory.StandingApplied:
		return nil
	case open > 0:
		to = inventory.StandingRefunding
	case done == p.Captured.Minor:
		to = inventory.StandingRefunded
	}
	if to == p.Standing {
		return nil
	}
	_, err := s.stand(ctx, tx, p, to, "", 0)
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
// without a decision (policy ask). It returns how many.
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
	for _, id := range due {
		_, err := s.RefundPayment(ctx, id, 0, 0, inventory.Job(string(inventory.JobRefund)), "nobody decided before the deadline")
		switch {
		case refusal(err): // somebody decided just now
		case err != nil:
			return done, err
		default:
			done++
		}
	}
	return done, nil
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
