package pgstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

const (
	extendTogether = 200     // holds of one transaction
	extendRounds   = 3       // tries for holds that somebody keeps locked
	extendMost     = 200_000 // holds of one call
)

// ExtendHolds gives all HELD holds of a day or event more time, each at most
// once, counted as ExtendHold counts it and never past the venue's longest hold:
// what can only get a part of it gets that part. A hold that is being paid for
// keeps its place without.
//
// It is many short transactions, so that buyers get at the day in between. An
// error therefore comes with what was done before it; with ErrUnknownOutcome,
// the last transaction may have extended up to 200 more. Asking again gives
// more time again. ErrNotFound is said of a day or event that does not exist.
func (s *Store) ExtendHolds(ctx context.Context, scope inventory.HoldScope, by time.Duration, actor inventory.Actor, reason string) (inventory.ExtendedHolds, error) {
	var sum inventory.ExtendedHolds
	if err := errors.Join(scope.Validate(), inventory.CheckExtendAll(by), optionalReason(reason)); err != nil {
		return sum, err
	}
	x := extension{store: s, by: by, actor: actor.String(), reason: reason}
	ids, err := x.find(ctx, scope)
	if err != nil {
		return sum, err
	}
	for round := 0; round < extendRounds && len(ids) > 0; round++ {
		var kept []inventory.BookingID
		for batch := range slices.Chunk(ids, extendTogether) {
			done, busy, err := x.batch(ctx, batch)
			if err != nil && !errors.Is(err, inventory.ErrBusy) {
				return sum, err
			}
			if err != nil { // the day was not to be had in time
				busy = batch
			}
			sum = sum.Add(done)
			kept = append(kept, busy...)
		}
		ids = kept
	}
	sum.Busy = len(ids)
	return sum, nil
}

// extension is one call of ExtendHolds.
type extension struct {
	store  *Store
	scope  string
	pool   int64 // 0: an event's holds
	day    string
	by     time.Duration
	actor  string
	reason string
}

// find lists the holds that there are now. Later ones have all their time.
func (x *extension) find(ctx context.Context, scope inventory.HoldScope) ([]inventory.BookingID, error) {
	x.scope = "extend the holds of " + scope.String()
	var ids []inventory.BookingID
	err := x.store.read(ctx, x.scope, func(ctx context.Context, tx pgx.Tx) error {
		sql, args := sqlHeldOfEvent, pgx.StrictNamedArgs{"limit": extendMost}
		if scope.IsEvent() {
			event, err := getEvent(ctx, tx, scope.Event)
			if err != nil {
				return fmt.Errorf("%s: %w", scope, err)
			}
			args["event"] = event.ID
		} else {
			pool, err := getPool(ctx, tx, sqlPoolGet, scope.Pool)
			if err != nil {
				return err
			}
			x.pool, x.day = pool.ID, scope.Day.String()
			if err := tx.QueryRow(ctx, sqlDayExists, pgx.StrictNamedArgs{"pool": x.pool, "day": x.day}).Scan(&x.day); err != nil {
				return fmt.Errorf("%s: %w", scope, err)
			}
			sql, args["pool"], args["day"] = sqlHeldOfDay, x.pool, x.day
		}
		rows, _ := tx.Query(ctx, sql, args)
		var err error
		ids, err = pgx.CollectRows(rows, pgx.RowTo[inventory.BookingID])
		return err
	})
	return ids, err
}

// batch extends some holds in one transaction. busy are those that somebody
// else keeps locked: it waits for none of them, so that no two transactions can
// wait for each other, whatever the order of their locks.
func (x *extension) batch(ctx context.Context, ids []inventory.BookingID) (done inventory.ExtendedHolds, busy []inventory.BookingID, err error) {
	// It gives no place back, so nothing that is known of sold-out days changes.
	err = x.store.inTxThatTakes(ctx, x.scope, beginJob, func(ctx context.Context, tx pgx.Tx) error {
		if x.pool != 0 { // days before bookings, as everywhere
			if _, err := tx.Exec(ctx, sqlDayLock, pgx.StrictNamedArgs{"pool": x.pool, "day": x.day}); err != nil {
				return err
			}
		}
		done = inventory.ExtendedHolds{}
		return tx.QueryRow(ctx, sqlHoldExtendMany, pgx.StrictNamedArgs{
			"ids": ids, "by": x.by.Microseconds(), "actor": x.actor, "reason": x.reason, "now": x.store.now,
		}).Scan(&done.Extended, &done.Shortened, &done.AtLimit, &done.Over, &busy)
	})
	if err != nil {
		return inventory.ExtendedHolds{}, nil, err
	}
	return done, busy, nil
}

const sqlDayExists = `-- day.exists
SELECT day::text
  FROM pool_day
 WHERE pool_id = @pool AND day = @day::date`

const sqlHeldOfDay = `-- hold.ofDay
SELECT id
  FROM booking
 WHERE pool_id = @pool AND day = @day::date AND state = 'HELD'
 ORDER BY expires_at -- those that need it most come first
 LIMIT @limit`

const sqlHeldOfEvent = `-- hold.ofEvent
SELECT id
  FROM booking
 WHERE event_id = @event AND state = 'HELD'
 ORDER BY expires_at
 LIMIT @limit`

// A hold whose time is over and that nobody has met yet counts from now, as for
// one hold. Less than a second is not worth a transition.
const sqlHoldExtendMany = `-- hold.extendMany
WITH clock AS MATERIALIZED (
    SELECT coalesce(@now::timestamptz, statement_timestamp()) AS now -- begins after the day was locked
), asked AS MATERIALIZED (
    SELECT unnest(@ids::uuid[]) AS id
), mine AS MATERIALIZED (
    SELECT b.id, b.state, b.created_at, b.expires_at, v.hold_max_life
      FROM booking b
      JOIN venue v ON v.id = b.venue_id
     WHERE b.id = ANY (@ids::uuid[])
     ORDER BY b.id
       FOR NO KEY UPDATE OF b SKIP LOCKED
), wanted AS MATERIALIZED (
    SELECT m.id, m.expires_at, m.created_at + m.hold_max_life AS latest,
           greatest(m.expires_at, c.now) + @by::bigint * interval '1 microsecond' AS until
      FROM mine m, clock c
     WHERE m.state = 'HELD'
), extended AS (
    UPDATE booking b
       SET version = version + 1, expires_at = least(w.until, w.latest),
           last_cause = 'extended', last_actor = @actor, last_reason = @reason, updated_at = c.now
      FROM wanted w, clock c
     WHERE b.id = w.id
       AND b.state = 'HELD' -- the transition: nobody else may have moved it
       AND least(w.until, w.latest) >= greatest(w.expires_at, c.now) + interval '1 second'
    RETURNING w.latest < w.until AS shortened
)
SELECT (SELECT count(*) FROM extended)::int,
       (SELECT count(*) FROM extended WHERE shortened)::int,
       (SELECT count(*) FROM wanted)::int - (SELECT count(*) FROM extended)::int,
       (SELECT count(*) FROM mine WHERE state <> 'HELD')::int,
       ARRAY(SELECT a.id FROM asked a WHERE a.id NOT IN (SELECT id FROM mine)
                                        AND EXISTS (SELECT FROM booking b WHERE b.id = a.id))`
