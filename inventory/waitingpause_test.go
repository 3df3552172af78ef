package inventory_test

import (
	"testing"
	"time"

	"holdfast/inventory"
)

// Numbers of an old line are over in the new one, also where a step of theirs is
// still read.
func TestWaitingLine_beginsAnew(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 4, 10, 0, 0, 0, time.UTC)
	line := inventory.WaitingLine{
		Given: 12, Admitted: 11, BeginsAfter: 10, MovedAt: now,
		Steps: []inventory.WaitingStep{{First: 1, Last: 11, ExpiresAt: now.Add(time.Hour)}},
	}
	if !line.Place(10, now).IsOver() || !line.Place(11, now).IsAdmitted() || line.Place(12, now).Position != 1 {
		t.Errorf("10, 11 and 12 stand at %+v, %+v, %+v", line.Place(10, now), line.Place(11, now), line.Place(12, now))
	}
}

// A room at 0 a second lets nobody in, however long it is left alone, and goes on
// with a second's worth at most, not with all that time would have earned.
func TestWaitingLine_paused(t *testing.T) {
	t.Parallel()
	room := inventory.NewWaitingRoom("harbour", "gala", inventory.ClaimSeats)
	room.Rate, room.Open = 0, true
	if err := room.Validate(); err != nil {
		t.Fatalf("a paused room is refused: %v", err)
	}
	start := time.Date(2026, 12, 4, 10, 0, 0, 0, time.UTC)
	line := inventory.WaitingLine{Given: 100, Admitted: 10, Credit: 1, MovedAt: start}
	if after, moved := line.Advance(room, start.Add(time.Hour)); moved || after.Admitted != 10 {
		t.Errorf("an hour later %d are in, want 10", after.Admitted)
	}
	if wait := line.Wait(room, 5, start); wait < 24*time.Hour {
		t.Errorf("the wait is said to be %s", wait)
	}
	if wait := line.Wait(room, 0, start); wait != 0 {
		t.Errorf("whoever is let in waits %s", wait)
	}
	room.Rate = 20
	after, _ := line.Advance(room, start.Add(time.Hour))
	if n := after.Admitted - line.Admitted; n < 1 || n > 20 {
		t.Errorf("%d are let in at once after the pause, want a second's worth", n)
	}
}
