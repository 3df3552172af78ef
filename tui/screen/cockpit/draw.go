package cockpit

import (
	"time"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

const (
	wide   = 110 // columns from which what is selected stands beside the list
	narrow = 60  // below, row 1 has to say alone what being old means
	tall   = 13  // rows from which there is more than the pace and the list
	// paneLow is the rows of what is selected below the list, its heading included.
	paneLow = 3
	// maxRooms is how many waiting rooms are listed; the longest lines come first.
	maxRooms = 3
	// oldAfter is two missed polls and a little, as in row 1.
	oldAfter = 6 * time.Second
)

// areas is where everything is.
type areas struct{ head, pace, heading, table, rooms, pane canvas.Rect }

func (m *Model) layout() areas {
	var a areas
	rest := canvas.Box(m.width, m.high)
	a.head, rest = rest.Top(1)
	if m.high < tall {
		a.table = rest
		return a
	}
	a.pace, rest = rest.Top(4)
	if m.width >= wide {
		a.pane, rest = rest.Right(m.width * 2 / 5)
	} else {
		a.pane, rest = rest.Bottom(paneLow)
	}
	if n := len(m.openRooms()); n > 0 {
		a.rooms, rest = rest.Bottom(1 + min(n, maxRooms))
	}
	a.heading, a.table = rest.Top(1)
	return a
}

// arrange fits the table to the screen and to what is known.
func (m *Model) arrange() {
	m.table.Columns = m.columns()
	m.table.SetHeight(m.layout().table.H)
}

// Draw draws the screen.
func (m *Model) Draw(c canvas.Canvas) {
	a := m.layout()
	m.drawHead(c.Sub(a.head))
	if !m.now.Ready() {
		m.table.Draw(c.Sub(a.table))
		m.drawText(c.Sub(a.table), m.waiting())
		return
	}
	m.drawPace(c.Sub(a.pace))
	m.drawHeading(c.Sub(a.heading))
	if len(m.table.Rows()) == 0 {
		m.drawText(c.Sub(a.table), []string{
			"Nothing sells here now.",
			"Days come here by themselves when a pool has some ahead, and events from the day they are made until their sales end.",
		})
	} else {
		m.table.Draw(c.Sub(a.table))
	}
	m.drawRooms(c.Sub(a.rooms))
	m.drawPane(c, a.pane)
}

func (m *Model) drawHead(c canvas.Canvas) {
	style, words := m.verdict()
	rule := theme.Rule
	remark := m.old()
	if remark != "" {
		rule = theme.Warn
	} else if m.now.Ready() && m.width >= narrow {
		remark = m.daemonsInShort()
	}
	w, _ := c.Size()
	const around = 7
	c.Rule(0, rule, style, canvas.Cut(words, max(0, w-canvas.Width(canvas.Clean(remark))-around), c.Glyphs().Ellipsis), remark)
}

func (m *Model) drawHeading(c canvas.Canvas) {
	c.Rule(0, theme.Rule, theme.Heading, "DAYS AND EVENTS", "busiest first")
}

// line is one line of text.
type line struct {
	style canvas.Style
	text  string
}

// drawLines draws as many lines as there is room for from row y.
func drawLines(c canvas.Canvas, y int, lines []line) {
	w, h := c.Size()
	for _, l := range lines {
		for _, s := range widget.Wrap(l.text, w-3) {
			if y >= h {
				return
			}
			c.Text(2, y, l.style, s)
			y++
		}
	}
}

func (m *Model) drawText(c canvas.Canvas, paragraphs []string) {
	w, _ := c.Size()
	y := 2
	for _, p := range paragraphs {
		for _, s := range widget.Wrap(p, w-6) {
			c.Text(3, y, theme.Text, s)
			y++
		}
	}
}

// old says since when the numbers are not fresh; it is empty while they are.
func (m *Model) old() string {
	if !m.now.Ready() {
		return ""
	}
	readAt := m.now.ReadAt()
	link := m.env.Link().State
	if link != ui.Stale && link != ui.Offline && m.env.Now().Sub(readAt) <= oldAfter {
		return ""
	}
	if m.width < narrow {
		return "~ as of " + m.at(readAt)
	}
	return "~ as of " + m.at(readAt) + ", saving is off"
}

// tilde stands before numbers that are from before.
func (m *Model) tilde() string {
	if m.old() != "" {
		return "~"
	}
	return ""
}

// waiting is shown before the first answer. It never shows a zero.
func (m *Model) waiting() []string {
	if err := m.now.Err(); err != nil {
		return []string{"The numbers could not be read: " + inventory.Message(err) + ".", "Trying again every 2 seconds; r tries now."}
	}
	since, _ := m.now.Running()
	if d := m.env.Now().Sub(since); d >= time.Second {
		return []string{"asking the database ... " + widget.Age(d)}
	}
	return []string{"asking the database ..."}
}
