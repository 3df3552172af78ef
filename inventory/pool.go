package inventory

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rickb777/date"
)

// PoolRef names a pool from outside: venue and pool slug, written
// "harbour/main".
type PoolRef struct{ Venue, Pool string }

// ParsePoolRef reads "VENUE/POOL"; field names the input in the error.
func ParsePoolRef(field, s string) (PoolRef, error) {
	venue, pool, err := parseRef(field, s, "VENUE/POOL")
	return PoolRef{venue, pool}, err
}

func (r PoolRef) String() string { return r.Venue + "/" + r.Pool }

// Pool is something counted per local day at a venue.
type Pool struct {
	ID          int64
	Ref         PoolRef
	Name        string
	Price       Money // for one
	MaxPerBuyer int   // live bookings of one buyer on one day; 0 = no limit
	HorizonDays int   // how many days ahead the horizon job keeps days
	Week        Week  // what a new day starts with
	Late        LateRule
	Version     int
}

// LateRule is a pool's own rule for late money; zero fields leave it to the
// venue.
type LateRule struct {
	Policy   LatePolicy
	Deadline time.Duration
}

// DayTemplate is what the horizon job gives a new pool day.
type DayTemplate struct {
	Capacity      int
	OverbookLimit int
	Closed        bool // the day is made with stop_sell
}

// Week is the weekly template, Monday first, as in ISO 8601.
type Week [7]DayTemplate

// For returns the template for the weekday of d.
func (w Week) For(d date.Date) DayTemplate {
	return w[(int(d.Weekday())+6)%7] // time.Sunday is 0, ISO Monday is our 0
}

// EveryDay returns a week with the same template on each day.
func EveryDay(t DayTemplate) Week {
	var w Week
	for i := range w {
		w[i] = t
	}
	return w
}

// MaxHorizonDays bounds how far ahead days are kept.
const MaxHorizonDays = 730

// Validate reports every field that is wrong.
func (p Pool) Validate() error {
	errs := []error{CheckSlug("pool", p.Ref.Pool), CheckText("name", p.Name, maxName)}
	if p.Price.Minor < 0 || p.Price.Minor > 1_000_000_000_000 {
		errs = append(errs, Invalid("price", "must not be negative or absurdly large"))
	}
	if p.MaxPerBuyer < 0 || p.MaxPerBuyer > 1000 {
		errs = append(errs, Invalid("max_per_buyer", "must be from 0 (no limit) to 1000"))
	}
	if p.HorizonDays < 0 || p.HorizonDays > MaxHorizonDays {
		errs = append(errs, Invalid("horizon", "must be from 0 to %d days", MaxHorizonDays))
	}
	if p.Late.Policy != "" {
		errs = append(errs, checkPolicy(p.Late.Policy))
	}
	errs = append(errs, checkSpan("late_deadline", p.Late.Deadline, 0, maxDeadline))
	for i, t := range p.Week {
		day := time.Weekday((i + 1) % 7)
		errs = append(errs, checkCount("week "+day.String()+" capacity", t.Capacity),
			checkCount("week "+day.String()+" overbook", t.OverbookLimit))
	}
	return errors.Join(errs...)
}

func checkCount(field string, n int) error {
	if n < 0 || n > MaxCapacity {
		return Invalid(field, "must be from 0 to %d", MaxCapacity)
	}
	return nil
}

// PoolDay is one local date of a pool.
type PoolDay struct {
	PoolID        int64
	Day           date.Date
	Capacity      int
	OverbookLimit int
	Taken         int // sum of the quantities of its live bookings
	StopSell      bool
	SalesFrom     time.Time // zero: on sale as soon as it exists
	SalesUntil    time.Time // the cut-off; the end of the local day unless staff chose another
	Version       int       // counts staff edits, never sales
	Held          int       // part of Taken that is HELD or PAYMENT_PENDING; filled by lists only
	EditedBy      string    // who edited it last, "" if nobody did
	EditedAt      time.Time
}

