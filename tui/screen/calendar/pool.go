package calendar

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
)

// poolPicked says which pool was chosen.
type poolPicked struct{ ref inventory.PoolRef }

// choosePool puts a pool of the venue in focus on screen: the one that is there,
// else the one that was there last, else the venue's first. An edit that is not
// saved keeps its pool until it is saved or dropped.
func (m *Model) choosePool() tea.Cmd {
	if !m.dir.Ready() || m.tied() {
		return nil
	}
	dir, venue := m.dir.Value(), m.env.Venue().Slug
	ref := m.pool
	if ref.Venue != venue {
		ref = m.visited[venue]
	}
	pool, ok := dir.pool(ref)
	if !ok {
		pool, _ = dir.first(venue)
	}
	if pool.Ref == m.pool {
		m.setZone()
		return nil
	}
	gone := m.pool.Venue == venue
	cmd := m.show(pool.Ref)
	if gone && pool.Ref != (inventory.PoolRef{}) {
		cmd = tea.Batch(cmd, ui.Ask(ui.Say{Text: "the pool is not there any more; this is another one", Bad: true}))
	}
	return cmd
}

// tied reports that something unsaved or unanswered belongs to the pool on
// screen.
func (m *Model) tied() bool { return m.draft != nil || m.undo != nil && m.undo.sent }

// show puts a pool on screen. Marks belong to the pool they were made on.
func (m *Model) show(ref inventory.PoolRef) tea.Cmd {
	m.pool = ref
	m.visited[ref.Venue] = ref
	m.unmarkAll()
	m.detail, m.undo, m.latest = false, nil, inventory.ChangeSet{}
	m.days.Forget()
	m.sets.Forget()
	m.year.Forget()
	m.byDay = nil
	m.setZone()
	return tea.Batch(m.loadDays(), m.loadSets(), m.loadYear())
}

// setZone takes over the zone of the pool's venue, which staff may have changed.
func (m *Model) setZone() {
	zone := m.dir.Value().zones[m.pool.Venue]
	if zone.Name() != m.zone.Name() {
		m.zone = zone
		m.readClock()
	}
}

// picker is the list of all pools, those of the venue in focus first.
func (m *Model) picker() dialog.Dialog {
	dir := m.dir.Value()
	pools := slices.Clone(dir.pools)
	slices.SortStableFunc(pools, func(a, b inventory.Pool) int {
		return here(b, m.env.Venue().Slug) - here(a, m.env.Venue().Slug)
	})
	items := make([]dialog.Item, len(pools))
	for i, p := range pools {
		venue, _ := dir.venue(p.Ref.Venue)
		items[i] = dialog.Item{Label: p.Name + ", " + venue.Name, Remark: p.Ref.String(), Answer: poolPicked{p.Ref}}
		if _, known := dir.zones[p.Ref.Venue]; !known {
			items[i].Dead = "the zone of its venue is not known"
		}
	}
	return dialog.NewPick("CHOOSE A POOL", items)
}

func here(p inventory.Pool, venue string) int {
	if p.Ref.Venue == venue {
		return 1
	}
	return 0
}

// picked shows a pool; one of another venue takes the focus of the whole console
// there.
func (m *Model) picked(ref inventory.PoolRef) tea.Cmd {
	if m.tied() {
		return nil
	}
	if ref.Venue == m.env.Venue().Slug {
		return m.show(ref)
	}
	dir := m.dir.Value()
	venue, ok := dir.venue(ref.Venue)
	if !ok {
		return nil
	}
	m.visited[ref.Venue] = ref
	return ui.Ask(ui.Focus{Venue: ui.Venue{Slug: venue.Slug, Name: venue.Name, Zone: dir.zones[ref.Venue].Location()}})
}
