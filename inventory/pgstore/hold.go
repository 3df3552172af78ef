package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"holdfast/inventory"
)

// PlaceHold takes places on one pool day for one buyer, for a limited time.
// A refused hold leaves no trace. The same idempotency key with the same
// request returns the first answer and replayed = true; with another request
// it is ErrIdempotencyConflict. If the answer to COMMIT is lost and the key
// cannot tell, the error is ErrUnknownOutcome.
//
// Refusals: ErrNotFound (no such pool), ErrNotOnSale, ErrCutoffPassed,
// ErrStopSell, ErrSoldOut, ErrHoldExists, ErrLimitPerBuyer, ErrInProgress,
// ErrBusy.
func (s *Store) PlaceHold(ctx context.Context, r inventory.HoldRequest) (b inventory.Booking, replayed bool, err error) {
	if err := r.Validate(); err != nil {
		return inventory.Booking{}, false, err
	}
	k := keyUse{client: r.Client, key: r.IdempotencyKey}
	if !r.Comp && s.now == nil && s.hints.soldOut(r) {
		// Nothing is put together for a crowd that it does not need.
		switch known, err := s.looks.known(ctx, r, k); {
		case err == nil && !known:
			return inventory.Booking{}, false, inventory.ErrSoldOut
		case errors.Is(err, inventory.ErrBusy): // after any other error there is still the batch
			return inventory.Booking{}, false, fmt.Errorf("place hold at %s: %w", r.Pool, err)
		}
	}
	k.print = holdFingerprint(r)
	op := "place hold at " + r.Pool.String()
	if !r.Comp && s.now == nil { // a batch judges time by PostgreSQL's clock alone
		b, err := s.batches.place(ctx, r, k)
		if errors.Is(err, inventory.ErrUnknownOutcome) && k.key != "" {
			if found, known := s.resolve(ctx, k); known {
				return found, false, nil
			}
		}
		switch {
		case err == nil:
			return b, false, nil
		case !errors.Is(err, errAlone):
			return inventory.Booking{}, false, fmt.Errorf("%s: %w", op, err)
		}
	}
	return s.placeOnce(ctx, op, turn{lane: r.Pool.String() + " " + r.Day.String()}, k,
		func(ctx context.Context, tx pgx.Tx) (inventory.Booking, bool, error) {
			return s.placeHold(ctx, tx, r, k)
		})
}

// placeHold keeps the day locked for two statements: the lock, and one that
// decides, counts and stores. Time is judged by the second, which begins when
// the lock is held.
func (s *Store) placeHold(ctx context.Context, tx pgx.Tx, r inventory.HoldRequest, k keyUse) (inventory.Booking, bool, error) {
	first, facts, err := s.lookBeforeHold(ctx, tx, r, k)
	if refusal(err) {
		return inventory.Booking{}, false, k.unlessTaken(ctx, tx, err)
	}
	if err != nil {
		return inventory.Booking{}, false, err
	}
	if first != nil {
		b, err := first.hold(ctx, tx)
		return b, true, err
	}
	if _, err := tx.Exec(ctx, sqlDayLock, pgx.StrictNamedArgs{"pool": facts.poolID, "day": r.Day.String()}); err != nil {
		return inventory.Booking{}, false, err
	}
	for {
		b, placed, err := s.tryPlace(ctx, tx, facts, r, k)
		if err != nil || placed {
			return b, false, err
		}
		if err := s.clearTheWay(ctx, tx, facts, r); err != nil {
			return inventory.Booking{}, false, k.unlessTaken(ctx, tx, err)
		}
	}
}

// dayFacts is what a hold needs to know of its pool and day before it takes
// any lock.
type dayFacts struct {
	poolID, venueID int64
	poolName        string
	price           inventory.Minor
	currency        inventory.Currency
	maxPerBuyer     int
	ttl, jitter     time.Duration
	exists          bool          // the pool has this day
	refusal         zeronull.Text // of the admission rule, before any lock
	reclaimable     bool          // overdue holds keep places of this day
	live, holds     int           // the buyer's, overdue ones left out
}

