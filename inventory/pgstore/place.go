package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// placeOnce runs place in a transaction, in its turn among the requests of this
// process that want the same thing (lane), once per idempotency key: whatever
// is lost on the way, the key tells whether there is a booking.
func (s *Store) placeOnce(ctx context.Context, op, lane string, k keyUse,
	place func(context.Context, pgx.Tx) (inventory.Booking, bool, error),
) (b inventory.Booking, replayed bool, err error) {
	leave, err := s.lanes.enter(ctx, lane)
	if err != nil {
		return inventory.Booking{}, false, fmt.Errorf("%s: %w", op, err)
	}
	defer leave()
	for range 2 { // the second round finds the key that somebody else used meanwhile
		err = s.inTx(ctx, op, beginWrite, func(ctx context.Context, tx pgx.Tx) error {
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
	}
	return b, replayed, err
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
