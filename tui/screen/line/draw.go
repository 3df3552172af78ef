package line

import (
	"fmt"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// oldAfter is two missed polls and a little, as in row 1.
const oldAfter = 6 * time.Second

// Draw draws the screen.
func (m *Model) Draw(c canvas.Canvas) {
	a := m.layout()
	m.drawHead(c.Sub(a.head))
	switch {
	case !m.list.Ready():
		m.drawRuler(c.Sub(a.ruler), a.grid)
		drawText(c.Sub(below(a)), m.waiting())
		return
	case len(m.rows) == 0:
		drawText(c.Sub(below(a)), m.none())
		return
	case len(m.axis.columns) == 0:
		drawText(c.Sub(below(a)), []string{"The calendar of " + m.zone.Name() + " has no such day: the clocks went past it."})
		return
	}
	m.drawRuler(c.Sub(a.ruler), a.grid)
	m.drawRows(c, a)
	m.drawNotes(c.Sub(a.notes), a.pane.Empty())
	if !a.pane.Empty() {
		m.drawPane(c.Sub(a.pane))
	}
}

// below is everything under the ruler.
func below(a areas) canvas.Rect {
	_, rest := canvas.Box(a.head.W, max(a.pane.Y+a.pane.H, a.notes.Y+a.notes.H, a.rows.Y+a.rows.H)).Top(a.ruler.Y + a.ruler.H)
	return rest
}

func (m *Model) drawHead(c canvas.Canvas) {
	w, _ := c.Size()
	switch m.typing {
	case aFilter, aDay:
		label, hint := "find ", "part of a resource's name"
		if m.typing == aDay {
			label, hint = "day ", "2027-03-28, or fri jan, or next month sat"
		}
		x := c.Text(1, 0, theme.Heading, label)
		field := canvas.Rect{X: x, W: min(w-x, 36), H: 1}
		m.field.Draw(c.Sub(field), true)
		c.Text(x+field.W+1, 0, theme.Muted, canvas.Cut(hint, max(0, w-x-field.W-2), c.Glyphs().Ellipsis))
		return
	case nothing:
	}
	style, remark := theme.Rule, m.remark()
	if m.old() != "" {
		style = theme.Warn
	}
	const around = 7 // blanks and the least of the line between the two
	room := w - canvas.Width(canvas.Clean(remark)) - around
	title := ""
	for _, t := range m.titles() {
		if title = t; canvas.Width(t) <= room {
			break
		}
	}
	c.Rule(0, style, theme.Heading, canvas.Cut(title, room, c.Glyphs().Ellipsis), remark)
}

// titles are the headings from the fullest to the shortest. A day that is not
// 24 hours long always says so.
func (m *Model) titles() []string {
	day := timezone.DayLabel(m.day)
	if m.old() != "" {
		day = "~" + day
	}
	long, odd := m.oddLength()
	zone := m.zone.Name()
	if m.face().Name() != zone {
		zone += ", hours in UTC"
	}
	if !odd {
		return []string{day + "   " + zone, day}
	}
	return []string{day + "   " + zone + "   THIS DAY HAS " + long, day + "  " + zone + "  " + long, day + "   THIS DAY HAS " + long, day + "  " + long}
}

// oddLength is how long the day is, and whether that is worth saying.
func (m *Model) oddLength() (string, bool) {
	length := timezone.DayLength(m.day, m.zone)
	hours, minutes := int(length.Hours()), int(length.Minutes())%60
	switch {
	case length == hoursOfFace*time.Hour:
		return "", false
	case minutes != 0:
		return fmt.Sprintf("%d H %d MIN", hours, minutes), true
	}
	return fmt.Sprintf("%d HOURS", hours), true
}

// remark is what is said at the right: what makes the numbers untrustworthy
// comes first.
func (m *Model) remark() string {
	switch {
	case m.old() != "":
		return m.old()
	case m.search != "" && !m.list.Ready():
		return fmt.Sprintf("filter %q, esc clears", m.search)
	case m.search != "":
		return fmt.Sprintf("filter %q: %d of %d, esc clears", m.search, len(m.rows), len(m.list.Value()))
	case m.width < narrow:
		return short(m.step)
	}
	return "step " + short(m.step)
}

// old says since when what is shown is not fresh; it is empty while it is.
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
		return "~ as of " + m.moment(readAt)
	}
	return "~ as of " + m.moment(readAt) + ", saving is off"
}

// waiting is shown before the first answer. It never shows a free hour.
func (m *Model) waiting() []string {
	if err := m.list.Err(); err != nil {
		return []string{"The line could not be read: " + inventory.Message(err) + ".", "Trying again every 2 seconds; r tries now."}
	}
	since, _ := m.list.Running()
	if d := m.env.Now().Sub(since); d >= time.Second {
		return []string{"asking the database ... " + widget.Age(d)}
	}
	return []string{"asking the database ..."}
}

