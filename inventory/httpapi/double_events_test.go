package httpapi_test

import (
	"context"
	"crypto/rand"

	"github.com/rickb777/date"

	"holdfast/inventory"
)

// ofEvents is the part of double that knows events, seats and resources.
type ofEvents struct {
	holdSeats func(inventory.SeatHoldRequest) (inventory.Booking, bool, error)
	holdRange func(inventory.RangeHoldRequest) (inventory.Booking, bool, error)
	move      func(inventory.MoveRequest) (inventory.Booking, error)
	event     func(inventory.EventRef) (inventory.Event, error)
	eventByID func(inventory.EventID) (inventory.Event, error)
	events    func(inventory.EventFilter) ([]inventory.Event, error)
	seatMap   func(inventory.EventID) (inventory.SeatMap, error)
	slots     func(inventory.ResourceRef, date.Date) ([]inventory.Slot, error)
	zone      string // of every resource; "" = there is none
}

func (d *double) HoldSeats(_ context.Context, r inventory.SeatHoldRequest) (inventory.Booking, bool, error) {
	d.calls.Add(1)
	if d.holdSeats == nil {
		return inventory.Booking{}, false, errUnexpected
	}
	return d.holdSeats(r)
}

func (d *double) HoldRange(_ context.Context, r inventory.RangeHoldRequest) (inventory.Booking, bool, error) {
	d.calls.Add(1)
	if d.holdRange == nil {
		return inventory.Booking{}, false, errUnexpected
	}
	return d.holdRange(r)
}

func (d *double) MoveBooking(_ context.Context, r inventory.MoveRequest) (inventory.Booking, error) {
	d.calls.Add(1)
	if d.move == nil {
		return inventory.Booking{}, errUnexpected
	}
	return d.move(r)
}

func (d *ofEvents) Event(_ context.Context, ref inventory.EventRef) (inventory.Event, error) {
	if d.event == nil {
		return inventory.Event{}, errUnexpected
	}
	return d.event(ref)
}

func (d *ofEvents) EventByID(_ context.Context, id inventory.EventID) (inventory.Event, error) {
	if d.eventByID == nil {
		return inventory.Event{}, errUnexpected
	}
	return d.eventByID(id)
}

func (d *ofEvents) Events(_ context.Context, f inventory.EventFilter) ([]inventory.Event, error) {
	if d.events == nil {
		return nil, errUnexpected
	}
	return d.events(f)
}

// SeatMapMark says that everything has changed, and asks nobody.
func (d *ofEvents) SeatMapMark(context.Context, inventory.EventID) (inventory.SeatMapMark, error) {
	return inventory.SeatMapMark{Text: rand.Text()}, nil
}

func (d *ofEvents) SeatMap(_ context.Context, id inventory.EventID) (inventory.SeatMap, error) {
	if d.seatMap == nil {
		return inventory.SeatMap{}, errUnexpected
	}
	return d.seatMap(id)
}

func (d *ofEvents) Resource(_ context.Context, ref inventory.ResourceRef) (inventory.Resource, error) {
	if d.zone == "" {
		return inventory.Resource{}, inventory.ErrNotFound
	}
	return inventory.Resource{Ref: ref, Zone: d.zone}, nil
}

func (d *ofEvents) Slots(_ context.Context, ref inventory.ResourceRef, day date.Date) ([]inventory.Slot, error) {
	if d.slots == nil {
		return nil, errUnexpected
	}
	return d.slots(ref, day)
}
