package calendar

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
)

// checkAfter is how long a person must stop typing before the plan is made
// unasked.
const checkAfter = 250 * time.Millisecond

// readAfter is how long a plan that came unasked must be on screen before enter
// goes on from it to the question, which covers it.
const readAfter = time.Second

// checkDue says that the typing may have come to rest.
type checkDue struct{ input input }

// openEditor opens the draft that is there, else one for the marked days, else
// one for the day under the cursor. Days that were marked since the draft was
// left become its days.
func (m *Model) openEditor() tea.Cmd {
	if m.ranging { // the range is meant as it looks
		m.move(keys.Range)
	}
	days := m.month.Marked()
	if d := m.draft; d != nil {
		m.editing = true
		if len(days) == 0 || d.busy() || d.form.Value(fieldDays) != d.label || d.label == m.nameOf(days) {
			return m.check(false)
		}
		d.retarget(m.nameOf(days), days, m.byDay)
		return m.check(false)
	}
	pool, ok := m.poolOnScreen()
	if !ok {
		return nil
	}
	if len(days) == 0 {
		days = []date.Date{m.month.Cursor()}
	}
	venue, _ := m.dir.Value().venue(pool.Ref.Venue)
	m.draft = newDraft(pool, venue.Name, m.nameOf(days), days, m.byDay)
	m.editing = true
	return nil
}

// doEdit carries out a verb of the editor.
func (m *Model) doEdit(v keys.Verb) tea.Cmd {
	d := m.draft
	switch v {
	case keys.Back:
		return m.leaveEditor()
	case verbNextField:
		d.form.Next(false)
	case verbPrevField:
		d.form.Next(true)
	case keys.PageDown:
		m.turnPage(1)
	case keys.PageUp:
		m.turnPage(-1)
	case keys.Open, verbCheck:
		return m.goOn(v)
	default: // Keys binds no other
	}
	return nil
}

// goOn makes the plan, or goes on from one that has been seen to the question.
func (m *Model) goOn(v keys.Verb) tea.Cmd {
	d := m.draft
	switch {
	case v != keys.Open || !d.current() || m.tooOld():
		d.trouble = ""
		return m.check(true)
	case !d.readable(m.env.Now()):
		d.asked = true
		return ui.Ask(ui.Say{Text: "look first: this is what would change; enter again goes on"})
	}
	return m.confirm(d.plan())
}

// leaveEditor goes back to the month. What was typed stays; an editor in which
// nothing was typed is gone.
func (m *Model) leaveEditor() tea.Cmd {
	m.editing = false
	if m.draft.touched() {
		return nil
	}
	return m.closeDraft("")
}

// closeDraft forgets the draft and says why, and lets a change of venue that had
// to wait take place.
func (m *Model) closeDraft(why string) tea.Cmd {
	m.draft, m.editing = nil, false
	cmds := []tea.Cmd{m.choosePool()}
	if why != "" {
		cmds = append(cmds, ui.Ask(ui.Say{Text: why}))
	}
	return tea.Batch(cmds...)
}

// typedInEditor gives a key to the form. When its text rests a while the plan is
// made by itself.
func (m *Model) typedInEditor(k tea.KeyMsg) tea.Cmd {
	d := m.draft
	if d.busy() || !d.form.Key(k) {
		return nil
	}
	d.trouble = ""
	d.noteDays(m.today())
	return ui.Ask(ui.Later{After: checkAfter, Msg: checkDue{d.input()}})
}

// checkWhenStill makes the plan if nothing was typed since.
func (m *Model) checkWhenStill(in input) tea.Cmd {
	if d := m.draft; d == nil || !m.editing || d.input() != in || d.check.Value().input == in {
		return nil
	}
	return m.check(false)
}

// check asks the database what the edit would do now. What is wrong with the
// form is shown only when asked for: half a number is no mistake.
func (m *Model) check(asked bool) tea.Cmd {
	d := m.draft
	if d.busy() {
		return nil
	}
	days, edit, wrong := d.parse(m.today())
	if len(wrong) > 0 {
		if asked {
			d.form.Problems(wrong)
		}
		return nil
	}
	d.form.Problems(nil)
	d.outdated, d.scroll, d.asked = false, 0, asked
	store, ref, in := m.store, d.pool.Ref, d.input()
	return d.check.Ask(m.env, "calendar.plan", readLimit, func(ctx context.Context) (answer, error) {
		plan, err := store.PlanDays(ctx, ref, days, edit)
		return answer{in, plan}, err
	})
}

// tooOld reports that the plan oversells and is too old to be confirmed: it is
// made anew first.
func (m *Model) tooOld() bool {
	r := reviewOf(m.draft.plan(), m.today())
	return levelOf(r) == keys.Typed && m.env.Now().Sub(r.plan.AsOf) > typedAge
}

// checked takes the plan, or shows why there is none.
func (m *Model) checked() tea.Cmd {
	m.draft.came = m.env.Now()
	if err := m.draft.check.Err(); err != nil {
		return m.refuse("check the edit", err)
	}
	return nil
}

// refuse shows why nothing was planned or saved: beside the fields that are
// wrong, and in a line above the plan.
func (m *Model) refuse(doing string, err error) tea.Cmd {
	d := m.draft
	wrong := map[string]string{}
	for _, f := range inventory.FieldErrors(err) {
		wrong[f.Field] = f.Problem
	}
	rest := d.form.Problems(wrong)
	if len(wrong) == 0 || len(rest) > 0 {
		d.trouble = "nothing was saved: " + inventory.Message(err)
	}
	return ui.Report(doing, err)
}
