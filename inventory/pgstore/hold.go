package pgstore

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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
	print := holdFingerprint(r)
	err = s.inTx(ctx, "place hold at "+r.Pool.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		b, replayed, err = s.placeHold(ctx, tx, r, print)
		return err
	})
	if errors.Is(err, inventory.ErrUnknownOutcome) && r.IdempotencyKey != "" {
		if found, known := s.resolveHold(ctx, r, print); known {
			return found, false, nil
		}
	}
	return b, replayed, err
}

func (s *Store) placeHold(ctx context.Context, tx pgx.Tx, r inventory.HoldRequest, print []byte) (inventory.Booking, bool, error) {
	first, err := claimKey(ctx, tx, r.Client, r.IdempotencyKey, print)
	if err != nil {
		return inventory.Booking{}, false, err
	}
	if first != nil {
		b, err := first.hold(ctx, tx)
		return b, true, err
	}
	facts, err := s.lookAtDay(ctx, tx, r)
	if err != nil {
		return inventory.Booking{}, false, err
	}
	if _, err := tx.Exec(ctx, sqlDayLock, pgx.StrictNamedArgs{"pool": facts.poolID, "day": r.Day.String()}); err != nil {
		return inventory.Booking{}, false, err
	}
	if err := s.checkBuyer(ctx, tx, facts, r.Day.String(), r.Buyer, r.Client.ID); err != nil {
		return inventory.Booking{}, false, err
	}
	if err := s.take(ctx, tx, facts.poolID, r.Day.String(), r.Quantity); err != nil {
		return inventory.Booking{}, false, err
	}
	b, err := s.insertBooking(ctx, tx, facts, r)
	if err != nil {
		return b, false, err
	}
	return b, false, answerKey(ctx, tx, r.Client, r.IdempotencyKey, b)
}

// dayFacts is what a hold needs to know of its pool and day before it takes
// any lock.
type dayFacts struct {
	poolID, venueID int64
	price           inventory.Minor
	currency        inventory.Currency
	maxPerBuyer     int
	ttl, jitter     time.Duration
}

// lookAtDay reads the facts and refuses what is hopeless without a lock, so
// that a sold-out day costs one read. A day with overdue holds is not
// hopeless: they are reclaimed under the lock.
func (s *Store) lookAtDay(ctx context.Context, tx pgx.Tx, r inventory.HoldRequest) (dayFacts, error) {
	var f dayFacts
	var exists, reclaimable bool
	var refusal zeronull.Text
	err := tx.QueryRow(ctx, sqlHoldLook, pgx.StrictNamedArgs{
		"venue": r.Pool.Venue, "pool": r.Pool.Pool, "day": r.Day.String(), "quantity": r.Quantity, "now": s.now,
	}).Scan(&f.poolID, &f.venueID, &f.price, &f.currency, &f.maxPerBuyer, &f.ttl, &f.jitter, &exists, &refusal, &reclaimable)
	switch {
	case isNoRows(err):
		return f, fmt.Errorf("pool %s: %w", r.Pool, inventory.ErrNotFound)
	case err != nil:
		return f, err
	case !exists:
		return f, inventory.ErrNotOnSale
	case refusal != "" && !(refusal == "SOLD_OUT" && reclaimable):
		return f, refused(string(refusal))
	}
	return f, nil
}

// checkBuyer applies the pool's limit per buyer under the day's lock. An
// overdue hold of the same buyer that the sweep has not met yet does not
// count: it is expired here.
func (s *Store) checkBuyer(ctx context.Context, tx pgx.Tx, f dayFacts, day, buyer string, client int64) error {
	if f.maxPerBuyer == 0 {
		return nil
	}
	if _, err := s.expireOverdue(ctx, tx, []int64{f.poolID}, []string{day}, buyer, f.maxPerBuyer); err != nil {
		return err
	}
	var live, holds int
	err := tx.QueryRow(ctx, sqlBuyerLive, pgx.StrictNamedArgs{
		"pool": f.poolID, "day": day, "buyer": buyer, "client": numberOrNull(client),
	}).Scan(&live, &holds)
	switch {
	case err != nil:
		return err
	case live >= f.maxPerBuyer && holds > 0:
		return inventory.ErrHoldExists
	case live >= f.maxPerBuyer:
		return inventory.ErrLimitPerBuyer
	}
	return nil
}

// take adds quantity to a locked day if the admission rule allows. A full day
// first gets back the places of its overdue holds, so that a dead sweep never
// blocks a buyer.
func (s *Store) take(ctx context.Context, tx pgx.Tx, pool int64, day string, quantity int) error {
	args := pgx.StrictNamedArgs{"pool": pool, "day": day, "quantity": quantity, "now": s.now}
	for reclaimed := false; ; reclaimed = true {
		tag, err := tx.Exec(ctx, sqlDayTake, args)
		if err != nil || tag.RowsAffected() == 1 {
			return err
		}
		var refusal zeronull.Text
		if err := tx.QueryRow(ctx, sqlDayRefusal, args).Scan(&refusal); err != nil {
			return err
		}
		if refusal != "SOLD_OUT" || reclaimed {
			return refused(string(refusal))
		}
		res, err := s.expireOverdue(ctx, tx, []int64{pool}, []string{day}, "", reclaimLimit)
		if err != nil {
			return err
		}
		if res.Expired == 0 {
			return inventory.ErrSoldOut
		}
	}
}

