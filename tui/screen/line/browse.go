package line

import (
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
)

// selected is the resource under the cursor.
func (m *Model) selected() (inventory.ResourceDay, bool) {
	if i := m.row(); i >= 0 {
		return m.rows[i], true
	}
	return inventory.ResourceDay{}, false
}

func (m *Model) row() int {
	return slices.IndexFunc(m.rows, func(d inventory.ResourceDay) bool { return d.Resource.ID == m.resource })
}

// column is the index of the column under the cursor, -1 on a day without any.
func (m *Model) column() int { return m.axis.at(m.at) }

// here is what stands under the cursor.
func (m *Model) here() (spot, bool) {
	row, ok := m.selected()
	i := m.column()
	if !ok || i < 0 {
		return spot{}, false
	}
	return spotAt(row, m.axis.columns[i]), true
}

// booking is the booking under the cursor; its turnaround is not it.
func (m *Model) booking() (inventory.Booking, bool) {
	s, ok := m.here()
	return s.booking, ok && (s.what == cellHeld || s.what == cellBooked)
}

// run is the time that is marked, or else the column under the cursor.
func (m *Model) run() (inventory.Range, bool) {
	i := m.column()
	if i < 0 {
		return inventory.Range{}, false
	}
	j := i
	if !m.anchor.IsZero() {
		if k := m.axis.at(m.anchor); k >= 0 {
			i, j = min(i, k), max(j, k)
		}
	}
	return inventory.Range{From: m.axis.columns[i].from, To: m.axis.columns[j].to}, true
}

func (m *Model) unmark() { m.anchor, m.ranging = time.Time{}, false }

// wander moves the cursor, or marks while it moves.
func (m *Model) wander(v keys.Verb) tea.Cmd {
	m.left = ""
	page := max(1, m.layout().rows.H)
	switch v {
	case keys.Left, keys.Right, keys.First, keys.Last:
		if !m.ranging {
			m.anchor = time.Time{}
		}
		m.sideways(v)
	case markLeft, markRight, keys.Range:
		m.mark(v)
	case keys.Up:
		m.rowBy(-1)
	case keys.Down:
		m.rowBy(1)
	case keys.PageUp:
		m.rowBy(-page)
	case keys.PageDown:
		m.rowBy(page)
	default: // Keys binds no other
	}
	m.follow()
	return m.moved()
}

func (m *Model) sideways(v keys.Verb) {
	i, last := m.column(), len(m.axis.columns)-1
	switch {
	case last < 0:
		return
	case v == keys.Left:
		i = max(0, i-1)
	case v == keys.Right:
		i = min(last, i+1)
	case v == keys.First:
		i = 0
	case v == keys.Last:
		i = last
	}
	m.at = m.axis.columns[i].from
}

// mark begins a run at the cursor and takes the cursor along.
func (m *Model) mark(v keys.Verb) {
	if v == keys.Range && (m.ranging || !m.anchor.IsZero()) {
		m.unmark()
		return
	}
	if i := m.column(); m.anchor.IsZero() && i >= 0 {
		m.anchor = m.axis.columns[i].from
	}
	switch v {
	case markLeft:
		m.sideways(keys.Left)
	case markRight:
		m.sideways(keys.Right)
	default:
		m.ranging = true
	}
}

// rowBy goes to another resource; a run belongs to one.
func (m *Model) rowBy(by int) {
	if len(m.rows) == 0 {
		return
	}
	i := min(max(m.row()+by, 0), len(m.rows)-1)
	if m.rows[i].Resource.ID != m.resource {
		m.unmark()
	}
	m.resource = m.rows[i].Resource.ID
}

// follow scrolls as little as possible to show the cursor.
func (m *Model) follow() {
	a := m.layout()
	m.top = within(m.top, m.row(), a.rows.H, len(m.rows))
	m.first = within(m.first, m.column(), a.grid.W, len(m.axis.columns))
}

// within is the first of n things on screen, of which size fit, so that at is
// among them.
func within(first, at, size, n int) int {
	at = max(at, 0)
	first = max(min(first, at), at-size+1)
	return max(0, min(first, n-size))
}

