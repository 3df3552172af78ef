package pgstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

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
		if list.Zombies, err = pgx.CollectRows(rows, scanZombie); err != nil {
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
		var err error
		z, err = pgx.CollectExactlyOneRow(rows, scanZombie)
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
// confirms it: once in a booking's life. Its day is locked.
func (s *Store) revive(ctx context.Context, tx pgx.Tx, b inventory.Booking, actor inventory.Actor, reason string) (inventory.Booking, error) {
	if b.State != inventory.StateExpired && b.State != inventory.StateCancelled {
		return b, inventory.ErrNotAllowed
	}
	var f dayFacts
	var revived, other bool
	args := pgx.StrictNamedArgs{"id": b.ID}
	if err := tx.QueryRow(ctx, sqlReviveFacts, args).Scan(&f.poolID, &f.maxPerBuyer, &revived); err != nil {
		return b, err
	}
	if revived {
		return b, fmt.Errorf("booking %s was revived before: %w", b.ID, inventory.ErrNotAllowed)
	}
	if _, err := s.expireOverdue(ctx, tx, []int64{f.poolID}, []string{b.Day.String()}, b.Buyer, reclaimLimit); err != nil {
		return b, err
	}
	if err := s.checkBuyer(ctx, tx, f, b.Day.String(), b.Buyer, b.ClientID); err != nil {
		return b, err
	}
	// The booking's own rule stands, whatever the pool's has become since.
	if err := tx.QueryRow(ctx, sqlReviveRival, args).Scan(&other); err != nil || other {
		return b, cmp.Or(err, inventory.ErrHoldExists)
	}
	if err := s.take(ctx, tx, f.poolID, b.Day.String(), b.Quantity); err != nil {
		return b, err
	}
	return s.move(ctx, tx, b, step{to: inventory.StateConfirmed, cause: inventory.CauseRevived, actor: actor, reason: reason})
}

// refusal reports whether err says that a place cannot be had, as opposed to
// something having gone wrong.
func refusal(err error) bool {
	for _, r := range []error{
		inventory.ErrSoldOut, inventory.ErrStopSell, inventory.ErrNotOnSale, inventory.ErrCutoffPassed,
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

func scanZombie(row pgx.CollectableRow) (z inventory.Zombie, err error) {
	var day *time.Time
	var left zeronull.Int8
	var code, venue, pool, poolName, buyer, state, policy zeronull.Text
	var quantity, version, client zeronull.Int8
	var blocked, revived bool
	p, b := &z.Payment, &z.Booking
	err = row.Scan(append(paymentFields(p),
		(*zeronull.Int8)(&b.VenueID), &venue, &pool, &poolName, &day, &quantity, &buyer, &state,
		orNull(&b.ExpiresAt), (*zeronull.Int8)(&b.Amount.Minor), (*zeronull.Text)(&b.Amount.Currency), &client,
		orNull(&b.CreatedAt), orNull(&b.UpdatedAt), &version, &policy, &left, &code, &blocked, &revived)...)
	if err != nil {
		return z, err
	}
	z.Left, z.Venue, z.Policy, z.VenueID = -1, string(venue), inventory.LatePolicy(policy), b.VenueID
	z.Disputed = p.Dispute == inventory.DisputeOpen || p.Dispute == inventory.DisputeLost
	z.CanGo = inventory.ErrNotAllowed
	if day == nil {
		return z, nil
	}
	b.ID, b.Pool, b.Name = p.BookingID, inventory.PoolRef{Venue: string(venue), Pool: string(pool)}, string(poolName)
	b.Buyer, b.State = string(buyer), inventory.BookingState(state)
	b.Quantity, b.Version, b.ClientID = int(quantity), int(version), int64(client)
	if err := b.Day.Scan(*day); err != nil {
		return z, err
	}
	z.Left = int(left)
	if !p.CapturedAt.IsZero() && p.CapturedAt.After(b.ExpiresAt) {
		z.LateBy = p.CapturedAt.Sub(b.ExpiresAt)
	}
	z.CanGo = canRevive(z, string(code), blocked, revived)
	return z, nil
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
