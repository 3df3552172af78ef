package inventory

import (
	"errors"
	"time"
)

// WaitingRoom lets the buyers of one pool or event in at a steady rate. It is
// how staff see one: how it is set up and how far it has come.
type WaitingRoom struct {
	ID        int64
	Venue     string        // slug
	Name      string        // slug of the pool or event
	Kind      ClaimKind     // ClaimPool or ClaimSeats
	Rate      float64       // buyers let in a second; 0 pauses: those who are in stay in
	MaxActive int           // buyers who may be in at once without having placed a hold
	PassLife  time.Duration // how long a buyer who was let in may place a hold
	Open      bool          // closed: nobody has to wait
	Waiting   int64         // numbers given out and not let in
	Admitted  int64         // numbers let in since the room exists
	Active    int64         // of those, passes that are good and have placed no hold
	Version   int           // counts staff edits
}

// Defaults of a waiting room, and the bounds that Validate enforces.
const (
	DefaultWaitingRate = 50.0
	DefaultMaxActive   = 500
	DefaultPassLife    = 5 * time.Minute

	leastWaitingRate = 0.01
	mostWaitingRate  = 100_000
	mostActive       = 1_000_000
	shortestPass     = 10 * time.Second
	longestPass      = 24 * time.Hour
)

// NewWaitingRoom returns the closed room with the defaults that a pool or event
// has before staff set one up.
func NewWaitingRoom(venue, name string, kind ClaimKind) WaitingRoom {
	return WaitingRoom{Venue: venue, Name: name, Kind: kind, Rate: DefaultWaitingRate, MaxActive: DefaultMaxActive, PassLife: DefaultPassLife}
}

// Ref names the pool or event as VENUE/NAME.
func (r WaitingRoom) Ref() string { return r.Venue + "/" + r.Name }

// Validate reports every field that is wrong.
func (r WaitingRoom) Validate() error {
	errs := []error{CheckSlug("venue", r.Venue), CheckSlug("name", r.Name)}
	if r.Kind != ClaimPool && r.Kind != ClaimSeats {
		errs = append(errs, Invalid("kind", "must be a pool or an event"))
	}
	if r.Rate != 0 && !(r.Rate >= leastWaitingRate && r.Rate <= mostWaitingRate) { // NaN is neither
		errs = append(errs, Invalid("rate", "must be 0, which pauses, or from %v to %v buyers a second", leastWaitingRate, mostWaitingRate))
	}
	if r.MaxActive < 1 || r.MaxActive > mostActive {
		errs = append(errs, Invalid("max_active", "must be from 1 to %d", mostActive))
	}
	return errors.Join(append(errs, checkSpan("pass", r.PassLife, shortestPass, longestPass))...)
}

// WaitingRoomChange says what to change of the waiting room of a pool or event;
// a nil field is left alone.
type WaitingRoomChange struct {
	Venue, Name string
	Kind        ClaimKind
	Rate        *float64
	MaxActive   *int
	PassLife    *time.Duration
	Open        *bool
	Version     int // the room's that the decision was made on; 0 = any, and no room yet
	Reason      string
}

// Apply returns what the room becomes.
func (c WaitingRoomChange) Apply(to WaitingRoom) WaitingRoom {
	if c.Rate != nil {
		to.Rate = *c.Rate
	}
	if c.MaxActive != nil {
		to.MaxActive = *c.MaxActive
	}
	if c.PassLife != nil {
		to.PassLife = c.PassLife.Truncate(time.Microsecond)
	}
	if c.Open != nil {
		to.Open = *c.Open
	}
	return to
}

// SameConfiguration reports whether the two agree in all that a change can
// change, so that saving one over the other would be no edit.
func (r WaitingRoom) SameConfiguration(o WaitingRoom) bool {
	return r.Rate == o.Rate && r.MaxActive == o.MaxActive && r.PassLife == o.PassLife && r.Open == o.Open
}
