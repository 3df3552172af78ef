package seats

import (
	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
)

// open shows everything about the booking of the seat under the cursor, or,
// of a seat that nobody has, about the seat.
func (m *Model) open() tea.Cmd {
	s, ok := m.under()
	if !ok {
		return nil
	}
	if !taken(s) {
		return m.tell(s, nil)
	}
	return m.withBooking(func(k known) tea.Cmd { return m.tell(s, &k) })
}

func (m *Model) tell(s inventory.Seat, k *known) tea.Cmd {
	groups := []dialog.Group{{Title: "The seat", Facts: []dialog.Fact{
		{Label: "section", Text: s.Section},
		{Label: "row", Text: s.Row},
		{Label: "seat", Text: short(s)},
		{Label: "category", Text: s.Category},
		{Label: "price", Text: s.Price.String()},
	}}}
	for _, l := range m.seatWords(s) {
		groups[0].Facts = append(groups[0].Facts, dialog.Fact{Label: m.word(s), Text: l.text})
	}
	if k != nil {
		b := k.booking
		groups = append(groups,
			dialog.Group{Title: "Who", Facts: []dialog.Fact{{Text: b.Buyer}}},
			dialog.Group{Title: "All seats of the booking", Facts: []dialog.Fact{{Text: names(m.party.seats, maxPieces)}}},
			dialog.Group{Title: "Payments", Facts: orNone(facts(m.payments(b)))},
			dialog.Group{Title: "Journal", Facts: orNone(facts(m.journal(k.journal)))},
			dialog.Group{Title: "Id", Facts: []dialog.Fact{{Text: b.ID.String()}}},
		)
	}
	return ui.OpenDialog(dialog.NewList("SEAT "+short(s)+"  "+m.word(s), nil, groups))
}

// maxPieces is how many pieces a list of seats has where there is room.
const maxPieces = 50

func facts(lines []line) []dialog.Fact {
	var out []dialog.Fact
	for _, l := range lines {
		out = append(out, dialog.Fact{Text: l.text})
	}
	return out
}

func orNone(facts []dialog.Fact) []dialog.Fact {
	if len(facts) == 0 {
		return []dialog.Fact{{Text: "none"}}
	}
	return facts
}
