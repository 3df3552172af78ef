package cockpit

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/canvas"
	"holdfast/tui/dialog"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
)

// drawPane draws what is selected, below the list or beside it; beside it there
// is room for the daemons, too.
func (m *Model) drawPane(c canvas.Canvas, area canvas.Rect) {
	if area.Empty() {
		return
	}
	if m.width >= wide {
		var bar canvas.Rect
		bar, area = area.Left(1)
		c.Fill(bar, theme.Rule, c.Glyphs().Vertical)
	}
	p := c.Sub(area)
	w, h := p.Size()
	row, _, ok := m.selected()
	lines, title, remark := []line(nil), "DAEMONS", ""
	if ok {
		title, remark = row.Name, timezone.DayLabel(row.Day)
		lines = m.about(row)
	} else {
		lines = m.daemonLines()
	}
	p.Rule(0, theme.Rule, theme.Heading, canvas.Cut(title, max(0, w-len(remark)-8), c.Glyphs().Ellipsis), remark)
	drawLines(p, 1, lines)
	if !ok || m.width < wide {
		return
	}
	const forRow = 11 // enough for the longest that is told of a row
	if h > forRow+3 {
		below := p.Sub(canvas.Rect{Y: forRow, W: w, H: h - forRow})
		below.Rule(0, theme.Rule, theme.Heading, "DAEMONS", "")
		drawLines(below, 1, m.daemonLines())
	}
}

// about is what is known of a row, the most important first.
func (m *Model) about(row inventory.Selling) []line {
	var out []line
	if m.left != "" {
		out = append(out, line{theme.Warn, m.left})
	}
	mark := m.tilde()
	holds := "nobody holds any"
	if row.Holds+row.Paying > 0 {
		holds = fmt.Sprintf("%s with %s%s", holdsWords(row.Holds+row.Paying), mark, places(row, row.Held))
	}
	if row.Paying > 0 {
		holds += fmt.Sprintf(", %s being paid", areAre(row.Paying))
	}
	out = append(out, line{theme.Text, fmt.Sprintf("%s%s of %s taken, %s left; %s%s.", mark, thousands(int64(row.Taken)), places(row, row.Limit), thousands(int64(row.Left())), mark, holds)})
	if n := row.Oversold(); n > 0 {
		out = append(out, line{theme.Bad, fmt.Sprintf("%s more are taken than may be: it sells nothing.", places(row, n))})
	}
	if row.Zombies > 0 {
		out = append(out, line{theme.Warn, count(row.Zombies, "payment") + " came too late and wait for a person: see Zombies."})
	}
	if room, ok := m.roomOf(row); ok && room.Open {
		out = append(out, line{theme.Text, "waiting room: " + m.roomWords(room) + "."})
	}
	out = append(out, line{theme.Muted, m.salesWords(row)})
	return out
}

// salesWords says until when it sells.
func (m *Model) salesWords(row inventory.Selling) string {
	text := ""
	switch m.onSale(row) {
	case "STOPPED":
		text = "sales were stopped by staff; S opens them again"
	case "not yet":
		text = "sales begin " + m.at(row.SalesFrom)
	case "over":
		text = "sales ended " + m.at(row.SalesUntil)
	default:
		text = "sells until " + m.at(row.SalesUntil)
	}
	return fmt.Sprintf("%s; %s%s holds a minute", text, m.tilde(), perSecond(m.now.Value().selling.Minute(row)))
}

// open shows everything about the selected row, and what there is no room for on
// a small screen.
func (m *Model) open() tea.Cmd {
	row, _, ok := m.selected()
	if !ok {
		return nil
	}
	facts := func(lines []line) []dialog.Fact {
		out := []dialog.Fact{}
		for _, l := range lines {
			out = append(out, dialog.Fact{Text: l.text})
		}
		if len(out) == 0 {
			out = append(out, dialog.Fact{Text: "none"})
		}
		return out
	}
	p := m.pace()
	sales := []dialog.Fact{{Label: "Holds", Text: perSecond(p.Second) + " a second"}}
	for _, r := range p.Refused {
		words, _ := refusal(r.Code)
		sales = append(sales, dialog.Fact{Label: "Refused", Text: perSecond(r.Second) + " a second: " + words + " (" + r.Code + ")"})
	}
	if p.P99 > 0 {
		sales = append(sales, dialog.Fact{Label: "Answers", Text: fmt.Sprintf("half within %s, 95 of 100 within %s, 99 of 100 within %s", took(p.P50), took(p.P95), took(p.P99))})
	}
	sales = append(sales, dialog.Fact{Label: "Inside", Text: inside(p)})
	var rooms []line
	for _, r := range m.openRooms() {
		rooms = append(rooms, line{theme.Text, m.roomWords(r) + ": " + r.Name})
	}
	return ui.OpenDialog(dialog.NewList(what(row), []string{"Numbers of " + m.at(m.now.ReadAt()) + "."}, []dialog.Group{
		{Title: "This", Facts: facts(m.about(row))},
		{Title: "All sales", Facts: sales},
		{Title: "Waiting rooms", Facts: facts(rooms)},
		{Title: "Daemons", Facts: facts(m.daemonLines())},
	}))
}