// none says why there is no row and what would make one.
func (m *Model) none() []string {
	if n := len(m.list.Value()); n > 0 {
		return []string{fmt.Sprintf("None of the %d resources matches %q.", n, m.search), "esc clears the filter."}
	}
	return []string{
		"This venue has nothing that is booked by time.",
		"A room, a court or a studio comes here when it is added: holdfast resource add VENUE/RESOURCE.",
	}
}

func drawText(c canvas.Canvas, paragraphs []string) {
	w, _ := c.Size()
	y := 1
	for _, p := range paragraphs {
		for _, s := range widget.Wrap(p, w-6) {
			c.Text(3, y, theme.Text, s)
			y++
		}
	}
}

func (m *Model) drawRuler(c canvas.Canvas, grid canvas.Rect) {
	r := m.labelled().ruler(m.first, grid.W, m.env.Now())
	c.Text(grid.X, 0, theme.Heading, r.hours)
	c.Text(grid.X, 1, theme.Muted, r.ticks)
	if m.first > 0 {
		c.Text(grid.X-1, 1, theme.Accent, "<")
	}
	if m.first+grid.W < len(m.axis.columns) {
		c.Text(grid.X+grid.W-1, 1, theme.Accent, ">")
	}
}

// looks are how cells are told from one another beside their characters.
var looks = map[byte]canvas.Style{
	cellBooked: theme.Text, cellHeld: theme.Warn, cellTurnaround: theme.Muted, cellFree: theme.Muted, cellClosed: theme.Rule,
}

func (m *Model) drawRows(c canvas.Canvas, a areas) {
	for y := range a.rows.H {
		i := m.top + y
		if i >= len(m.rows) {
			break
		}
		r := m.rows[i].Resource
		row := c.Sub(canvas.Rect{Y: a.rows.Y + y, W: a.rows.W, H: 1})
		row.Fit(marks, 0, a.grid.X-marks-1, theme.Text, r.Name)
		drawn := m.drawn[r.ID]
		for x := 0; x < a.grid.W && m.first+x < len(drawn); {
			from := x
			for x < a.grid.W && m.first+x < len(drawn) && drawn[m.first+x] == drawn[m.first+from] {
				x++
			}
			row.Text(a.grid.X+from, 0, looks[drawn[m.first+from]], string(drawn[m.first+from:m.first+x]))
		}
		if r.ID == m.resource {
			row.Text(0, 0, theme.Accent, ">")
			m.drawCursor(row, a.grid, drawn)
		}
	}
}

// drawCursor marks the run and the cursor in the row that has it. Free cells of
// a run get a character of their own, so that it is seen without reverse.
func (m *Model) drawCursor(row canvas.Canvas, grid canvas.Rect, drawn []byte) {
	run, ok := m.run()
	if !ok {
		return
	}
	cells := row.Sub(canvas.Rect{X: grid.X, W: grid.W, H: 1})
	if !m.anchor.IsZero() {
		from, to := m.axis.span(run.From, run.To)
		for i := from; i < to && i < len(drawn); i++ {
			if drawn[i] == cellFree || drawn[i] == cellClosed {
				cells.Text(i-m.first, 0, theme.Marked, "=")
			}
		}
		cells.Emphasise(canvas.Rect{X: from - m.first, W: to - from, H: 1}, canvas.Reverse)
	}
	x := m.column() - m.first
	cells.Text(x, 0, theme.Accent, ">")
	cells.Emphasise(canvas.Rect{X: x, W: 1, H: 1}, canvas.Reverse)
}

// drawNotes draws what the clocks do that day, and the legend. Where there is no
// pane, what the cursor is on comes first.
func (m *Model) drawNotes(c canvas.Canvas, readOut bool) {
	w, h := c.Size()
	var lines []textLine
	if readOut {
		lines = append(lines, textLine{theme.Text, m.inOneLine()})
	}
	for _, change := range m.axis.changes {
		lines = append(lines, textLine{theme.Warn, m.changeWords(change)})
	}
	lines = append(lines, textLine{theme.Muted, m.legend()})
	for y, l := range lines[:min(h, len(lines))] {
		c.Text(2, y, l.style, canvas.Cut(l.text, w-3, c.Glyphs().Ellipsis))
	}
}

func (m *Model) legend() string {
	text := "# booked  h held  - turnaround  . free  x closed  > cursor"
	if !m.anchor.IsZero() {
		text += "  = marked"
	}
	if i := m.axis.at(m.env.Now()); i >= m.first {
		text += "  v now"
	}
	return text
}
