package calendar_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/screen/calendar"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

// clerk is who sits at the console of the tests, jan at the other one.
var (
	mira = inventory.Staff("mira")
	jan  = inventory.Staff("jan")
)

var mainFloor = inventory.PoolRef{Venue: "harbour", Pool: "main"}

// desk is the store of the tests: the same rules as the real one, in memory. It
// is used from one goroutine only, as commands run in order.
type desk struct {
	now    time.Time
	venues []inventory.Venue
	pools  []inventory.Pool
	days   map[inventory.PoolRef]map[date.Date]inventory.PoolDay
	sets   []inventory.ChangeSet // oldest first

	readErr, planErr, saveErr, undoErr, setsErr error
	loseAnswer                                  bool // the next save is done, but says that nobody knows

	plans []inventory.DayPlan // what was answered
	saves []inventory.DayPlan // what was to be saved, done or not
	undos []int64
	moved []inventory.StaleDay // all that were reported
}

// newDesk is Harbour Hall with the Main floor from November 2026 to February
// 2027, filled as a venue is: weekends more than Mondays.
func newDesk() *desk {
	d := &desk{
		now:    time.Date(2026, 12, 4, 11, 38, 7, 0, time.UTC),
		venues: []inventory.Venue{inventory.NewVenue("harbour", "Harbour Hall", "Europe/Berlin", "EUR")},
		days:   map[inventory.PoolRef]map[date.Date]inventory.PoolDay{},
	}
	d.addPool(1, mainFloor, "Main floor", inventory.DayTemplate{Capacity: 120, OverbookLimit: 6})
	d.fill(mainFloor, date.New(2026, 11, 1), date.New(2027, 2, 28))
	d.put(date.New(2026, 12, 4), func(p *inventory.PoolDay) { p.Taken, p.Held = 119, 7; edited(p, 12, "2026-11-20T08:12:00Z") })
	d.put(date.New(2026, 12, 11), func(p *inventory.PoolDay) { p.OverbookLimit, p.Taken, p.Held, p.Version = 3, 124, 0, 9 })
	d.put(date.New(2026, 12, 18), func(p *inventory.PoolDay) { p.Capacity = 140; edited(p, 7, "2026-12-04T11:37:58Z") })
	d.put(date.New(2026, 12, 25), func(p *inventory.PoolDay) {
		p.Capacity, p.OverbookLimit, p.Taken, p.Held, p.StopSell, p.Version = 0, 0, 0, 0, true, 3
	})
	return d
}

func edited(p *inventory.PoolDay, version int, at string) {
	p.Version, p.EditedBy = version, jan.String()
	p.EditedAt, _ = time.Parse(time.RFC3339, at)
}

func (d *desk) addPool(id int64, ref inventory.PoolRef, name string, t inventory.DayTemplate) {
	d.pools = append(d.pools, inventory.Pool{
		ID: id, Ref: ref, Name: name, Price: inventory.Money{Minor: 2500, Currency: "EUR"}, HorizonDays: 90, Week: inventory.EveryDay(t),
	})
	d.days[ref] = map[date.Date]inventory.PoolDay{}
}

func (d *desk) pool(ref inventory.PoolRef) inventory.Pool {
	i := slices.IndexFunc(d.pools, func(p inventory.Pool) bool { return p.Ref == ref })
	if i < 0 {
		return inventory.Pool{}
	}
	return d.pools[i]
}

func (d *desk) zone(ref inventory.PoolRef) timezone.Zone {
	for _, v := range d.venues {
		if v.Slug == ref.Venue {
			if zone, err := timezone.ParseZone(v.Zone); err == nil {
				return zone
			}
		}
	}
	return timezone.UTC()
}

func (d *desk) fill(ref inventory.PoolRef, from, to date.Date) {
	for day := from; !day.After(to); day = day.Add(1) {
		row := d.template(ref, day)
		row.Version = 1
		row.Taken = row.Capacity * []int{76, 25, 30, 35, 40, 60, 94}[day.Weekday()] / 100
		row.Held = day.Day() % 4
		d.days[ref][day] = row
	}
}

