package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// ClaimDoubtful returns at most limit payment attempts at these providers whose
// outcome is to be asked now, and puts each one's next question off with
// growing delay, in a committed transaction of its own: no lock is kept while
// the provider thinks.
//
// Asked about are open attempts of bookings that have waited past doubt_until,
// and open attempts of bookings that wait no longer, since a callback that was
// lost must not leave captured money that nobody owns.
func (s *Store) ClaimDoubtful(ctx context.Context, providers []string, limit int) ([]inventory.DoubtfulPayment, error) {
	var out []inventory.DoubtfulPayment
	err := s.inTx(ctx, "claim doubtful payments", beginJob, func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlDoubtClaim, pgx.StrictNamedArgs{"providers": providers, "limit": limit, "now": s.now})
		var err error
		out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d inventory.DoubtfulPayment, err error) {
			return d, row.Scan(append(paymentFields(&d.Payment), &d.PastCap, &d.Held)...)
		})
		return err
	})
	return out, err
}

// PaymentUnanswered notes why a question got no answer. Nothing is decided: no
// answer is not a failure.
func (s *Store) PaymentUnanswered(ctx context.Context, id inventory.PaymentID, cause string) error {
	return s.inTx(ctx, "note that payment "+id.String()+" got no answer", beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sqlDoubtNote, pgx.StrictNamedArgs{"id": id, "error": cause})
		return err
	})
}

// GiveUpDoubt lets the booking of a payment go that the provider never decided,
// up to the venue's cap: its place goes back. The attempt stays open and is
// asked about all the same; if money was taken after all it becomes a zombie.
// A booking that does not wait any longer is left as it is.
func (s *Store) GiveUpDoubt(ctx context.Context, id inventory.PaymentID) (inventory.Booking, error) {
	var b inventory.Booking
	err := s.inTx(ctx, "give up doubt about payment "+id.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		var err error
		if b, _, err = lockClaimOfPayment(ctx, tx, id); err != nil || b.State != inventory.StatePaymentPending {
			return err
		}
		now, err := s.clock(ctx, tx)
		if err != nil {
			return err
		}
		var past bool
		if err := tx.QueryRow(ctx, sqlDoubtPastCap, pgx.StrictNamedArgs{"id": b.ID, "at": now}).Scan(&past); err != nil {
			return err
		}
		if !past {
			return inventory.ErrNotAllowed
		}
		b, err = s.leave(ctx, tx, b, step{
			to: inventory.StateExpired, cause: inventory.CauseGivenUp, actor: inventory.Job(string(inventory.JobReconcile)), at: now,
		})
		return err
	})
	return b, err
}

// The cap counts from the moment the booking began to wait, which is
// doubt_until less what the venue gave it then; doubt_after may have been
// edited since, and the difference is of no weight beside the cap.
const sqlDoubtClaim = `-- doubt.claim
WITH due AS (
    SELECT pm.id, b.state = 'PAYMENT_PENDING'
                  AND b.doubt_until - v.doubt_after + v.doubt_cap <= coalesce(@now::timestamptz, statement_timestamp()) AS past_cap,
           b.state = 'HELD' AND b.expires_at > coalesce(@now::timestamptz, statement_timestamp()) AS held
      FROM payment pm
      JOIN booking b ON b.id = pm.booking_id
      JOIN venue v ON v.id = b.venue_id
     WHERE pm.state IN ('CREATED', 'PENDING')
       AND pm.provider = ANY (@providers) -- nothing is given up that nobody could ask about
       AND pm.next_ask_at <= coalesce(@now::timestamptz, statement_timestamp())
       AND CASE b.state
           WHEN 'PAYMENT_PENDING' THEN b.doubt_until <= coalesce(@now::timestamptz, statement_timestamp())
           ELSE pm.created_at <= coalesce(@now::timestamptz, statement_timestamp()) - v.doubt_after
            AND pm.created_at >= coalesce(@now::timestamptz, statement_timestamp()) - interval '720 hours' END
     ORDER BY pm.next_ask_at, pm.id
     LIMIT @limit
       FOR NO KEY UPDATE OF pm SKIP LOCKED
)
UPDATE payment
   SET ask_tries = ask_tries + 1,
       -- 15 s, 30 s, 1 min ... 1 h, each up to half as long again
       next_ask_at = coalesce(@now::timestamptz, statement_timestamp())
                   + least(interval '15 seconds' * power(2, least(ask_tries, 8)), interval '1 hour') * (1 + random() / 2),
       version = version + 1
  FROM due
 WHERE payment.id = due.id
RETURNING ` + paymentColumnsOfPayment + `, due.past_cap, due.held`

const sqlDoubtPastCap = `-- doubt.pastCap
SELECT b.doubt_until - v.doubt_after + v.doubt_cap <= @at::timestamptz
  FROM booking b
  JOIN venue v ON v.id = b.venue_id
 WHERE b.id = @id`

const sqlDoubtNote = `-- doubt.note
UPDATE payment
   SET last_error = left(@error, 500)
 WHERE id = @id AND state IN ('CREATED', 'PENDING')`

// paymentColumns where another table has columns of the same names.
const paymentColumnsOfPayment = `payment.id, payment.booking_id, payment.attempt, payment.provider, payment.provider_payment, payment.provider_key,
       payment.amount_minor, payment.currency, payment.captured_minor, payment.captured_currency,
       payment.state, payment.standing, payment.zombie_kind, payment.client_secret, payment.url,
       payment.created_at, payment.captured_at, payment.zombie_since, payment.decide_by,
       payment.ask_tries, payment.next_ask_at, payment.last_error, payment.dispute, payment.version`
