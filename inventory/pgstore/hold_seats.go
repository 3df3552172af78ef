package pgstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"holdfast/inventory"
)

// bestTries is how many choices of best seats are tried before a buyer is told
// that others were faster.
const bestTries = 5

// HoldSeats takes named seats of one event for a limited time, all or none; or,
// with Best, that many together wherever they are best. A refused hold leaves
// no trace, and keys work as for PlaceHold.
//
// Refusals: ErrNotFound (no such event), a FieldError for a seat that the event
// does not have, *SeatTakenError (ErrSeatTaken), ErrSoldOut (no seats together
// any more), ErrNotOnSale, ErrCutoffPassed, ErrStopSell, ErrInProgress, ErrBusy.
func (s *Store) HoldSeats(ctx context.Context, r inventory.SeatHoldRequest) (b inventory.Booking, replayed bool, err error) {
	if err := r.Validate(); err != nil {
		return inventory.Booking{}, false, err
	}
	r.Seats = slices.Clone(r.Seats)
	slices.Sort(r.Seats)
	k := keyUse{r.Client, r.IdempotencyKey, seatsFingerprint(r)}
	op := "hold seats of event " + r.Event.String()
	if r.Best == 0 {
		t := turn{lane: "seat " + r.Seats[0].String(), claim: fmt.Sprint(r.Event, r.Seats)}
		return s.placeOnce(ctx, op, t, k, func(ctx context.Context, tx pgx.Tx) (inventory.Booking, bool, error) {
			return s.holdSeats(ctx, tx, r, k)
		})
	}
	// Everybody's best seats are the same: in one process they are chosen one
	// after the other, and against other processes the next best are tried.
	t := turn{lane: "best " + r.Event.String()}
	for try := 1; ; try++ {
		b, replayed, err = s.placeOnce(ctx, op, t, k, func(ctx context.Context, tx pgx.Tx) (inventory.Booking, bool, error) {
			return s.holdBest(ctx, tx, r, k)
		})
		if try == bestTries || !errors.Is(err, inventory.ErrSeatTaken) {
			return b, replayed, err
		}
	}
}

// holdBest chooses on a snapshot and takes what it chose as if it were named.
func (s *Store) holdBest(ctx context.Context, tx pgx.Tx, r inventory.SeatHoldRequest, k keyUse) (inventory.Booking, bool, error) {
	first, err := findKey(ctx, tx, k.client, k.key, k.print)
	if err != nil {
		return inventory.Booking{}, false, err
	}
	if first != nil {
		b, err := first.hold(ctx, tx)
		return b, true, err
	}
	rows, _ := tx.Query(ctx, sqlSeatsToChoose, pgx.StrictNamedArgs{"event": r.Event, "now": s.now})
	seats, err := pgx.CollectRows(rows, scanSeatToChoose)
	if err != nil {
		return inventory.Booking{}, false, err
	}
	r.Seats = inventory.BestSeats(seats, r.Best, r.Category, r.Section)
	if r.Seats == nil {
		f, err := s.lookAtEvent(ctx, tx, r.Event)
		return inventory.Booking{}, false, errors.Join(err, f.refused(), inventory.ErrSoldOut)
	}
	slices.Sort(r.Seats)
	return s.holdSeats(ctx, tx, r, k)
}

// holdSeats locks the seats in the order of their ids and takes them in one
// statement, which decides. Seats that overdue holds keep are freed first, so
// that a dead sweep never blocks a buyer.
func (s *Store) holdSeats(ctx context.Context, tx pgx.Tx, r inventory.SeatHoldRequest, k keyUse) (inventory.Booking, bool, error) {
	first, facts, wanted, err := s.lookBeforeSeats(ctx, tx, r, k)
	if err != nil {
		return inventory.Booking{}, false, k.unlessTaken(ctx, tx, err)
	}
	if first != nil {
		b, err := first.hold(ctx, tx)
		return b, true, err
	}
	if err := s.lockSeatsFor(ctx, tx, r.Event, wanted); err != nil {
		return inventory.Booking{}, false, err
	}
	b, err := s.takeSeats(ctx, tx, facts, r, k)
	return b, false, k.unlessTaken(ctx, tx, err)
}

// eventFacts is what a hold needs to know of its event before it takes any lock.
type eventFacts struct {
	venueID  int64
	ref      inventory.EventRef
	name     string
	start    time.Time // face of the local start
	currency inventory.Currency
	ttl      time.Duration
	jitter   time.Duration
	refusal  zeronull.Text // of the admission rule
}

