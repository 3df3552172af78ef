package calendar

import (
	"fmt"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/dialog"
	"holdfast/tui/keys"
	"holdfast/tui/widget"
)

// conflictSettled is what was chosen about one day that moved.
type conflictSettled struct {
	change inventory.DayChange // as it was to be saved
	now    inventory.PoolDay
	dialog.Resolution
}

// movedSettled is what was chosen about some days of many that moved.
type movedSettled struct {
	way  string
	rest inventory.DayPlan // the plan without the days that moved
}

// The ways out when some days of many moved.
const (
	startAgain = "again"
	saveRest   = "rest"
)

// openConflict shows what somebody else saved first, beside what was typed.
func (m *Model) openConflict(plan inventory.DayPlan, moved []inventory.StaleDay) tea.Cmd {
	m.editing = true
	var changing []inventory.DayChange
	for _, c := range plan.Changes {
		if c.Changes() {
			changing = append(changing, c)
		}
	}
	refresh := tea.Batch(m.loadDays(), m.loadSets())
	m.draft.outdated = true
	m.draft.trouble = "nothing was saved: " + count(len(moved), "day") + " changed by somebody else first"
	if len(changing) == 1 && len(moved) == 1 && changing[0].Before.Day == moved[0].Now.Day {
		return tea.Batch(refresh, m.open(m.conflictDialog(changing[0], moved[0])))
	}
	return tea.Batch(refresh, m.open(m.movedDialog(plan, moved)))
}

// conflictDialog is the three columns for one day.
func (m *Model) conflictDialog(mine inventory.DayChange, moved inventory.StaleDay) dialog.Dialog {
	now, yours := moved.Now, mine.After
	by := editorOf(now)
	with := merge(mine, now, nil)
	seen, base := fmt.Sprintf("You saw v%d", mine.Before.Version), fmt.Sprintf("you saw v%d", mine.Before.Version)
	if mine.Missing {
		seen, base = "You saw it not set up", "the template"
	}
	return dialog.NewConflict(dialog.ConflictSpec{
		Intro: []string{
			fmt.Sprintf("%s, %s. %s; %s.", timezone.DayLabel(now.Day), m.draft.pool.Name, seen, m.savedAgo(now)),
			"Nothing of yours has been saved. Your input is kept.",
		},
		Base: base, Theirs: fmt.Sprintf("%s, v%d", by, now.Version), Who: by,
		Fields: []dialog.Three{
			{Field: fieldCapacity, Base: strconv.Itoa(mine.Before.Capacity), Theirs: strconv.Itoa(now.Capacity), Yours: strconv.Itoa(yours.Capacity)},
			{Field: fieldOverbook, Base: strconv.Itoa(mine.Before.OverbookLimit), Theirs: strconv.Itoa(now.OverbookLimit), Yours: strconv.Itoa(yours.OverbookLimit)},
			{Field: fieldState, Base: stateOf(mine.Before), Theirs: stateOf(now), Yours: stateOf(yours)},
		},
		Now: []string{
			fmt.Sprintf("Now: taken %d, of these %d held; left %s.", now.Taken, now.Held, leftWords(now)[0]),
			fmt.Sprintf("With yours on v%d: left %s.", now.Version, leftWords(with)[0]),
		},
		Then: func(r dialog.Resolution) tea.Msg { return conflictSettled{mine, now, r} },
	})
}

// merge puts what was typed on what stands now. Without values the fields that
// the person changed win; with them, what the dialog settled.
func merge(mine inventory.DayChange, now inventory.PoolDay, values map[string]string) inventory.PoolDay {
	out := now
	if mine.After.Capacity != mine.Before.Capacity {
		out.Capacity = mine.After.Capacity
	}
	if mine.After.OverbookLimit != mine.Before.OverbookLimit {
		out.OverbookLimit = mine.After.OverbookLimit
	}
	if mine.After.StopSell != mine.Before.StopSell {
		out.StopSell = mine.After.StopSell
	}
	for field, v := range values {
		n, err := strconv.Atoi(v)
		switch {
		case field == fieldState:
			out.StopSell = v == stateClosed
		case err != nil: // not a count: keep what is there
		case field == fieldCapacity:
			out.Capacity = n
		case field == fieldOverbook:
			out.OverbookLimit = n
		}
	}
	return out
}

func stateOf(d inventory.PoolDay) string {
	if d.StopSell {
		return stateClosed
	}
	return stateOpen
}