// moved follows the cursor: the story of its booking is read once it rests.
func (m *Model) moved() tea.Cmd {
	b, ok := m.booking()
	if !ok || m.storyOf == b.ID && m.seen == b.Version {
		return nil
	}
	return ui.Ask(ui.Later{After: restBefore, Msg: rested{b.ID, b.Version}})
}

// turn goes to another day.
func (m *Model) turn(v keys.Verb) tea.Cmd {
	switch v {
	case dayBack:
		return m.goTo(m.day.Add(-1))
	case dayOn:
		return m.goTo(m.day.Add(1))
	case keys.Today:
		cmd := m.goTo(timezone.DayOf(m.env.Now(), m.zone))
		m.at = m.env.Now()
		m.follow()
		return cmd
	default: // Keys binds no other
	}
	return nil
}

// goTo shows a day; the cursor stays at what the clock shows.
func (m *Model) goTo(day date.Date) tea.Cmd {
	if day == m.day {
		return nil
	}
	if y := day.Year(); y < timezone.FirstYear || y > timezone.LastYear {
		return ui.Ask(ui.Say{Text: "that is as far as days go", Bad: true})
	}
	shown := timezone.WallTimeOf(m.at, m.zone).Time
	m.day = day
	m.at = timezone.FirstInstantAt(timezone.WallTime{Day: day, Time: shown}, m.zone)
	m.unmark()
	cmd := m.askAnew()
	m.cut()
	m.follow()
	return cmd
}

// stepBy makes columns longer or shorter; the cursor stays at its moment.
func (m *Model) stepBy(v keys.Verb) {
	by := 1
	if v == shorter {
		by = -1
	}
	if s, ok := stepNext(m.step, by); ok {
		m.step, m.chosen = s, true
		m.cut()
		m.follow()
	}
}

// back drops the marks, else the filter.
func (m *Model) back() tea.Cmd {
	if m.ranging || !m.anchor.IsZero() {
		m.unmark()
		return nil
	}
	return m.searchFor("")
}

// doTyping ends what is typed at the top.
func (m *Model) doTyping(v keys.Verb) tea.Cmd {
	was := m.typing
	text := strings.TrimSpace(m.field.Value())
	switch {
	case v == keys.Back || was == aDay && text == "":
		m.typing = nothing
	case v == apply && was == aFilter:
		m.typing = nothing
		return m.searchFor(text)
	case v == apply:
		day, err := dayNamed(text, timezone.DayOf(m.env.Now(), m.zone))
		if err != nil {
			return ui.Ask(ui.Say{Text: err.Error(), Bad: true})
		}
		m.typing = nothing
		return m.goTo(day)
	}
	return nil
}

// dayNamed reads a day as the calendar's find does; of several the first.
func dayNamed(text string, today date.Date) (date.Date, error) {
	if day, err := timezone.ParseDay(text); err == nil {
		return day, nil
	}
	rule, err := timezone.ParseDays(text, today)
	if err != nil {
		return date.Date{}, err
	}
	return rule.Expand()[0], nil
}

func (m *Model) searchFor(text string) tea.Cmd {
	m.search = text
	return m.arrange()
}

// filterRows takes the resources that match the filter.
func (m *Model) filterRows() {
	m.rows = nil
	for _, d := range m.list.Value() {
		if m.matches(d) {
			m.rows = append(m.rows, d)
		}
	}
}

func (m *Model) matches(d inventory.ResourceDay) bool {
	text := strings.ToLower(d.Resource.Name + " " + d.Resource.Ref.Resource)
	return strings.Contains(text, strings.ToLower(m.search))
}

// click puts the cursor on a cell.
func (m *Model) click(x, y int) tea.Cmd {
	a := m.layout()
	row, col := m.top+y-a.rows.Y, m.first+x-a.grid.X
	if m.typing != nothing || !a.rows.Contains(x, y) || row >= len(m.rows) {
		return nil
	}
	m.unmark()
	m.left = ""
	m.resource = m.rows[row].Resource.ID
	if a.grid.Contains(x, y) && col < len(m.axis.columns) {
		m.at = m.axis.columns[col].from
	}
	m.follow()
	return m.moved()
}
