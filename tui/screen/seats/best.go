package seats

import (
	"fmt"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// bestWanted asks for so many seats side by side.
type bestWanted struct {
	n        int
	section  string // "": anywhere
	category string // "": any
}

// The places to look in, as the form names them.
const (
	inSection = "this section"
	anywhere  = "anywhere"
)

// askBest asks how many. It changes nothing: what is found is marked.
func (m *Model) askBest() tea.Cmd {
	s, ok := m.under()
	if !ok {
		return nil
	}
	n := widget.NumberInput("n", "How many", "2", "2")
	n.Note = "side by side"
	where := widget.ChoiceInput("where", "Where", inSection, inSection, anywhere)
	category := widget.TextInput("category", "Category", "", "any")
	category.Note = "may be empty"
	return ui.OpenDialog(dialog.NewForm(dialog.FormSpec{
		Title: "BEST SEATS TOGETHER",
		Intro: []string{
			fmt.Sprintf("This section is %s: %s.", canvas.Cut(s.Section, longestName, "..."), m.countsOf(s.Section).sentence()),
			"What is found is marked; b then books it. Marks that you have are dropped.",
		},
		Inputs: []widget.Input{n, where, category}, Submit: "Find", Reads: true,
		Check: checkBest,
		Then: func(v map[string]string) tea.Msg {
			n, _ := parseCount(v["n"]) // Check let it through
			w := bestWanted{n: n, category: strings.TrimSpace(v["category"])}
			if v["where"] == inSection {
				w.section = s.Section
			}
			return w
		},
	}))
}

func checkBest(v map[string]string) map[string]string {
	if _, err := parseCount(v["n"]); err != nil {
		return map[string]string{"n": err.Error()}
	}
	return nil
}

func parseCount(s string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < 1 || n > inventory.MaxSeatsPerHold {
		return 0, fmt.Errorf("must be from 1 to %d", inventory.MaxSeatsPerHold)
	}
	return n, nil
}

func (m *Model) countsOf(name string) counts {
	for i := range m.hall.sections {
		if m.hall.sections[i].name == name {
			return m.hall.sections[i].counts
		}
	}
	return counts{}
}

// markBest marks the best seats as they stood at the last reading.
func (m *Model) markBest(w bestWanted) tea.Cmd {
	found := inventory.BestSeats(m.hall.seats, w.n, w.category, w.section)
	first, ok := place{}, false
	if len(found) > 0 {
		first, ok = m.hall.where(found[0])
	}
	if !ok {
		where := "in the hall"
		if w.section != "" {
			where = "in " + canvas.Cut(w.section, longestName, "...")
		}
		if w.category != "" {
			where += " of category " + canvas.Cut(w.category, longestName, "...")
		}
		return ui.SettleDialog(dialog.Outcome{Text: fmt.Sprintf("there are no %d free seats side by side %s", w.n, where)})
	}
	clear(m.marks)
	m.moving, m.anchor, m.zoomed = nil, 0, false
	m.blocks.SetRows(nil)
	for _, id := range found {
		m.marks[id] = inventory.SeatAvailable
	}
	m.put(first, true)
	marked := m.marked()
	say := fmt.Sprintf("marked %s, %s; b books", names(marked, 4), price(marked))
	return tea.Batch(ui.SettleDialog(dialog.Outcome{OK: true, Text: say}), m.moved())
}
