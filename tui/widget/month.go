package widget

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rickb777/date"

	"holdfast/tui/canvas"
	"holdfast/tui/keys"
	"holdfast/tui/theme"
)

// Month is a calendar of one month by weeks, Monday first, with a cursor on a
// day and marked days. It knows days as dates only, never as instants. Make one
// with NewMonth.
type Month struct {
	// Day gives the lines of one day for cells of the given width: the first
	// stands beside the number, the others below it. It may be nil.
	Day func(d date.Date, width int) []Cell
	// Flag gives the one character that a day is known by (closed, oversold,
	// edited); empty for none. It may be nil.
	Flag func(d date.Date) Cell

	cursor date.Date
	marked map[date.Date]struct{}
	anchor date.Date // where a range was begun
	ranged bool
}

// NewMonth returns the month of the given day with the cursor on it.
func NewMonth(cursor date.Date) Month {
	return Month{cursor: cursor, marked: map[date.Date]struct{}{}}
}

// Cursor is the day under the cursor.
func (m *Month) Cursor() date.Date { return m.cursor }

// SetCursor moves the cursor, and with it the month shown.
func (m *Month) SetCursor(d date.Date) { m.cursor = d }

// First and Last are the bounds of the month shown.
func (m *Month) First() date.Date { return date.New(m.cursor.Year(), m.cursor.Month(), 1) }

// Last is the last day of the month shown.
func (m *Month) Last() date.Date {
	return date.New(m.cursor.Year(), m.cursor.Month(), m.cursor.LastDayOfMonth())
}

// Do moves or marks if v is one of the verbs of keys.Move, keys.Sideways,
// keys.Months, keys.Mark, keys.Range or keys.MarkAll, and reports whether it
// was. keys.Today is the screen's, since only it knows the venue's today.
func (m *Month) Do(v keys.Verb) bool {
	const week = 7
	switch v {
	case keys.Left:
		m.move(-1)
	case keys.Right:
		m.move(1)
	case keys.Up:
		m.move(-week)
	case keys.Down:
		m.move(week)
	case keys.MonthBack, keys.PageUp:
		m.months(-1)
	case keys.MonthOn, keys.PageDown:
		m.months(1)
	case keys.First:
		m.cursor = m.First()
	case keys.Last:
		m.cursor = m.Last()
	case keys.Mark:
		m.toggle(m.cursor)
	case keys.Range:
		m.toggleRange()
	case keys.MarkAll:
		m.markMonth()
	default:
		return false
	}
	return true
}

func (m *Month) move(days int) { m.cursor = m.cursor.Add(date.PeriodOfDays(days)) }

// months moves by whole months and stays on the same day number where the month
// has it, else on its last.
func (m *Month) months(n int) {
	first := date.New(m.cursor.Year(), m.cursor.Month()+time.Month(n), 1)
	m.cursor = first.Add(date.PeriodOfDays(min(m.cursor.Day(), first.LastDayOfMonth()) - 1))
}

func (m *Month) toggle(d date.Date) {
	if _, ok := m.marked[d]; ok {
		delete(m.marked, d)
		return
	}
	m.marked[d] = struct{}{}
}

// toggleRange begins a range at the cursor, or marks what lies between its
// beginning and the cursor.
func (m *Month) toggleRange() {
	if !m.ranged {
		m.anchor, m.ranged = m.cursor, true
		return
	}
	for d := m.anchor.Min(m.cursor); !d.After(m.anchor.Max(m.cursor)); d = d.Add(1) {
		m.marked[d] = struct{}{}
	}
	m.ranged = false
}

func (m *Month) markMonth() {
	missing := false
	for d := m.First(); !d.After(m.Last()); d = d.Add(1) {
		_, ok := m.marked[d]
		missing = missing || !ok
	}
	for d := m.First(); !d.After(m.Last()); d = d.Add(1) {
		if missing {
			m.marked[d] = struct{}{}
		} else {
			delete(m.marked, d)
		}
	}
}

// Mark marks the given days.
func (m *Month) Mark(days ...date.Date) {
	for _, d := range days {
		m.marked[d] = struct{}{}
	}
}

// Unmark drops all marks and an unfinished range.
func (m *Month) Unmark() { m.marked, m.ranged = map[date.Date]struct{}{}, false }

