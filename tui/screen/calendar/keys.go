package calendar

import (
	"holdfast/inventory"
	"holdfast/tui/keys"
)

// Verbs of this screen only.
const (
	verbWeekday   keys.Verb = "mark-weekday"
	verbMeasure   keys.Verb = "measure"
	verbPool      keys.Verb = "pool"
	verbDrop      keys.Verb = "drop-draft"
	verbCheck     keys.Verb = "check"
	verbNextField keys.Verb = "next-field"
	verbPrevField keys.Verb = "previous-field"
	verbWait      keys.Verb = "wait"
)

// Keys is the keyboard in the present state.
func (m *Model) Keys() keys.Table {
	switch {
	case m.find != nil:
		return keys.Table{
			{Verb: keys.Open, Keys: []string{"enter"}, Help: "mark them", Priority: 60},
			{Verb: keys.Back, Keys: []string{"esc"}, Help: "cancel", Priority: 60},
		}
	case m.editing:
		return m.editorKeys()
	}
	return m.browseKeys()
}

func (m *Model) browseKeys() keys.Table {
	_, pool := m.poolOnScreen()
	none := "there is no pool on screen"
	months := keys.Months()
	for i := range months {
		switch months[i].Verb {
		case keys.MonthOn:
			months[i].Hidden, months[i].Priority = false, 32
		case keys.MonthBack:
			months[i].Hidden, months[i].Priority = false, 31
		default: // t is a hint already
		}
	}
	day := m.month.Cursor().Weekday().String()[:3]
	t := append(keys.Move(), keys.Sideways()...)
	t = append(t, months...)
	t = append(t,
		m.openBinding(),
		m.editBinding().If(pool, none),
		keys.Standard(keys.Mark), keys.Standard(keys.Range),
		keys.Binding{Verb: verbWeekday, Keys: []string{"w"}, Help: "mark every " + day, More: "of this month, from today on", Priority: 44},
		keys.Standard(keys.MarkAll).As("mark month"),
		keys.Standard(keys.Find).As("find days"),
		keys.Standard(keys.PutBack).If(pool, none).If(m.mine().ID != 0, "you have no edit here to put back"),
		keys.Binding{Verb: verbPool, Keys: []string{"o"}, Help: "pool...", More: "choose another pool, of this venue or another", Priority: 36}.
			If(m.dir.Ready(), "the pools have not been read yet").
			If(len(m.dir.Value().pools) > 0, "there is no pool yet").
			If(m.draft == nil, "your edit is not saved: go on with e, or drop it with X").
			If(!m.tied(), "your edit is being put back"),
		keys.Binding{Verb: verbMeasure, Keys: []string{"M"}, Help: "measure", More: "load, held, left, or what the holds are worth", Priority: 26},
	)
	if m.draft != nil {
		t = append(t, keys.Binding{Verb: verbDrop, Keys: []string{"X"}, Help: "drop draft...", Level: keys.Confirm, Priority: 46}.
			If(!m.draft.busy(), "it is being saved"))
	}
	if m.detail || m.ranging || len(m.month.Marked()) > 0 {
		t = append(t, keys.Binding{Verb: keys.Back, Keys: []string{"esc"}, Help: m.backHelp(), Priority: 48})
	}
	if m.undo != nil {
		// What is typed ahead of the dialog must not do anything else.
		t = append(t, keys.Binding{Verb: verbWait, Keys: []string{"tab"}, Help: "wait", Hidden: true})
	}
	return t
}

func (m *Model) backHelp() string {
	if m.detail {
		return "month"
	}
	return "unmark"
}

// openBinding shows the day in full; where it is on screen anyway there is
// nothing to open.
func (m *Model) openBinding() keys.Binding {
	beside := !m.layout().pane.Empty()
	b := keys.Standard(keys.Open).As("day").If(!beside, "the day is shown at the right")
	b.Hidden = beside
	return b
}

// editBinding says what e would edit.
func (m *Model) editBinding() keys.Binding {
	b := keys.Standard(keys.Edit).At(66)
	switch n := len(m.month.Marked()); {
	case m.draft != nil:
		return b.As("go on editing")
	case n > 0 || m.ranging:
		return b.As("edit marked")
	}
	return b.As("edit day")
}

func (m *Model) editorKeys() keys.Table {
	d := m.draft
	next := "check"
	if d.current() {
		next = "go on"
	}
	return keys.Table{
		keys.Binding{Verb: keys.Open, Keys: []string{"enter"}, Help: next, Priority: 72}.If(!d.busy(), d.busyWords()),
		{Verb: verbNextField, Keys: []string{"tab", "down"}, Help: "next field", Priority: 50},
		{Verb: verbPrevField, Keys: []string{"shift+tab", "up"}, Help: "previous field", Hidden: true},
		keys.Binding{Verb: verbCheck, Keys: []string{"ctrl+s"}, Help: "check again", Priority: 40}.If(!d.busy(), d.busyWords()),
		{Verb: keys.PageDown, Keys: []string{"pgdown"}, Help: "more days", Priority: 30, Hidden: !m.hasMore()},
		{Verb: keys.PageUp, Keys: []string{"pgup"}, Help: "back", Hidden: true},
		{Verb: keys.Back, Keys: []string{"esc"}, Help: m.escHelp(), Priority: 70},
	}
}

func (m *Model) escHelp() string {
	if m.draft.touched() {
		return "calendar (the draft is kept)"
	}
	return "calendar"
}

// mine is the last edit of this pool by this person that stands, and the zero
// set when there is none.
func (m *Model) mine() inventory.ChangeSet {
	return lastOf(m.actor.String(), m.latest, m.sets.Value())
}

// lastOf returns the newest edit by actor that stands. The sets are newest
// first; latest is what this screen saved last, which they may not have yet.
func lastOf(actor string, latest inventory.ChangeSet, sets []inventory.ChangeSet) inventory.ChangeSet {
	if latest.ID != 0 && (len(sets) == 0 || latest.ID > sets[0].ID) {
		sets = append([]inventory.ChangeSet{latest}, sets...)
	}
	for _, s := range sets {
		if s.Actor == actor && s.Undoes == 0 && s.UndoneBy == 0 && s.ID != latest.Undoes {
			return s
		}
	}
	return inventory.ChangeSet{}
}
