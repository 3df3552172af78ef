package pgstore

import (
	"context"

	"holdfast/inventory"
)

// HoldRange takes a resource for a range.
func (s *Store) HoldRange(ctx context.Context, r inventory.RangeHoldRequest) (b inventory.Booking, replayed bool, err error) {
	return b, false, errToCome
}
