package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"holdfast/inventory"
)

// AddPool stores a new pool with its weekly template. Its days appear with the
// next ExtendHorizon. The price's currency must be the venue's.
func (s *Store) AddPool(ctx context.Context, actor inventory.Actor, p inventory.Pool) (inventory.Pool, error) {
	if err := p.Validate(); err != nil {
		return inventory.Pool{}, err
	}
	err := s.inTx(ctx, "add pool "+p.Ref.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, ""); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, sqlVenueGet, pgx.StrictNamedArgs{"slug": p.Ref.Venue})
		venue, err := pgx.CollectExactlyOneRow(rows, scanVenue)
		if err != nil {
			return fmt.Errorf("venue %s: %w", p.Ref.Venue, err)
		}
		if p.Price.Currency == "" {
			p.Price.Currency = venue.Currency
		}
		if p.Price.Currency != venue.Currency {
			return inventory.Invalid("price", "must be in the venue's currency, %s", venue.Currency)
		}
		err = tx.QueryRow(ctx, sqlPoolInsert, pgx.StrictNamedArgs{
			"venue": venue.ID, "slug": p.Ref.Pool, "name": p.Name, "price": p.Price.Minor,
			"max_per_buyer": p.MaxPerBuyer, "horizon": p.HorizonDays,
			"late_policy": textOrNull(string(p.Late.Policy)), "late_deadline": zeronull.Int8(p.Late.Deadline / time.Microsecond),
		}).Scan(&p.ID, &p.Version)
		if err != nil {
			return err
		}
		return writeWeek(ctx, tx, p.ID, p.Week)
	})
	return p, err
}

// SetPool replaces what staff may edit of the pool p.Ref, if it still has
// p.Version. The weekly template touches days that do not exist yet only.
func (s *Store) SetPool(ctx context.Context, actor inventory.Actor, p inventory.Pool, reason string) (inventory.Pool, error) {
	if err := p.Validate(); err != nil {
		return inventory.Pool{}, err
	}
	var stored inventory.Pool
	err := s.inTx(ctx, "set pool "+p.Ref.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, reason); err != nil {
			return err
		}
		before, err := getPool(ctx, tx, sqlPoolLock, p.Ref)
		if err != nil {
			return err
		}
		if before.Version != p.Version {
			return stale(ctx, tx, "pool "+p.Ref.String(), p.Version, before.Version)
		}
		p.ID = before.ID
		if p == before {
			stored = before
			return nil
		}
		if p.Price.Currency != before.Price.Currency {
			return inventory.Invalid("price", "must be in the venue's currency, %s", before.Price.Currency)
		}
		_, err = tx.Exec(ctx, sqlPoolUpdate, pgx.StrictNamedArgs{
			"id": p.ID, "name": p.Name, "price": p.Price.Minor,
			"max_per_buyer": p.MaxPerBuyer, "horizon": p.HorizonDays,
			"late_policy": textOrNull(string(p.Late.Policy)), "late_deadline": zeronull.Int8(p.Late.Deadline / time.Microsecond),
		})
		if err != nil {
			return err
		}
		if err := writeWeek(ctx, tx, p.ID, p.Week); err != nil {
			return err
		}
		stored, err = getPool(ctx, tx, sqlPoolGet, p.Ref)
		return err
	})
	return stored, err
}

// Pool returns one pool, or ErrNotFound.
func (s *Store) Pool(ctx context.Context, ref inventory.PoolRef) (inventory.Pool, error) {
	var p inventory.Pool
	err := s.read(ctx, "read pool "+ref.String(), func(ctx context.Context, tx pgx.Tx) error {
		var err error
		p, err = getPool(ctx, tx, sqlPoolGet, ref)
		return err
	})
	return p, err
}

// Pools returns the pools of one venue, or of all for "", by venue and slug.
func (s *Store) Pools(ctx context.Context, venue string) ([]inventory.Pool, error) {
	var out []inventory.Pool
	err := s.read(ctx, "list pools", func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlPoolList, pgx.StrictNamedArgs{"venue": textOrNull(venue)})
		var err error
		out, err = pgx.CollectRows(rows, scanPool)
		return err
	})
	return out, err
}

func getPool(ctx context.Context, tx pgx.Tx, sql string, ref inventory.PoolRef) (inventory.Pool, error) {
	rows, _ := tx.Query(ctx, sql, pgx.StrictNamedArgs{"venue": ref.Venue, "pool": ref.Pool})
	return pgx.CollectExactlyOneRow(rows, scanPool)
}

func writeWeek(ctx context.Context, tx pgx.Tx, pool int64, week inventory.Week) error {
	batch := &pgx.Batch{}
	for i, t := range week {
		batch.Queue(sqlPoolWeekWrite, pgx.StrictNamedArgs{
			"pool": pool, "weekday": i + 1, "capacity": t.Capacity, "overbook": t.OverbookLimit, "closed": t.Closed,
		})
	}
	return tx.SendBatch(ctx, batch).Close()
}

func scanPool(row pgx.CollectableRow) (p inventory.Pool, err error) {
	var capacity, overbook []int
	var closed []bool
	err = row.Scan(&p.ID, &p.Ref.Venue, &p.Ref.Pool, &p.Name, &p.Price.Minor, &p.Price.Currency,
		&p.MaxPerBuyer, &p.HorizonDays, (*zeronull.Text)(&p.Late.Policy), &p.Late.Deadline, &p.Version, &capacity, &overbook, &closed)
	if err != nil {
		return p, err
	}
	if len(capacity) != len(p.Week) {
		return p, fmt.Errorf("pool %s has %d weekdays in its template", p.Ref, len(capacity))
	}
	for i := range p.Week {
		p.Week[i] = inventory.DayTemplate{Capacity: capacity[i], OverbookLimit: overbook[i], Closed: closed[i]}
	}
	return p, nil
}
