package calendar

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// Draw draws the month with the day under the cursor, or the editor in its
// place where there is no room for both.
func (m *Model) Draw(c canvas.Canvas) {
	a := m.layout()
	if m.editing && !a.side {
		m.drawEditor(c)
		return
	}
	m.drawTitle(c.Sub(a.title))
	if text := m.instead(); len(text) > 0 {
		_, rest := c.Bounds().Top(2)
		drawLines(c.Sub(rest), 1, text)
		return
	}
	if m.detail && a.pane.Empty() {
		_, rest := c.Bounds().Top(1)
		m.drawPane(c.Sub(rest))
		return
	}
	if a.list {
		m.drawList(c.Sub(a.days))
	} else {
		m.drawGrid(c.Sub(a.days))
	}
	m.drawNote(c.Sub(a.note))
	m.drawDetail(c.Sub(a.detail))
	m.drawYear(c.Sub(a.year))
	if a.pane.Empty() {
		return
	}
	c.Fill(canvas.Rect{X: a.pane.X, Y: a.pane.Y, W: 1, H: a.pane.H}, theme.Rule, c.Glyphs().Vertical)
	_, pane := a.pane.Left(1)
	if m.editing {
		m.drawEditor(c.Sub(pane))
		return
	}
	m.drawPane(c.Sub(pane))
}

// instead is what is said when there is no pool to show: why, and what to do.
func (m *Model) instead() []styled {
	dir := m.dir.Value()
	switch {
	case !m.dir.Ready() && m.dir.Err() != nil:
		return []styled{
			{theme.Bad, "! The database did not answer: " + inventory.Message(m.dir.Err()) + "."},
			{theme.Text, "It is asked again every few seconds; r asks now, f3 shows the error in full."},
		}
	case !m.dir.Ready():
		return nil // the month stands, its days say that they are being read
	case len(dir.venues) == 0:
		return []styled{
			{theme.Heading, "There is no venue yet."},
			{theme.Text, "A venue has a time zone, a currency and pools. The Venues screen makes the first one (n there), or in a shell:"},
			{theme.Accent, "  holdfast venue add harbour --zone Europe/Berlin --currency EUR --name \"Harbour Hall\""},
		}
	case m.pool == (inventory.PoolRef{}):
		venue := m.env.Venue()
		lines := []styled{
			{theme.Heading, "This venue has no pool yet."},
			{theme.Text, "A pool is something counted per day: general admission, a tour, a room type. The Venues screen adds one (a there), or in a shell:"},
			{theme.Accent, "  holdfast pool add " + venue.Slug + "/main --price 25.00"},
			{theme.Text, "Its days appear here as soon as the horizon job has made them."},
		}
		if len(dir.pools) > 0 {
			lines = append(lines, styled{theme.Text, "o shows a pool of another venue."})
		}
		return lines
	}
	return nil
}

// drawTitle says the month, its sums, the measure, and last the pool's name,
// which may be as long and as strange as staff like.
func (m *Model) drawTitle(c canvas.Canvas) {
	w, _ := c.Size()
	pool, known := m.poolOnScreen()
	name := canvas.Cut(pool.Name, max(0, w/3), c.Glyphs().Ellipsis)
	c.Text(w-1-canvas.Width(name), 0, theme.Heading, name)

	month := "January 2006"
	if w < listBelow {
		month = "Jan 2006"
	}
	x := c.Text(1, 0, theme.Heading, m.month.Cursor().Format(month))
	if !known || len(m.days.Value()) == 0 {
		return
	}
	s := sumOf(m.days.Value(), m.env.Now())
	room := w - x - canvas.Width(name) - 4
	for _, parts := range titles(s, m.tilde(), m.measure.name(pool)) {
		if 2*len(parts)+len(strings.Join(styledTexts(parts), "")) > room {
			continue
		}
		for _, p := range parts {
			x = c.Text(x+2, 0, p.style, p.text)
		}
		return
	}
}

