package pgstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"holdfast/inventory"
)

// Zombies returns captured money without a live booking, oldest first, each
// with whether admission would let it revive now.
func (s *Store) Zombies(ctx context.Context, f inventory.ZombieFilter) (inventory.ZombieList, error) {
	var list inventory.ZombieList
	err := s.read(ctx, "list zombies", func(ctx context.Context, tx pgx.Tx) error {
		var err error
		if list.AsOf, err = s.clock(ctx, tx); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, sqlZombieList, pgx.StrictNamedArgs{
			"venue": textOrNull(f.Venue), "payment": (*inventory.PaymentID)(nil), "limit": bounded(f.Limit, 200, 1000), "now": s.now,
		})
		if list.Zombies, err = collectZombies(ctx, tx, rows); err != nil {
			return err
		}
		rows, _ = tx.Query(ctx, sqlZombieTotals, pgx.StrictNamedArgs{"venue": textOrNull(f.Venue)})
		for rows.Next() {
			var n int
			var m inventory.Money
			if err := rows.Scan(&m.Currency, &n, &m.Minor); err != nil {
				rows.Close()
				return err
			}
			list.Total += n
			list.AtStake = append(list.AtStake, m)
		}
		return rows.Err()
	})
	return list, err
}

// Zombie returns one zombie, or ErrNotFound if that payment is none.
func (s *Store) Zombie(ctx context.Context, id inventory.PaymentID) (inventory.Zombie, error) {
	var z inventory.Zombie
	err := s.read(ctx, "read zombie "+id.String(), func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlZombieList, pgx.StrictNamedArgs{"venue": textOrNull(""), "payment": &id, "limit": 1, "now": s.now})
		found, err := collectZombies(ctx, tx, rows)
		if err == nil && len(found) == 0 {
			err = inventory.ErrNotFound
		}
		if err == nil {
			z = found[0]
		}
		return err
	})
	return z, err
}

// ReviveZombie takes the place of a late payment's booking again, once, and
// confirms it. version is the payment's version that the decision was made
// on; 0 does not check it. Refusals leave everything as it was: ErrSoldOut,
// ErrStopSell, ErrCutoffPassed, ErrHoldExists (the buyer holds again),
// ErrStale, and ErrNotAllowed for money that is no late zombie (any more).
func (s *Store) ReviveZombie(ctx context.Context, id inventory.PaymentID, version int, actor inventory.Actor, reason string) (inventory.Booking, error) {
	if err := inventory.CheckReason(reason); err != nil {
		return inventory.Booking{}, err
	}
	var b inventory.Booking
	err := s.inTx(ctx, "revive zombie "+id.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		var p inventory.Payment
		var err error
		if b, p, err = lockClaimOfPayment(ctx, tx, id); err != nil {
			return err
		}
		if p.Standing != inventory.StandingZombie || p.ZombieKind != inventory.ZombieLate {
			return fmt.Errorf("payment %s is %s %s: %w", id, p.Standing, p.ZombieKind, inventory.ErrNotAllowed)
		}
		if err := asSeen(p, version); err != nil {
			return err
		}
		if p.Dispute == inventory.DisputeOpen || p.Dispute == inventory.DisputeLost {
			return inventory.ErrDisputed
		}
		if left, err := leftOf(ctx, tx, p); err != nil || left != p.Captured.Minor {
			return cmp.Or(err, fmt.Errorf("a part of payment %s went back: %w", id, inventory.ErrNotAllowed))
		}
		if b, err = s.revive(ctx, tx, b, actor, reason); err != nil {
			return err
		}
		_, err = s.stand(ctx, tx, p, inventory.StandingApplied, "", 0)
		return err
	})
	if err != nil {
		return b, err
	}
	return s.Booking(ctx, b.ID)
}

// revive takes a dead booking's place again through the admission rule and
// confirms it: once in a booking's life. What it claims is locked.
func (s *Store) revive(ctx context.Context, tx pgx.Tx, b inventory.Booking, actor inventory.Actor, reason string) (inventory.Booking, error) {
	if b.State != inventory.StateExpired && b.State != inventory.StateCancelled {
		return b, inventory.ErrNotAllowed
	}
	var f dayFacts
	var revived bool
	if err := tx.QueryRow(ctx, sqlReviveFacts, pgx.StrictNamedArgs{"id": b.ID}).Scan(&f.poolID, &f.maxPerBuyer, &revived); err != nil {
		return b, err
	}
	if revived {
		return b, fmt.Errorf("booking %s was revived before: %w", b.ID, inventory.ErrNotAllowed)
	}
	var err error
	switch b.Kind {
	case inventory.ClaimPool:
		err = s.retakeDay(ctx, tx, b, f)
	case inventory.ClaimSeats:
		err = s.retakeSeats(ctx, tx, b)
	case inventory.ClaimRange:
		err = s.retakeRange(ctx, tx, b)
	}
	if err != nil {
		return b, err
	}
	return s.move(ctx, tx, b, step{to: inventory.StateConfirmed, cause: inventory.CauseRevived, actor: actor, reason: reason})
}