// settleConflict does what was chosen. What is written is conditional on the
// version that the dialog showed, so that a further change comes back here.
func (m *Model) settleConflict(c conflictSettled) tea.Cmd {
	d := m.draft
	if d == nil || d.busy() {
		return nil
	}
	switch c.Way {
	case dialog.KeepTheirs:
		m.unmarkAll()
		return m.closeDraft("kept what " + editorOf(c.now) + " saved; nothing of yours was saved")
	case dialog.PutMine:
		change := inventory.DayChange{Before: c.now, After: merge(c.change, c.now, c.Values)}
		if !change.Changes() {
			m.unmarkAll()
			return m.closeDraft("the day is like that already; nothing had to be saved")
		}
		plan := inventory.DayPlan{Pool: d.pool, Edit: d.plan().Edit, Changes: []inventory.DayChange{change}, AsOf: m.env.Now()}
		return m.saveSeen(plan)
	case dialog.EditAgain:
	}
	return m.check(true)
}

// saveSeen saves a plan that has been seen and confirmed in a dialog, unless it
// oversells: that takes its own.
func (m *Model) saveSeen(plan inventory.DayPlan) tea.Cmd {
	r := reviewOf(plan, m.today())
	if levelOf(r) == keys.Typed {
		return m.confirm(plan)
	}
	return m.save(saveChosen{plan, m.draft.form.Value(fieldReason)})
}

// movedDialog lists the days of many that moved.
func (m *Model) movedDialog(plan inventory.DayPlan, moved []inventory.StaleDay) dialog.Dialog {
	var gone []date.Date
	var list []dialog.Fact
	for _, s := range moved {
		gone = append(gone, dayOf(s))
		list = append(list, dialog.Fact{Label: timezone.DayLabel(dayOf(s)), Text: m.movedWords(s)})
	}
	rest := without(plan, gone)
	n := rest.Changing()
	save := dialog.Action{Name: saveRest, Label: "Save the other " + thousands(n)}
	if n == 0 {
		save = dialog.Action{Name: saveRest, Label: "Save the others", Dead: "no other day would change"}
	}
	list = append(list,
		dialog.Fact{Label: "Start again", Text: "shows your edit on what stands now; nothing is saved yet"},
		dialog.Fact{Label: "Save the others", Text: "as you saw them; " + theMoved(len(moved)) + " left as somebody else saved it"})
	return dialog.NewConfirm(dialog.Spec{
		Title: "SOMEONE ELSE SAVED FIRST",
		Intro: []string{
			fmt.Sprintf("%d of %d days of %s moved since you saw them. Nothing was saved; your input is kept.",
				len(moved), len(plan.Changes), m.draft.pool.Name),
		},
		Facts:   list,
		Actions: []dialog.Action{{Name: startAgain, Label: "Start again from now", Reads: true}, save},
		Instant: true,
		Then:    func(c dialog.Choice) tea.Msg { return movedSettled{c.Action, rest} },
	})
}

func theMoved(n int) string {
	if n == 1 {
		return "the day that moved is"
	}
	return fmt.Sprintf("the %d that moved are", n)
}

// isGone reports that a day is not there any more.
func isGone(s inventory.StaleDay) bool { return s.Now.PoolID == 0 && s.Now.Version == 0 }

// dayOf is which day moved; one that is gone has no present state.
func dayOf(s inventory.StaleDay) date.Date {
	if isGone(s) {
		return s.Seen.Day
	}
	return s.Now.Day
}

// movedWords says what somebody else made of a day.
func (m *Model) movedWords(s inventory.StaleDay) string {
	if isGone(s) {
		return "is not there any more"
	}
	was := fmt.Sprintf("v%d: %s", s.Seen.Version, dayWords(s.Seen))
	if s.Seen.Version == 0 {
		was = "not set up"
	}
	return fmt.Sprintf("you saw %s; %s: %s", was, m.savedAgo(s.Now), dayWords(s.Now))
}

func dayWords(d inventory.PoolDay) string {
	return fmt.Sprintf("%d+%d %s", d.Capacity, d.OverbookLimit, stateOf(d))
}

// savedAgo says who saved the version that stands, and when.
func (m *Model) savedAgo(d inventory.PoolDay) string {
	if d.EditedBy == "" || d.EditedAt.IsZero() {
		return fmt.Sprintf("now it is v%d", d.Version)
	}
	return fmt.Sprintf("%s saved v%d %s ago", editorOf(d), d.Version, widget.Age(m.env.Now().Sub(d.EditedAt)))
}

// editorOf is who edited a day last.
func editorOf(d inventory.PoolDay) string {
	if d.EditedBy == "" {
		return "somebody"
	}
	return who(d.EditedBy)
}

// settleMoved does what was chosen about the days that moved.
func (m *Model) settleMoved(msg movedSettled) tea.Cmd {
	d := m.draft
	if d == nil || d.busy() {
		return nil
	}
	if msg.way == saveRest {
		return m.saveSeen(msg.rest)
	}
	return m.check(true)
}
