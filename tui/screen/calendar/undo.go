package calendar

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
)

// undoing is an edit on its way to being put back.
type undoing struct {
	set    inventory.ChangeSet
	now    ui.Query[inventory.DayPlan] // how its days stand
	lookup ui.Query[[]inventory.ChangeSet]
	sent   bool
	lost   bool // the answer to the save was lost
}

// undoChosen says that an edit is to be put back.
type undoChosen struct {
	change int64
	reason string
}

// undone is the answer.
type undone struct {
	change int64
	set    inventory.ChangeSet
	err    error
}

// readUndo asks how the days of the last edit stand now, so that the question
// can say what putting it back would do.
func (m *Model) readUndo() tea.Cmd {
	set := m.mine()
	if set.ID == 0 || m.undo != nil {
		return nil
	}
	m.undo = &undoing{set: set}
	days := make([]date.Date, len(set.Changes))
	for i, c := range set.Changes {
		days[i] = c.After.Day
	}
	store, ref := m.store, set.Pool
	return m.undo.now.Ask(m.env, "calendar.undo-plan", readLimit, func(ctx context.Context) (inventory.DayPlan, error) {
		return store.PlanDays(ctx, ref, days, inventory.DayEdit{})
	})
}

// askUndo asks whether the edit is to be put back.
func (m *Model) askUndo() tea.Cmd {
	u := m.undo
	if err := u.now.Err(); err != nil {
		m.undo = nil
		return ui.Report("read the days of your last edit", err)
	}
	m.undo = nil
	plan, moved := undoPlan(u.set, u.now.Value())
	r := reviewOf(plan, m.today())
	pool, _ := m.poolOnScreen()
	days := count(len(u.set.Changes), "day")
	spec := dialog.Spec{
		Title:  strings.ToUpper("put back " + days),
		Intro:  []string{"Your edit of " + m.when(u.set.At) + ", " + pool.Name + ": " + changedDays(u.set.Changes) + "."},
		Facts:  facts(r),
		ReadAt: u.now.Value().AsOf.In(m.env.Zone()),
		Reason: "Reason (may be empty)",
		Actions: []dialog.Action{{
			Name: "undo", Label: "Put back " + days,
		}},
		Instant: true,
		Then:    func(c dialog.Choice) tea.Msg { return undoChosen{u.set.ID, c.Reason} },
	}
	if u.set.Reason != "" {
		spec.Intro = append(spec.Intro, "It was made for: "+u.set.Reason)
	}
	if len(moved) > 0 {
		spec.Actions[0].Dead = "a day was changed since: nothing can be put back as a whole"
		spec.Facts = m.movedFacts(u.set, moved)
		spec.Intro = append(spec.Intro, "It cannot be put back as a whole; edit these days instead.")
	}
	if len(r.worse) > 0 {
		spec.Intro = append(spec.Intro, capitalised(r.overWords())+".", fmt.Sprintf("Type %d, the places that are too many.", r.over))
		spec.Type, spec.MaxAge = strconv.Itoa(r.over), typedAge
	}
	return ui.OpenDialog(dialog.NewConfirm(spec))
}

// undoPlan is what putting a change set back would do to its days as they stand,
// and which of them are not as it left them. As in the store, figures are
// compared and not versions: a later edit that was put back itself has raised the
// version and changed nothing, so that undo after undo walks back.
func undoPlan(set inventory.ChangeSet, now inventory.DayPlan) (inventory.DayPlan, []inventory.StaleDay) {
	stand := make(map[date.Date]inventory.DayChange, len(now.Changes))
	for _, c := range now.Changes {
		stand[c.Before.Day] = c
	}
	plan := inventory.DayPlan{Pool: now.Pool, AsOf: now.AsOf}
	var moved []inventory.StaleDay
	for _, c := range set.Changes {
		row, ok := stand[c.After.Day]
		switch {
		case !ok || row.Missing:
			moved = append(moved, inventory.StaleDay{Seen: c.After})
			continue
		case figuresOf(row.Before) != figuresOf(c.After):
			moved = append(moved, inventory.StaleDay{Seen: c.After, Now: row.Before})
			continue
		}
		back := row.Before
		back.Capacity, back.OverbookLimit, back.StopSell = c.Before.Capacity, c.Before.OverbookLimit, c.Before.StopSell
		if c.Missing {
			back.StopSell = true // a day that the edit made is closed, since it may have sold
		}
		plan.Changes = append(plan.Changes, inventory.DayChange{Before: row.Before, After: back})
	}
	return plan, moved
}

