package inventory

import (
	"errors"
	"time"

	"github.com/rickb777/date"
)

// HoldScope names the holds of one pool day, or of one event.
type HoldScope struct {
	Pool  PoolRef
	Day   date.Date
	Event EventRef // zero: the holds of a pool day are meant
}

// IsEvent reports that the holds of an event are meant.
func (s HoldScope) IsEvent() bool { return s.Event != EventRef{} }

func (s HoldScope) String() string {
	if s.IsEvent() {
		return "event " + s.Event.String()
	}
	return "day " + s.Pool.String() + " " + s.Day.String()
}

// Validate reports every field that is wrong.
func (s HoldScope) Validate() error {
	if s.IsEvent() {
		if s.Pool != (PoolRef{}) {
			return Invalid("event", "and pool contradict each other")
		}
		return errors.Join(CheckSlug("event", s.Event.Venue), CheckSlug("event", s.Event.Event))
	}
	errs := []error{CheckSlug("pool", s.Pool.Venue), CheckSlug("pool", s.Pool.Pool)}
	if s.Day.Year() < minYear || s.Day.Year() > maxYear {
		errs = append(errs, Invalid("day", "must be from the year %d to %d", minYear, maxYear))
	}
	return errors.Join(errs...)
}

// How much more time all holds of a day or event can be given at once.
const (
	ExtendAllLeast = time.Minute
	ExtendAllMost  = 30 * time.Minute
)

// CheckExtendAll refuses more or less time than that.
func CheckExtendAll(by time.Duration) error {
	if by < ExtendAllLeast || by > ExtendAllMost {
		return Invalid("by", "must be from %s to %s", "1m", "30m")
	}
	return nil
}

// ExtendedHolds is what became of the holds that were to get more time.
type ExtendedHolds struct {
	Extended  int // got it
	Shortened int // of those: got less, up to the longest that a hold may live there
	AtLimit   int // had all the time that a hold may have, and were left alone
	Over      int // were no holds any more when their turn came
	Busy      int // somebody kept them locked all the time, and they were left alone
}

// Add returns the sum of two.
func (e ExtendedHolds) Add(o ExtendedHolds) ExtendedHolds {
	return ExtendedHolds{e.Extended + o.Extended, e.Shortened + o.Shortened, e.AtLimit + o.AtLimit, e.Over + o.Over, e.Busy + o.Busy}
}
