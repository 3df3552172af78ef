package zombies

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

const (
	wide   = 100 // columns from which the pane stands beside the list
	narrow = 60  // below, row 1 has to say alone what being old means
	// tall is the height from which there is a pane below the list.
	tall     = 13
	paneHigh = 10 // rows of the pane below the list, where there is room
	listLow  = 5  // rows that the list keeps
	// oldAfter is two missed polls and a little, as in row 1.
	oldAfter = 6 * time.Second
)

// areas is where everything is.
type areas struct{ head, list, pane canvas.Rect }

func (m *Model) layout() areas {
	var a areas
	a.head, a.list = canvas.Box(m.width, m.high).Top(1)
	switch {
	case m.width >= wide:
		a.pane, a.list = a.list.Right(m.width * 2 / 5)
	case m.high >= tall:
		a.pane, a.list = a.list.Bottom(min(paneHigh, a.list.H-listLow))
	}
	return a
}

// Draw draws the screen.
func (m *Model) Draw(c canvas.Canvas) {
	a := m.layout()
	m.drawHead(c.Sub(a.head))
	switch {
	case !m.list.Ready():
		m.table.Draw(c.Sub(a.list))
		drawText(c.Sub(a.list), m.waiting())
	case len(m.table.Rows()) == 0:
		drawText(c.Sub(a.list), m.nothing())
	default:
		m.table.Draw(c.Sub(a.list))
		if z, ok := m.table.Selected(); ok && !a.pane.Empty() {
			m.drawPane(c, a.pane, z)
		}
	}
}

func (m *Model) drawHead(c canvas.Canvas) {
	w, _ := c.Size()
	style, remark := theme.Rule, m.remark()
	if m.old() != "" {
		style = theme.Warn
	}
	const around = 7 // blanks and the least of the line between the two
	room := w - canvas.Width(remark) - around
	title := ""
	for _, t := range m.titles() { // amounts are shown whole or not at all
		if title = t; canvas.Width(t) <= room {
			break
		}
	}
	c.Rule(0, style, theme.Heading, canvas.Cut(title, room, c.Glyphs().Ellipsis), remark)
}

// titles are the headings from the fullest to the shortest.
func (m *Model) titles() []string {
	if !m.list.Ready() {
		return []string{"ZOMBIES"}
	}
	l, where := m.list.Value(), ""
	if m.everywhere {
		where = " at all venues"
	}
	if l.Total == 0 {
		if l.all > 0 && !m.everywhere {
			where = " HERE"
		}
		return []string{m.mark() + "NO ZOMBIES" + where}
	}
	count := fmt.Sprintf("%s%d open%s", m.mark(), l.Total, where)
	var money []string
	for _, a := range l.AtStake {
		money = append(money, m.mark()+a.String())
	}
	if len(money) == 0 {
		return []string{count}
	}
	all := []string{count + ", " + strings.Join(money, " + ") + " at stake", count + ", " + strings.Join(money, " + ")}
	for n := len(money) - 1; n > 0; n-- {
		all = append(all, fmt.Sprintf("%s, %s + %d more", count, strings.Join(money[:n], " + "), len(money)-n))
	}
	return append(all, count)
}

func (m *Model) remark() string {
	l := m.list.Value()
	switch marked := m.table.Marked(); {
	case m.old() != "":
		return m.old()
	case len(marked) > 0:
		return fmt.Sprintf("%d marked, %s", len(marked), sum(marked))
	case !m.list.Ready():
		return ""
	case l.Total > len(l.Zombies):
		return fmt.Sprintf("the oldest %d", len(l.Zombies))
	case l.all > 0 && l.Total == 0:
		return fmt.Sprintf("%d elsewhere: a shows them", l.all)
	case l.all > l.Total:
		return fmt.Sprintf("%d more elsewhere: a", l.all-l.Total)
	}
	return ""
}