// titles are the sums of a month, from the longest form to the shortest.
func titles(s sums, tilde, measure string) [][]styled {
	left := styled{theme.Text, "left " + tilde + thousands(s.left)}
	held := styled{theme.Text, "held " + tilde + thousands(s.held)}
	if s.oversold == 0 {
		return [][]styled{{left, held, {theme.Muted, "M: " + measure}}, {left, held}, {left}}
	}
	long := styled{theme.Bad, fmt.Sprintf("! %s oversold, by %s", count(s.oversold, "day"), thousands(s.over))}
	brief := styled{theme.Bad, fmt.Sprintf("! %d oversold", s.oversold)}
	return [][]styled{
		{left, held, long, {theme.Muted, "M: " + measure}},
		{left, long, {theme.Muted, "M: " + measure}},
		{left, brief, {theme.Muted, measure}},
		{left, brief},
		{brief},
	}
}

func styledTexts(parts []styled) []string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = p.text
	}
	return out
}

// tilde is set before numbers that may not be true any more.
func (m *Model) tilde() string {
	if m.stale() {
		return "~"
	}
	return ""
}

// drawNote is the row below the month: the find line, what has to be said, or
// the legend.
func (m *Model) drawNote(c canvas.Canvas) {
	w, h := c.Size()
	if h == 0 {
		return
	}
	if m.find != nil {
		m.drawFind(c)
		return
	}
	if style, texts := m.note(); len(texts) > 0 {
		c.Fit(1, 0, w-1, style, fitting(w-1, texts...))
		return
	}
	c.Fit(1, 0, w-1, theme.Muted, fitting(w-1,
		"9/40+2 taken/capacity+over  # confirmed h held . left < today x closed ! oversold * edited D clock change",
		"# confirmed  h held  . left   < today  x closed  ! oversold  * edited  D clock change",
		"# confirmed h held . left < today x closed ! oversold * edited D clock change",
		"# confirmed h held x closed ! oversold"))
}

// note is the most important thing to be said below the month, longest form
// first; empty: nothing.
func (m *Model) note() (canvas.Style, []string) {
	marked := m.month.Marked()
	switch {
	case m.stale():
		at := clockTime(m.days.ReadAt(), m.env.Zone())
		return theme.Warn, []string{"numbers marked ~ are from " + at + "; saving is off until they are fresh", "~ is from " + at + "; saving is off"}
	case m.days.Err() != nil && !m.days.Ready():
		return theme.Bad, []string{"! the days could not be read: " + inventory.Message(m.days.Err()) + "; r tries again", "! could not be read; r tries again"}
	case m.draft != nil && m.draft.progress == saving:
		return theme.Warn, []string{"your edit is being saved; it cannot be done twice", "your edit is being saved"}
	case m.draft != nil && m.draft.progress == looking:
		return theme.Warn, []string{"the line broke while saving; looking whether it went through", "looking whether it was saved"}
	case m.draft != nil && !m.editing:
		return theme.Warn, []string{"draft, not saved: an edit of " + m.draft.extent() + ".   e goes on with it   X drops it", "draft, not saved: e goes on, X drops"}
	case m.undo != nil && m.undo.lost:
		return theme.Warn, []string{"the line broke while putting back; looking whether it went through", "looking whether it was put back"}
	case m.ranging:
		return theme.Marked, []string{"a range has begun: move to its other end, then v, or e to edit it   esc unmarks", "range: move, then v or e; esc unmarks"}
	case len(marked) > 0:
		n := count(len(marked), "day") + " marked"
		return theme.Marked, []string{n + ": " + m.nameOf(marked) + "   e edits them   esc unmarks", n + ": " + m.nameOf(marked), n + "; e edits, esc unmarks"}
	case m.days.Ready() && len(m.days.Value()) == 0:
		return theme.Muted, []string{"no day of this month is set up yet" + m.horizonWords() + "; e sets some up now", "no day of this month is set up yet"}
	}
	return theme.Text, nil
}

// horizonWords says how far ahead days are made by themselves.
func (m *Model) horizonWords() string {
	pool, ok := m.poolOnScreen()
	if !ok || pool.HorizonDays == 0 {
		return ""
	}
	return ": they come " + count(pool.HorizonDays, "day") + " ahead"
}

