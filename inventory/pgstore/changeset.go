package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// ChangeSets returns saved edits of pool days, newest first; the zero ref
// means all pools.
func (s *Store) ChangeSets(ctx context.Context, ref inventory.PoolRef, limit int) ([]inventory.ChangeSet, error) {
	var out []inventory.ChangeSet
	err := s.read(ctx, "list change sets", func(ctx context.Context, tx pgx.Tx) error {
		var err error
		out, err = findChangeSets(ctx, tx, ref, 0, bounded(limit, 50, 500))
		return err
	})
	return out, err
}

// UndoDays puts back what change set number change replaced, as a change set
// of its own. 0 means the actor's last edit that still stands. A day that
// somebody edited since then is not overwritten: nothing is saved, and the
// error is *StaleDays. A day that the edit had made is closed, not removed,
// since it may have sold meanwhile. Undoing twice is ErrNotAllowed.
func (s *Store) UndoDays(ctx context.Context, actor inventory.Actor, change int64, reason string) (inventory.ChangeSet, error) {
	var set inventory.ChangeSet
	err := s.inTx(ctx, "undo an edit of days", beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, reason); err != nil {
			return err
		}
		id := change
		if id == 0 {
			if err := tx.QueryRow(ctx, sqlChangeSetLast, pgx.StrictNamedArgs{"actor": actor.String()}).Scan(&id); err != nil {
				return err
			}
		}
		found, err := findChangeSets(ctx, tx, inventory.PoolRef{}, id, 1)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return inventory.ErrNotFound
		}
		if found[0].UndoneBy != 0 {
			return inventory.ErrNotAllowed
		}
		pool, err := getPool(ctx, tx, sqlPoolGet, found[0].Pool)
		if err != nil {
			return err
		}
		plan := inventory.DayPlan{Pool: pool, Changes: reversed(found[0].Changes)}
		set, err = s.saveDays(ctx, tx, actor, plan, reason, id)
		return err
	})
	return set, err
}

// reversed turns a change set round.
func reversed(changes []inventory.DayChange) []inventory.DayChange {
	out := make([]inventory.DayChange, len(changes))
	for i, c := range changes {
		back := c.After
		back.Capacity, back.OverbookLimit, back.StopSell = c.Before.Capacity, c.Before.OverbookLimit, c.Before.StopSell
		if c.Missing {
			back.StopSell = true
		}
		out[i] = inventory.DayChange{Before: c.After, After: back}
	}
	return out
}

func findChangeSets(ctx context.Context, tx pgx.Tx, ref inventory.PoolRef, id int64, limit int) ([]inventory.ChangeSet, error) {
	rows, _ := tx.Query(ctx, sqlChangeSetList, pgx.StrictNamedArgs{
		"venue": textOrNull(ref.Venue), "pool": textOrNull(ref.Pool), "id": numberOrNull(id), "limit": limit,
	})
	sets, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c inventory.ChangeSet, err error) {
		return c, row.Scan(&c.ID, &c.Pool.Venue, &c.Pool.Pool, &c.At, &c.Actor, &c.Reason, &c.Undoes, &c.UndoneBy)
	})
	if err != nil {
		return nil, err
	}
	ids, at := make([]int64, len(sets)), make(map[int64]int, len(sets))
	for i, c := range sets {
		ids[i], at[c.ID] = c.ID, i
	}
	rows, _ = tx.Query(ctx, sqlChangeSetDays, pgx.StrictNamedArgs{"ids": ids})
	for rows.Next() {
		var set int64
		var c inventory.DayChange
		err := rows.Scan(&set, &c.After.PoolID, &c.After.Day, &c.Missing, &c.After.Version,
			&c.Before.Capacity, &c.Before.OverbookLimit, &c.Before.StopSell,
			&c.After.Capacity, &c.After.OverbookLimit, &c.After.StopSell)
		if err != nil {
			rows.Close()
			return nil, err
		}
		c.Before.PoolID, c.Before.Day = c.After.PoolID, c.After.Day
		sets[at[set]].Changes = append(sets[at[set]].Changes, c)
	}
	return sets, rows.Err()
}

// bounded applies a default and an upper bound to a list's limit.
func bounded(limit, preset, most int) int {
	if limit <= 0 {
		return preset
	}
	return min(limit, most)
}
