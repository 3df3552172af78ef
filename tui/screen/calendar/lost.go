package calendar

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/tui/ui"
)

// lookEvery is how often it is tried to find out what became of a save.
const lookEvery = 2 * time.Second

// lookUp asks whether the save whose answer was lost is among the last edits.
func (m *Model) lookUp() tea.Cmd {
	store, ref := m.store, m.draft.pool.Ref
	return m.draft.lookup.Ask(m.env, "calendar.lookup", readLimit, func(ctx context.Context) ([]inventory.ChangeSet, error) {
		return store.ChangeSets(ctx, ref, setsLimit)
	})
}

// lookAgain tries until the database has answered.
func (m *Model) lookAgain(now time.Time) []tea.Cmd {
	var cmds []tea.Cmd
	if d := m.draft; d != nil && d.progress == looking && d.lookup.Due(now, lookEvery) {
		cmds = append(cmds, m.lookUp())
	}
	if u := m.undo; u != nil && u.lost && u.lookup.Due(now, lookEvery) {
		cmds = append(cmds, m.lookUpUndo())
	}
	return cmds
}

// lookedUp tells "yes, it was saved" from "no, nothing changed". A no leaves the
// draft as it was: to save it again is safe, since the same versions can be
// replaced only once.
func (m *Model) lookedUp() tea.Cmd {
	d := m.draft
	if d.progress != looking || d.lookup.Err() != nil {
		return nil // asked again with the next tick
	}
	d.progress = editing
	for _, set := range d.lookup.Value() {
		if outcomeOf(d.sent, m.actor, set) {
			return m.savedWell(set)
		}
	}
	d.trouble = "the line broke while saving; looked: nothing was changed. Save again when you are ready"
	return tea.Batch(m.check(true), m.loadDays(), ui.Ask(ui.Say{Text: "it was not saved: nothing was changed", Bad: true}))
}

// outcomeOf reports that set is what saving the plan makes: the same days, by
// the same person for the same reason, each raised by one from the version that
// was on screen. No other edit can look like that.
func outcomeOf(sent saveChosen, actor inventory.Actor, set inventory.ChangeSet) bool {
	if set.Actor != actor.String() || set.Reason != sent.reason || set.Undoes != 0 {
		return false
	}
	wanted := map[date.Date]inventory.DayChange{}
	for _, c := range sent.plan.Changes {
		if c.Changes() {
			wanted[c.After.Day] = c
		}
	}
	return len(wanted) == len(set.Changes) && !slices.ContainsFunc(set.Changes, func(got inventory.DayChange) bool {
		want, ok := wanted[got.After.Day]
		return !ok || want.Missing != got.Missing || figuresOf(want.After) != figuresOf(got.After) ||
			!want.Missing && got.After.Version != want.Before.Version+1
	})
}

// figures are what an edit can change.
type figures struct {
	capacity, overbook int
	closed             bool
}

func figuresOf(d inventory.PoolDay) figures {
	return figures{d.Capacity, d.OverbookLimit, d.StopSell}
}
