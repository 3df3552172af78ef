package calendar

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
)

// draftDropped says that the draft is to be forgotten.
type draftDropped struct{}

// do carries out a verb where it was asked for: in the find line, in the
// editor, or in the month.
func (m *Model) do(v keys.Verb) tea.Cmd {
	switch {
	case m.find != nil:
		return m.doFind(v)
	case m.editing:
		return m.doEdit(v)
	}
	switch v {
	case keys.Edit:
		return m.openEditor()
	case keys.PutBack:
		return m.readUndo()
	case keys.Find:
		m.find = newFinder()
	case verbPool:
		return ui.OpenDialog(m.picker())
	case verbMeasure:
		m.measure = (m.measure + 1) % measures
	case verbDrop:
		return m.askDrop()
	case keys.Open:
		m.detail = true
	case keys.Back:
		m.back()
	default:
		m.move(v)
	}
	return m.turn()
}

// move moves the cursor or marks days.
func (m *Model) move(v keys.Verb) {
	switch v {
	case keys.Today:
		m.month.SetCursor(m.today())
	case keys.Range:
		m.ranging = !m.ranging
		m.month.Do(v)
	case keys.MarkAll:
		m.markAll(func(date.Date) bool { return true })
	case verbWeekday:
		day := m.month.Cursor().Weekday()
		m.markAll(func(d date.Date) bool { return d.Weekday() == day })
	case keys.Up:
		m.month.Do(m.vertical(v, keys.Left))
	case keys.Down:
		m.month.Do(m.vertical(v, keys.Right))
	default:
		m.month.Do(v)
	}
}

// vertical is what up and down mean: a week where weeks are rows, and a day
// where days are.
func (m *Model) vertical(week, day keys.Verb) keys.Verb {
	if m.detail || m.layout().list {
		return day
	}
	return week
}

// markAll marks the days of the month on screen that match, or unmarks them when
// all of them are marked. Days that are over are left out: who wants them marks
// them one by one.
func (m *Model) markAll(match func(date.Date) bool) {
	var days []date.Date
	missing := false
	for d := m.month.First(); !d.After(m.month.Last()); d = d.Add(1) {
		if d.Before(m.today()) || !match(d) {
			continue
		}
		days = append(days, d)
		missing = missing || !m.month.IsMarked(d)
	}
	if missing {
		m.month.Mark(days...)
		return
	}
	cursor := m.month.Cursor()
	for _, d := range days {
		m.month.SetCursor(d)
		m.month.Do(keys.Mark)
	}
	m.month.SetCursor(cursor)
}

func (m *Model) unmarkAll() {
	m.month.Unmark()
	m.ranging = false
}

// back leaves the day in full, else drops the marks.
func (m *Model) back() {
	if m.detail {
		m.detail = false
		return
	}
	m.unmarkAll()
}

// click puts the cursor on a day.
func (m *Model) click(x, y int) tea.Cmd {
	a := m.layout()
	if m.find != nil || m.detail || m.editing || !a.days.Contains(x, y) {
		return nil
	}
	x, y = x-a.days.X, y-a.days.Y
	if a.list {
		day := listTop(m.month.Cursor(), a.days.H).Add(date.PeriodOfDays(y))
		if day.Month() == m.month.Cursor().Month() {
			m.month.SetCursor(day)
		}
		return nil
	}
	if day, ok := gridOf(m.month.Cursor(), a.days.W, a.days.H).day(x, y); ok {
		m.month.SetCursor(day)
	}
	return m.turn()
}

// typed takes a key of a text field.
func (m *Model) typed(k tea.KeyMsg) tea.Cmd {
	switch {
	case m.find != nil:
		m.find.key(k, m.today())
	case m.editing:
		return m.typedInEditor(k)
	}
	return nil
}

// selected is the day under the cursor; false when it is not made, or not read
// yet.
func (m *Model) selected() (inventory.PoolDay, bool) {
	d, ok := m.byDay[m.month.Cursor()]
	return d, ok
}

func (m *Model) askDrop() tea.Cmd {
	if m.draft == nil || m.draft.busy() {
		return nil
	}
	return ui.OpenDialog(dialog.NewConfirm(dialog.Spec{
		Title:   "DROP THE DRAFT",
		Intro:   []string{"Not saved: an edit of " + m.draft.extent() + " of " + m.draft.pool.Name + ".", "Dropping it changes nothing in the database."},
		Actions: []dialog.Action{{Name: "drop", Label: "Drop it", Reads: true}},
		Instant: true,
		Then:    func(dialog.Choice) tea.Msg { return draftDropped{} },
	}))
}
