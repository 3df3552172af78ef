package calendar

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/ui"
)

// How often the screen asks, and how long it waits for an answer.
const (
	daysEvery      = 2 * time.Second
	setsEvery      = 10 * time.Second
	directoryEvery = 30 * time.Second
	yearEvery      = time.Minute
	readLimit      = 3 * time.Second
	// staleAfter is two missed polls and a little.
	staleAfter = 6 * time.Second
)

// setsLimit is how many of the last edits of a pool are looked at.
const setsLimit = 50

// directory is what there is to choose from.
type directory struct {
	venues []inventory.Venue
	pools  []inventory.Pool
	zones  map[string]timezone.Zone // by venue; a venue whose zone is not known has none
}

func (d directory) pool(ref inventory.PoolRef) (inventory.Pool, bool) {
	for _, p := range d.pools {
		if p.Ref == ref {
			return p, true
		}
	}
	return inventory.Pool{}, false
}

func (d directory) venue(slug string) (inventory.Venue, bool) {
	for _, v := range d.venues {
		if v.Slug == slug {
			return v, true
		}
	}
	return inventory.Venue{}, false
}

// first is the first pool of a venue.
func (d directory) first(venue string) (inventory.Pool, bool) {
	for _, p := range d.pools {
		if p.Ref.Venue == venue {
			return p, true
		}
	}
	return inventory.Pool{}, false
}

// readDirectory reads venues and pools, and the rules of the venues' zones from
// the machine's files.
func readDirectory(ctx context.Context, store reader) (directory, error) {
	d := directory{zones: map[string]timezone.Zone{}}
	var err error
	if d.venues, err = store.Venues(ctx); err != nil {
		return d, err
	}
	if d.pools, err = store.Pools(ctx, ""); err != nil {
		return d, err
	}
	for _, v := range d.venues {
		if zone, err := timezone.ParseZone(v.Zone); err == nil {
			d.zones[v.Slug] = zone
		}
	}
	return d, nil
}

// load asks for everything on screen.
func (m *Model) load() tea.Cmd {
	return tea.Batch(m.loadDirectory(), m.loadDays(), m.loadSets(), m.loadYear())
}

func (m *Model) loadDirectory() tea.Cmd {
	store := m.store
	return m.dir.Ask(m.env, "calendar.pools", readLimit, func(ctx context.Context) (directory, error) {
		return readDirectory(ctx, store)
	})
}

func (m *Model) loadDays() tea.Cmd {
	if m.pool == (inventory.PoolRef{}) {
		return nil
	}
	return m.askDays(&m.days, "calendar.days", inventory.DayRange{From: m.month.First(), To: m.month.Last()})
}

// loadYear asks for the twelve months from the one on screen, where they are
// shown.
func (m *Model) loadYear() tea.Cmd {
	if m.pool == (inventory.PoolRef{}) || m.layout().year.Empty() {
		return nil
	}
	first := m.month.First()
	return m.askDays(&m.year, "calendar.year", inventory.DayRange{From: first, To: date.New(first.Year()+1, first.Month(), 1).Add(-1)})
}

func (m *Model) askDays(q *ui.Query[[]inventory.PoolDay], name string, r inventory.DayRange) tea.Cmd {
	store, ref := m.store, m.pool
	return q.Ask(m.env, name, readLimit, func(ctx context.Context) ([]inventory.PoolDay, error) {
		return store.Days(ctx, ref, r)
	})
}

func (m *Model) loadSets() tea.Cmd {
	if m.pool == (inventory.PoolRef{}) {
		return nil
	}
	store, ref := m.store, m.pool
	return m.sets.Ask(m.env, "calendar.edits", readLimit, func(ctx context.Context) ([]inventory.ChangeSet, error) {
		return store.ChangeSets(ctx, ref, setsLimit)
	})
}

// poll asks again for what has become old.
func (m *Model) poll(now time.Time) tea.Cmd {
	var cmds []tea.Cmd
	if m.dir.Due(now, directoryEvery) || !m.dir.Ready() && m.dir.Due(now, daysEvery) {
		cmds = append(cmds, m.loadDirectory())
	}
	if m.days.Due(now, daysEvery) {
		cmds = append(cmds, m.loadDays())
	}
	if m.sets.Due(now, setsEvery) {
		cmds = append(cmds, m.loadSets())
	}
	if m.year.Due(now, yearEvery) {
		cmds = append(cmds, m.loadYear())
	}
	return tea.Batch(append(cmds, m.lookAgain(now)...)...)
}

// take takes the answers to this screen's questions.
func (m *Model) take(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	switch {
	case m.dir.Take(msg):
		return tea.Batch(m.choosePool(), m.complain("list the pools", m.dir.Err())), true
	case m.days.Take(msg):
		if err := m.days.Err(); err != nil {
			return m.complain("list the days", err), true
		}
		m.arrange()
		return tea.Batch(m.newerSets(), m.complain("list the days", nil)), true
	case m.sets.Take(msg):
		return m.complain("list the last edits", m.sets.Err()), true
	case m.year.Take(msg):
		return nil, true
	case m.undo != nil && m.undo.now.Take(msg):
		return m.askUndo(), true
	case m.undo != nil && m.undo.lookup.Take(msg):
		return m.undoLookedUp(), true
	case m.draft != nil && m.draft.check.Take(msg):
		return m.checked(), true
	case m.draft != nil && m.draft.lookup.Take(msg):
		return m.lookedUp(), true
	}
	return nil, false
}

// complain reports the first of a row of failures: the age of the numbers tells
// the rest.
func (m *Model) complain(doing string, err error) tea.Cmd {
	switch {
	case err == nil && m.failed == doing:
		m.failed = ""
	case err != nil && m.failed != doing:
		m.failed = doing
		return ui.Report(doing, err)
	}
	return nil
}

// arrange sorts the answer by day.
func (m *Model) arrange() {
	m.byDay = make(map[date.Date]inventory.PoolDay, len(m.days.Value()))
	for _, d := range m.days.Value() {
		m.byDay[d.Day] = d
	}
}

// newerSets asks for the last edits when a day shows one that is not among them.
func (m *Model) newerSets() tea.Cmd {
	var known time.Time
	if sets := m.sets.Value(); len(sets) > 0 {
		known = sets[0].At
	}
	if _, running := m.sets.Running(); running {
		return nil
	}
	for _, d := range m.days.Value() {
		if d.EditedAt.After(known) {
			return m.loadSets()
		}
	}
	return nil
}

// turn makes the month of the cursor the one on screen, and asks for its days
// when it is another than before.
func (m *Model) turn() tea.Cmd {
	if first := m.month.First(); first != m.shown {
		m.shown = first
		m.days.Forget()
		m.year.Forget()
		m.byDay = nil
		m.readClock()
		return tea.Batch(m.loadDays(), m.loadYear())
	}
	return nil
}

// readClock finds the clock changes of the month on screen.
func (m *Model) readClock() {
	m.changes = map[date.Date]timezone.ClockChange{}
	if m.zone.IsZero() {
		return
	}
	for d := m.month.First(); !d.After(m.month.Last()); d = d.Add(1) {
		if change, ok := timezone.ChangeOn(d, m.zone); ok {
			m.changes[d] = change
		}
	}
}
