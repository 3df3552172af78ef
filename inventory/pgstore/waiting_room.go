package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// WaitingRooms returns all waiting rooms, closed ones too, by venue and name.
func (s *Store) WaitingRooms(ctx context.Context) ([]inventory.WaitingRoom, error) {
	var out []inventory.WaitingRoom
	err := s.read(ctx, "list waiting rooms", func(ctx context.Context, tx pgx.Tx) error {
		rooms, at, err := s.waitingRooms(ctx, tx, false)
		for _, r := range rooms {
			out = append(out, r.seen(at))
		}
		return err
	})
	return out, err
}

// SetWaitingRoom changes the waiting room of a pool or event, or sets one up
// with the defaults where there is none. ErrNotFound is said of a pool or event
// that does not exist, and of a version of a room that does not; a version that
// is not the stored one is a *StaleError. Saving without changes makes no new
// version.
//
// A room that opens again within the life of a pass goes on with its line. One
// that was closed longer begins a new line: whoever waited was let by meanwhile,
// and old tokens have no place in it.
func (s *Store) SetWaitingRoom(ctx context.Context, c inventory.WaitingRoomChange, actor inventory.Actor) (inventory.WaitingRoom, error) {
	if err := optionalReason(c.Reason); err != nil {
		return inventory.WaitingRoom{}, err
	}
	wanted := c.Apply(inventory.NewWaitingRoom(c.Venue, c.Name, c.Kind))
	if err := wanted.Validate(); err != nil {
		return inventory.WaitingRoom{}, err
	}
	var stored inventory.WaitingRoom
	err := s.inTx(ctx, "set the waiting room of "+wanted.Ref(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, c.Reason); err != nil {
			return err
		}
		id, err := s.ensureWaitingRoom(ctx, tx, wanted, c.Version)
		if err != nil {
			return err
		}
		before, at, err := s.waitingRoom(ctx, tx, id)
		if err != nil {
			return err
		}
		if c.Version != 0 && c.Version != before.Version {
			return stale(ctx, tx, waitingSubject(before.WaitingRoom), c.Version, before.Version)
		}
		after := c.Apply(before.WaitingRoom)
		if stored = before.seen(at); after.SameConfiguration(before.WaitingRoom) {
			return nil
		}
		if err := s.changeWaitingRoom(ctx, tx, before, after, at); err != nil {
			return err
		}
		now, at, err := s.waitingRoom(ctx, tx, id)
		stored = now.seen(at)
		return err
	})
	return stored, err
}

// ensureWaitingRoom returns the id of a room, locked, after it set one up if
// there was none: that is no edit yet, and leaves nothing if the transaction
// refuses what follows.
func (s *Store) ensureWaitingRoom(ctx context.Context, tx pgx.Tx, r inventory.WaitingRoom, version int) (int64, error) {
	claim := pgx.StrictNamedArgs{"venue": r.Venue, "name": r.Name, "is_pool": r.Kind == inventory.ClaimPool}
	var pool *int64
	var event *uuid.UUID
	if err := tx.QueryRow(ctx, sqlWaitingClaim, claim).Scan(&pool, &event); err != nil {
		return 0, fmt.Errorf("%s %s: %w", kindWord(r.Kind), r.Ref(), err)
	}
	if version == 0 {
		defaults := inventory.NewWaitingRoom(r.Venue, r.Name, r.Kind)
		_, err := tx.Exec(ctx, sqlWaitingRoomInsert, pgx.StrictNamedArgs{
			"pool": pool, "event": event, "rate": defaults.Rate, "max_active": defaults.MaxActive, "pass_life": defaults.PassLife, "now": s.now,
		})
		if err != nil {
			return 0, err
		}
	}
	var id int64
	err := tx.QueryRow(ctx, sqlWaitingRoomLock, pgx.StrictNamedArgs{"pool": pool, "event": event}).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("waiting room of %s %s: %w", kindWord(r.Kind), r.Ref(), err)
	}
	return id, nil
}

