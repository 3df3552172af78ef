package pgstore_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

func move(b inventory.Booking) inventory.MoveRequest {
	return inventory.MoveRequest{ID: b.ID, Version: b.Version, Actor: inventory.Staff("mira"), Reason: "asked by phone"}
}

func TestMoveBooking_toAnotherDay(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	b := s.Hold(t, "u-1", 3)
	to := s.Day.Add(1)
	r := move(b)
	r.Day = &to
	moved, err := s.Store.MoveBooking(t.Context(), r)
	if err != nil || moved.Day != to || moved.Quantity != 3 || moved.Version != 2 || moved.State != inventory.StateHeld {
		t.Fatalf("moved = %+v, %v", moved, err)
	}
	if s.Taken(t) != 0 {
		t.Errorf("the old day still has %d taken", s.Taken(t))
	}
	journal, err := s.Store.Journal(t.Context(), b.ID)
	if err != nil || journal[1].Cause != inventory.CauseMoved || journal[1].Topic != "booking.moved" {
		t.Errorf("journal = %+v, %v", journal, err)
	}
}

// Case A5: the second of two edits is told what stands now, and changes nothing.
func TestMoveBooking_staleVersion(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	b := s.Hold(t, "u-1", 1)
	two, three := 2, 3
	r := move(b)
	r.Quantity = &two
	if _, err := s.Store.MoveBooking(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	r.Quantity = &three
	_, err := s.Store.MoveBooking(t.Context(), r)
	var stale *inventory.StaleError
	if !errors.As(err, &stale) || stale.Current != 2 || s.Taken(t) != 2 {
		t.Errorf("the second edit: %v, taken %d", err, s.Taken(t))
	}
}

func TestMoveBooking_sameAdmissionRule(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(4, 1), pgtest.PerBuyer(0))
	b := s.Hold(t, "u-1", 2)
	s.Hold(t, "u-2", 2)
	for quantity, want := range map[int]error{3: nil, 4: inventory.ErrSoldOut, 5: inventory.ErrSoldOut} {
		r := move(inventory.Booking{ID: b.ID})
		r.Quantity = &quantity
		if _, err := s.Store.MoveBooking(t.Context(), r); !errors.Is(err, want) {
			t.Errorf("to %d: %v, want %v", quantity, err, want)
		}
	}
	one := 1
	r := move(inventory.Booking{ID: b.ID})
	r.Quantity = &one
	if moved, err := s.Store.MoveBooking(t.Context(), r); err != nil || moved.Amount.Minor != 2500 || s.Taken(t) != 3 {
		t.Errorf("fewer: %+v, %v, taken %d", moved.Amount, err, s.Taken(t))
	}
}

// What is paid does not become cheaper or dearer behind the payer's back.
func TestMoveBooking_paidOnlyToTheSamePrice(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	b := s.Hold(t, "u-1", 2)
	pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_1"))
	three, to := 3, s.Day.Add(2)
	r := move(inventory.Booking{ID: b.ID})
	r.Quantity = &three
	if _, err := s.Store.MoveBooking(t.Context(), r); !errors.Is(err, inventory.ErrPriceChanges) {
		t.Errorf("an extra guest: %v", err)
	}
	r.Quantity, r.Day = nil, &to
	if moved, err := s.Store.MoveBooking(t.Context(), r); err != nil || moved.State != inventory.StateConfirmed || moved.Day != to {
		t.Errorf("another day: %+v, %v", moved, err)
	}
	r.Day, r.Quantity, r.KeepAmount = nil, &three, true
	if moved, err := s.Store.MoveBooking(t.Context(), r); err != nil || moved.Quantity != 3 || moved.Amount.Minor != 5000 {
		t.Errorf("as a courtesy: %+v, %v", moved, err)
	}
}

