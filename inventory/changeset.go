package inventory

import (
	"time"

	"github.com/rickb777/date"
)

// DayPlan is an edit of many pool days as it would come out now: seen before
// it is saved, and saved all or nothing against the versions it was made from.
type DayPlan struct {
	Pool     Pool
	Edit     DayEdit
	Changes  []DayChange // sorted by day; lines that change nothing included
	Problems []error     // one FieldError per day that cannot take the edit
	AsOf     time.Time   // database clock
}

// Changing counts the lines that would change something.
func (p DayPlan) Changing() int {
	n := 0
	for _, c := range p.Changes {
		if c.Changes() {
			n++
		}
	}
	return n
}

// ChangeSet is one saved edit of pool days, and what undo puts back.
type ChangeSet struct {
	ID       int64
	Pool     PoolRef
	At       time.Time
	Actor    string
	Reason   string
	Undoes   int64 // the change set that this one took back, 0 for an ordinary edit
	UndoneBy int64 // the change set that took this one back, 0 if it stands
	Changes  []DayChange
}

// StaleDays says which days of a plan were edited by someone else meanwhile;
// nothing was saved. It matches ErrStale.
type StaleDays struct {
	Days []StaleDay
}

// StaleDay is one day that moved: what the loser saw and what stands now.
type StaleDay struct {
	Seen PoolDay
	Now  PoolDay // with EditedBy and EditedAt
}

func (e *StaleDays) Error() string {
	if len(e.Days) == 0 {
		return ErrStale.Error()
	}
	d := e.Days[0]
	one := (&StaleError{Object: "day " + d.Seen.Day.String(), Seen: d.Seen.Version, Current: d.Now.Version, By: d.Now.EditedBy}).Error()
	if len(e.Days) > 1 {
		one += " (and other days too)"
	}
	return one + "; nothing was saved"
}

// Is makes StaleDays match ErrStale.
func (e *StaleDays) Is(target error) bool { return target == ErrStale }

// DayRange is a span of local days, both ends included.
type DayRange struct{ From, To date.Date }
