package inventory

import (
	"errors"
	"slices"
	"time"

	"github.com/rickb777/date"
)

// ResourceRef names a resource from outside: venue and resource slug, written
// "harbour/studio-a".
type ResourceRef struct{ Venue, Resource string }

// ParseResourceRef reads "VENUE/RESOURCE"; field names the input in the error.
func ParseResourceRef(field, s string) (ResourceRef, error) {
	venue, resource, err := parseRef(field, s, "VENUE/RESOURCE")
	return ResourceRef{venue, resource}, err
}

func (r ResourceRef) String() string { return r.Venue + "/" + r.Resource }

// Resource is something bookable by [from, to).
type Resource struct {
	ID           int64
	VenueID      int64
	Ref          ResourceRef
	Name         string
	Zone         string // the venue's
	Week         OpeningWeek
	ClosedDays   []date.Date   // in order, from yesterday on (its hours may reach into today); filled by Resource and Resources
	Slot         time.Duration // 0: any range within the hours; else ranges are made of slots
	Turnaround   time.Duration // kept free after each booking
	MinStay      time.Duration // real time
	MaxStay      time.Duration
	PricePerHour Money // by real hours
	StopSell     bool
	Version      int // counts staff edits
}

// Defaults and bounds of a resource.
const (
	DefaultMinStay = time.Minute
	DefaultMaxStay = 24 * time.Hour
	minStay        = time.Minute
	longestStay    = 366 * 24 * time.Hour
	longestSlot    = 24 * time.Hour
)

// Validate reports every field that is wrong.
func (r Resource) Validate() error {
	errs := []error{
		CheckSlug("venue", r.Ref.Venue), CheckSlug("resource", r.Ref.Resource), CheckText("name", r.Name, maxName),
		checkSpan("buffer", r.Turnaround, 0, longestSlot),
		checkSpan("min_stay", r.MinStay, minStay, longestStay),
		checkSpan("max_stay", r.MaxStay, r.MinStay, longestStay),
		checkWholeMinutes("slot", r.Slot), checkWholeMinutes("buffer", r.Turnaround),
		checkWholeMinutes("min_stay", r.MinStay), checkWholeMinutes("max_stay", r.MaxStay),
	}
	if r.Slot != 0 {
		errs = append(errs, checkSpan("slot", r.Slot, time.Minute, longestSlot))
		if r.Slot > r.MaxStay {
			errs = append(errs, Invalid("max_stay", "must not be shorter than a slot"))
		}
	}
	errs = append(errs, r.Week.check())
	if r.PricePerHour.Minor < 0 || r.PricePerHour.Minor > 1_000_000_000 {
		errs = append(errs, Invalid("price_per_hour", "must not be negative or absurdly large"))
	}
	return errors.Join(errs...)
}

func checkWholeMinutes(field string, d time.Duration) error {
	if d%time.Minute != 0 {
		return Invalid(field, "must be whole minutes")
	}
	return nil
}

// Price is what a stay of this real length costs, half a minor unit rounded up.
func (r Resource) Price(stay time.Duration) Money {
	seconds := int64(stay / time.Second)
	perHour := int64(r.PricePerHour.Minor)
	return Money{Minor: Minor((perHour*seconds + 1800) / 3600), Currency: r.PricePerHour.Currency}
}

// Admit is the rule for the resource as a whole: nil, ErrStopSell or
// ErrCutoffPassed. The SQL function resource_admission is the same rule and
// decides; the range must also be free.
func (r Resource) Admit(during Range, now time.Time) error {
	switch {
	case r.StopSell:
		return ErrStopSell
	case !now.Before(during.From):
		return ErrCutoffPassed
	}
	return nil
}

// ResourceEdit says what to change of a resource; a nil field is left alone.
type ResourceEdit struct {
	Name         *string
	Week         *OpeningWeek
	Slot         *time.Duration
	Turnaround   *time.Duration
	MinStay      *time.Duration
	MaxStay      *time.Duration
	PricePerHour *Minor
	StopSell     *bool
	CloseDays    []date.Date // closed from now on
	OpenDays     []date.Date // no longer closed
}

// maxEditDays bounds the days that one edit closes or opens.
const maxEditDays = 1000