func (d *desk) template(ref inventory.PoolRef, day date.Date) inventory.PoolDay {
	p := d.pool(ref)
	t := p.Week.For(day)
	_, end := timezone.DayBounds(day, d.zone(ref))
	return inventory.PoolDay{
		PoolID: p.ID, Day: day, Capacity: t.Capacity, OverbookLimit: t.OverbookLimit, StopSell: t.Closed, SalesUntil: end,
	}
}

// put changes a day of the Main floor behind everybody's back.
func (d *desk) put(day date.Date, change func(*inventory.PoolDay)) {
	row := d.days[mainFloor][day]
	change(&row)
	d.days[mainFloor][day] = row
}

func (d *desk) row(day date.Date) inventory.PoolDay { return d.days[mainFloor][day] }

// edit saves an edit of one day as somebody at another console does.
func (d *desk) edit(t testing.TB, by inventory.Actor, day date.Date, edit inventory.DayEdit) inventory.ChangeSet {
	t.Helper()
	set, err := d.apply(by, d.plan(mainFloor, []date.Date{day}, edit), "stage moved", 0)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func (d *desk) Venues(context.Context) ([]inventory.Venue, error) { return d.venues, d.readErr }

func (d *desk) Pools(context.Context, string) ([]inventory.Pool, error) { return d.pools, d.readErr }

func (d *desk) Days(_ context.Context, ref inventory.PoolRef, r inventory.DayRange) ([]inventory.PoolDay, error) {
	var out []inventory.PoolDay
	for day := r.From; !day.After(r.To); day = day.Add(1) {
		if row, ok := d.days[ref][day]; ok {
			out = append(out, row)
		}
	}
	return out, d.readErr
}

func (d *desk) ChangeSets(_ context.Context, ref inventory.PoolRef, limit int) ([]inventory.ChangeSet, error) {
	var out []inventory.ChangeSet
	for i := len(d.sets) - 1; i >= 0 && len(out) < limit; i-- {
		if d.sets[i].Pool == ref {
			out = append(out, d.sets[i])
		}
	}
	return out, d.setsErr
}

func (d *desk) PlanDays(_ context.Context, ref inventory.PoolRef, days []date.Date, edit inventory.DayEdit) (inventory.DayPlan, error) {
	if d.planErr != nil {
		return inventory.DayPlan{}, d.planErr
	}
	plan := d.plan(ref, days, edit)
	d.plans = append(d.plans, plan)
	return plan, nil
}

func (d *desk) plan(ref inventory.PoolRef, days []date.Date, edit inventory.DayEdit) inventory.DayPlan {
	plan := inventory.DayPlan{Pool: d.pool(ref), Edit: edit, AsOf: d.now}
	for _, day := range days {
		row, ok := d.days[ref][day]
		if !ok {
			row = d.template(ref, day)
		}
		change, err := edit.Plan(row)
		if err != nil {
			plan.Problems = append(plan.Problems, wrapDay(day, err))
			continue
		}
		change.Missing = !ok
		plan.Changes = append(plan.Changes, change)
	}
	return plan
}

func (d *desk) SaveDays(_ context.Context, actor inventory.Actor, plan inventory.DayPlan, reason string) (inventory.ChangeSet, error) {
	d.saves = append(d.saves, plan)
	if d.saveErr != nil {
		return inventory.ChangeSet{}, d.saveErr
	}
	set, err := d.apply(actor, plan, reason, 0)
	if d.loseAnswer && err == nil {
		d.loseAnswer = false
		return inventory.ChangeSet{}, inventory.ErrUnknownOutcome
	}
	return set, err
}

func (d *desk) apply(actor inventory.Actor, plan inventory.DayPlan, reason string, undoes int64) (inventory.ChangeSet, error) {
	var moved inventory.StaleDays
	set := inventory.ChangeSet{Pool: plan.Pool.Ref, At: d.now, Actor: actor.String(), Reason: reason, Undoes: undoes}
	for _, c := range plan.Changes {
		row, ok := d.days[plan.Pool.Ref][c.Before.Day]
		if ok == c.Missing || ok && changed(row, c.Before, undoes != 0) {
			moved.Days = append(moved.Days, inventory.StaleDay{Seen: c.Before, Now: row})
		} else if c.Changes() {
			set.Changes = append(set.Changes, c)
		}
	}
	d.moved = append(d.moved, moved.Days...)
	if len(moved.Days) > 0 {
		return inventory.ChangeSet{}, &moved
	}
	if len(set.Changes) == 0 {
		return set, nil
	}
	set.ID = int64(len(d.sets) + 1)
	for i, c := range set.Changes {
		row := d.days[plan.Pool.Ref][c.Before.Day]
		if c.Missing {
			row = c.After
		}
		row.Capacity, row.OverbookLimit, row.StopSell = c.After.Capacity, c.After.OverbookLimit, c.After.StopSell
		row.Version, row.EditedBy, row.EditedAt = row.Version+1, actor.String(), d.now
		d.days[plan.Pool.Ref][c.Before.Day] = row
		set.Changes[i].After = row
	}
	d.sets = append(d.sets, set)
	return set, nil
}

// changed is the store's rule: an edit asks for the version that it was made on,
// an undo for the figures that it left.
func changed(now, seen inventory.PoolDay, undo bool) bool {
	if undo {
		return now.Capacity != seen.Capacity || now.OverbookLimit != seen.OverbookLimit || now.StopSell != seen.StopSell
	}
	return now.Version != seen.Version
}

func (d *desk) UndoDays(_ context.Context, actor inventory.Actor, change int64, reason string) (inventory.ChangeSet, error) {
	d.undos = append(d.undos, change)
	if d.undoErr != nil {
		return inventory.ChangeSet{}, d.undoErr
	}
	i := slices.IndexFunc(d.sets, func(s inventory.ChangeSet) bool { return s.ID == change })
	if i < 0 {
		return inventory.ChangeSet{}, inventory.ErrNotFound
	}
	if d.sets[i].UndoneBy != 0 {
		return inventory.ChangeSet{}, inventory.ErrNotAllowed
	}
	plan := inventory.DayPlan{Pool: d.pool(d.sets[i].Pool)}
	for _, c := range d.sets[i].Changes {
		back := c.After
		back.Capacity, back.OverbookLimit, back.StopSell = c.Before.Capacity, c.Before.OverbookLimit, c.Before.StopSell || c.Missing
		plan.Changes = append(plan.Changes, inventory.DayChange{Before: c.After, After: back})
	}
	set, err := d.apply(actor, plan, reason, change)
	if err == nil {
		d.sets[i].UndoneBy = set.ID
	}
	if d.loseAnswer && err == nil {
		d.loseAnswer = false
		return inventory.ChangeSet{}, inventory.ErrUnknownOutcome
	}
	return set, err
}

// options make a console of the desk's calendar.
func (d *desk) options() tuitest.Options {
	return tuitest.Options{Screen: func(env *ui.Env) ui.Screen { return calendar.New(env, d, mira) }}
}

// open opens a console at the desk.
func (d *desk) open(t testing.TB) *tuitest.Console {
	t.Helper()
	return tuitest.Open(t, d.options())
}

// rest lets the timers run out that typing has set, and the eyes look at what
// has come: the hands are still for more than a second.
func rest(c *tuitest.Console) {
	stop(c)
	c.Clock.Advance(time.Second)
}

// stop lets the timers run out that typing has set: the hands stop for a moment.
func stop(c *tuitest.Console) {
	timed := c.Timed
	c.Timed = nil
	c.Drive(timed...)
}

func equal(t testing.TB, what string, got, want any) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func wrapDay(day date.Date, err error) error { return fmt.Errorf("%s: %w", day, err) }
