package cockpit

import (
	"time"

	"holdfast/inventory"
)

// admittedSpan is the while over which it is measured how fast a room lets
// buyers in.
const admittedSpan = 20 * time.Second

// admitted measures how fast waiting rooms let buyers in, from one reading to
// the next. The zero value is ready.
type admitted struct{ seen []reading }

type reading struct {
	at   time.Time
	byID map[int64]int64
}

// see takes a reading.
func (a *admitted) see(rooms []inventory.WaitingRoom, at time.Time) {
	if n := len(a.seen); n > 0 && !at.After(a.seen[n-1].at) {
		a.seen = nil // the clock was put back
	}
	r := reading{at: at, byID: map[int64]int64{}}
	for _, room := range rooms {
		r.byID[room.ID] = room.Admitted
	}
	a.seen = append(a.seen, r)
	for len(a.seen) > 2 && at.Sub(a.seen[0].at) > admittedSpan {
		a.seen = a.seen[1:]
	}
}

// second is how many a room lets in a second, and false while it is not known.
func (a *admitted) second(room int64) (float64, bool) {
	for i, r := range a.seen {
		first, known := r.byID[room]
		if !known || i == len(a.seen)-1 {
			continue
		}
		last := a.seen[len(a.seen)-1]
		now, known := last.byID[room]
		if !known || now < first { // a new line
			return 0, false
		}
		span := last.at.Sub(r.at)
		return float64(now-first) / span.Seconds(), span >= time.Second
	}
	return 0, false
}