// Apply returns r as the edit makes it, but for the closed days, which are kept
// apart.
func (e ResourceEdit) Apply(r Resource) Resource {
	set(&r.Name, e.Name)
	set(&r.Week, e.Week)
	set(&r.Slot, e.Slot)
	set(&r.Turnaround, e.Turnaround)
	set(&r.MinStay, e.MinStay)
	set(&r.MaxStay, e.MaxStay)
	set(&r.PricePerHour.Minor, e.PricePerHour)
	set(&r.StopSell, e.StopSell)
	return r
}

func set[T any](field, to *T) {
	if to != nil {
		*field = *to
	}
}

// CheckDays reports what is wrong with the days to close and to open.
func (e ResourceEdit) CheckDays() error {
	var errs []error
	for _, list := range []struct {
		field string
		days  []date.Date
	}{{"close_day", e.CloseDays}, {"open_day", e.OpenDays}} {
		if len(list.days) > maxEditDays {
			errs = append(errs, Invalid(list.field, "are more than %d days", maxEditDays))
		}
		for _, day := range list.days {
			if day.Year() < 2000 || day.Year() > 2199 {
				errs = append(errs, Invalid(list.field, "%s is not between 2000 and 2199", day))
			}
		}
	}
	for _, day := range e.OpenDays {
		if slices.Contains(e.CloseDays, day) {
			errs = append(errs, Invalid("open_day", "%s is to be closed too", day))
		}
	}
	return errors.Join(errs...)
}

// SameSettings reports whether staff would see no difference between two
// readings of a resource, closed days aside.
func (r Resource) SameSettings(o Resource) bool {
	return r.Name == o.Name && r.Week == o.Week && r.Slot == o.Slot && r.Turnaround == o.Turnaround &&
		r.MinStay == o.MinStay && r.MaxStay == o.MaxStay && r.PricePerHour == o.PricePerHour && r.StopSell == o.StopSell
}

// RangeHoldRequest asks for a resource for [From, To).
type RangeHoldRequest struct {
	Resource       ResourceRef
	During         Range
	Buyer          string
	Client         Client
	IdempotencyKey string // "" only for staff, who see what happened
	Comp           bool   // staff give it without payment: straight to CONFIRMED
	Reason         string // required with Comp
	Actor          Actor
}

// Validate reports every field that is wrong.
func (r RangeHoldRequest) Validate() error {
	errs := []error{
		CheckSlug("resource", r.Resource.Venue), CheckSlug("resource", r.Resource.Resource),
		CheckText("buyer", r.Buyer, maxName), r.During.check(),
	}
	if r.IdempotencyKey != "" {
		errs = append(errs, CheckIdempotencyKey(r.IdempotencyKey))
	}
	if r.Comp {
		errs = append(errs, CheckReason(r.Reason))
	}
	return errors.Join(errs...)
}

func (r Range) check() error {
	switch {
	case r.From.IsZero():
		return Invalid("from", "is missing")
	case r.To.IsZero():
		return Invalid("to", "is missing")
	case !r.From.Before(r.To):
		return Invalid("to", "must be after from")
	case r.From.Year() < 2000 || r.To.Year() > 2199:
		return Invalid("from", "must be between 2000 and 2199")
	case r.From.Nanosecond() != 0 || r.To.Nanosecond() != 0:
		return Invalid("from", "must be whole seconds")
	}
	return nil
}

// Slot is a range of a resource's grid on a local day, with whether it is free.
type Slot struct {
	Range
	Free    bool
	Booking BookingID // who has it, for staff; zero if free, or kept free by a turnaround
}

// RangeTakenError is ErrRangeTaken with what stands in the way, which staff may
// know and buyers may not.
type RangeTakenError struct {
	Booking BookingID
	During  Range
	Buyer   string
}

func (e *RangeTakenError) Error() string { return ErrRangeTaken.Error() }

// Unwrap makes it ErrRangeTaken.
func (e *RangeTakenError) Unwrap() error { return ErrRangeTaken }

// ResourceDay is a resource with what happens on one local day: what the line
// screen shows.
type ResourceDay struct {
	Resource Resource
	Day      date.Date
	Open     []Range   // empty: closed
	Bookings []Booking // live ones that overlap the local day, by start
	AsOf     time.Time
}
