package inventory

import (
	"time"

	"github.com/rickb777/date"
)

// Selling is one pool day or event that sells now or next, and how full it is.
type Selling struct {
	Kind  ClaimKind // ClaimPool or ClaimSeats
	Pool  PoolRef   // of a pool day
	Event EventRef  // of an event
	Name  string
	Day   date.Date // the pool day; of an event the local day on which it starts

	Limit      int // what may be taken; the seats that are not killed
	Taken      int // holds and confirmed bookings, in places or seats
	Held       int // of those: held, or being paid for
	Holds      int // live holds; ends at SellingMost
	Paying     int // bookings whose payment is under way; ends at SellingMost
	Zombies    int // payments for it that wait for staff
	Recent     int // holds placed since SellingList.Since
	StopSell   bool
	SalesFrom  time.Time // zero: at once
	SalesUntil time.Time
	Version    int // counts staff edits
}

// Left is how many can still be taken, never negative.
func (s Selling) Left() int { return max(0, s.Limit-s.Taken) }

// Oversold is how many more are taken than may be.
func (s Selling) Oversold() int { return max(0, s.Taken-s.Limit) }

// Ref names the pool or event as VENUE/NAME.
func (s Selling) Ref() string {
	if s.Kind == ClaimSeats {
		return s.Event.String()
	}
	return s.Pool.String()
}

// Scope is its holds.
func (s Selling) Scope() HoldScope {
	if s.Kind == ClaimSeats {
		return HoldScope{Event: s.Event}
	}
	return HoldScope{Pool: s.Pool, Day: s.Day}
}

// SellingMost is where counts of Selling stop: "so many or more".
const SellingMost = 10_000

// SellingList is what sells: the busiest first, then what is next.
type SellingList struct {
	Rows  []Selling
	AsOf  time.Time // the database's clock
	Since time.Time // since when Recent counts
}

// Minute is how many holds of a row were placed a minute.
func (l SellingList) Minute(s Selling) float64 {
	span := l.AsOf.Sub(l.Since)
	if span <= 0 {
		return 0
	}
	return float64(s.Recent) / max(span, time.Second).Minutes()
}
