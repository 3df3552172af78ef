package calendar

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
)

const (
	// saveLimit is longer than the store's own limits, which decide.
	saveLimit = 20 * time.Second
	// typedAge is how old the numbers may be for an edit that oversells.
	typedAge = 30 * time.Second
)

// saveChosen carries the plan that was on screen when it was confirmed.
type saveChosen struct {
	plan   inventory.DayPlan
	reason string
}

// saved is the answer to a save.
type saved struct {
	plan inventory.DayPlan
	set  inventory.ChangeSet
	err  error
}

// levelOf is how much it takes to save a plan: one that oversells days is typed.
func levelOf(r review) keys.Level {
	if len(r.worse) > 0 {
		return keys.Typed
	}
	return keys.Confirm
}

// confirm asks before a plan is saved, or says why it cannot be.
func (m *Model) confirm(plan inventory.DayPlan) tea.Cmd {
	r := reviewOf(plan, m.today())
	switch {
	case len(plan.Problems) > 0:
		return ui.Ask(ui.Say{Text: "it cannot be saved like this: " + problemOfDay(plan.Problems[0]), Bad: true})
	case r.changing == 0:
		return ui.Ask(ui.Say{Text: "nothing would change, so there is nothing to save"})
	}
	return ui.OpenDialog(m.saveDialog(r, m.draft.form.Value(fieldReason)))
}

// saveDialog is the question before a save: light when the edit can simply be
// put back, typed when it oversells.
func (m *Model) saveDialog(r review, reason string) dialog.Dialog {
	days := count(r.changing, "day")
	spec := dialog.Spec{
		Title:   strings.ToUpper("save " + days),
		Intro:   []string{m.draft.pool.Name + ", " + m.draft.venue + ": " + changedDays(r.plan.Changes) + "."},
		Facts:   facts(r),
		ReadAt:  r.plan.AsOf.In(m.env.Zone()),
		Actions: []dialog.Action{{Name: "save", Label: "Save " + days}},
		Instant: true, // the editor shows what becomes of it
		Then:    func(dialog.Choice) tea.Msg { return saveChosen{r.plan, reason} },
	}
	if reason != "" {
		spec.Intro = append(spec.Intro, "For the log: "+reason)
	}
	if levelOf(r) == keys.Typed {
		spec.Title = strings.ToUpper("oversell " + count(len(r.worse), "day"))
		spec.Intro = append(spec.Intro, capitalised(r.overWords())+".",
			fmt.Sprintf("Type %d, the places that are too many.", r.over))
		spec.Type = strconv.Itoa(r.over)
		spec.MaxAge = typedAge
	}
	return dialog.NewConfirm(spec)
}

// save sends the plan that was confirmed, once.
func (m *Model) save(choice saveChosen) tea.Cmd {
	d := m.draft
	if d == nil || d.busy() {
		return nil
	}
	d.progress, d.sent, d.trouble = saving, choice, ""
	store, actor := m.store, m.actor
	doing := "saving " + count(choice.plan.Changing(), "day") + " of " + d.pool.Name
	return ui.Save(m.env, "calendar.save", doing, saveLimit,
		func(ctx context.Context) (inventory.ChangeSet, error) {
			return store.SaveDays(ctx, actor, choice.plan, choice.reason)
		},
		func(set inventory.ChangeSet, err error) tea.Msg { return saved{choice.plan, set, err} })
}

// saved takes the answer: done, not done with the reason, or unknown.
func (m *Model) saved(msg saved) tea.Cmd {
	d := m.draft
	if d == nil || d.progress != saving {
		return nil
	}
	d.progress = editing
	var moved *inventory.StaleDays
	switch {
	case msg.err == nil:
		return m.savedWell(msg.set)
	case errors.As(msg.err, &moved) && len(moved.Days) > 0:
		return m.openConflict(msg.plan, moved.Days)
	case errors.Is(msg.err, inventory.ErrStale):
		d.trouble = "nothing was saved: a day was made or changed meanwhile; this is how it stands now"
		return tea.Batch(m.check(true), m.loadDays())
	case unknown(msg.err):
		d.progress = looking
		return m.lookUp()
	}
	return m.refuse("save the edit", msg.err)
}

// savedWell shows what the database stored.
func (m *Model) savedWell(set inventory.ChangeSet) tea.Cmd {
	d := m.draft
	text := "nothing had to change: the days are like that already"
	if set.ID != 0 {
		m.latest = set
		text = count(len(set.Changes), "day") + " of " + d.pool.Name + " saved; u puts back"
	}
	m.unmarkAll()
	return tea.Batch(m.closeDraft(text), m.loadDays(), m.loadSets(), m.loadYear())
}

// unknown reports that nobody knows yet whether a save was done. The store marks
// a lost answer; a limit that passed without the store's word is one too.
func unknown(err error) bool {
	if errors.Is(err, inventory.ErrUnknownOutcome) {
		return true
	}
	timedOut := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	return timedOut && inventory.Code(err) == "INTERNAL"
}