// lookBeforeHold looks for the first use of the key and reads the day's facts
// in one round trip, without a lock. What is hopeless is refused here, so that
// a sold-out day costs one read; a day with overdue holds is not hopeless.
func (s *Store) lookBeforeHold(ctx context.Context, tx pgx.Tx, r inventory.HoldRequest, k keyUse) (*keyRecord, dayFacts, error) {
	batch := &pgx.Batch{}
	k.queue(batch)
	batch.Queue(sqlHoldLook, pgx.StrictNamedArgs{
		"venue": r.Pool.Venue, "pool": r.Pool.Pool, "day": r.Day.String(), "quantity": r.Quantity,
		"buyer": r.Buyer, "client": numberOrNull(r.Client.ID), "now": s.now,
	})
	answers := tx.SendBatch(ctx, batch)
	defer func() { _ = answers.Close() }() // its error is that of a row read below
	first, err := scanKey(answers.QueryRow(), k.print)
	if err != nil || first != nil {
		return first, dayFacts{}, err
	}
	var f dayFacts
	err = answers.QueryRow().Scan(&f.poolID, &f.venueID, &f.poolName, &f.price, &f.currency, &f.maxPerBuyer, &f.ttl, &f.jitter,
		&f.exists, &f.refusal, &f.reclaimable, &f.live, &f.holds)
	switch {
	case isNoRows(err):
		return nil, f, fmt.Errorf("pool %s: %w", r.Pool, inventory.ErrNotFound)
	case err != nil:
		return nil, f, err
	case !f.exists:
		return nil, f, inventory.ErrNotOnSale
	case overLimit(f.maxPerBuyer, f.live, f.holds) != nil:
		// Before "sold out": a buyer who clicks twice is told of the hold in hand.
		return nil, f, overLimit(f.maxPerBuyer, f.live, f.holds)
	case f.refusal != "" && (f.refusal != "SOLD_OUT" || !f.reclaimable):
		return nil, f, refused(string(f.refusal))
	}
	return nil, f, nil
}

// tryPlace decides and stores in one statement; placed is false if the
// admission rule or the limit per buyer stand in the way.
func (s *Store) tryPlace(ctx context.Context, tx pgx.Tx, f dayFacts, r inventory.HoldRequest, k keyUse) (b inventory.Booking, placed bool, err error) {
	b = inventory.Booking{
		ID: inventory.NewBookingID(), VenueID: f.venueID, Kind: inventory.ClaimPool, Pool: r.Pool, Name: f.poolName, Day: r.Day, Quantity: r.Quantity,
		Buyer: r.Buyer, State: inventory.StateHeld, ClientID: r.Client.ID, IdempotencyKey: r.IdempotencyKey, Version: 1,
		Amount: inventory.Money{Minor: f.price * inventory.Minor(r.Quantity), Currency: f.currency},
	}
	cause, ttl := inventory.CauseHold, zeronull.Int8(f.ttl/time.Microsecond)
	if r.Comp {
		b.State, cause, ttl = inventory.StateConfirmed, inventory.CauseComp, 0
	}
	err = tx.QueryRow(ctx, sqlHoldPlace, pgx.StrictNamedArgs{
		"id": b.ID, "venue": f.venueID, "pool": f.poolID, "day": r.Day.String(), "quantity": r.Quantity, "buyer": r.Buyer,
		"state": b.State, "ttl": ttl, "jitter": int64(f.jitter / time.Microsecond),
		"amount": b.Amount.Minor, "currency": f.currency, "max_per_buyer": f.maxPerBuyer,
		"client": numberOrNull(r.Client.ID), "key": textOrNull(k.key), "print": k.print,
		"cause": cause, "actor": r.Actor.String(), "reason": r.Reason, "now": s.now,
	}).Scan(orNull(&b.ExpiresAt), &b.CreatedAt)
	switch {
	case isNoRows(err):
		return inventory.Booking{}, false, nil
	case isKeyTaken(err):
		return inventory.Booking{}, false, errKeyTaken
	case err != nil:
		return inventory.Booking{}, false, err
	}
	b.UpdatedAt = b.CreatedAt
	return b, true, nil
}