func (f eventFacts) refused() error {
	if f.refusal == "" {
		return nil
	}
	return refused(string(f.refusal))
}

func (f *eventFacts) fields() []any {
	return []any{&f.venueID, &f.ref.Venue, &f.ref.Event, &f.name, &f.start, &f.currency, &f.ttl, &f.jitter, &f.refusal}
}

func (s *Store) lookAtEvent(ctx context.Context, tx pgx.Tx, id inventory.EventID) (f eventFacts, err error) {
	err = tx.QueryRow(ctx, sqlEventLook, pgx.StrictNamedArgs{"event": id, "now": s.now}).Scan(f.fields()...)
	return f, err
}

// seatFacts is a wanted seat as it stood before any lock.
type seatFacts struct {
	id      inventory.SeatID
	state   inventory.SeatState
	overdue *inventory.BookingID // the overdue hold that keeps it
}

// lookBeforeSeats looks for the first use of the key, at the event and at the
// seats in one round trip, without a lock: a seat that is taken costs one read.
func (s *Store) lookBeforeSeats(ctx context.Context, tx pgx.Tx, r inventory.SeatHoldRequest, k keyUse) (*keyRecord, eventFacts, []seatFacts, error) {
	batch := &pgx.Batch{}
	k.queue(batch)
	batch.Queue(sqlEventLook, pgx.StrictNamedArgs{"event": r.Event, "now": s.now})
	batch.Queue(sqlSeatsLook, pgx.StrictNamedArgs{"event": r.Event, "seats": r.Seats, "now": s.now})
	answers := tx.SendBatch(ctx, batch)
	defer func() { _ = answers.Close() }() // its error is that of a row read below
	var f eventFacts
	first, err := scanKey(answers.QueryRow(), k.print)
	if err != nil || first != nil {
		return first, f, nil, err
	}
	if err := answers.QueryRow().Scan(f.fields()...); err != nil {
		if isNoRows(err) {
			err = fmt.Errorf("event %s: %w", r.Event, inventory.ErrNotFound)
		}
		return nil, f, nil, err
	}
	rows, _ := answers.Query()
	wanted, err := pgx.CollectRows(rows, scanSeatFacts)
	if err == nil {
		err = errors.Join(f.refused(), allOfEvent(r.Seats, wanted))
	}
	if err == nil {
		err = takenOf(wanted)
	}
	return nil, f, wanted, err
}

func scanSeatFacts(row pgx.CollectableRow) (f seatFacts, err error) {
	return f, row.Scan(&f.id, &f.state, &f.overdue)
}

// allOfEvent names the first seat that the event does not have.
func allOfEvent(asked []inventory.SeatID, found []seatFacts) error {
	have := make(map[inventory.SeatID]bool, len(found))
	for _, f := range found {
		have[f.id] = true
	}
	for _, id := range asked {
		if !have[id] {
			return inventory.Invalid("seats", "the event has no seat %s", id)
		}
	}
	return nil
}

// takenOf names the seats that stand in the way.
func takenOf(wanted []seatFacts) error {
	var taken []inventory.SeatID
	for _, f := range wanted {
		if f.state != inventory.SeatAvailable && f.overdue == nil {
			taken = append(taken, f.id)
		}
	}
	if len(taken) == 0 {
		return nil
	}
	return &inventory.SeatTakenError{Seats: taken}
}

// lockSeatsFor locks the wanted seats, together with all other seats of the
// overdue holds among them, in the order of ids, and expires those holds.
func (s *Store) lockSeatsFor(ctx context.Context, tx pgx.Tx, event inventory.EventID, wanted []seatFacts) error {
	return s.lockSeatsAnd(ctx, tx, event, wanted, nil)
}

// lockSeatsAnd is lockSeatsFor with more seats, which their booking has already.
func (s *Store) lockSeatsAnd(ctx context.Context, tx pgx.Tx, event inventory.EventID, wanted []seatFacts, own []inventory.SeatID) error {
	ids := slices.Clone(own)
	var overdue []inventory.BookingID
	for _, f := range wanted {
		ids = append(ids, f.id)
		if f.overdue != nil && !slices.Contains(overdue, *f.overdue) {
			overdue = append(overdue, *f.overdue)
		}
	}
	if _, err := tx.Exec(ctx, sqlSeatsLock, pgx.StrictNamedArgs{"event": event, "seats": ids, "bookings": overdue}); err != nil {
		return err
	}
	if len(overdue) == 0 {
		return nil
	}
	_, err := s.expireOverdueSeats(ctx, tx, overdue, reclaimLimit)
	return err
}