// Marked returns the marked days in order, whatever their month.
func (m *Month) Marked() []date.Date {
	out := make([]date.Date, 0, len(m.marked))
	for d := range m.marked {
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b date.Date) int { return int(a.Sub(b)) })
	return out
}

// IsMarked reports that d is marked, or lies in the range that was begun.
func (m *Month) IsMarked(d date.Date) bool {
	if _, ok := m.marked[d]; ok {
		return true
	}
	return m.ranged && !d.Before(m.anchor.Min(m.cursor)) && !d.After(m.anchor.Max(m.cursor))
}

const (
	weekGutter  = 3 // "w49"
	maxDayLines = 5
	daysInWeek  = 7
)

// start is the Monday of the week in which the month begins.
func (m *Month) start() date.Date {
	first := m.First()
	back := (int(first.Weekday()) + 6) % daysInWeek
	return first.Add(date.PeriodOfDays(-back))
}

func (m *Month) weeks() int {
	return (int(m.Last().Sub(m.start())) + daysInWeek) / daysInWeek
}

// cells returns the size of a day's cell on a canvas of w x h.
func (m *Month) cells(w, h int) (width, lines int) {
	return max(0, (w-weekGutter)/daysInWeek), min(max(1, (h-1)/m.weeks()), maxDayLines)
}

// DayAt returns the day drawn at (x, y) of a canvas of w x h.
func (m *Month) DayAt(x, y, w, h int) (date.Date, bool) {
	width, lines := m.cells(w, h)
	if width == 0 || x < weekGutter || y < 1 || (x-weekGutter)/width >= daysInWeek || (y-1)/lines >= m.weeks() {
		return date.Date{}, false
	}
	return m.start().Add(date.PeriodOfDays((y-1)/lines*daysInWeek + (x-weekGutter)/width)), true
}

// Draw draws the month. Rows that do not fit are those farthest from the cursor.
func (m *Month) Draw(c canvas.Canvas) {
	w, h := c.Size()
	width, lines := m.cells(w, h)
	if width == 0 || h == 0 {
		return
	}
	for i := range daysInWeek {
		name := time.Weekday((i + 1) % daysInWeek).String()
		if width < 12 {
			name = name[:3]
		}
		c.Text(weekGutter+i*width+1, 0, theme.Heading, canvas.Cut(name, width-1, ""))
	}
	body := c.Sub(canvas.Rect{Y: 1, W: w, H: h - 1})
	_, bh := body.Size()
	skip := 0
	if total := m.weeks() * lines; total > bh {
		row := int(m.cursor.Sub(m.start())) / daysInWeek * lines
		skip = max(0, min(row+lines-bh, total-bh))
	}
	for i := range m.weeks() * daysInWeek {
		d := m.start().Add(date.PeriodOfDays(i))
		y := i/daysInWeek*lines - skip
		if i%daysInWeek == 0 {
			_, week := d.ISOWeek()
			body.Text(0, y, theme.Muted, fmt.Sprintf("w%02d", week))
		}
		m.drawDay(body.Sub(canvas.Rect{X: weekGutter + i%daysInWeek*width, Y: y, W: width, H: lines}), d)
	}
}

func (m *Month) drawDay(c canvas.Canvas, d date.Date) {
	w, h := c.Size()
	if d.Month() != m.cursor.Month() {
		c.Text(1, 0, theme.Muted, fmt.Sprintf("%02d %s", d.Day(), strings.ToLower(d.Month().String()[:3])))
		return
	}
	marked, here := m.IsMarked(d), d == m.cursor
	c.Text(1, 0, theme.Heading, fmt.Sprintf("%02d", d.Day()))
	if marked {
		c.Text(3, 0, theme.Marked, "m")
	}
	if m.Day != nil {
		for y, cell := range m.Day(d, w-2) {
			switch {
			case y == 0:
				c.Fit(5, 0, w-7, cell.Style, cell.Text)
			case y < h:
				c.Fit(1, y, w-2, cell.Style, cell.Text)
			}
		}
	}
	if m.Flag != nil {
		flag := m.Flag(d)
		c.Fit(w-2, 0, 1, flag.Style, flag.Text)
	}
	if marked {
		c.Emphasise(canvas.Rect{X: 1, W: w - 2, H: h}, canvas.Bold)
	}
	if here {
		c.Text(0, 0, theme.Accent, ">")
		c.Emphasise(canvas.Rect{W: w - 1, H: 1}, canvas.Reverse)
	}
}