func (m *Model) movedFacts(set inventory.ChangeSet, moved []inventory.StaleDay) []dialog.Fact {
	out := make([]dialog.Fact, len(moved))
	for i, s := range moved {
		out[i] = dialog.Fact{Label: timezone.DayLabel(dayOf(s)), Text: m.sinceWords(set, s)}
	}
	return out
}

// sinceWords says what became of a day after an edit, and whose work that is.
// Who touched a day last may only have put an edit of their own back, so the
// one to name is who made the newest edit that stands.
func (m *Model) sinceWords(set inventory.ChangeSet, s inventory.StaleDay) string {
	if isGone(s) {
		return "is not there any more"
	}
	text := fmt.Sprintf("you left %s; now it is %s", dayWords(s.Seen), dayWords(s.Now))
	for _, later := range m.sets.Value() { // newest first
		if later.ID <= set.ID || later.Undoes != 0 || later.UndoneBy != 0 {
			continue
		}
		if slices.ContainsFunc(later.Changes, func(c inventory.DayChange) bool { return c.After.Day == s.Now.Day }) {
			return fmt.Sprintf("%s, by %s at %s", text, who(later.Actor), m.when(later.At))
		}
	}
	return fmt.Sprintf("%s, v%d", text, s.Now.Version)
}

// when is an instant by the clock that the reader has chosen.
func (m *Model) when(t time.Time) string {
	return t.In(m.env.Zone()).Format("2006-01-02 15:04:05 -07")
}

// putBack sends the undo, once.
func (m *Model) putBack(choice undoChosen) tea.Cmd {
	if m.undo != nil {
		return nil
	}
	m.undo = &undoing{set: m.mine(), sent: true}
	store, actor := m.store, m.actor
	return ui.Save(m.env, "calendar.undo", "putting back your edit", saveLimit,
		func(ctx context.Context) (inventory.ChangeSet, error) {
			return store.UndoDays(ctx, actor, choice.change, choice.reason)
		},
		func(set inventory.ChangeSet, err error) tea.Msg { return undone{choice.change, set, err} })
}

// undone takes the answer.
func (m *Model) undone(msg undone) tea.Cmd {
	var moved *inventory.StaleDays
	switch {
	case msg.err == nil:
		return m.undoneWell(msg.set)
	case errors.As(msg.err, &moved):
		m.undo = nil
		return tea.Batch(m.load(), m.open(m.undoMoved(moved.Days)))
	case unknown(msg.err) && m.undo != nil:
		m.undo.lost = true
		m.undo.set.ID = msg.change
		return m.lookUpUndo()
	}
	m.undo = nil
	return tea.Batch(m.load(), ui.Report("put back your edit", msg.err))
}

func (m *Model) undoneWell(set inventory.ChangeSet) tea.Cmd {
	m.undo, m.latest = nil, set
	return tea.Batch(m.choosePool(), m.load(), ui.Ask(ui.Say{Text: count(len(set.Changes), "day") + " put back as before your edit"}))
}

// undoMoved says why nothing was put back.
func (m *Model) undoMoved(days []inventory.StaleDay) dialog.Dialog {
	text := []string{"Nothing was put back: somebody changed your days since. Edit them instead."}
	for _, s := range days {
		text = append(text, timezone.DayLabel(dayOf(s))+": "+m.movedWords(s))
	}
	return dialog.NewMessage("SOMEONE ELSE SAVED FIRST", text, nil)
}

// lookUpUndo asks whether the undo whose answer was lost was done.
func (m *Model) lookUpUndo() tea.Cmd {
	store, ref := m.store, m.undo.set.Pool
	return m.undo.lookup.Ask(m.env, "calendar.lookup", readLimit, func(ctx context.Context) ([]inventory.ChangeSet, error) {
		return store.ChangeSets(ctx, ref, setsLimit)
	})
}

// undoLookedUp tells "yes, it was put back" from "no".
func (m *Model) undoLookedUp() tea.Cmd {
	u := m.undo
	if !u.lost || u.lookup.Err() != nil {
		return nil // asked again with the next tick
	}
	for _, s := range u.lookup.Value() {
		if s.Undoes == u.set.ID {
			return m.undoneWell(s)
		}
	}
	m.undo = nil
	return tea.Batch(m.load(), ui.Ask(ui.Say{Text: "the line broke; looked: nothing was put back. Press u again when you are ready", Bad: true}))
}
