package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// settleDispute notes what a payer's complaint to the bank has come to. While
// it is open no refund is sent: it could pay twice. When it is lost the payer
// has the money back: that is recorded as a refund made elsewhere, which also
// ends the booking that stood on the money.
func (s *Store) settleDispute(ctx context.Context, e inventory.ProviderEvent) (note string, err error) {
	to := map[inventory.EventKind]inventory.Dispute{
		inventory.EventDisputeOpened: inventory.DisputeOpen,
		inventory.EventDisputeWon:    inventory.DisputeWon,
		inventory.EventDisputeLost:   inventory.DisputeLost,
	}[e.Kind]
	err = s.inTx(ctx, "settle "+string(e.Kind), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		found, _, err := locatePayment(ctx, tx, e)
		if err != nil {
			return err
		}
		if found.ID == (inventory.PaymentID{}) {
			return errUnmatched
		}
		b, p, err := lockClaimOfPayment(ctx, tx, found.ID)
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, sqlPaymentDispute, pgx.StrictNamedArgs{"id": p.ID, "dispute": to})
		changed := tag.RowsAffected() == 1
		note = changedOr(changed, "dispute "+string(to))
		if err != nil || !changed || to != inventory.DisputeLost || p.State != inventory.PaymentSucceeded {
			return err
		}
		return s.recordLostDispute(ctx, tx, p, b, providerOf(e))
	})
	return note, err
}

// recordLostDispute ends what the bank has given back. A refund that was asked
// for and never sent is off; one that was sent stands beside it.
func (s *Store) recordLostDispute(ctx context.Context, tx pgx.Tx, p inventory.Payment, b inventory.Booking, by inventory.Actor) error {
	const reason = "the bank gave it back: dispute lost"
	if _, err := tx.Exec(ctx, sqlRefundsUnsentFail, pgx.StrictNamedArgs{"payment": p.ID, "error": reason, "now": s.now}); err != nil {
		return err
	}
	p, err := lockPayment(ctx, tx, p.ID)
	if err != nil {
		return err
	}
	left, err := leftOf(ctx, tx, p)
	if err != nil || left == 0 {
		return err
	}
	if p, err = s.freeOfBooking(ctx, tx, p, b, 0, step{to: inventory.StateCancelled, cause: inventory.CauseCancelled, actor: by, reason: reason}); err != nil {
		return err
	}
	r, err := s.insertRefund(ctx, tx, p, newRefund{reason: reason, by: by, external: true})
	if err != nil {
		return err
	}
	_, _, err = s.applyRefund(ctx, tx, r.ID, inventory.ProviderRefund{State: inventory.RefundSucceeded})
	return err
}

const sqlRefundsUnsentFail = `-- refund.unsentFail
UPDATE refund
   SET state = 'FAILED', last_error = @error, next_try_at = NULL,
       done_at = coalesce(@now::timestamptz, statement_timestamp())
 WHERE payment_id = @payment -- locked
   AND state = 'REQUESTED' AND sent_at IS NULL AND NOT external`

// Open < won, lost: the end of a dispute is not taken back by its beginning.
const sqlPaymentDispute = `-- payment.dispute
UPDATE payment
   SET dispute = @dispute, version = version + 1
 WHERE id = @id
   AND (dispute IS NULL OR dispute = 'open' AND @dispute::text <> 'open')`
