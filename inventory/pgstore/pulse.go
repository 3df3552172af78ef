package pgstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

const (
	// pulseKept is how long a pulse is of use to anybody.
	pulseKept = time.Hour
	// pulsesRead bounds one reading: more than twenty busy daemons write in it.
	pulsesRead = 20_000

	// A pulse is a note: it waits for nobody, and none is mourned that a crash
	// takes along.
	beginPulse = "begin; set local lock_timeout = '200ms'; set local statement_timeout = '800ms'; set local synchronous_commit = off"
)

// WritePulse stores how a daemon's sales went until now, by the database's
// clock, and removes a few pulses that are too old.
func (s *Store) WritePulse(ctx context.Context, p inventory.Pulse) error {
	if err := p.Validate(); err != nil {
		return err
	}
	refused := p.Refused
	if refused == nil {
		refused = map[string]int{}
	}
	return s.inTxThatTakes(ctx, "write a sale pulse", beginPulse, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sqlPulseWrite, pgx.StrictNamedArgs{
			"now": s.now, "kept": pulseKept.Microseconds(),
			"instance": p.Instance, "seconds": p.Span.Seconds(), "placed": p.Placed, "refused": refused,
			"p50": millis(p.P50), "p95": millis(p.P95), "p99": millis(p.P99),
			"batch_mean": numberIfAny(p.BatchMean), "batch_max": p.BatchMax, "lock_wait": millis(p.LockWait), "queue": p.Queue,
		})
		return err
	})
}

// Pulses returns what daemons wrote in the last while, oldest first.
func (s *Store) Pulses(ctx context.Context, last time.Duration) (inventory.PulseList, error) {
	var out inventory.PulseList
	err := s.read(ctx, "read sale pulses", func(ctx context.Context, tx pgx.Tx) error {
		var err error
		if out.AsOf, err = s.clock(ctx, tx); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, sqlPulseList, pgx.StrictNamedArgs{"since": out.AsOf.Add(-last), "limit": pulsesRead})
		out.Pulses, err = pgx.CollectRows(rows, scanPulse)
		return err
	})
	return out, err
}

func scanPulse(row pgx.CollectableRow) (p inventory.Pulse, err error) {
	var seconds, p50, p95, p99, wait float64
	err = row.Scan(&p.Instance, &p.At, &seconds, &p.Placed, &p.Refused, &p50, &p95, &p99, &p.BatchMean, &p.BatchMax, &wait, &p.Queue)
	p.Span = time.Duration(seconds * float64(time.Second)).Round(time.Millisecond)
	p.P50, p.P95, p.P99, p.LockWait = fromMillis(p50), fromMillis(p95), fromMillis(p99), fromMillis(wait)
	return p, err
}

// millis makes NULL of what was not measured.
func millis(d time.Duration) *float64 { return numberIfAny(d.Seconds() * 1000) }

func fromMillis(ms float64) time.Duration {
	return time.Duration(ms * float64(time.Millisecond)).Round(time.Microsecond)
}

func numberIfAny(x float64) *float64 {
	if x <= 0 {
		return nil
	}
	return &x
}

const sqlPulseWrite = `-- pulse.write
WITH clock AS MATERIALIZED (
    SELECT coalesce(@now::timestamptz, statement_timestamp()) AS now
), forgotten AS (
    DELETE FROM sale_pulse
     WHERE ctid = ANY (ARRAY(SELECT ctid
                               FROM sale_pulse
                              WHERE at < (SELECT now FROM clock) - @kept::bigint * interval '1 microsecond'
                              ORDER BY at
                              LIMIT 50
                                FOR UPDATE SKIP LOCKED))
)
INSERT INTO sale_pulse (instance, at, seconds, placed, refused, p50_ms, p95_ms, p99_ms, batch_mean, batch_max, lock_wait_ms, queue)
SELECT @instance, now, @seconds::float8, @placed, @refused::jsonb, @p50::float8, @p95::float8, @p99::float8,
       @batch_mean::float8, nullif(@batch_max::int, 0), @lock_wait::float8, @queue
  FROM clock
    ON CONFLICT DO NOTHING -- twice at one microsecond: one of the two will do`

const sqlPulseList = `-- pulse.list
SELECT instance, at, seconds::float8, placed, refused,
       coalesce(p50_ms, 0)::float8, coalesce(p95_ms, 0)::float8, coalesce(p99_ms, 0)::float8,
       coalesce(batch_mean, 0)::float8, coalesce(batch_max, 0), coalesce(lock_wait_ms, 0)::float8, queue
  FROM (SELECT *
          FROM sale_pulse
         WHERE at > @since::timestamptz
         ORDER BY at DESC -- of too many, the newest
         LIMIT @limit) p
 ORDER BY at, instance`
