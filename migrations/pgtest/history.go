package pgtest

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Past is what happened long before a test, written at some 50,000 bookings a
// second: past the triggers, as they would have left it. The login must be a
// superuser.
type Past struct {
	Venue, Pool string // slugs; made if there are none
	Days        int    // pool days from tomorrow on, which the bookings take in turn
	Overdue     int    // holds that ended within the five minutes before now
	Finished    int    // bookings that expired, 30 to 830 days ago, their messages delivered
}

// Fill writes the past in one transaction.
func (p Past) Fill(ctx context.Context, conn *pgx.Conn) error {
	if err := p.write(ctx, conn); err != nil {
		return fmt.Errorf("fill the past: %w", err)
	}
	// What autovacuum would have done since.
	if _, err := conn.Exec(ctx, sqlPastVacuum); err != nil {
		return fmt.Errorf("fill the past: %w", err)
	}
	return nil
}

func (p Past) write(ctx context.Context, conn *pgx.Conn) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // nothing to do after a commit
	for _, step := range []struct {
		sql  string
		args pgx.StrictNamedArgs
	}{
		{sqlPastReplica, nil},
		{sqlPastPool, pgx.StrictNamedArgs{"venue": p.Venue, "pool": p.Pool}},
		{sqlPastDays, pgx.StrictNamedArgs{"venue": p.Venue, "pool": p.Pool, "days": p.Days, "overdue": p.Overdue}},
		{sqlPastFinished, pgx.StrictNamedArgs{"venue": p.Venue, "pool": p.Pool, "days": p.Days, "n": p.Finished}},
		{sqlPastOverdue, pgx.StrictNamedArgs{"venue": p.Venue, "pool": p.Pool, "days": p.Days, "n": p.Overdue}},
	} {
		if _, err := tx.Exec(ctx, step.sql, step.args); err != nil {
			return err
		}
	}
	return tx.Commit(ctx)
}

const sqlPastReplica = `-- past.replica
SET LOCAL session_replication_role = replica`

const sqlPastPool = `-- past.pool
WITH v AS (
    INSERT INTO venue (slug, name, zone, currency)
    VALUES (@venue, 'Past', 'Europe/Berlin', 'EUR')
        ON CONFLICT (slug) DO UPDATE SET name = venue.name
    RETURNING id
)
INSERT INTO pool (venue_id, slug, name, price_minor, max_per_buyer)
SELECT id, @pool, 'Past', 2500, 0 FROM v
    ON CONFLICT DO NOTHING`

const sqlPastDays = `-- past.days
INSERT INTO pool_day (pool_id, day, capacity, overbook_limit, taken, sales_until)
SELECT p.id, current_date + 1 + d, 1000000, 0,
       @overdue::int / @days::int + CASE WHEN d < @overdue::int % @days::int THEN 1 ELSE 0 END,
       ((current_date + 2 + d)::timestamp AT TIME ZONE v.zone)
  FROM pool p
  JOIN venue v ON v.id = p.venue_id
 CROSS JOIN generate_series(0, @days::int - 1) d
 WHERE v.slug = @venue AND p.slug = @pool
    ON CONFLICT (pool_id, day) DO UPDATE SET capacity = 1000000, taken = pool_day.taken + excluded.taken`

// Ids rise with the time when a booking was made, as the program's do.
const sqlPastFinished = `-- past.finished
WITH past AS (
    SELECT i, statement_timestamp() - interval '830 days' + (i - 1)::float8 / greatest(@n::bigint, 1) * interval '800 days' AS at
      FROM generate_series(1, @n::bigint) i
), made AS (
    INSERT INTO booking (id, venue_id, pool_id, day, quantity, buyer, state, expires_at, amount_minor, currency, one_per_buyer,
                         idempotency_key, last_cause, last_actor, version, created_at, updated_at)
    SELECT (lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(i::text), 1, 3) || '8' || substr(md5(i::text), 5, 15))::uuid,
           v.id, p.id, current_date + 1 + ((i - 1) % @days::int)::int, 1, 'past-' || i, 'EXPIRED', at + interval '10 minutes', 2500, 'EUR', false,
           'past-' || i, 'expired', 'job:sweep', 2, at, at + interval '10 minutes'
      FROM past, pool p
      JOIN venue v ON v.id = p.venue_id
     WHERE v.slug = @venue AND p.slug = @pool
    RETURNING id, created_at, updated_at
), began AS (
    INSERT INTO journal (booking_id, seq, from_state, to_state, cause, actor, at)
    SELECT id, 1, 'NONE', 'HELD', 'hold', 'client:past', created_at FROM made
)
INSERT INTO journal (booking_id, seq, from_state, to_state, cause, actor, at, topic, data, published_at)
SELECT id, 2, 'HELD', 'EXPIRED', 'expired', 'job:sweep', updated_at, 'booking.expired', '{}', updated_at + interval '1 second' FROM made`

const sqlPastOverdue = `-- past.overdue
WITH made AS (
    INSERT INTO booking (id, venue_id, pool_id, day, quantity, buyer, state, expires_at, amount_minor, currency, one_per_buyer,
                         idempotency_key, last_cause, last_actor, version, created_at, updated_at)
    SELECT (lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(i::text), 1, 3) || '8' || substr(md5(i::text), 5, 15))::uuid,
           v.id, p.id, current_date + 1 + ((i - 1) % @days::int)::int, 1, 'late-' || i, 'HELD', at + interval '10 minutes' + random() * interval '30 seconds', 2500, 'EUR', false,
           'late-' || i, 'hold', 'client:past', 1, at, at
      FROM (SELECT i, statement_timestamp() - interval '15 minutes' + (i - 1)::float8 / greatest(@n::bigint, 1) * interval '4 minutes' AS at
              FROM generate_series(1, @n::bigint) i) past, pool p
      JOIN venue v ON v.id = p.venue_id
     WHERE v.slug = @venue AND p.slug = @pool
    RETURNING id, created_at
)
INSERT INTO journal (booking_id, seq, from_state, to_state, cause, actor, at)
SELECT id, 1, 'NONE', 'HELD', 'hold', 'client:past', created_at FROM made`

const sqlPastVacuum = `-- past.vacuum
VACUUM (ANALYZE) booking, journal, pool_day`
