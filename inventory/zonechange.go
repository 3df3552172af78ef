package inventory

import (
	"time"

	"github.com/rickb777/date"

	"holdfast/timezone"
)

// ZoneKeep says what stays when the rules of a venue's time change.
type ZoneKeep string

// What can be kept.
const (
	KeepLocal   ZoneKeep = "local"   // 19:30 stays 19:30; the instant moves
	KeepInstant ZoneKeep = "instant" // the instant stays; the wall shows something else
)

// Check refuses anything but the two.
func (k ZoneKeep) Check() error {
	switch k {
	case KeepLocal, KeepInstant:
		return nil
	}
	return Invalid("keep", "must be local or instant")
}

// CauseZone is a step that writes down by the rules of which zone a booking's
// local times are meant, when neither they nor the instants change.
const CauseZone Cause = "zone"

// Words for what is wrong with a wall time, in ZoneMove and in HTTP.
const (
	LocalTimeMissing = "LOCAL_TIME_MISSING" // clocks skip it
	LocalTimeDoubled = "LOCAL_TIME_DOUBLED" // clocks show it twice
)

// ZoneMove is one future booking, event or pool day whose instant or local day
// would move. Of a range it tells the start, or the end if only that would move
// or only that has a Problem; of a pool day the end of the local day.
type ZoneMove struct {
	Kind      string    // "range", "event" or "pool-day"
	Booking   BookingID // of a range
	Event     EventID   // of an event
	Name      string    // of the resource, event or pool
	Buyer     string    // of a range
	Day       date.Date // local day as stored
	Local     timezone.WallTime
	Stored    time.Time         // the instant as it is stored
	Would     time.Time         // the instant that the stored wall time has by the other rules; zero with a Problem
	LocalThen timezone.WallTime // what the wall would show at the stored instant
	Problem   string            // "" or LOCAL_TIME_MISSING, LOCAL_TIME_DOUBLED: the wall time by the other rules
	Choice    [2]time.Time      // with a Problem: the two instants that the wall time could mean
	Version   int
}

// ZonePreview is what another zone, or other rules of the same zone, would do
// to a venue's future bookings. Nothing is saved by asking.
type ZonePreview struct {
	Venue    string
	From, To string     // zone names; equal for a change of rules
	Future   int        // future bookings of all kinds
	Moves    []ZoneMove // what would move, by time; at most 1,000
	Moving   int        // how many would move, however many are listed
	Missing  int        // of them: wall times that clocks would skip
	Doubled  int
	NewDay   int // holds and bookings whose instant would belong to another local day
	AsOf     time.Time

	GoRules, DatabaseRules string      // versions or "unknown"
	RulesDiffer            []time.Time // instants in the coming years at which Go and PostgreSQL disagree about To
}
