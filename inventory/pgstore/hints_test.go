package pgstore

import (
	"fmt"
	"testing"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
)

// A crowd that was refused is refused again without asking, for so many places or
// more, for as long as a hint lives; nobody else is.
func TestHints_refuseACrowdForAMoment(t *testing.T) {
	t.Parallel()
	clock := timezone.NewManualClock(time.Date(2027, time.January, 15, 10, 0, 0, 0, time.UTC))
	h := newHints()
	h.clock = clock
	day := date.New(2027, time.January, 15)
	request := func(quantity int) inventory.HoldRequest {
		return inventory.HoldRequest{Pool: inventory.PoolRef{Venue: "harbour", Pool: "main"}, Day: day, Quantity: quantity}
	}
	want := func(when string, quantity int, soldOut bool) {
		t.Helper()
		if h.soldOut(request(quantity)) != soldOut {
			t.Errorf("%s: %d places are sold out = %v", when, quantity, !soldOut)
		}
	}
	answer := func(n, quantity int, err error) {
		var batch []*waitingHold
		for i := range n {
			r := request(quantity)
			r.Buyer = fmt.Sprint("u-", i)
			batch = append(batch, &waitingHold{ask: plainHold{r: r}, err: err})
		}
		h.learn(batch, clock.Now())
	}
	want("at first", 4, false)
	answer(hintCrowd-1, 3, inventory.ErrSoldOut)
	want("before there is a crowd", 3, false)
	clock.Advance(time.Millisecond)
	answer(1, 3, inventory.ErrSoldOut)
	want("with a crowd", 3, true)
	want("with a crowd", 4, true)
	want("with a crowd", 2, false)
	tomorrow := request(9)
	tomorrow.Day = day.Add(1)
	if h.soldOut(tomorrow) {
		t.Error("another day is sold out")
	}
	clock.Advance(hintLife)
	want("after its life", 3, false)
	answer(1, 3, inventory.ErrSoldOut)
	want("asked again, with the crowd still there", 3, true)
	clock.Advance(-time.Hour)
	want("after the clock was put back", 3, false)
	clock.Advance(time.Hour)
	want("and put right", 3, true)
	answer(1, 3, nil)
	want("after one was placed all the same", 3, false)

	answer(hintCrowd, 3, inventory.ErrSoldOut)
	want("again", 3, true)
	h.forget()
	want("after something changed", 3, false)
	answer(1, 3, inventory.ErrSoldOut) // asked before that
	want("from an answer of before", 3, false)
	clock.Advance(time.Millisecond)
	answer(1, 3, inventory.ErrSoldOut)
	want("from an answer of after", 3, true)
	clock.Advance(crowdSpan + hintLife)
	answer(1, 3, inventory.ErrSoldOut)
	want("when the crowd has gone", 3, false)
}