func (m *Model) drawFind(c canvas.Canvas) {
	w, _ := c.Size()
	x := c.Text(1, 0, theme.Heading, "Find days ")
	field := min(32, max(12, w/3))
	if !m.layout().detail.Empty() { // the answer has that line
		m.find.field.Draw(c.Sub(canvas.Rect{X: x, W: w - x - 1, H: 1}), true)
		return
	}
	m.find.field.Draw(c.Sub(canvas.Rect{X: x, W: field, H: 1}), true)
	m.drawFound(c.Sub(canvas.Rect{X: x + field, W: w - x - field, H: 1}))
}

// drawFound says which days the typed text means.
func (m *Model) drawFound(c canvas.Canvas) {
	w, _ := c.Size()
	texts, bad := m.find.says()
	st := theme.Muted
	if bad {
		st = theme.Bad
	}
	c.Fit(1, 0, w-2, st, fitting(w-2, texts...))
}

// drawDetail is the day under the cursor in one line.
func (m *Model) drawDetail(c canvas.Canvas) {
	w, h := c.Size()
	if h == 0 {
		return
	}
	day := m.month.Cursor()
	d, made := m.selected()
	switch {
	case m.find != nil:
		m.drawFound(c)
		return
	case !m.days.Ready():
		c.Fit(1, 0, w-1, theme.Muted, timezone.DayLabel(day)+": asking the database "+c.Glyphs().Ellipsis)
		return
	case !made:
		c.Fit(1, 0, w-1, theme.Text, timezone.DayLabel(day)+": "+m.unmadeWords(day)+m.clockWords(day, "; "))
		return
	}
	style := theme.Text
	if d.Oversold() > 0 {
		style = theme.Bad
	}
	left := "left " + m.tilde() + leftWords(d)[0]
	if d.StopSell {
		left = "closed, " + left
	}
	c.Fit(1, 0, w-1, style, fitting(w-1,
		fmt.Sprintf("%s: capacity %s  taken %s (held %d)  %s  %s%s", timezone.DayLabel(day), limitWords(d), thousands(d.Taken), d.Held, left, editWords(d), m.clockWords(day, "  ")),
		fmt.Sprintf("%s: capacity %s  taken %d (held %d)  %s  %s", day.Format("Mon 02"), limitWords(d), d.Taken, d.Held, left, editWords(d)),
		fmt.Sprintf("%s: capacity %s  taken %d (held %d)  %s  v%d", day.Format("Mon 02"), limitWords(d), d.Taken, d.Held, left, d.Version),
		fmt.Sprintf("%s: %d of %d, held %d, %s", day.Format("Mon 02"), d.Taken, d.SellLimit(), d.Held, left),
		fmt.Sprintf("%s: %s, v%d", day.Format("02"), left, d.Version)))
}

// unmadeWords says what it means that a day does not exist.
func (m *Model) unmadeWords(day date.Date) string {
	if day.Before(m.today()) {
		return "it was never set up, so nothing was sold"
	}
	return "not set up yet, so it sells nothing"
}

// limitWords is capacity and overbook_limit.
func limitWords(d inventory.PoolDay) string {
	return thousands(d.Capacity) + "+" + thousands(d.OverbookLimit)
}

// editWords is the version and who made it, when.
func editWords(d inventory.PoolDay) string {
	s := "v" + strconv.Itoa(d.Version)
	if d.EditedBy != "" {
		s += " " + who(d.EditedBy)
	}
	return s
}

// clockWords says how long a day with a clock change is.
func (m *Model) clockWords(d date.Date, before string) string {
	if _, ok := m.changes[d]; !ok {
		return ""
	}
	return before + hours(timezone.DayLength(d, m.zone)) + " day"
}

// drawLines draws paragraphs, wrapped, from the top of c.
func drawLines(c canvas.Canvas, x int, lines []styled) {
	w, _ := c.Size()
	y := 0
	for _, l := range lines {
		indent := len(l.text) - len(strings.TrimLeft(l.text, " "))
		for _, s := range widget.Wrap(l.text, w-x-indent-1) {
			c.Text(x+indent, y, l.style, s)
			y++
		}
	}
}
