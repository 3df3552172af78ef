package seats

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/keys"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// doList is the verbs of the list of events.
func (m *Model) doList(v keys.Verb) tea.Cmd {
	if m.list.Do(v) {
		return nil
	}
	if e, ok := m.list.Selected(); ok && v == keys.Open {
		return m.enter(e.ID)
	}
	return nil
}

func (m *Model) drawEvents(c canvas.Canvas) {
	switch {
	case !m.events.Ready():
		since, _ := m.events.Running()
		drawText(c, m.waiting("The events", m.events.Err(), since))
	case len(m.list.Rows()) == 0:
		drawText(c, []string{
			"No coming events at this venue.",
			"An event comes here when it is added: holdfast event add " + m.env.Venue().Slug + "/EVENT --start 2027-06-01T19:30, and then its seats: holdfast seat import.",
		})
	default:
		m.list.Draw(c)
	}
}

// eventColumns is the list of events, names last: a name that a terminal draws
// wider than we measured cannot move a number.
func (m *Model) eventColumns() []widget.Column[inventory.Event] {
	type event = inventory.Event
	number := func(title string, priority int, n func(inventory.SeatCounts) int) widget.Column[event] {
		return widget.Column[event]{Title: title, Width: 6, Right: true, Priority: priority, Cell: func(e event) widget.Cell {
			return widget.Cell{Text: m.mark() + fmt.Sprint(n(e.Seats))}
		}}
	}
	columns := []widget.Column[event]{
		{Title: "start", Width: m.startWidth(), Priority: widget.Always, Cell: func(e event) widget.Cell {
			return widget.Cell{Text: m.start(e)}
		}},
		number("free", widget.Always, func(c inventory.SeatCounts) int { return c.Available }),
		number("held", 40, func(c inventory.SeatCounts) int { return c.Held }),
		number("booked", 50, func(c inventory.SeatCounts) int { return c.Booked }),
		number("off", 30, func(c inventory.SeatCounts) int { return c.Killed }),
		number("of", 60, inventory.SeatCounts.Total),
		{Title: "event", Priority: 80, Cell: func(e event) widget.Cell {
			switch {
			case e.StopSell:
				return widget.Cell{Text: "sales stopped: " + e.Name, Style: theme.Warn}
			case !m.env.Now().Before(e.StartsAt):
				return widget.Cell{Text: "has begun: " + e.Name}
			}
			return widget.Cell{Text: e.Name}
		}},
	}
	if m.width < wide { // the name needs the room more
		columns = slices.DeleteFunc(columns, func(c widget.Column[event]) bool { return c.Title == "off" || c.Title == "held" })
	}
	return columns
}

func (m *Model) startWidth() int {
	if m.width < narrow {
		return canvas.Width("01-02 15:04 -07")
	}
	return canvas.Width("Mon 2006-01-02 15:04 -07:00")
}