// clearTheWay finds out why a hold could not be placed on its locked day. It
// expires overdue holds that stand in the way, so that a dead sweep never
// blocks a buyer, and returns nil if that made a difference; otherwise it
// returns the refusal.
func (s *Store) clearTheWay(ctx context.Context, tx pgx.Tx, f dayFacts, r inventory.HoldRequest) error {
	day := r.Day.String()
	res, err := s.expireOverdueOf(ctx, tx, f, day, r.Buyer)
	if err != nil || res.Expired > 0 {
		return err
	}
	if err := s.checkBuyer(ctx, tx, f, day, r.Buyer, r.Client.ID); err != nil {
		return err
	}
	return s.makeRoom(ctx, tx, f.poolID, day, r.Quantity)
}

// expireOverdueOf expires a buyer's own overdue holds on a locked day.
func (s *Store) expireOverdueOf(ctx context.Context, tx pgx.Tx, f dayFacts, day, buyer string) (inventory.SweepResult, error) {
	if f.maxPerBuyer == 0 {
		return inventory.SweepResult{}, nil
	}
	return s.expireOverdue(ctx, tx, []int64{f.poolID}, []string{day}, buyer, f.maxPerBuyer)
}

// checkBuyer applies the pool's limit per buyer under the day's lock.
func (s *Store) checkBuyer(ctx context.Context, tx pgx.Tx, f dayFacts, day, buyer string, client int64) error {
	if f.maxPerBuyer == 0 {
		return nil
	}
	var live, holds int
	err := tx.QueryRow(ctx, sqlBuyerLive, pgx.StrictNamedArgs{
		"pool": f.poolID, "day": day, "buyer": buyer, "client": numberOrNull(client),
	}).Scan(&live, &holds)
	if err != nil {
		return err
	}
	return overLimit(f.maxPerBuyer, live, holds)
}

// overLimit is the pool's limit per buyer: live bookings, of which holds.
func overLimit(most, live, holds int) error {
	switch {
	case most == 0 || live < most:
		return nil
	case holds > 0:
		return inventory.ErrHoldExists
	}
	return inventory.ErrLimitPerBuyer
}

// take adds quantity to a locked day if the admission rule allows, after the
// day got back the places of its overdue holds where it was full.
func (s *Store) take(ctx context.Context, tx pgx.Tx, pool int64, day string, quantity int) error {
	for {
		tag, err := tx.Exec(ctx, sqlDayTake, pgx.StrictNamedArgs{"pool": pool, "day": day, "quantity": quantity, "now": s.now})
		if err != nil || tag.RowsAffected() == 1 {
			return err
		}
		if err := s.makeRoom(ctx, tx, pool, day, quantity); err != nil {
			return err
		}
	}
}

// makeRoom explains a refusal of the admission rule, or cures it: overdue holds
// of a full day are expired. It returns nil if that made a difference.
func (s *Store) makeRoom(ctx context.Context, tx pgx.Tx, pool int64, day string, quantity int) error {
	var refusal zeronull.Text
	err := tx.QueryRow(ctx, sqlDayRefusal, pgx.StrictNamedArgs{"pool": pool, "day": day, "quantity": quantity, "now": s.now}).Scan(&refusal)
	if err != nil {
		return err
	}
	if refusal == "" {
		return nil // time has moved on since the other statement
	}
	if refusal != "SOLD_OUT" {
		return refused(string(refusal))
	}
	res, err := s.expireOverdue(ctx, tx, []int64{pool}, []string{day}, "", reclaimLimit)
	if err == nil && res.Expired == 0 {
		err = inventory.ErrSoldOut
	}
	return err
}

// reclaimLimit bounds the work that one buyer does at a time for a sweep that
// is behind.
const reclaimLimit = 500

// refused maps the admission function's answer to its outcome.
func refused(code string) error {
	switch code {
	case "STOP_SELL":
		return inventory.ErrStopSell
	case "NOT_ON_SALE":
		return inventory.ErrNotOnSale
	case "CUTOFF_PASSED":
		return inventory.ErrCutoffPassed
	case "SOLD_OUT":
		return inventory.ErrSoldOut
	case "SEAT_TAKEN":
		return inventory.ErrSeatTaken
	case "RANGE_TAKEN":
		return inventory.ErrRangeTaken
	}
	return fmt.Errorf("admission answered %q", code)
}

// holdFingerprint binds a key to what was asked, field by field as decoded.
func holdFingerprint(r inventory.HoldRequest) []byte {
	return fingerprint("hold", r.Pool.String(), r.Day.String(), strconv.Itoa(r.Quantity), r.Buyer, strconv.FormatBool(r.Comp))
}
