package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
)

// ExtendHorizon makes missing pool days from the weekly templates, from each
// venue's local today up to its pool's horizon, at most limit days a call. A
// venue whose zone is no longer known is reported and left alone, never
// guessed; the other venues get their days.
func (s *Store) ExtendHorizon(ctx context.Context, limit int) (made int, err error) {
	now, err := s.DatabaseNow(ctx)
	if err != nil {
		return 0, err
	}
	venues, err := s.Venues(ctx)
	if err != nil {
		return 0, err
	}
	var failed []error
	for _, v := range venues {
		zone, err := timezone.ParseZone(v.Zone)
		if err != nil {
			failed = append(failed, inventory.Invalid("zone", "of venue %s: %s", v.Slug, err.Error()))
			continue
		}
		pools, err := s.Pools(ctx, v.Slug)
		if err != nil {
			return made, err
		}
		for _, p := range pools {
			n, err := s.makeDays(ctx, p, timezone.DayOf(now, zone), zone, limit-made)
			if err != nil {
				failed = append(failed, err)
			}
			if made += n; made >= limit {
				return made, errors.Join(failed...)
			}
		}
	}
	return made, errors.Join(failed...)
}

func (s *Store) makeDays(ctx context.Context, p inventory.Pool, today date.Date, zone timezone.Zone, limit int) (made int, err error) {
	if p.HorizonDays == 0 {
		return 0, nil
	}
	last := today.Add(date.PeriodOfDays(p.HorizonDays - 1))
	err = s.inTx(ctx, "make days of "+p.Ref.String(), beginJob, func(ctx context.Context, tx pgx.Tx) error {
		if zone, err = keepZone(ctx, tx, p.ID); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, sqlDaysMissing, pgx.StrictNamedArgs{
			"pool": p.ID, "from": today.String(), "to": last.String(), "limit": limit,
		})
		missing, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (d date.Date, err error) { return d, row.Scan(&d) })
		if err != nil {
			return err
		}
		batch := &pgx.Batch{}
		for _, day := range missing {
			if _, exists := timezone.DayStart(day, zone); !exists {
				continue
			}
			d := newDay(p, day, zone)
			batch.Queue(sqlDayMakeMissing, pgx.StrictNamedArgs{
				"pool": p.ID, "day": day.String(), "capacity": d.Capacity, "overbook": d.OverbookLimit,
				"stop_sell": d.StopSell, "until": d.SalesUntil,
			})
		}
		made = batch.Len()
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return fmt.Errorf("insert %d days: %w", made, err)
		}
		return nil
	})
	if err != nil {
		made = 0
	}
	return made, err
}

// keepZone returns the zone of a pool's venue and keeps it from being changed
// until the days reckoned with it are stored.
func keepZone(ctx context.Context, tx pgx.Tx, pool int64) (timezone.Zone, error) {
	var name string
	if err := tx.QueryRow(ctx, sqlZoneKeep, pgx.StrictNamedArgs{"pool": pool}).Scan(&name); err != nil {
		return timezone.Zone{}, err
	}
	zone, err := timezone.ParseZone(name)
	if err != nil {
		return zone, inventory.Invalid("zone", "%s", err.Error())
	}
	return zone, nil
}

const sqlZoneKeep = `-- venue.keepZone
SELECT v.zone
  FROM pool p
  JOIN venue v ON v.id = p.venue_id
 WHERE p.id = @pool
   FOR SHARE OF v -- an edit of the zone moves every day's cut-off: it waits, or we do`

const sqlDaysMissing = `-- horizon.missing
SELECT g::date
  FROM generate_series(@from::date, @to::date, interval '1 day') g
 WHERE NOT EXISTS (SELECT FROM pool_day d WHERE d.pool_id = @pool AND d.day = g::date)
 ORDER BY g
 LIMIT @limit`

const sqlDayMakeMissing = `-- horizon.make
INSERT INTO pool_day (pool_id, day, capacity, overbook_limit, stop_sell, sales_until)
VALUES (@pool, @day::date, @capacity, @overbook, @stop_sell, @until)
    ON CONFLICT (pool_id, day) DO NOTHING -- another daemon, or staff, made it`
