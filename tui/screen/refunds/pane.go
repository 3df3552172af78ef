package refunds

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/dialog"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// drawPane draws the story of the selected refund's payment and below it how
// the refund stands. Where there is little room the end of the story is kept.
func (m *Model) drawPane(c canvas.Canvas, area canvas.Rect, r row) {
	if m.width >= wide {
		var bar canvas.Rect
		bar, area = area.Left(1)
		c.Fill(bar, theme.Rule, c.Glyphs().Vertical)
	}
	p := c.Sub(area)
	w, h := p.Size()
	remark := string(r.State)
	if w >= narrow {
		remark = "by " + canvas.Cut(r.RequestedBy, w/4, c.Glyphs().Ellipsis) + "  " + remark
	}
	title := fmt.Sprintf("..%s  %s of ..%s", r.ID.Short(), r.Amount, r.PaymentID.Short())
	if s, known := m.storyFor(r); known && s.matched() {
		title += "  " + s.booking.Buyer
	}
	p.Rule(0, theme.Rule, theme.Heading, canvas.Cut(title, w-canvas.Width(remark)-7, c.Glyphs().Ellipsis), remark)

	advice := m.advice(r)
	if m.left != "" {
		advice = append([]line{{theme.Warn, "", m.left}}, advice...)
	}
	below := slices.Concat(wrap(advice, w-3)...)
	bottom, top := canvas.Rect{Y: 1, W: w, H: h - 1}.Bottom(len(below))
	drawLines(p.Sub(top), latest(wrap(m.happened(r, c.Glyphs().Ellipsis), w-3), top.H))
	drawLines(p.Sub(bottom), below)
}

func (m *Model) happened(r row, ellipsis string) []line {
	s, known := m.storyFor(r)
	switch {
	case known:
		return m.lines(s)
	case m.story.Err() != nil:
		return []line{{theme.Warn, "", "its story could not be read: " + inventory.Message(m.story.Err())}}
	}
	return []line{{theme.Muted, "", "its story: asking " + ellipsis}}
}

func drawLines(c canvas.Canvas, lines []line) {
	for y, l := range lines {
		x := c.Text(2, y, theme.Muted, l.when)
		c.Text(x, y, l.style, l.text)
	}
}

// latest returns the last whole entries that fit into so many rows, and says
// how many came before.
func latest(entries [][]line, rows int) []line {
	from, used := len(entries), 0
	for from > 0 && used+len(entries[from-1]) <= rows {
		from--
		used += len(entries[from])
	}
	if from == 0 {
		return slices.Concat(entries...)
	}
	if used == rows && from < len(entries) { // room for saying so
		from++
	}
	said := line{style: theme.Muted, text: fmt.Sprintf("%d earlier: enter", from)}
	return append([]line{said}, slices.Concat(entries[from:]...)...)
}

// wrap breaks each line to the width; what follows is indented below the text.
func wrap(lines []line, width int) [][]line {
	out := make([][]line, 0, len(lines))
	for _, l := range lines {
		if l.text == "" {
			continue
		}
		when := ""
		if l.when != "" {
			when = l.when + " "
		}
		indent := canvas.Width(when)
		var entry []line
		for _, s := range widget.Wrap(l.text, max(1, width-indent)) {
			entry = append(entry, line{l.style, when, s})
			when = strings.Repeat(" ", indent)
		}
		out = append(out, entry)
	}
	return out
}

// open shows the whole story of the selected refund, or asks for it first.
func (m *Model) open() tea.Cmd {
	r, ok := m.table.Selected()
	if !ok {
		return nil
	}
	s, known := m.storyFor(r)
	if !known {
		m.opening = true
		return m.askStory()
	}
	var happened, stands []dialog.Fact
	for _, l := range m.lines(s) {
		happened = append(happened, dialog.Fact{Label: l.when, Text: l.text})
	}
	for _, l := range m.advice(r) {
		stands = append(stands, dialog.Fact{Text: l.text})
	}
	ids := []dialog.Fact{
		{Label: "refund", Text: r.ID.String()},
		{Label: "at " + r.Provider, Text: cmp.Or(r.ProviderRefund, "not known yet")},
		{Label: "payment", Text: r.PaymentID.String()},
		{Label: "at " + s.payment.Provider, Text: cmp.Or(s.payment.ProviderPayment, "not known yet")},
	}
	if s.matched() {
		ids = append(ids, dialog.Fact{Label: "booking", Text: s.payment.BookingID.String()})
	}
	return ui.OpenDialog(dialog.NewList("REFUND .."+r.ID.Short(), s.about(), []dialog.Group{
		{Title: "What happened", Facts: happened},
		{Title: "How it stands", Facts: stands},
		{Title: "Whole ids", Facts: ids},
	}))
}