// takeSeats decides and stores in one statement. Less than all seats is none:
// the error rolls back what the statement did take.
func (s *Store) takeSeats(ctx context.Context, tx pgx.Tx, f eventFacts, r inventory.SeatHoldRequest, k keyUse) (inventory.Booking, error) {
	b := inventory.Booking{
		ID: inventory.NewBookingID(), VenueID: f.venueID, Kind: inventory.ClaimSeats, Name: f.name, Event: f.ref, EventID: r.Event,
		Day: wallTime(f.start).Day, Quantity: len(r.Seats), Buyer: r.Buyer, State: inventory.StateHeld, ClientID: r.Client.ID,
		IdempotencyKey: r.IdempotencyKey, Version: 1, Amount: inventory.Money{Currency: f.currency},
	}
	cause, ttl, seat := inventory.CauseHold, zeronull.Int8(f.ttl/time.Microsecond), inventory.SeatHeld
	if r.Comp {
		b.State, cause, ttl, seat = inventory.StateConfirmed, inventory.CauseComp, 0, inventory.SeatBooked
	}
	var seats []byte
	err := tx.QueryRow(ctx, sqlSeatsTake, pgx.StrictNamedArgs{
		"id": b.ID, "venue": f.venueID, "event": r.Event, "seats": r.Seats, "seat_state": seat, "buyer": r.Buyer,
		"state": b.State, "ttl": ttl, "jitter": int64(f.jitter / time.Microsecond), "currency": f.currency,
		"client": numberOrNull(r.Client.ID), "key": textOrNull(k.key), "print": k.print,
		"cause": cause, "actor": r.Actor.String(), "reason": r.Reason, "now": s.now,
	}).Scan(orNull(&b.ExpiresAt), &b.CreatedAt, &b.Amount.Minor, &seats)
	switch {
	case isNoRows(err):
		return inventory.Booking{}, s.whyNotTaken(ctx, tx, r.Event, r.Seats, b.ID)
	case isKeyTaken(err):
		return inventory.Booking{}, errKeyTaken
	case err != nil:
		return inventory.Booking{}, err
	}
	b.UpdatedAt = b.CreatedAt
	b.Seats, err = scanSeatsOfBooking(seats, f.currency)
	return b, err
}

// whyNotTaken explains why takeSeats did not take all seats that it locked.
func (s *Store) whyNotTaken(ctx context.Context, tx pgx.Tx, event inventory.EventID, seats []inventory.SeatID, id inventory.BookingID) error {
	f, err := s.lookAtEvent(ctx, tx, event)
	if err != nil || f.refusal != "" {
		return errors.Join(err, f.refused())
	}
	rows, _ := tx.Query(ctx, sqlSeatsInTheWay, pgx.StrictNamedArgs{"event": event, "seats": seats, "booking": id})
	taken, err := pgx.CollectRows(rows, pgx.RowTo[inventory.SeatID])
	if err != nil {
		return err
	}
	return &inventory.SeatTakenError{Seats: taken}
}

// retakeSeats takes the seats of a dead booking again, all or none. They are
// locked.
func (s *Store) retakeSeats(ctx context.Context, tx pgx.Tx, b inventory.Booking) error {
	f, err := s.lookAtEvent(ctx, tx, b.EventID)
	if err != nil || f.refusal != "" {
		return errors.Join(err, f.refused())
	}
	rows, _ := tx.Query(ctx, sqlSeatsLook, pgx.StrictNamedArgs{"event": b.EventID, "seats": seatIDs(b.Seats), "now": s.now})
	wanted, err := pgx.CollectRows(rows, scanSeatFacts)
	if err != nil {
		return err
	}
	if err := takenOf(wanted); err != nil {
		return err
	}
	if err := s.lockSeatsFor(ctx, tx, b.EventID, wanted); err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, sqlSeatsRetake, pgx.StrictNamedArgs{"id": b.ID})
	if err != nil {
		return err
	}
	if tag.RowsAffected() != int64(len(b.Seats)) {
		return s.whyNotTaken(ctx, tx, b.EventID, seatIDs(b.Seats), b.ID)
	}
	return nil
}

func seatsFingerprint(r inventory.SeatHoldRequest) []byte {
	return fingerprint("hold seats", r.Event.String(), fmt.Sprint(r.Seats), fmt.Sprint(r.Best), r.Category, r.Section, r.Buyer, fmt.Sprint(r.Comp))
}

func scanSeatToChoose(row pgx.CollectableRow) (s inventory.Seat, err error) {
	return s, row.Scan(&s.ID, &s.Section, &s.Row, &s.Number, &s.Category, &s.State)
}
