package pgstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

const (
	// waitingPace is how often a line moves at most, however many daemons look.
	waitingPace = 100 * time.Millisecond
	// stepKept is how long a step stays after its passes are over, for answers
	// that were read just before.
	stepKept = time.Minute
	// passesAtOnce is how many passes are forgotten at most when a line moves.
	passesAtOnce = 500
)

// WaitingNow returns all open rooms as they stand, after it moved on the lines
// that are due: whichever daemon looks first moves a line, and the others find
// it moved. It also returns the keys of the tokens.
func (s *Store) WaitingNow(ctx context.Context) (inventory.WaitingNow, error) {
	var now inventory.WaitingNow
	err := s.read(ctx, "look at the waiting rooms", func(ctx context.Context, tx pgx.Tx) error {
		rooms, at, err := s.waitingRooms(ctx, tx, true)
		if err != nil {
			return err
		}
		now = inventory.WaitingNow{At: at}
		for _, r := range rooms {
			now.Rooms = append(now.Rooms, r.WaitingRoomNow)
		}
		now.Keys, err = waitingKeys(ctx, tx) // also where nothing is open: a token is told so
		return err
	})
	if err != nil {
		return now, err
	}
	for i, r := range now.Rooms {
		if now.At.Sub(r.Line.MovedAt) < waitingPace && !now.At.Before(r.Line.MovedAt) {
			continue
		}
		line, due := r.Line.Advance(r.WaitingRoom, now.At)
		if !due {
			continue
		}
		moved, err := s.moveLine(ctx, r, line, now.At)
		if err != nil {
			return now, err
		}
		if moved { // else somebody was faster: what was read is still true, and a little old
			now.Rooms[i].Line = line
		}
	}
	return now, nil
}

// moveLine stores that a line moved on, if it still is where it was read.
func (s *Store) moveLine(ctx context.Context, r inventory.WaitingRoomNow, line inventory.WaitingLine, at time.Time) (bool, error) {
	moved := false
	err := s.inTx(ctx, "move the line of "+r.Ref(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sqlWaitingLineMove, pgx.StrictNamedArgs{
			"room": r.ID, "admitted": line.Admitted, "credit": line.Credit, "moved_at": line.MovedAt,
			"seen_admitted": r.Line.Admitted, "seen_at": r.Line.MovedAt,
		})
		if moved = err == nil && tag.RowsAffected() == 1; !moved || line.Admitted == r.Line.Admitted {
			return err
		}
		over := at.Add(-stepKept)
		if slices.ContainsFunc(r.Line.Steps, func(s inventory.WaitingStep) bool { return s.ExpiresAt.Before(over) }) {
			if err := forgetSteps(ctx, tx, r.ID, over); err != nil {
				return err
			}
		}
		step := line.Steps[len(line.Steps)-1]
		_, err = tx.Exec(ctx, sqlWaitingStepWrite, pgx.StrictNamedArgs{
			"room": r.ID, "first": step.First, "last": step.Last, "expires_at": step.ExpiresAt,
		})
		return err
	})
	return moved, err
}

// forgetSteps removes the steps of a room that were over before an instant. It
// locks all steps of the room, so that the one that is written next is not
// waited for with older ones in hand.
func forgetSteps(ctx context.Context, tx pgx.Tx, room int64, before time.Time) error {
	if _, err := tx.Exec(ctx, sqlWaitingStepLock, pgx.StrictNamedArgs{"room": room}); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, sqlWaitingStepForget, pgx.StrictNamedArgs{"room": room, "before": before, "limit": passesAtOnce})
	return err
}

// drawNumbers gives out n numbers of a line and returns the first.
func (s *Store) drawNumbers(ctx context.Context, room int64, n int) (int64, error) {
	var first int64
	err := s.inTx(ctx, "draw numbers", beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, sqlWaitingLineDraw, pgx.StrictNamedArgs{"room": room, "n": n}).Scan(&first)
	})
	return first, err
}

// ClaimPass takes a pass for one request, so that it can place a hold: one pass
// has one hold at a time. It returns true if the caller has the pass now, and
// has to give it back with ReturnPass if the hold is refused; false, without an
// error, if a request with this key was answered with a hold before: then that
// answer is asked for again. ErrHoldExists: the pass has a hold, or a request
// under another key is placing one; ErrInProgress: the same request is.
//
// It is one statement, and does not wait for the disk: a hold that is stored
// later is stored with it.
func (s *Store) ClaimPass(ctx context.Context, use inventory.PassUse) (bool, error) {
	conn, err := s.acquire(ctx)
	if err != nil {
		return false, fmt.Errorf("claim a pass: %w", s.translate(err))
	}
	defer conn.Release()
	var replay, claimed, same bool
	args := passArgs(use)
	args["now"], args["patience"] = s.now, passPatience
	if err := conn.QueryRow(ctx, sqlPassClaim, args).Scan(&replay, &claimed, &same); err != nil {
		return false, fmt.Errorf("claim a pass: %w", s.translate(err))
	}
	switch {
	case replay || claimed:
		return claimed, nil
	case same:
		return false, inventory.ErrInProgress
	}
	return false, inventory.ErrHoldExists
}

// passPatience is how long a request that left no trace may still be placing
// its hold: longer than any listener waits.
const passPatience = 15 * time.Second

// ReturnPass gives back a pass that a refused request had, at once.
func (s *Store) ReturnPass(ctx context.Context, use inventory.PassUse) error {
	conn, err := s.acquire(ctx)
	if err != nil {
		return fmt.Errorf("return a pass: %w", s.translate(err))
	}
	defer conn.Release()
	var done bool
	err = conn.QueryRow(ctx, sqlPassReturn, passArgs(use)).Scan(&done)
	if err != nil && !isNoRows(err) {
		return fmt.Errorf("return a pass: %w", s.translate(err))
	}
	return nil
}

// HasAnswer reports whether a request with this key placed a hold before.
func (s *Store) HasAnswer(ctx context.Context, client int64, key string) (bool, error) {
	conn, err := s.acquire(ctx)
	if err != nil {
		return false, fmt.Errorf("look for an answer: %w", s.translate(err))
	}
	defer conn.Release()
	var has bool
	err = conn.QueryRow(ctx, sqlPassAnswered, pgx.StrictNamedArgs{"client": client, "key": key}).Scan(&has)
	return has, s.translate(err)
}

// NotePlaced counts passes whose holds were placed: their buyers are active no
// more. What it is not told of, or is told twice, lets nobody in too early.
func (s *Store) NotePlaced(ctx context.Context, uses []inventory.PassUse) error {
	rooms, numbers := make([]int64, len(uses)), make([]int64, len(uses))
	clients, keys := make([]int64, len(uses)), make([]string, len(uses))
	for i, u := range uses {
		rooms[i], numbers[i], clients[i], keys[i] = u.Room, u.Number, u.Client, u.Key
	}
	return s.inTx(ctx, "count used passes", beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlPassLockSteps, pgx.StrictNamedArgs{"rooms": rooms, "numbers": numbers}); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, sqlPassPlaced, pgx.StrictNamedArgs{
			"rooms": rooms, "numbers": numbers, "clients": clients, "keys": keys, "now": s.now,
		})
		return err
	})
}

func passArgs(use inventory.PassUse) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"room": use.Room, "number": use.Number, "client": use.Client, "key": use.Key}
}