// Two bookings change places: days are locked in one order, whoever asks.
func TestMoveBooking_crosswiseWithoutDeadlock(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.PerBuyer(0), pgtest.Capacity(100, 0))
	bookings := make([]inventory.Booking, 8)
	for i := range bookings {
		bookings[i] = s.Hold(t, fmt.Sprint("u-", i), 1)
	}
	race(t, len(bookings), func(i int) error {
		for step := range 20 {
			to := s.Day
			if (i+step)%2 == 0 {
				to = s.Day.Add(1)
			}
			r := move(inventory.Booking{ID: bookings[i].ID})
			r.Day = &to
			if _, err := s.Store.MoveBooking(t.Context(), r); err != nil {
				return err
			}
		}
		return nil
	}, inventory.ErrBusy)
	s.DB.AssertNoDeadlocks(t)
}

func TestMoveBooking_seats(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	b := h.HoldSeats(t, "u-1", "A-01", "A-02")
	other := h.HoldSeats(t, "u-2", "B-01")
	r := move(b)
	r.Seats = []inventory.SeatID{h.Seat(t, "A-02"), h.Seat(t, "A-03")}
	moved, err := h.Store.MoveBooking(t.Context(), r)
	if err != nil || moved.Claimed() != "A-02, A-03 of Gala" || moved.Amount.Minor != 10000 {
		t.Fatalf("moved = %s, %v", moved.Claimed(), err)
	}
	if h.SeatState(t, "A-01") != inventory.SeatAvailable || h.SeatState(t, "A-03") != inventory.SeatHeld {
		t.Errorf("A-01 is %s, A-03 is %s", h.SeatState(t, "A-01"), h.SeatState(t, "A-03"))
	}
	r = move(moved)
	r.Seats = []inventory.SeatID{h.Seat(t, "A-02"), h.Seat(t, "B-01")}
	var taken *inventory.SeatTakenError
	if _, err := h.Store.MoveBooking(t.Context(), r); !errors.As(err, &taken) || len(taken.Seats) != 1 || taken.Seats[0] != h.Seat(t, "B-01") {
		t.Errorf("onto a taken seat: %v", err)
	}
	a, c, err := h.Store.SwapSeats(t.Context(), moved.ID, other.ID, inventory.Staff("mira"), "families sit together")
	if err != nil || a.Claimed() != "B-01 of Gala" || c.Claimed() != "A-02, A-03 of Gala" || a.Amount.Minor != 5000 {
		t.Errorf("swapped: %s (%s), %s, %v", a.Claimed(), a.Amount, c.Claimed(), err)
	}
	pgtest.Deliver(t, h.Store, pgtest.Captured(a, "pay_1"))
	if h.SeatState(t, "B-01") != inventory.SeatBooked {
		t.Errorf("the paid seat is %s", h.SeatState(t, "B-01"))
	}
	if _, _, err := h.Store.SwapSeats(t.Context(), a.ID, c.ID, inventory.Staff("mira"), "back"); !errors.Is(err, inventory.ErrPriceChanges) {
		t.Errorf("a paid seat for two others: %v", err)
	}
}

func TestMoveBooking_range(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, nil)
	b := s.HoldRange(t, "u-1", "10:00", "12:00")
	s.HoldRange(t, "u-2", "13:00", "14:00")
	to := s.During(t, "11:00", "13:00") // overlaps its own old time, which is no clash
	r := move(b)
	r.During = &to
	moved, err := s.Store.MoveBooking(t.Context(), r)
	if err != nil || moved.Claimed() != "Studio A 11:00-13:00" || moved.LocalFrom.Time.String() != "11:00" {
		t.Fatalf("moved = %s, %v", moved.Claimed(), err)
	}
	to = s.During(t, "12:00", "14:00")
	r = move(moved)
	r.During = &to
	if _, err := s.Store.MoveBooking(t.Context(), r); !errors.Is(err, inventory.ErrRangeTaken) {
		t.Errorf("onto another booking: %v", err)
	}
	day := s.Day
	r = move(moved)
	r.Day = &day
	if _, err := s.Store.MoveBooking(t.Context(), r); len(inventory.FieldErrors(err)) != 1 {
		t.Errorf("a day for a range: %v", err)
	}
}