// retakeDay takes the places of a dead booking again, by the pool's rules.
func (s *Store) retakeDay(ctx context.Context, tx pgx.Tx, b inventory.Booking, f dayFacts) error {
	if _, err := s.expireOverdue(ctx, tx, []int64{f.poolID}, []string{b.Day.String()}, b.Buyer, reclaimLimit); err != nil {
		return err
	}
	if err := s.checkBuyer(ctx, tx, f, b.Day.String(), b.Buyer, b.ClientID); err != nil {
		return err
	}
	// The booking's own rule stands, whatever the pool's has become since.
	var other bool
	if err := tx.QueryRow(ctx, sqlReviveRival, pgx.StrictNamedArgs{"id": b.ID}).Scan(&other); err != nil || other {
		return cmp.Or(err, inventory.ErrHoldExists)
	}
	return s.take(ctx, tx, f.poolID, b.Day.String(), b.Quantity)
}

// refusal reports whether err says that a place cannot be had, as opposed to
// something having gone wrong.
func refusal(err error) bool {
	for _, r := range []error{
		inventory.ErrSoldOut, inventory.ErrSeatTaken, inventory.ErrRangeTaken, inventory.ErrStopSell, inventory.ErrNotOnSale, inventory.ErrCutoffPassed,
		inventory.ErrHoldExists, inventory.ErrLimitPerBuyer, inventory.ErrNotAllowed, inventory.ErrDisputed,
	} {
		if errors.Is(err, r) {
			return true
		}
	}
	return false
}

// orphan takes an applied payment away from its booking, which is no longer
// live: from now on it waits for a decision, up to the venue's deadline.
func (s *Store) orphan(ctx context.Context, tx pgx.Tx, p inventory.Payment, b inventory.Booking) (inventory.Payment, error) {
	rule, err := lateRule(ctx, tx, b.ID)
	if err != nil {
		return p, err
	}
	if p, err = s.stand(ctx, tx, p, inventory.StandingZombie, inventory.ZombieLate, rule.Deadline); err != nil {
		return p, err
	}
	if err := s.restand(ctx, tx, p, b); err != nil { // parts of it may be on their way back
		return p, err
	}
	return getPayment(ctx, tx, p.ID)
}

// lockClaimOfPayment locks in order what a decision about a payment may touch:
// its booking's day, the booking, the payment. Unmatched money has no booking.
func lockClaimOfPayment(ctx context.Context, tx pgx.Tx, id inventory.PaymentID) (b inventory.Booking, p inventory.Payment, err error) {
	if p, err = getPayment(ctx, tx, id); err != nil { // a payment's booking never changes
		return b, p, err
	}
	if p.BookingID != (inventory.BookingID{}) {
		if b, err = lockClaim(ctx, tx, p.BookingID); err != nil {
			return b, p, err
		}
	}
	p, err = lockPayment(ctx, tx, id)
	return b, p, err
}

// collectZombies reads sqlZombieList, and the bookings that the money names.
func collectZombies(ctx context.Context, tx pgx.Tx, rows pgx.Rows) ([]inventory.Zombie, error) {
	found, err := pgx.CollectRows(rows, scanZombieFacts)
	if err != nil {
		return nil, err
	}
	ids := make([]inventory.BookingID, 0, len(found))
	for _, f := range found {
		if f.Payment.BookingID != (inventory.BookingID{}) {
			ids = append(ids, f.Payment.BookingID)
		}
	}
	bookings, err := getBookings(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	zombies := make([]inventory.Zombie, len(found))
	for i, f := range found {
		zombies[i] = f.zombie(bookings[f.Payment.BookingID])
	}
	return zombies, nil
}

// zombieFacts is a row of sqlZombieList: the money, and what stands in the way
// of a revive.
type zombieFacts struct {
	inventory.Zombie
	refusal          string // of the admission rule, overdue holds left out
	blocked, revived bool
}

func scanZombieFacts(row pgx.CollectableRow) (f zombieFacts, err error) {
	var left *int
	var venueID zeronull.Int8
	var venue, policy, code zeronull.Text
	p := &f.Payment
	err = row.Scan(append(paymentFields(p), &venueID, &venue, &policy, &left, &code, &f.blocked, &f.revived)...)
	f.VenueID, f.Venue, f.Policy, f.refusal = int64(venueID), string(venue), inventory.LatePolicy(policy), string(code)
	if f.Left = -1; left != nil {
		f.Left = *left
	}
	f.Disputed = p.Dispute == inventory.DisputeOpen || p.Dispute == inventory.DisputeLost
	return f, err
}

// zombie puts the money and its booking together; unmatched money has none.
func (f zombieFacts) zombie(b inventory.Booking) inventory.Zombie {
	z := f.Zombie
	if z.CanGo = inventory.ErrNotAllowed; b.ID == (inventory.BookingID{}) {
		return z
	}
	z.Booking = b
	if p := z.Payment; !p.CapturedAt.IsZero() && p.CapturedAt.After(b.ExpiresAt) {
		z.LateBy = p.CapturedAt.Sub(b.ExpiresAt)
	}
	z.CanGo = canRevive(z, f.refusal, f.blocked, f.revived)
	return z
}

// canRevive is what ReviveZombie would answer now; the answer under the lock
// is the one that counts.
func canRevive(z inventory.Zombie, admission string, buyerHasOther, revived bool) error {
	switch {
	case z.Payment.ZombieKind != inventory.ZombieLate, z.Booking.State.Live(), revived:
		return inventory.ErrNotAllowed
	case z.Disputed:
		return inventory.ErrDisputed
	case buyerHasOther:
		return inventory.ErrHoldExists
	case admission != "":
		return refused(admission)
	}
	return nil
}
