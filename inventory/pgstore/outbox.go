package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// maxDeliveries is after how many failures a message is parked.
const maxDeliveries = 12

// ClaimOutbox returns at most limit messages that are due, each the head of its
// booking: nothing earlier of the same booking is waiting. They are leased: no
// other relay gets them for lease, so that a crash in between means a second
// delivery and never a lost one. Neither "id > cursor" nor SKIP LOCKED alone
// keeps both completeness and order.
func (s *Store) ClaimOutbox(ctx context.Context, limit int, lease time.Duration) ([]inventory.OutboxMessage, error) {
	var out []inventory.OutboxMessage
	err := s.inTx(ctx, "claim messages", beginJob, func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlOutboxClaim, pgx.StrictNamedArgs{"limit": limit, "lease": lease.Microseconds(), "now": s.now})
		var err error
		out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (m inventory.OutboxMessage, err error) {
			return m, row.Scan(&m.BookingID, &m.Seq, &m.Topic, &m.At, &m.Data, &m.Attempt)
		})
		return err
	})
	return out, err
}

// OutboxDelivered marks a message as published. Marking it again changes
// nothing.
func (s *Store) OutboxDelivered(ctx context.Context, id inventory.BookingID, seq int) error {
	return s.markOutbox(ctx, "mark message as published", sqlOutboxDelivered, pgx.StrictNamedArgs{"id": id, "seq": seq, "now": s.now})
}

// OutboxFailed counts a failure and puts the next try off: by retryAfter if the
// receiver asked for it, else with growing delay. After maxDeliveries failures
// the message is parked: it stays visible, and the booking's next message goes
// on.
func (s *Store) OutboxFailed(ctx context.Context, id inventory.BookingID, seq int, cause string, retryAfter time.Duration) error {
	return s.markOutbox(ctx, "mark message as failed", sqlOutboxFailed, pgx.StrictNamedArgs{
		"id": id, "seq": seq, "error": cause, "after": retryAfter.Microseconds(), "most": maxDeliveries, "now": s.now,
	})
}

// ParkMessage sets a message aside at once, for a receiver that will never take
// it: a person's decision, with a reason. ErrNotFound if it is not open.
func (s *Store) ParkMessage(ctx context.Context, actor inventory.Actor, id inventory.BookingID, seq int, reason string) error {
	if err := inventory.CheckReason(reason); err != nil {
		return err
	}
	return s.decideMessage(ctx, actor, "outbox.park", id, seq, reason, sqlOutboxFailed, pgx.StrictNamedArgs{
		"id": id, "seq": seq, "error": "set aside by " + actor.Name + ": " + reason, "after": int64(0), "most": 0, "now": s.now,
	})
}

// RetryMessage brings a parked message back, due now. ErrNotFound if it is not
// parked.
func (s *Store) RetryMessage(ctx context.Context, actor inventory.Actor, id inventory.BookingID, seq int) error {
	return s.decideMessage(ctx, actor, "outbox.retry", id, seq, "", sqlOutboxRetry, pgx.StrictNamedArgs{"id": id, "seq": seq})
}

// decideMessage is a person's decision about one message, with its audit row.
func (s *Store) decideMessage(ctx context.Context, actor inventory.Actor, action string, id inventory.BookingID, seq int, reason, sql string, args pgx.StrictNamedArgs) error {
	return s.inTx(ctx, action, beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sql, args)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return inventory.ErrNotFound
		}
		return audit(ctx, tx, actor, action, fmt.Sprintf("message %s:%d", id, seq), reason)
	})
}

func (s *Store) markOutbox(ctx context.Context, op, sql string, args pgx.StrictNamedArgs) error {
	return s.inTx(ctx, op, beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sql, args)
		return err
	})
}

// OutboxStatus sums up what waits to be published.
func (s *Store) OutboxStatus(ctx context.Context) (inventory.OutboxStatus, error) {
	var o inventory.OutboxStatus
	err := s.read(ctx, "sum up the outbox", func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, sqlOutboxStatus, pgx.StrictNamedArgs{"now": s.now}).Scan(&o.Open, orNull(&o.Oldest), &o.Parked, &o.Published)
	})
	return o, err
}