// reclaimLimit bounds the work that one buyer does for a sweep that is behind.
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
	}
	return fmt.Errorf("admission answered %q", code)
}

func (s *Store) insertBooking(ctx context.Context, tx pgx.Tx, f dayFacts, r inventory.HoldRequest) (inventory.Booking, error) {
	state, cause, ttl := inventory.StateHeld, inventory.CauseHold, zeronull.Int8(f.ttl/time.Microsecond)
	if r.Comp {
		state, cause, ttl = inventory.StateConfirmed, inventory.CauseComp, 0
	}
	id := inventory.NewBookingID()
	_, err := tx.Exec(ctx, sqlBookingInsert, pgx.StrictNamedArgs{
		"id": id, "venue": f.venueID, "pool": f.poolID, "day": r.Day.String(), "quantity": r.Quantity, "buyer": r.Buyer,
		"state": state, "ttl": ttl, "jitter": int64(f.jitter / time.Microsecond),
		"amount": int64(f.price) * int64(r.Quantity), "currency": f.currency, "one": f.maxPerBuyer == 1,
		"client": numberOrNull(r.Client.ID), "key": textOrNull(r.IdempotencyKey),
		"cause": cause, "actor": r.Actor.String(), "reason": r.Reason, "now": s.now,
	})
	if err != nil {
		return inventory.Booking{}, err
	}
	return getBooking(ctx, tx, id)
}

// holdFingerprint binds a key to what was asked, field by field as decoded.
func holdFingerprint(r inventory.HoldRequest) []byte {
	fields := []string{"hold", r.Pool.String(), r.Day.String(), fmt.Sprint(r.Quantity), r.Buyer, fmt.Sprint(r.Comp)}
	sum := sha256.Sum256([]byte(strings.Join(fields, "\n"))) // no field can hold a line break
	return sum[:]
}

// keyRecord is the first use of an idempotency key.
type keyRecord struct {
	bookingID inventory.BookingID
	paymentID inventory.PaymentID
	answer    []byte
}

// claimKey makes key ours for this transaction. It returns the record of the
// first use if there was one with the same fingerprint. A first use that is
// still running is waited for, up to the lock limit: then ErrInProgress.
func claimKey(ctx context.Context, tx pgx.Tx, client inventory.Client, key string, print []byte) (*keyRecord, error) {
	if key == "" {
		return nil, nil
	}
	args := pgx.StrictNamedArgs{"client": client.ID, "key": key}
	for range 2 { // a second look for a key that was purged between the two statements
		var stored []byte
		var r keyRecord
		err := tx.QueryRow(ctx, sqlKeyGet, args).Scan(&stored, &r.bookingID, &r.paymentID, &r.answer)
		switch {
		case err == nil && string(stored) != string(print):
			return nil, inventory.ErrIdempotencyConflict
		case err == nil:
			return &r, nil
		case !isNoRows(err):
			return nil, err
		}
		tag, err := tx.Exec(ctx, sqlKeyClaim, pgx.StrictNamedArgs{"client": client.ID, "key": key, "print": print})
		if isLockTimeout(err) {
			return nil, fmt.Errorf("%w: %w", inventory.ErrInProgress, err)
		}
		if err != nil || tag.RowsAffected() == 1 {
			return nil, err
		}
	}
	return nil, inventory.ErrInProgress
}

// heldAnswer is the part of a hold's first answer that later events change.
type heldAnswer struct {
	State     inventory.BookingState `json:"state"`
	ExpiresAt time.Time              `json:"expires_at"`
	Version   int                    `json:"version"`
}

// answerKey stores the first answer beside the key.
func answerKey(ctx context.Context, tx pgx.Tx, client inventory.Client, key string, b inventory.Booking) error {
	if key == "" {
		return nil
	}
	answer, err := json.Marshal(heldAnswer{b.State, b.ExpiresAt, b.Version})
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, sqlKeyAnswer, pgx.StrictNamedArgs{"client": client.ID, "key": key, "booking": b.ID, "answer": string(answer)})
	return err
}

// hold returns the booking as it was first answered.
func (r *keyRecord) hold(ctx context.Context, tx pgx.Tx) (inventory.Booking, error) {
	b, err := getBooking(ctx, tx, r.bookingID)
	if err != nil {
		return b, err
	}
	var first heldAnswer
	if err := json.Unmarshal(r.answer, &first); err != nil {
		return b, fmt.Errorf("stored answer of booking %s: %w", b.ID, err)
	}
	b.State, b.ExpiresAt, b.Version = first.State, first.ExpiresAt.UTC(), first.Version
	return b, nil
}

// resolveHold asks, on a new connection, whether a hold whose COMMIT got no
// answer is there. Not finding it is not a no: it may yet become visible.
func (s *Store) resolveHold(ctx context.Context, r inventory.HoldRequest, print []byte) (inventory.Booking, bool) {
	var b inventory.Booking
	err := s.read(context.WithoutCancel(ctx), "resolve hold", func(ctx context.Context, tx pgx.Tx) error {
		var stored []byte
		var rec keyRecord
		err := tx.QueryRow(ctx, sqlKeyGet, pgx.StrictNamedArgs{"client": r.Client.ID, "key": r.IdempotencyKey}).
			Scan(&stored, &rec.bookingID, &rec.paymentID, &rec.answer)
		if err != nil {
			return err
		}
		if string(stored) != string(print) {
			return inventory.ErrIdempotencyConflict
		}
		b, err = rec.hold(ctx, tx)
		return err
	})
	return b, err == nil
}
