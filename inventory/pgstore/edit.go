package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// ReleaseHold gives a hold's place back. version is the one that the decision
// was made on, 0 does not check it: ErrStale. Releasing a cancelled hold again
// changes nothing and is no error; an expired one is ErrHoldExpired, a
// confirmed one ErrNotAllowed.
func (s *Store) ReleaseHold(ctx context.Context, id inventory.BookingID, version int, actor inventory.Actor, reason string) (inventory.Booking, error) {
	if err := optionalReason(reason); err != nil {
		return inventory.Booking{}, err
	}
	var b inventory.Booking
	err := s.inTx(ctx, "release hold "+id.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		var err error
		if b, err = lockClaim(ctx, tx, id); err != nil {
			return err
		}
		switch b.State {
		case inventory.StateHeld, inventory.StatePaymentPending:
			if err := seen(b, version); err != nil {
				return err
			}
			b, err = s.leave(ctx, tx, b, step{to: inventory.StateCancelled, cause: inventory.CauseReleased, actor: actor, reason: reason})
			return err
		case inventory.StateCancelled:
			return nil
		case inventory.StateExpired:
			return inventory.ErrHoldExpired
		case inventory.StateConfirmed, inventory.StateNone:
		}
		return inventory.ErrNotAllowed
	})
	return b, err
}

// ExtendHold gives a hold more time, counted from its present end, or from now
// if that has passed and the sweep has not met it. version is the one that the
// decision was made on, 0 does not check it: ErrStale. Past the venue's longest
// hold it is ErrLimitOfHold and nothing changes.
func (s *Store) ExtendHold(ctx context.Context, id inventory.BookingID, version int, by time.Duration, actor inventory.Actor, reason string) (inventory.Booking, error) {
	if by < time.Second {
		return inventory.Booking{}, inventory.Invalid("by", "must be at least one second")
	}
	if err := optionalReason(reason); err != nil {
		return inventory.Booking{}, err
	}
	var b inventory.Booking
	err := s.inTx(ctx, "extend hold "+id.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		var err error
		if b, err = lockBooking(ctx, tx, id); err != nil {
			return err
		}
		if b.State != inventory.StateHeld {
			return notHeld(b.State)
		}
		if err := seen(b, version); err != nil {
			return err
		}
		now, err := s.clock(ctx, tx)
		if err != nil {
			return err
		}
		var longest time.Duration
		if err := tx.QueryRow(ctx, sqlHoldMaxLife, pgx.StrictNamedArgs{"venue": b.VenueID}).Scan(&longest); err != nil {
			return err
		}
		until := b.ExpiresAt
		if until.Before(now) {
			until = now
		}
		until = until.Add(by)
		if latest := b.CreatedAt.Add(longest); until.After(latest) {
			return fmt.Errorf("until %s at most: %w", latest.Format(time.RFC3339), inventory.ErrLimitOfHold)
		}
		b, err = s.move(ctx, tx, b, step{to: inventory.StateHeld, cause: inventory.CauseExtended, actor: actor, reason: reason, expiresAt: until})
		return err
	})
	return b, err
}

// CancelBooking cancels a confirmed booking and gives its place back. Its
// money becomes a refund, or with refund = false a zombie that waits for
// staff: money without a live booking is never forgotten.
func (s *Store) CancelBooking(ctx context.Context, id inventory.BookingID, actor inventory.Actor, reason string, refund bool) (inventory.Booking, error) {
	if err := inventory.CheckReason(reason); err != nil {
		return inventory.Booking{}, err
	}
	var b inventory.Booking
	err := s.inTx(ctx, "cancel booking "+id.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		var err error
		if b, err = lockClaim(ctx, tx, id); err != nil {
			return err
		}
		if b.State != inventory.StateConfirmed {
			return inventory.ErrNotAllowed
		}
		if b, err = s.leave(ctx, tx, b, step{to: inventory.StateCancelled, cause: inventory.CauseCancelled, actor: actor, reason: reason}); err != nil {
			return err
		}
		p, found, err := appliedPayment(ctx, tx, id)
		if err != nil || !found {
			return err
		}
		if p, err = s.orphan(ctx, tx, p, b); err != nil {
			return err
		}
		if left, err := leftOf(ctx, tx, p); err != nil || !refund || left == 0 {
			return err
		}
		_, err = s.requestRefund(ctx, tx, p, 0, reason, actor)
		return err
	})
	if err != nil {
		return b, err
	}
	return s.Booking(ctx, id)
}

// leave makes a transition out of the live states and gives the place back
// with it. What the booking claims is locked: a pool day is counted down here,
// seats follow the booking by a trigger, and a range is free as soon as its
// booking is not live.
func (s *Store) leave(ctx context.Context, tx pgx.Tx, b inventory.Booking, st step) (inventory.Booking, error) {
	after, err := s.move(ctx, tx, b, st)
	if err != nil || b.Kind != inventory.ClaimPool {
		return after, err
	}
	_, err = tx.Exec(ctx, sqlDayGiveBackOf, pgx.StrictNamedArgs{"id": b.ID})
	return after, err
}

// notHeld explains why a booking in this state is no hold to work on.
func notHeld(state inventory.BookingState) error {
	switch state {
	case inventory.StateExpired, inventory.StateCancelled:
		return inventory.ErrHoldExpired
	case inventory.StateHeld, inventory.StatePaymentPending, inventory.StateConfirmed, inventory.StateNone:
	}
	return inventory.ErrNotAllowed
}

// seen compares the version that somebody decided on with the one that stands.
func seen(b inventory.Booking, version int) error {
	if version == 0 || version == b.Version {
		return nil
	}
	return &inventory.StaleError{Object: "booking " + b.ID.String(), Seen: version, Current: b.Version}
}

func optionalReason(reason string) error {
	if reason == "" {
		return nil
	}
	return inventory.CheckReason(reason)
}

const sqlHoldMaxLife = `-- venue.holdMaxLife
SELECT hold_max_life
  FROM venue
 WHERE id = @venue`

const sqlDayGiveBackOf = `-- day.giveBackOf
UPDATE pool_day d
   SET taken = d.taken - b.quantity
  FROM booking b
 WHERE b.id = @id
   AND d.pool_id = b.pool_id AND d.day = b.day -- locked by this transaction`
