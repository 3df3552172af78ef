package cockpit

import (
	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
)

// The verbs that only this screen has.
const (
	verbStop   keys.Verb = "stop-sales"
	verbRate   keys.Verb = "admission-rate"
	verbExtend keys.Verb = "extend-all"
)

// Keys is the keyboard of the screen as it stands.
func (m *Model) Keys() keys.Table {
	row, room, some := m.selected()
	const none = "there is nothing under the cursor"
	idle, busy := m.saving == "", m.saving+" has no answer yet"
	stop := "stop sales..."
	if row.StopSell {
		stop = "open sales..."
	}
	return append(keys.Move(),
		keys.Standard(keys.Open).As("detail").If(some, none),
		keys.Binding{Verb: verbStop, Keys: []string{"S"}, Help: stop, More: "stop or open the sales of what is under the cursor", Level: keys.Confirm, Writes: true, Priority: 58}.
			If(some, none).If(idle, busy),
		keys.Binding{Verb: verbRate, Keys: []string{"A"}, Help: "admission...", More: "how many buyers a second its waiting room lets in", Level: keys.Undo, Writes: true, Priority: 56}.
			If(some, none).If(room.ID != 0, "it has no waiting room: `holdfast admission set` makes one").
			If(room.Open, "its waiting room is closed: nobody has to wait").If(idle, busy),
		keys.Binding{Verb: verbExtend, Keys: []string{"e"}, Help: "extend holds...", More: "give all its holds more time", Level: keys.Undo, Writes: true, Priority: 54}.
			If(some, none).If(extendable(row)).If(idle, busy),
		keys.Standard(keys.PutBack).If(m.last.what != "", "you have changed nothing here that could be put back").If(idle, busy),
	)
}

// extendable says whether there is a hold to extend; the database decides.
func extendable(row inventory.Selling) (ok bool, why string) {
	if row.Holds == 0 && row.Paying > 0 {
		return false, "what is being paid for keeps its place without"
	}
	return row.Holds > 0, "nobody holds anything of it"
}

// do does one verb.
func (m *Model) do(v keys.Verb) tea.Cmd {
	switch v {
	case keys.Open:
		return m.open()
	case verbStop:
		return m.askStop()
	case verbRate:
		return m.askRate()
	case verbExtend:
		return m.askExtend()
	case keys.PutBack:
		return m.askBack()
	default:
		if m.table.Do(v) {
			m.left = ""
		}
	}
	return nil
}

// Status says how the screen stands.
func (m *Model) Status() ui.Status {
	return ui.Status{
		Title: "On-sale",
		About: []string{
			"How an on-sale goes: holds a second, how fast buyers get their answers, why some get no place, and what is left of each day and event that sells now.",
			"Answers: half of the buyers wait no longer than the first time, 99 of 100 no longer than the second. 'Too busy' means that the system turned buyers away, not a rule. " +
				"Inside: how many holds are decided together, how long they wait for one another, and how many stand in the queue. " +
				"Holds take places for some minutes; zombies are payments that came too late and wait for a person.",
			"S stops the sales of what is under the cursor, u opens them again. A changes how fast its waiting room lets buyers in. e gives all its holds more time.",
		},
		ReadAt: m.now.ReadAt(),
	}
}
