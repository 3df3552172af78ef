package line

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/ui"
)

// start goes to the present of the venue in focus.
func (m *Model) start() {
	m.zone = venueZone(m.env)
	m.day = timezone.DayOf(m.env.Now(), m.zone)
	m.at = m.env.Now()
	m.cut()
}

// venueZone is the zone of the venue in focus, and UTC for one without.
func venueZone(env *ui.Env) timezone.Zone {
	loc := env.Venue().Zone
	if loc == nil {
		return timezone.UTC()
	}
	zone, err := timezone.ParseZone(loc.String())
	if err != nil {
		return timezone.UTC()
	}
	return zone
}

// face is the zone whose clock the hours are labelled with.
func (m *Model) face() timezone.Zone {
	if m.env.Zone() == time.UTC {
		return timezone.UTC()
	}
	return m.zone
}

func (m *Model) load() tea.Cmd {
	store, venue, day := m.store, m.env.Venue().Slug, m.day
	return m.list.Ask(m.env, "line.day", readLimit, func(ctx context.Context) ([]inventory.ResourceDay, error) {
		return store.ResourceDays(ctx, venue, day)
	})
}

// askAnew asks after the question has become another one: the old answer says
// nothing about it, and no verb may reach what is not on screen.
func (m *Model) askAnew() tea.Cmd {
	m.list.Forget()
	m.rows, m.left = nil, ""
	return m.load()
}

// listed takes over a new answer. The cursor stays on its resource and moment;
// when the resource is gone, the pane says so.
func (m *Model) listed() tea.Cmd {
	if m.list.Err() != nil {
		return nil
	}
	return m.arrange()
}

// arrange lays out what was read last: by the filter, the day and the step.
func (m *Model) arrange() tea.Cmd {
	if all := m.list.Value(); len(all) > 0 {
		if zone, err := timezone.ParseZone(all[0].Resource.Zone); err == nil && zone.Name() != m.zone.Name() {
			m.zone = zone // the venue has moved to another zone meanwhile
		}
	}
	before, had := m.selected()
	index := m.row()
	m.filterRows()
	m.cut()
	if _, has := m.selected(); !has && len(m.rows) > 0 {
		m.unmark()
		m.resource = m.rows[min(max(index, 0), len(m.rows)-1)].Resource.ID
		if had && !m.matches(before) {
			had = false // the filter hides it, which is no news
		}
		if had {
			m.left = before.Resource.Name + " has left the list; this is the next one"
		}
	}
	m.follow()
	if b, ok := m.booking(); ok {
		return m.ask(b)
	}
	return nil
}

// cut cuts the day into columns and paints the rows anew.
func (m *Model) cut() {
	m.axis = newAxis(m.day, m.zone, m.face(), m.step)
	if n := len(m.axis.columns); n > 0 && m.axis.at(m.at) < 0 {
		m.at = m.axis.columns[0].from
	}
	m.drawn = make(map[int64][]byte, len(m.rows))
	for _, r := range m.rows {
		m.drawn[r.Resource.ID] = cells(r, m.axis)
	}
}

// labelled is the axis with the clock that times are shown by now, which can have
// been switched since the day was cut.
func (m *Model) labelled() axis {
	if m.axis.face.Name() == m.face().Name() {
		return m.axis
	}
	return newAxis(m.day, m.zone, m.face(), m.step)
}

// ask reads the story of a booking unless that very version has been read.
func (m *Model) ask(b inventory.Booking) tea.Cmd {
	_, running := m.story.Running()
	if m.storyOf == b.ID && m.seen == b.Version && (running || m.story.Err() == nil) {
		return nil
	}
	m.story.Forget()
	m.storyOf, m.seen = b.ID, b.Version
	store := m.store
	return m.story.Ask(m.env, "line.story", readLimit, func(ctx context.Context) (story, error) {
		return readStory(ctx, store, b.ID)
	})
}

// told opens the story if somebody waits for it.
func (m *Model) told() tea.Cmd {
	if !m.opening {
		return nil
	}
	m.opening = false
	if err := m.story.Err(); err != nil {
		return ui.Report("read the booking", err)
	}
	return m.open()
}