// SellLimit is capacity + overbook_limit.
func (d PoolDay) SellLimit() int { return d.Capacity + d.OverbookLimit }

// Left is how many can still be taken, never negative.
func (d PoolDay) Left() int { return max(0, d.SellLimit()-d.Taken) }

// Oversold is how many more are taken than the sell limit allows. It is above
// zero only after staff lowered a day that had sold more.
func (d PoolDay) Oversold() int { return max(0, d.Taken-d.SellLimit()) }

// Admit is the one rule that decides whether quantity more may be taken at
// now: nil, ErrStopSell, ErrNotOnSale, ErrCutoffPassed or ErrSoldOut. The SQL
// function admission is the same rule, and a property test compares the two;
// the function decides, this one explains.
func (d PoolDay) Admit(quantity int, now time.Time) error {
	switch {
	case d.StopSell:
		return ErrStopSell
	case !d.SalesFrom.IsZero() && now.Before(d.SalesFrom):
		return ErrNotOnSale
	case !now.Before(d.SalesUntil):
		return ErrCutoffPassed
	case d.Taken+quantity > d.SellLimit():
		return ErrSoldOut
	}
	return nil
}

// DayEdit says what to change on some pool days; a nil field is left alone.
type DayEdit struct {
	Capacity      *Adjust
	OverbookLimit *Adjust
	StopSell      *bool
}

// Adjust sets a count (=140), or changes it (+20, -5).
type Adjust struct {
	N        int
	Relative bool
}

// ParseAdjust reads "140", "=140", "+20" or "-5".
func ParseAdjust(field, s string) (Adjust, error) {
	a := Adjust{}
	text := strings.TrimSpace(s)
	sign := 1
	switch {
	case strings.HasPrefix(text, "="):
		text = text[1:]
	case strings.HasPrefix(text, "+"):
		text, a.Relative = text[1:], true
	case strings.HasPrefix(text, "-"):
		text, a.Relative, sign = text[1:], true, -1
	}
	if !digits(text) || len(text) > 7 {
		return a, Invalid(field, "must be a whole number up to %d, such as 140, +20 or -5", MaxCapacity)
	}
	for _, r := range text {
		a.N = a.N*10 + int(r-'0')
	}
	a.N *= sign
	return a, nil
}

// Apply returns what before becomes.
func (a Adjust) Apply(before int) int {
	if a.Relative {
		return before + a.N
	}
	return a.N
}

func (a Adjust) String() string {
	if a.Relative {
		return fmt.Sprintf("%+d", a.N)
	}
	return fmt.Sprintf("=%d", a.N)
}

// Empty reports whether the edit changes nothing.
func (e DayEdit) Empty() bool {
	return e.Capacity == nil && e.OverbookLimit == nil && e.StopSell == nil
}

// DayChange is one line of a plan: a day before and after an edit.
type DayChange struct {
	Before  PoolDay
	After   PoolDay
	Missing bool // the pool has no such day yet; saving makes it
}

// Changes reports whether saving this line would change anything.
func (c DayChange) Changes() bool {
	return c.Missing || c.Before.Capacity != c.After.Capacity ||
		c.Before.OverbookLimit != c.After.OverbookLimit || c.Before.StopSell != c.After.StopSell
}

// Plan applies e to d and reports what would come out, or a FieldError if a
// count leaves its bounds.
func (e DayEdit) Plan(d PoolDay) (DayChange, error) {
	after := d
	if e.Capacity != nil {
		after.Capacity = e.Capacity.Apply(d.Capacity)
	}
	if e.OverbookLimit != nil {
		after.OverbookLimit = e.OverbookLimit.Apply(d.OverbookLimit)
	}
	if e.StopSell != nil {
		after.StopSell = *e.StopSell
	}
	err := errors.Join(checkCount("capacity", after.Capacity), checkCount("overbook", after.OverbookLimit))
	return DayChange{Before: d, After: after}, err
}
