package inventory

import (
	"errors"
	"time"

	"holdfast/timezone"
)

// LatePolicy says what happens to money that was captured for a hold that is
// over.
type LatePolicy string

// Late-payment policies (DESIGN.md of this folder tells them apart).
const (
	LateRefund LatePolicy = "refund" // give it back
	LateRevive LatePolicy = "revive" // keep or retake the place if admission allows, else give it back
	LateAsk    LatePolicy = "ask"    // keep the place if it never left, else wait for staff, and give it back at the deadline
)

// LatePolicies lists the policies, mildest surprise first.
var LatePolicies = []LatePolicy{LateAsk, LateRevive, LateRefund}

// Defaults of a venue, and the bounds that Validate enforces.
const (
	DefaultHoldTTL      = 10 * time.Minute
	DefaultHoldJitter   = 30 * time.Second
	DefaultHoldMaxLife  = time.Hour
	DefaultDoubtAfter   = 15 * time.Minute
	DefaultDoubtCap     = 24 * time.Hour
	DefaultLateDeadline = 24 * time.Hour

	minHoldTTL  = time.Second
	maxHoldTTL  = 24 * time.Hour
	maxDeadline = 720 * time.Hour
	maxHoldLife = 168 * time.Hour
)

// Venue is a place with a time zone, a currency and its rules for holds and
// late money.
type Venue struct {
	ID           int64
	Slug         string
	Name         string
	Zone         string   // IANA name; ParseZone accepts it, or the venue is flagged
	Currency     Currency // of every price and payment at this venue
	HoldTTL      time.Duration
	HoldJitter   time.Duration // each hold lives TTL + random(0..jitter), so that holds of one second do not end in one second
	HoldMaxLife  time.Duration // extending never passes created_at + this
	LatePolicy   LatePolicy
	LateDeadline time.Duration // how long `ask` waits for staff
	DoubtAfter   time.Duration // how long PAYMENT_PENDING keeps its place before the provider is asked
	DoubtCap     time.Duration // how long it keeps its place at most, if the provider never says
	Version      int           // counts staff edits
}

// Validate reports every field that is wrong.
func (v Venue) Validate() error {
	var errs []error
	errs = append(errs, CheckSlug("venue", v.Slug), CheckText("name", v.Name, maxName))
	if _, err := timezone.ParseZone(v.Zone); err != nil {
		errs = append(errs, Invalid("zone", "%s", err.Error()))
	}
	if _, err := ParseCurrency(string(v.Currency)); err != nil {
		errs = append(errs, err)
	}
	errs = append(errs,
		checkSpan("hold_ttl", v.HoldTTL, minHoldTTL, maxHoldTTL),
		checkSpan("hold_jitter", v.HoldJitter, 0, v.HoldTTL),
		checkSpan("hold_max_life", v.HoldMaxLife, v.HoldTTL+v.HoldJitter, maxHoldLife),
		checkSpan("late_deadline", v.LateDeadline, time.Second, maxDeadline),
		checkSpan("doubt_after", v.DoubtAfter, time.Second, 24*time.Hour),
		checkSpan("doubt_cap", v.DoubtCap, v.DoubtAfter, maxDeadline))
	errs = append(errs, checkPolicy(v.LatePolicy))
	return errors.Join(errs...)
}

func checkPolicy(p LatePolicy) error {
	switch p {
	case LateAsk, LateRevive, LateRefund:
		return nil
	}
	return Invalid("late_policy", "must be ask, revive or refund")
}

func checkSpan(field string, d, least, most time.Duration) error {
	if d < least || d > most {
		return Invalid(field, "must be from %s to %s", least, most)
	}
	return nil
}

// NewVenue returns a venue with the defaults of DESIGN.md filled in.
func NewVenue(slug, name, zone string, currency Currency) Venue {
	return Venue{
		Slug: slug, Name: name, Zone: zone, Currency: currency,
		HoldTTL: DefaultHoldTTL, HoldJitter: DefaultHoldJitter, HoldMaxLife: DefaultHoldMaxLife,
		LatePolicy: LateAsk, LateDeadline: DefaultLateDeadline, DoubtAfter: DefaultDoubtAfter,
		DoubtCap: DefaultDoubtCap,
	}
}
