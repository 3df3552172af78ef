package inventory

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// SeatID names a seat. Ids of one event are in the order of the hall.
type SeatID int64

func (id SeatID) String() string { return strconv.FormatInt(int64(id), 10) }

// MarshalText writes the id as a string: clients must not reckon with it.
func (id SeatID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (id *SeatID) UnmarshalText(text []byte) error {
	parsed, err := ParseSeatID("seat", string(text))
	*id = parsed
	return err
}

// ParseSeatID reads a seat's id: a positive decimal without leading zeros.
func ParseSeatID(field, s string) (SeatID, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != s {
		return 0, Invalid(field, "is not the id of a seat")
	}
	return SeatID(n), nil
}

// SeatState is where a seat stands. The words are stored as they are.
type SeatState string

// The states of a seat.
const (
	SeatAvailable SeatState = "AVAILABLE"
	SeatHeld      SeatState = "HELD"
	SeatBooked    SeatState = "BOOKED"
	SeatKilled    SeatState = "KILLED" // out of sale, with a reason
)

// Seat is one numbered seat of an event.
type Seat struct {
	ID          SeatID
	Section     string
	Row         string
	Number      int // neighbours are one apart
	Category    string
	Price       Money
	State       SeatState
	BookingID   BookingID // who has it; zero if nobody
	KillReason  string
	NeedsRepair bool // state and owner contradict each other: it is not sold, and `check` tells why
	Version     int
}

// Short is the seat as it is printed on a ticket: "D-07".
func (s Seat) Short() string { return fmt.Sprintf("%s-%02d", s.Row, s.Number) }

// Name is the seat with its section: "PARKETT D-07".
func (s Seat) Name() string { return s.Section + " " + s.Short() }

// Bounds of seats.
const (
	MaxSeatsPerEvent = 100_000
	MaxSeatsPerHold  = 50
	maxSeatNumber    = 9999
)

// SeatMap is how all seats of an event stood at AsOf, in the order of the hall.
// It may be a little old wherever it comes from a cache: it decides nothing.
type SeatMap struct {
	Event Event
	Seats []Seat
	AsOf  time.Time
}

// SeatMapMark tells whether a map has changed: two marks of an event with the same
// Text are of the same seats in the same states. AsOf is when it was looked.
type SeatMapMark struct {
	Text string
	AsOf time.Time
}

// SeatHoldRequest asks for named seats of one event, all or none; or, with
// Best, for that many seats together wherever they are best.
type SeatHoldRequest struct {
	Event          EventID
	Seats          []SeatID
	Best           int    // instead of Seats: so many together
	Category       string // with Best: only of this category; "" = any
	Section        string // with Best: only in this section; "" = any
	Buyer          string
	Client         Client
	IdempotencyKey string // "" only for staff, who see what happened
	Comp           bool   // staff give the seats without payment: straight to CONFIRMED
	Reason         string // required with Comp
	Actor          Actor
}

// Validate reports every field that is wrong.
func (r SeatHoldRequest) Validate() error {
	errs := []error{CheckText("buyer", r.Buyer, maxName)}
	switch {
	case r.Best == 0:
		errs = append(errs, checkSeats("seats", r.Seats))
	case len(r.Seats) > 0:
		errs = append(errs, Invalid("best", "cannot be asked together with named seats"))
	case r.Best < 0 || r.Best > MaxSeatsPerHold:
		errs = append(errs, Invalid("best", "must be from 1 to %d", MaxSeatsPerHold))
	}
	if r.IdempotencyKey != "" {
		errs = append(errs, CheckIdempotencyKey(r.IdempotencyKey))
	}
	if r.Comp {
		errs = append(errs, CheckReason(r.Reason))
	}
	return errors.Join(errs...)
}

func checkSeats(field string, seats []SeatID) error {
	return CheckSeatIDs(field, seats, MaxSeatsPerHold)
}

// CheckSeatIDs accepts 1 to most seats, each named once.
func CheckSeatIDs(field string, seats []SeatID, most int) error {
	if len(seats) == 0 {
		return Invalid(field, "is missing")
	}
	if len(seats) > most {
		return Invalid(field, "must be at most %d", most)
	}
	seen := make(map[SeatID]bool, len(seats))
	for _, id := range seats {
		if seen[id] {
			return Invalid(field, "names seat %s twice", id)
		}
		seen[id] = true
	}
	return nil
}

// SeatTakenError names the seats that stood in the way: ErrSeatTaken with what
// a buyer may know.
type SeatTakenError struct{ Seats []SeatID }

func (e *SeatTakenError) Error() string { return ErrSeatTaken.Error() }

// Unwrap makes it ErrSeatTaken.
func (e *SeatTakenError) Unwrap() error { return ErrSeatTaken }
