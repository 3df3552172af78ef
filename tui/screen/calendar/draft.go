package calendar

import (
	"slices"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// The fields of the editor.
const (
	fieldDays     = "days"
	fieldCapacity = "capacity"
	fieldOverbook = "overbook"
	fieldState    = "state"
	fieldReason   = "reason"
)

// What the State field can say.
const (
	stateKeep   = "keep"
	stateOpen   = "open"
	stateClosed = "closed"
)

// draft is an edit of days that is not saved. Nothing but saving or dropping it
// ends it: not a refresh, not a conflict, not another screen.
type draft struct {
	pool  inventory.Pool
	venue string // its name

	given []date.Date       // the days that it was opened for
	label string            // how the Days field names them
	seen  map[date.Date]int // versions of the days that were on screen when it was opened

	form  widget.Form
	start input // the form as it was opened

	check    ui.Query[answer]
	outdated bool      // it is known that the plan cannot be saved as it is
	asked    bool      // the plan was asked for by a key, so it is looked at
	came     time.Time // when the plan was answered
	scroll   int       // of the plan's lines
	progress progress
	sent     saveChosen // what is being saved
	lookup   ui.Query[[]inventory.ChangeSet]
	trouble  string // why the last try saved nothing
}

// answer is a plan together with the input that it answers, so that a plan can
// never be taken for that of another input.
type answer struct {
	input input
	plan  inventory.DayPlan
}

// progress is how far a draft is.
type progress uint8

const (
	editing progress = iota
	saving           // sent, no answer yet
	looking          // the answer was lost: looking whether it was saved
)

// input is everything that decides what an edit would do.
type input struct{ days, capacity, overbook, state string }

// newDraft opens an edit of days, which must not be empty; byDay is what is on
// screen.
func newDraft(pool inventory.Pool, venue, label string, days []date.Date, byDay map[date.Date]inventory.PoolDay) *draft {
	d := &draft{pool: pool, venue: venue}
	d.form = widget.NewForm(
		widget.TextInput(fieldDays, "Days", label, "fri 2027-01"),
		widget.NumberInput(fieldCapacity, "Capacity", "", ""),
		widget.NumberInput(fieldOverbook, "Overbook", "", ""),
		widget.ChoiceInput(fieldState, "State", stateKeep, stateKeep, stateOpen, stateClosed),
		widget.TextInput(fieldReason, "Reason", "", "goes to the log"),
	)
	d.form.FocusOn(fieldCapacity)
	d.retarget(label, days, byDay)
	d.start = d.input()
	return d
}

// retarget makes the draft one of other days and keeps everything else that was
// typed.
func (d *draft) retarget(label string, days []date.Date, byDay map[date.Date]inventory.PoolDay) {
	d.given, d.label, d.start.days = days, label, label
	d.seen = map[date.Date]int{}
	var known []inventory.PoolDay
	for _, day := range days {
		if row, ok := byDay[day]; ok {
			d.seen[day] = row.Version
			known = append(known, row)
		}
	}
	d.form.Set(fieldDays, label)
	d.note(fieldDays, count(len(days), "day"))
	d.note(fieldCapacity, nowWords(known, func(p inventory.PoolDay) int { return p.Capacity }))
	d.note(fieldOverbook, nowWords(known, func(p inventory.PoolDay) int { return p.OverbookLimit }))
}

// nowWords says what a count is now on the days that are known.
func nowWords(days []inventory.PoolDay, of func(inventory.PoolDay) int) string {
	if len(days) == 0 {
		return ""
	}
	low, high := of(days[0]), of(days[0])
	for _, d := range days {
		low, high = min(low, of(d)), max(high, of(d))
	}
	if low == high {
		return "now " + thousands(low)
	}
	return "now " + thousands(low) + " to " + thousands(high)
}

func (d *draft) note(field, text string) {
	for i := range d.form.Inputs {
		if d.form.Inputs[i].Name == field {
			d.form.Inputs[i].Note = text
		}
	}
}

// noteDays says beside the Days field how many days its text means, as far as it
// means any yet.
func (d *draft) noteDays(today date.Date) {
	if days, err := d.days(today); err == nil {
		d.note(fieldDays, count(len(days), "day"))
		return
	}
	d.note(fieldDays, "")
}

// days is what the Days field means: the days that the draft was opened for as
// long as it is as it was.
func (d *draft) days(today date.Date) ([]date.Date, error) {
	text := d.form.Value(fieldDays)
	if text == d.label {
		return d.given, nil
	}
	rule, err := timezone.ParseDays(text, today)
	return rule.Expand(), err
}

func (d *draft) input() input {
	return input{
		days: d.form.Value(fieldDays), capacity: d.form.Value(fieldCapacity),
		overbook: d.form.Value(fieldOverbook), state: d.form.Value(fieldState),
	}
}

// touched reports that something was typed that would be lost.
func (d *draft) touched() bool {
	return d.input() != d.start || d.form.Value(fieldReason) != "" || d.progress != editing
}

// busy reports that an answer decides whether the draft is saved.
func (d *draft) busy() bool { return d.progress != editing }

func (d *draft) busyWords() string {
	if d.progress == looking {
		return "looking whether it was saved"
	}
	return "being saved; it cannot be done twice"
}

// extent is how much the draft is about.
func (d *draft) extent() string {
	if d.form.Value(fieldDays) == d.label {
		return count(len(d.given), "day")
	}
	return "days"
}

// parse reads the form. What is wrong is said by field; days and edit count only
// when nothing is.
func (d *draft) parse(today date.Date) (days []date.Date, edit inventory.DayEdit, wrong map[string]string) {
	wrong = map[string]string{}
	days, err := d.days(today)
	if err != nil {
		wrong[fieldDays] = problemOf(err)
	}
	edit.Capacity = adjust(fieldCapacity, d.form.Value(fieldCapacity), wrong)
	edit.OverbookLimit = adjust(fieldOverbook, d.form.Value(fieldOverbook), wrong)
	if state := d.form.Value(fieldState); state != stateKeep {
		closed := state == stateClosed
		edit.StopSell = &closed
	}
	if reason := d.form.Value(fieldReason); reason != "" {
		if err := inventory.CheckReason(reason); err != nil {
			wrong[fieldReason] = inventory.FieldErrors(err)[0].Problem
		}
	}
	if edit.Empty() && len(wrong) == 0 {
		wrong[fieldCapacity] = "nothing to change yet: fill in capacity, overbook or state"
	}
	return days, edit, wrong
}

func adjust(field, text string, wrong map[string]string) *inventory.Adjust {
	if text == "" {
		return nil
	}
	a, err := inventory.ParseAdjust(field, text)
	if err != nil {
		wrong[field] = inventory.FieldErrors(err)[0].Problem
		return nil
	}
	return &a
}

// current reports that the plan on screen answers what the form says now.
func (d *draft) current() bool {
	_, running := d.check.Running()
	return !running && !d.outdated && d.check.Ready() && d.check.Err() == nil && d.check.Value().input == d.input()
}

// readable reports that the plan has been on screen long enough to be read, or was
// asked for. One that came by itself while the fingers were on their way to enter
// was not.
func (d *draft) readable(now time.Time) bool { return d.asked || now.Sub(d.came) >= readAfter }

// plan is the last plan, current or not.
func (d *draft) plan() inventory.DayPlan { return d.check.Value().plan }

// movedSince is the days of the plan that were edited after the draft was opened,
// as the plan found them.
func (d *draft) movedSince() []inventory.PoolDay {
	var out []inventory.PoolDay
	for _, c := range d.plan().Changes {
		if version, ok := d.seen[c.Before.Day]; ok && version != c.Before.Version {
			out = append(out, c.Before)
		}
	}
	return out
}

// overtaken is the days of the plan that the newest numbers on screen show with
// another version than the plan has.
func (d *draft) overtaken(byDay map[date.Date]inventory.PoolDay) []inventory.PoolDay {
	var out []inventory.PoolDay
	for _, c := range d.plan().Changes {
		if row, ok := byDay[c.Before.Day]; ok && row.Version != c.Before.Version {
			out = append(out, row)
		}
	}
	return out
}

// without is the plan without some days.
func without(plan inventory.DayPlan, days []date.Date) inventory.DayPlan {
	plan.Changes = slices.DeleteFunc(slices.Clone(plan.Changes), func(c inventory.DayChange) bool {
		return slices.Contains(days, c.Before.Day)
	})
	return plan
}
