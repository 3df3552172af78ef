package seats

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/ui"
)

func (m *Model) loadAll() tea.Cmd {
	if (m.event == inventory.EventID{}) {
		return m.loadEvents()
	}
	return m.loadSeats()
}

func (m *Model) loadEvents() tea.Cmd {
	store := m.store
	f := inventory.EventFilter{Venue: m.env.Venue().Slug, From: m.env.Now().Add(-lookBack), Limit: maxEvents}
	return m.events.Ask(m.env, "seats.events", readLimit, func(ctx context.Context) ([]inventory.Event, error) {
		return store.Events(ctx, f)
	})
}

func (m *Model) loadSeats() tea.Cmd {
	store, id := m.store, m.event
	return m.seatMap.Ask(m.env, "seats.map", readLimit, func(ctx context.Context) (inventory.SeatMap, error) {
		return store.SeatMap(ctx, id)
	})
}

func (m *Model) tick(now time.Time) tea.Cmd {
	if (m.event == inventory.EventID{}) {
		if m.events.Due(now, pollEvents) {
			return m.loadEvents()
		}
		return nil
	}
	every := pollSeats
	if len(m.seatMap.Value().Seats) > large {
		every = pollLarge
	}
	var cmds []tea.Cmd
	if m.seatMap.Due(now, every) {
		cmds = append(cmds, m.loadSeats())
	}
	return tea.Batch(append(cmds, m.renew(now))...)
}

// eventsRead takes over the list. The only event there is needs no choosing.
func (m *Model) eventsRead() tea.Cmd {
	if m.events.Err() != nil || m.event != (inventory.EventID{}) {
		return nil
	}
	events := m.events.Value()
	m.list.SetRows(events)
	m.list.Columns = m.eventColumns()
	if len(events) == 1 && !m.listed {
		return m.enter(events[0].ID)
	}
	return nil
}

// enter shows the hall of an event.
func (m *Model) enter(id inventory.EventID) tea.Cmd {
	m.forget()
	m.event = id
	return m.loadSeats()
}

// seatsRead takes over a new reading. The cursor stays on its seat; marks of
// seats that are not what they were are dropped and named.
func (m *Model) seatsRead() tea.Cmd {
	if m.seatMap.Err() != nil {
		return nil
	}
	before, had := m.under()
	m.hall = m.hall.update(m.seatMap.Value().Seats)
	if len(m.hall.seats) == 0 {
		m.cursor, m.party = 0, party{}
		return nil
	}
	if _, ok := m.hall.place[m.cursor]; !ok {
		m.put(m.hall.begin(0, 0, len(m.hall.sections[0].rows)), true)
		if had {
			m.left = full(before) + " is not in the hall any more; this is another seat"
		}
	}
	if _, ok := m.hall.place[m.anchor]; !ok {
		m.anchor = 0
	}
	m.setBlocks()
	m.follow()
	m.meet()
	return tea.Batch(m.dropMarks(), m.checkMoving(), m.ask())
}

// dropMarks unmarks the seats that somebody else took, freed or put off sale.
func (m *Model) dropMarks() tea.Cmd {
	var gone []inventory.Seat
	for _, s := range m.marked() {
		if s.State != m.marks[s.ID] || s.NeedsRepair {
			gone = append(gone, s)
		}
	}
	for id := range m.marks {
		if _, ok := m.hall.place[id]; !ok {
			delete(m.marks, id)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	for _, s := range gone {
		delete(m.marks, s.ID)
	}
	m.left = fmt.Sprintf("%s %s %s now and no longer marked", names(gone, 4), is(len(gone)), stateWord(gone[0]))
	return ui.Ask(ui.Say{Text: m.left, Bad: true})
}

// marked is the marked seats in the order of the hall.
func (m *Model) marked() []inventory.Seat {
	if len(m.marks) == 0 || m.hall == nil {
		return nil
	}
	out := make([]inventory.Seat, 0, len(m.marks))
	for id := range m.marks {
		if s, ok := m.hall.seat(id); ok {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b inventory.Seat) int { return m.hall.compare(m.hall.place[a.ID], m.hall.place[b.ID]) })
	return out
}