func TestMoveBooking_deadBookingsStay(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	b := s.Hold(t, "u-1", 1)
	two := 2
	r := move(b)
	r.Quantity = &two
	if _, err := s.After(t, 11*time.Minute).MoveBooking(t.Context(), r); !errors.Is(err, inventory.ErrHoldExpired) {
		t.Errorf("past its end: %v", err)
	}
	if _, err := s.Store.ReleaseHold(t.Context(), b.ID, 0, inventory.Staff("mira"), ""); err != nil {
		t.Fatal(err)
	}
	r.Version = 0
	if _, err := s.Store.MoveBooking(t.Context(), r); !errors.Is(err, inventory.ErrNotAllowed) {
		t.Errorf("released: %v", err)
	}
}

// Best seats asked for by many at once: pairs never overlap, and the last who
// ask are told that there are no two together any more.
func TestHoldSeats_bestForMany(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t) // 30 seats: 15 pairs
	won := race(t, 20, func(i int) error {
		_, _, err := h.Store.HoldSeats(t.Context(), inventory.SeatHoldRequest{
			Event: h.Event.ID, Best: 2, Buyer: fmt.Sprint("u-", i), Actor: inventory.Staff("test"),
		})
		return err
	}, inventory.ErrSoldOut)
	if won != 15 {
		t.Errorf("%d of 15 pairs were sold", won)
	}
}

// The life of seats: held, expired, paid late, revived, refused when others sit
// there.
func TestSeats_followTheirBooking(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	b := h.HoldSeats(t, "u-1", "A-01", "A-02")
	later := h.After(t, 6*time.Minute)
	if res, err := later.SweepHolds(t.Context(), 500); err != nil || res.Expired != 1 || res.Events != 1 {
		t.Fatalf("sweep = %+v, %v", res, err)
	}
	if h.SeatState(t, "A-01") != inventory.SeatAvailable {
		t.Errorf("after the sweep: %s", h.SeatState(t, "A-01"))
	}
	pgtest.Deliver(t, later, pgtest.Captured(b, "pay_1"))
	payment := booking(t, h.Shop, b.ID).Payments[0].ID
	rival, _, err := later.HoldSeats(t.Context(), h.Ask(t, "u-2", "A-02"))
	if err != nil {
		t.Fatal(err)
	}
	z, err := later.Zombie(t.Context(), payment)
	if err != nil || !errors.Is(z.CanGo, inventory.ErrSeatTaken) {
		t.Errorf("can go: %v, %v", z.CanGo, err)
	}
	if _, err := later.ReviveZombie(t.Context(), payment, 0, inventory.Staff("mira"), "phoned"); !errors.Is(err, inventory.ErrSeatTaken) {
		t.Errorf("one of two seats is taken: %v", err)
	}
	if h.SeatState(t, "A-01") != inventory.SeatAvailable {
		t.Errorf("a refused revive keeps A-01 %s", h.SeatState(t, "A-01"))
	}
	if _, err := later.ReleaseHold(t.Context(), rival.ID, 0, inventory.Staff("mira"), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := later.ReviveZombie(t.Context(), payment, 0, inventory.Staff("mira"), "phoned"); err != nil {
		t.Fatal(err)
	}
	if h.SeatState(t, "A-01") != inventory.SeatBooked || h.SeatState(t, "A-02") != inventory.SeatBooked {
		t.Error("revived, and not booked")
	}
	if _, err := later.CancelBooking(t.Context(), b.ID, inventory.Staff("mira"), "ill", true); err != nil {
		t.Fatal(err)
	}
	if h.SeatState(t, "A-01") != inventory.SeatAvailable {
		t.Errorf("after the cancellation: %s", h.SeatState(t, "A-01"))
	}
}

// A dead sweep blocks nobody, also where the overdue hold had more seats.
func TestHoldSeats_overdueHoldsMakeRoom(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	old := h.HoldSeats(t, "u-1", "A-02", "A-03")
	later := h.After(t, 6*time.Minute)
	if _, _, err := later.HoldSeats(t.Context(), h.Ask(t, "u-2", "A-01", "A-02")); err != nil {
		t.Fatal(err)
	}
	if h.State(t, old.ID) != inventory.StateExpired || h.SeatState(t, "A-03") != inventory.SeatAvailable {
		t.Errorf("the old hold is %s, its other seat %s", h.State(t, old.ID), h.SeatState(t, "A-03"))
	}
}
