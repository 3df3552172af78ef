package refunds

import (
	"fmt"
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
	roomy  = 130 // columns from which the list says all
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
		if r, ok := m.table.Selected(); ok && !a.pane.Empty() {
			m.drawPane(c, a.pane, r)
		}
	}
}

func (m *Model) drawHead(c canvas.Canvas) {
	w, _ := c.Size()
	style, heading, remark := theme.Rule, theme.Heading, m.remark()
	if len(m.urgent()) > 0 {
		style, heading = theme.Bad, theme.Bad
	}
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
	c.Rule(0, style, heading, canvas.Cut(title, room, c.Glyphs().Ellipsis), remark)
}

// urgent is the listed refunds that wait for a person; they come first.
func (m *Model) urgent() []row {
	rows := m.table.Rows()
	for i, r := range rows {
		if !r.waits {
			return rows[:i]
		}
	}
	return rows
}

// titles are the headings from the fullest to the shortest.
func (m *Model) titles() []string {
	if !m.list.Ready() {
		return []string{"REFUNDS"}
	}
	rows, where := m.table.Rows(), ""
	if m.everywhere {
		where = " of all venues"
	}
	count := fmt.Sprintf("%s%d refunds%s, newest first", m.mark(), len(rows), where)
	switch {
	case m.list.Value().more:
		count = fmt.Sprintf("%sthe newest %d%s", m.mark(), len(rows), where)
	case len(rows) == 1:
		count = m.mark() + "1 refund" + where
	case len(rows) == 0:
		count = m.mark() + "NO REFUNDS" + where
	}
	urgent := m.urgent()
	if len(urgent) == 0 {
		return []string{count}
	}
	waits := fmt.Sprintf("%s%d FAILED, waiting for you", m.mark(), len(urgent))
	money := strings.ReplaceAll(sum(urgent), " and ", " + ")
	return []string{waits + ": " + m.mark() + money + "; " + count, waits + ": " + m.mark() + money, waits, fmt.Sprintf("%s%d FAILED", m.mark(), len(urgent))}
}

func (m *Model) remark() string {
	a := m.list.Value()
	switch {
	case m.old() != "":
		return m.old()
	case m.only != (choice{}):
		return "only " + m.only.String() + ": esc shows all"
	case m.list.Ready() && !m.everywhere && a.waiting > len(m.urgent()):
		return fmt.Sprintf("%d FAILED elsewhere: a", a.waiting-len(m.urgent()))
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
		return []string{"The refunds could not be read: " + inventory.Message(err) + ".", "Trying again every 2 seconds; r tries now."}
	}
	since, _ := m.list.Running()
	if d := m.env.Now().Sub(since); d >= time.Second {
		return []string{"asking the database ... " + widget.Age(d)}
	}
	return []string{"asking the database ..."}
}

// nothing says why the list is empty and what would fill it.
func (m *Model) nothing() []string {
	where := "at this venue"
	if m.everywhere {
		where = "at any venue"
	}
	a := m.list.Value()
	var text []string
	switch {
	case m.only.waits:
		text = []string{"No refund " + where + " waits for you: all that failed were asked for again, or their money went another way.", "esc shows all refunds."}
	case m.only.state != "":
		text = []string{fmt.Sprintf("No refund %s is %s.", where, m.only.state), "esc shows all refunds."}
	default:
		text = []string{
			"No refunds: no money was ever sent back " + where + ".",
			"A refund comes here when a zombie is refunded, by staff or when its time is over, when a paid booking is cancelled, or when one is made at the provider itself.",
		}
	}
	if a.waiting > 0 && !m.everywhere {
		text = append(text, fmt.Sprintf("%d FAILED elsewhere, of other venues or for nothing we know: a shows them.", a.waiting))
	}
	return text
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
