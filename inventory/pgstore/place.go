package pgstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// turn says for whom a hold waits in this process, and for what.
type turn struct {
	lane  string // those who want the same thing have the same lane
	claim string // with the same claim, a refusal of one is that of all; "" if it never is
}

// placeOnce runs place in a transaction, in its turn among the requests of this
// process, once per idempotency key: whatever is lost on the way, the key tells
// whether there is a booking.
func (s *Store) placeOnce(ctx context.Context, op string, t turn, k keyUse,
	place func(context.Context, pgx.Tx) (inventory.Booking, bool, error),
) (b inventory.Booking, replayed bool, err error) {
	lane := s.lanes.of(t.lane)
	arrived := lane.now()
	leave, err := lane.enter(ctx)
	if err != nil {
		return inventory.Booking{}, false, fmt.Errorf("%s: %w", op, err)
	}
	defer leave()
	if refused := lane.refusedSince(t.claim, arrived); refused != nil {
		used, err := s.isUsed(ctx, k)
		if err != nil || !used {
			return inventory.Booking{}, false, fmt.Errorf("%s: %w", op, cmp.Or(err, refused))
		}
	}
	asked := lane.now()
	for range 2 { // the second round finds the key that somebody else used meanwhile
		err = s.inTxThatTakes(ctx, op, beginWrite, func(ctx context.Context, tx pgx.Tx) error {
			b, replayed, err = place(ctx, tx)
			return err
		})
		if !errors.Is(err, errKeyTaken) {
			break
		}
	}
	switch {
	case errors.Is(err, errKeyTaken):
		err = fmt.Errorf("%s: %w", op, inventory.ErrInProgress)
	case errors.Is(err, inventory.ErrUnknownOutcome) && k.key != "":
		if found, known := s.resolve(ctx, k); known {
			return found, false, nil
		}
	case refusal(err) && t.claim != "":
		lane.note(t.claim, asked, err)
	}
	return b, replayed, err
}

// isUsed asks whether a key was used before, in one round trip.
func (s *Store) isUsed(ctx context.Context, k keyUse) (bool, error) {
	if k.key == "" {
		return false, nil
	}
	conn, err := s.acquire(ctx)
	if err != nil {
		return false, s.translate(err)
	}
	defer conn.Release()
	first, err := scanKey(conn.QueryRow(ctx, sqlKeyGet, pgx.StrictNamedArgs{"client": k.client.ID, "key": k.key}), k.print)
	return first != nil, s.translate(err)
}

// resolve asks, on a new connection, whether a hold whose COMMIT got no answer
// is there. Not finding it is not a no: it may yet become visible.
func (s *Store) resolve(ctx context.Context, k keyUse) (inventory.Booking, bool) {
	var b inventory.Booking
	err := s.read(context.WithoutCancel(ctx), "resolve hold", func(ctx context.Context, tx pgx.Tx) error {
		first, err := findKey(ctx, tx, k.client, k.key, k.print)
		if err != nil {
			return err
		}
		if first == nil {
			return inventory.ErrNotFound
		}
		b, err = first.hold(ctx, tx)
		return err
	})
	return b, err == nil
}