// old says since when the numbers are not fresh; it is empty while they are.
func (m *Model) old() string {
	if !m.list.Ready() {
		return ""
	}
	readAt := m.list.ReadAt()
	link := m.env.Link().State
	if link != ui.Stale && link != ui.Offline && m.env.Now().Sub(readAt) <= oldAfter {
		return ""
	}
	if m.width < narrow {
		return "~ as of " + m.at(readAt)
	}
	return "~ as of " + m.at(readAt) + ", deciding is off"
}

// mark is put before numbers that are not fresh.
func (m *Model) mark() string {
	if m.old() != "" {
		return "~"
	}
	return ""
}

// waiting is shown before the first answer. It never shows a zero.
func (m *Model) waiting() []string {
	if err := m.list.Err(); err != nil {
		return []string{"The zombies could not be read: " + inventory.Message(err) + ".", "Trying again every 2 seconds; r tries now."}
	}
	since, _ := m.list.Running()
	if d := m.env.Now().Sub(since); d >= time.Second {
		return []string{"asking the database ... " + widget.Age(d)}
	}
	return []string{"asking the database ..."}
}

// nothing says why the list is empty and what would fill it.
func (m *Model) nothing() []string {
	l := m.list.Value()
	text := []string{"No zombies: all captured money at this venue belongs to a booking, is on its way back, or went back."}
	if m.everywhere {
		text = []string{"No zombies at any venue: all captured money belongs to a booking, is on its way back, or went back."}
	}
	if r := l.refund; r != nil {
		text = append(text, fmt.Sprintf("The newest refund: %s, %s, asked by %s at %s.", r.Amount, r.State, r.RequestedBy, m.at(r.RequestedAt)))
	}
	if l.all > 0 && !m.everywhere {
		text = append(text, fmt.Sprintf("%d elsewhere, at other venues or for nothing we know: a shows them.", l.all))
	}
	return append(text, "A zombie comes here when money is captured after its hold was over, a second time, in the wrong amount, or for nothing we know.")
}

func drawText(c canvas.Canvas, paragraphs []string) {
	w, _ := c.Size()
	y := 2
	for _, p := range paragraphs {
		for _, s := range widget.Wrap(p, w-6) {
			c.Text(3, y, theme.Text, s)
			y++
		}
	}
}

// drawPane draws the story of the selected zombie and below it what can be done
// now. Where there is little room the end of the story is what is kept.
func (m *Model) drawPane(c canvas.Canvas, area canvas.Rect, z inventory.Zombie) {
	if m.width >= wide {
		var bar canvas.Rect
		bar, area = area.Left(1)
		c.Fill(bar, theme.Rule, c.Glyphs().Vertical)
	}
	p := c.Sub(area)
	w, h := p.Size()
	remark := "no booking"
	if !unmatched(z) {
		remark = fmt.Sprintf("%s v%d", z.Booking.State, z.Booking.Version)
	}
	p.Rule(0, theme.Rule, theme.Heading, m.paneTitle(z, w-canvas.Width(remark)-7, c.Glyphs().Ellipsis), remark)

	advice := m.advice(z)
	if m.left != "" {
		advice = append([]line{{theme.Warn, "", m.left}}, advice...)
	}
	below := slices.Concat(wrap(advice, w-3)...)
	bottom, top := canvas.Rect{Y: 1, W: w, H: h - 1}.Bottom(len(below))
	drawLines(p.Sub(top), latest(wrap(m.happened(z, c.Glyphs().Ellipsis), w-3), top.H))
	drawLines(p.Sub(bottom), below)
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

func (m *Model) paneTitle(z inventory.Zombie, room int, ellipsis string) string {
	title := fmt.Sprintf("..%s  %s", z.Payment.ID.Short(), claim(z))
	if !unmatched(z) {
		title += "  " + z.Booking.Buyer
	}
	return canvas.Cut(title, room, ellipsis)
}

func (m *Model) happened(z inventory.Zombie, ellipsis string) []line {
	s, known := m.storyFor(z)
	switch {
	case known:
		return m.lines(z, s)
	case m.story.Err() != nil:
		return []line{{theme.Warn, "", "its story could not be read: " + inventory.Message(m.story.Err())}}
	}
	return []line{{theme.Muted, "", "its story: asking " + ellipsis}}
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
