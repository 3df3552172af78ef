package seats

import (
	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
)

// put puts the cursor on a place; anew says that it did not come there by
// walking up or down, so that its cell is the one to keep to from now on.
func (m *Model) put(p place, anew bool) {
	s := m.hall.at(p)
	m.cursor = s.ID
	m.visited[s.Section] = s.ID
	if anew {
		m.wantX = m.hall.sections[p.section].x(s.Number)
	}
	m.follow()
	m.meet()
}

// moved follows the cursor: the booking of its seat is read once it rests.
func (m *Model) moved() tea.Cmd {
	m.left = ""
	if k := m.party.key; k != (seatKey{}) && !m.about.knows(k) {
		return ui.Ask(ui.Later{After: restBefore, Msg: rested{k}})
	}
	return nil
}

// walkTo moves the cursor if v is a verb that does.
func (m *Model) walkTo(v keys.Verb) bool {
	p, ok := m.hall.where(m.cursor)
	if !ok {
		return false
	}
	sec := &m.hall.sections[p.section]
	page := max(1, m.layout().gridRows())
	var by step
	switch v {
	case keys.Up:
		by.rows = -1
	case keys.Down:
		by.rows = 1
	case keys.PageUp:
		by.rows = -page
	case keys.PageDown:
		by.rows = page
	case keys.Left:
		by.seats = -1
	case keys.Right:
		by.seats = 1
	case keys.First:
		by.seats = -len(sec.columns)
	case keys.Last:
		by.seats = len(sec.columns)
	case nextFree:
		if to, ok := m.hall.search(p, free); ok {
			m.put(to, true)
		}
		return true
	case nextSection, prevSection:
		m.toSection(p.section, v == prevSection)
		return true
	default:
		return false
	}
	m.put(m.hall.walk(p, by, m.wantX), by.rows == 0)
	return true
}

// toSection goes to a neighbouring section, to where the cursor was last there.
func (m *Model) toSection(from int, back bool) {
	n := len(m.hall.sections)
	to := (from + 1) % n
	if back {
		to = (from + n - 1) % n
	}
	if p, ok := m.hall.where(m.visited[m.hall.sections[to].name]); ok {
		m.put(p, true)
		return
	}
	m.put(m.hall.begin(to, 0, len(m.hall.sections[to].rows)), true)
}

// markWith marks seats if v is a verb that does.
func (m *Model) markWith(v keys.Verb) bool {
	p, ok := m.hall.where(m.cursor)
	if !ok {
		return false
	}
	switch v {
	case keys.Mark:
		if m.anchor != 0 {
			m.endRange(p)
			return true
		}
		m.toggle(m.hall.at(p))
	case keys.Range:
		if m.anchor == 0 {
			m.anchor = m.cursor
			return true
		}
		m.endRange(p)
	case keys.MarkAll:
		m.markRow(p)
	case runLeft, runRight, runUp, runDown:
		by := map[keys.Verb]step{runLeft: {seats: -1}, runRight: {seats: 1}, runUp: {rows: -1}, runDown: {rows: 1}}[v]
		m.add(m.hall.at(p))
		p = m.hall.walk(p, by, m.wantX)
		m.put(p, by.rows == 0)
		m.add(m.hall.at(p))
	default:
		return false
	}
	return true
}

func (m *Model) endRange(p place) {
	if a, ok := m.hall.where(m.anchor); ok {
		for _, s := range m.hall.between(a, p) {
			m.add(s)
		}
	}
	m.anchor = 0
}

// markRow marks all of a row that can be marked beside what is; when all of it
// is, it unmarks them.
func (m *Model) markRow(p place) {
	all := true
	indices := m.hall.sections[p.section].rows[p.row].seats
	for _, i := range indices {
		if s := m.hall.seats[i]; m.markable(s) == "" {
			if _, ok := m.marks[s.ID]; !ok {
				all = false
				m.add(s)
			}
		}
	}
	if !all {
		return
	}
	for _, i := range indices {
		delete(m.marks, m.hall.seats[i].ID)
	}
}

func (m *Model) toggle(s inventory.Seat) {
	if _, ok := m.marks[s.ID]; ok {
		delete(m.marks, s.ID)
		return
	}
	m.add(s)
}

// add marks a seat if it can be marked.
func (m *Model) add(s inventory.Seat) {
	if m.markable(s) == "" {
		m.marks[s.ID] = s.State
	}
}

// markable says why a seat cannot be marked, empty if it can. Marks are of one
// kind: what can be done with free seats cannot be done with seats off sale.
func (m *Model) markable(s inventory.Seat) string {
	if !free(s) && !off(s) {
		return "only free seats and seats off sale can be marked; this one is " + stateWord(s)
	}
	if kind := m.kind(); kind != "" && kind != s.State {
		return "the marked seats are " + map[inventory.SeatState]string{inventory.SeatAvailable: "free", inventory.SeatKilled: "off sale"}[kind] +
			", this one is " + stateWord(s) + "; esc unmarks them"
	}
	return ""
}

// kind is the state of the marked seats, empty if there are none.
func (m *Model) kind() inventory.SeatState {
	for _, state := range m.marks {
		return state
	}
	return ""
}

// where is the place of a seat.
func (h *hall) where(id inventory.SeatID) (place, bool) {
	if h == nil {
		return place{}, false
	}
	p, ok := h.place[id]
	return p, ok
}