// changeWaitingRoom stores an edit of a locked room.
func (s *Store) changeWaitingRoom(ctx context.Context, tx pgx.Tx, before waitingRoomRow, after inventory.WaitingRoom, at time.Time) error {
	if after.Open {
		if err := ensureWaitingKey(ctx, tx); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, sqlWaitingRoomUpdate, pgx.StrictNamedArgs{
		"room": before.ID, "rate": after.Rate, "max_active": after.MaxActive, "pass_life": after.PassLife, "open": after.Open,
	})
	if err != nil || after.Open == before.Open {
		return err
	}
	_, err = tx.Exec(ctx, sqlWaitingLineTurn, pgx.StrictNamedArgs{"room": before.ID, "now": at})
	if err != nil || !after.Open || at.Sub(before.turnedAt) <= before.PassLife {
		return err
	}
	for _, sql := range []string{sqlWaitingStepLock, sqlWaitingLineAnew} {
		if _, err := tx.Exec(ctx, sql, pgx.StrictNamedArgs{"room": before.ID}); err != nil {
			return err
		}
	}
	return nil
}

// kindWord is what the audit calls what a room belongs to.
func kindWord(kind inventory.ClaimKind) string {
	if kind == inventory.ClaimPool {
		return "pool"
	}
	return "event"
}

// waitingSubject is how the audit names a room.
func waitingSubject(r inventory.WaitingRoom) string {
	return "waiting room of " + kindWord(r.Kind) + " " + r.Ref()
}

// waitingRoomRow is a room as stored.
type waitingRoomRow struct {
	inventory.WaitingRoomNow
	turnedAt time.Time
}

// seen is the room as staff see it.
func (r waitingRoomRow) seen(at time.Time) inventory.WaitingRoom {
	room := r.WaitingRoom
	room.Waiting, room.Admitted, room.Active = r.Line.Waiting(), r.Line.Admitted, r.Line.Active(at)
	return room
}

// waitingRooms reads rooms with their lines, each of one instant, and that
// instant.
func (s *Store) waitingRooms(ctx context.Context, tx pgx.Tx, onlyOpen bool) ([]waitingRoomRow, time.Time, error) {
	return s.queryWaitingRooms(ctx, tx, pgx.StrictNamedArgs{"only_open": onlyOpen, "room": nil})
}

func (s *Store) waitingRoom(ctx context.Context, tx pgx.Tx, id int64) (waitingRoomRow, time.Time, error) {
	rooms, at, err := s.queryWaitingRooms(ctx, tx, pgx.StrictNamedArgs{"only_open": false, "room": id})
	if err == nil && len(rooms) == 0 {
		err = inventory.ErrNotFound
	}
	if err != nil {
		return waitingRoomRow{}, at, err
	}
	return rooms[0], at, nil
}

func (s *Store) queryWaitingRooms(ctx context.Context, tx pgx.Tx, args pgx.StrictNamedArgs) ([]waitingRoomRow, time.Time, error) {
	at, err := s.clock(ctx, tx)
	if err != nil {
		return nil, at, err
	}
	rows, _ := tx.Query(ctx, sqlWaitingRoomList, args)
	rooms, err := pgx.CollectRows(rows, scanWaitingRoom)
	return rooms, at, err
}

func scanWaitingRoom(row pgx.CollectableRow) (r waitingRoomRow, err error) {
	var isPool bool
	var event *uuid.UUID
	var first, last, used []int64
	var ends []time.Time
	err = row.Scan(&r.ID, &r.Venue, &r.Name, &isPool, &event, &r.Rate, &r.MaxActive, &r.PassLife, &r.Open, &r.Version,
		&r.Line.Given, &r.Line.Admitted, &r.Line.Credit, &r.Line.MovedAt, &r.turnedAt, &r.Line.BeginsAfter, &first, &last, &used, &ends)
	if err != nil {
		return r, err
	}
	r.Kind = inventory.ClaimPool
	if !isPool {
		r.Kind, r.Event = inventory.ClaimSeats, inventory.EventID{UUID: *event}
	}
	for i := range first {
		r.Line.Steps = append(r.Line.Steps, inventory.WaitingStep{First: first[i], Last: last[i], Used: used[i], ExpiresAt: ends[i]})
	}
	return r, nil
}