// Outbox returns messages with the state of their delivery, newest first.
func (s *Store) Outbox(ctx context.Context, f inventory.OutboxFilter) ([]inventory.OutboxRow, error) {
	var out []inventory.OutboxRow
	err := s.read(ctx, "list messages", func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlOutboxList, pgx.StrictNamedArgs{"parked": f.Parked, "open": f.Open, "limit": bounded(f.Limit, 100, 1000)})
		var err error
		out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (m inventory.OutboxRow, err error) {
			return m, row.Scan(&m.BookingID, &m.Seq, &m.Topic, &m.At, &m.Data, &m.Attempt,
				orNull(&m.PublishedAt), orNull(&m.ParkedAt), orNull(&m.NextTryAt), &m.LastError)
		})
		return err
	})
	return out, err
}

const sqlOutboxClaim = `-- outbox.claim
WITH head AS (
    SELECT j.booking_id, j.seq
      FROM journal j
     WHERE j.topic IS NOT NULL AND j.published_at IS NULL AND j.parked_at IS NULL
       AND (j.next_try_at IS NULL OR j.next_try_at <= coalesce(@now::timestamptz, statement_timestamp()))
       -- The head of its booking, or it waits. As a subquery this is one look-up
       -- by primary key a row whatever the statistics say; as NOT EXISTS a planner
       -- that believes the journal to be small compares every row with every
       -- other. The CASE hides from it that a partial index would fit, too: one
       -- that it believes to be empty, it would read for every row.
       AND j.seq = (SELECT min(first.seq)
                      FROM journal first
                     WHERE first.booking_id = j.booking_id
                       AND CASE WHEN first.topic IS NOT NULL AND first.published_at IS NULL AND first.parked_at IS NULL THEN true END)
     ORDER BY coalesce(j.next_try_at, j.at) -- what waited longest: a failure goes behind the others; as the index has it, so that nothing is sorted
     LIMIT @limit
       FOR NO KEY UPDATE OF j SKIP LOCKED
), leased AS (
    UPDATE journal j
       SET next_try_at = coalesce(@now::timestamptz, statement_timestamp()) + @lease::bigint * interval '1 microsecond'
      FROM head
     WHERE j.booking_id = head.booking_id AND j.seq = head.seq
    RETURNING j.booking_id, j.seq, j.topic, j.at, j.data, j.tries + 1 AS attempt
)
SELECT booking_id, seq, topic, at, data, attempt
  FROM leased
 ORDER BY at, booking_id`

const sqlOutboxDelivered = `-- outbox.delivered
UPDATE journal
   SET published_at = coalesce(@now::timestamptz, statement_timestamp()), last_error = ''
 WHERE booking_id = @id AND seq = @seq AND published_at IS NULL`

// 1 s, 2 s, 4 s ... 10 min, each up to half as long again.
const sqlOutboxFailed = `-- outbox.failed
UPDATE journal
   SET tries = tries + 1, last_error = left(@error, 500),
       parked_at = CASE WHEN tries + 1 >= @most::int THEN coalesce(@now::timestamptz, statement_timestamp()) END,
       first_parked_at = CASE WHEN tries + 1 >= @most::int THEN coalesce(first_parked_at, @now::timestamptz, statement_timestamp())
                              ELSE first_parked_at END,
       next_try_at = coalesce(@now::timestamptz, statement_timestamp())
                   + greatest(@after::bigint * interval '1 microsecond',
                              least(interval '1 second' * power(2, least(tries, 10)), interval '10 minutes') * (1 + random() / 2))
 WHERE booking_id = @id AND seq = @seq
   AND published_at IS NULL AND parked_at IS NULL`

const sqlOutboxRetry = `-- outbox.retry
UPDATE journal
   SET parked_at = NULL, tries = 0, next_try_at = NULL
 WHERE booking_id = @id AND seq = @seq AND parked_at IS NOT NULL AND published_at IS NULL`

const sqlOutboxStatus = `-- outbox.status
SELECT (SELECT count(*) FROM journal WHERE topic IS NOT NULL AND published_at IS NULL AND parked_at IS NULL)::int,
       (SELECT min(at) FROM journal WHERE topic IS NOT NULL AND published_at IS NULL AND parked_at IS NULL),
       (SELECT count(*) FROM journal WHERE parked_at IS NOT NULL)::int,
       (SELECT count(*) FROM journal WHERE published_at > coalesce(@now::timestamptz, statement_timestamp()) - interval '1 hour')::int`

const sqlOutboxList = `-- outbox.list
SELECT booking_id, seq, topic, at, coalesce(data, '{}'), tries, published_at, parked_at, next_try_at, last_error
  FROM journal
 WHERE topic IS NOT NULL
   AND (NOT @parked::boolean OR parked_at IS NOT NULL)
   AND (NOT @open::boolean OR published_at IS NULL AND parked_at IS NULL)
 ORDER BY at DESC, booking_id, seq DESC
 LIMIT @limit`
