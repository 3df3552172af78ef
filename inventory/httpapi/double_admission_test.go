package httpapi_test

import (
	"context"

	"holdfast/inventory"
)

// ofRooms is the part of double that knows waiting rooms; without any function
// there are none.
type ofRooms struct {
	waitingNow func() (inventory.WaitingNow, error)
	nextNumber func(room int64) (int64, error)
	notePlaced func([]inventory.PassUse) error
	claimPass  func(inventory.PassUse) (bool, error)
	returnPass func(inventory.PassUse) error
	hasAnswer  func(client int64, key string) (bool, error)
}

func (d *ofRooms) WaitingNow(context.Context) (inventory.WaitingNow, error) {
	if d.waitingNow == nil {
		return inventory.WaitingNow{}, nil
	}
	return d.waitingNow()
}

func (d *ofRooms) NextNumber(_ context.Context, room int64) (int64, error) {
	if d.nextNumber == nil {
		return 0, errUnexpected
	}
	return d.nextNumber(room)
}

func (d *ofRooms) NotePlaced(_ context.Context, uses []inventory.PassUse) error {
	if d.notePlaced == nil {
		return errUnexpected
	}
	return d.notePlaced(uses)
}

func (d *ofRooms) ClaimPass(_ context.Context, use inventory.PassUse) (bool, error) {
	if d.claimPass == nil {
		return false, errUnexpected
	}
	return d.claimPass(use)
}

func (d *ofRooms) ReturnPass(_ context.Context, use inventory.PassUse) error {
	if d.returnPass == nil {
		return errUnexpected
	}
	return d.returnPass(use)
}

func (d *ofRooms) HasAnswer(_ context.Context, client int64, key string) (bool, error) {
	if d.hasAnswer == nil {
		return false, errUnexpected
	}
	return d.hasAnswer(client, key)
}
