package calendar

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
)

// dayView is everything that is said about one day, however much room there is.
type dayView struct {
	date    date.Date
	row     inventory.PoolDay
	made    bool // the day exists
	read    bool // it is known whether it does
	here    bool // the cursor is on it
	marked  bool
	today   bool
	past    bool
	changes bool // clocks change on it
	tilde   string
	measure string
}

func (m *Model) view(d date.Date) dayView {
	row, made := m.byDay[d]
	v := dayView{
		date: d, row: row, made: made, read: m.days.Ready(), here: d == m.month.Cursor(), marked: m.month.IsMarked(d),
		today: d == m.today(), past: d.Before(m.today()), tilde: m.tilde(),
	}
	_, v.changes = m.changes[d]
	switch {
	case made:
		pool, _ := m.poolOnScreen()
		if v.measure = m.measure.of(row, pool); v.measure != "-" {
			v.measure = v.tilde + v.measure
		}
	case !v.read:
		v.measure = "..."
	}
	return v
}

// flags are the characters that a day is known by, the one that needs a person
// first.
func (v dayView) flags() string {
	var b strings.Builder
	for _, f := range []struct {
		on   bool
		char byte
	}{
		{v.row.Oversold() > 0, '!'}, {v.row.StopSell, 'x'}, {v.changes, 'D'}, {v.row.EditedBy != "", '*'},
	} {
		if f.on {
			b.WriteByte(f.char)
		}
	}
	return b.String()
}

func (v dayView) flagStyle() canvas.Style {
	switch {
	case v.row.Oversold() > 0:
		return theme.Bad
	case v.row.StopSell, v.changes:
		return theme.Warn
	}
	return theme.Muted
}

// style is that of the day's numbers.
func (v dayView) style() canvas.Style {
	switch {
	case !v.made:
		return theme.Muted
	case v.row.Oversold() > 0:
		return theme.Bad
	case v.past:
		return theme.Muted
	}
	return tint(v.row)
}

// sign is the character after the number: marked, today, or none.
func (v dayView) sign() (string, canvas.Style) {
	switch {
	case v.marked:
		return "m", theme.Marked
	case v.today:
		return "<", theme.Accent
	}
	return " ", theme.Text
}

// drawGrid draws the month by weeks.
func (m *Model) drawGrid(c canvas.Canvas) {
	w, h := c.Size()
	g := gridOf(m.month.Cursor(), w, h)
	if g.width == 0 || h == 0 {
		return
	}
	for i := range daysInWeek {
		name := time.Weekday((i + 1) % daysInWeek).String()
		if g.width < 12 {
			name = name[:3]
		}
		c.Text(gutter+i*g.width+1, 0, theme.Heading, canvas.Cut(name, g.width-1, ""))
	}
	body := c.Sub(canvas.Rect{Y: 1, W: w, H: h - 1})
	digits := m.leftDigits()
	for i := range g.weeks * daysInWeek {
		d := g.monday.Add(date.PeriodOfDays(i))
		r := g.at(d)
		if i%daysInWeek == 0 {
			_, week := d.ISOWeek()
			body.Text(0, r.Y, theme.Muted, fmt.Sprintf("w%02d", week))
		}
		cell := body.Sub(r)
		if d.Month() != m.month.Cursor().Month() {
			cell.Text(1, 0, theme.Muted, strings.ToLower(d.Format("02 Jan")))
			continue
		}
		drawCell(cell, m.view(d), digits)
	}
}

// leftDigits is how many digits the numbers left of this month need, so that all
// bars are as long as each other.
func (m *Model) leftDigits() int {
	digits := 2
	for _, d := range m.days.Value() {
		digits = max(digits, len(m.tilde()+strconv.Itoa(d.Left())))
	}
	return min(digits, 4)
}

// drawCell draws one day: number, sign, measure and flags in the first line, and
// below it as much as there are lines for.
func drawCell(c canvas.Canvas, v dayView, digits int) {
	w, h := c.Size()
	inner := w - 1 // the last column is the gap to the next day
	number := theme.Heading
	if v.past {
		number = theme.Muted
	}
	c.Text(1, 0, number, fmt.Sprintf("%02d", v.date.Day()))
	sign, signStyle := v.sign()
	c.Text(3, 0, signStyle, sign)

	flags := v.flags()
	flags = flags[:min(len(flags), max(1, (inner-8)/2))]
	room := inner - len(flags) - 4
	if len(flags) == 0 {
		room--
	}
	c.FitRight(4, 0, room, v.style(), fitting(room, v.measure, strings.TrimSuffix(v.measure, "%"), ""))
	c.Text(inner-len(flags), 0, v.flagStyle(), flags)

	// The first column of the next day is blank below its number, so that the
	// lines may use the gap.
	for i, l := range v.lines(inner, h-1, digits) {
		c.Fit(1, i+1, inner, l.style, l.text)
	}
	if v.marked {
		c.Emphasise(canvas.Rect{X: 1, W: inner - 1, H: h}, canvas.Bold)
	}
	if v.here {
		c.Text(0, 0, theme.Accent, ">")
		c.Emphasise(canvas.Rect{W: inner, H: 1}, canvas.Reverse)
	}
}

// lines is what stands below the number in n lines of w cells.
func (v dayView) lines(w, n, digits int) []styled {
	switch {
	case n <= 0:
		return nil
	case !v.read:
		return []styled{{theme.Muted, fitting(w, "loading", "...")}}
	case !v.made && v.past:
		return nil // what was never sold needs no words
	case !v.made:
		return []styled{{theme.Muted, fitting(w, "not set up", "none")}}
	}
	taken := styled{v.style(), fitting(w, takenWords(v.row)...)}
	load := styled{v.style(), v.loadLine(w, digits)}
	switch n {
	case 1:
		return []styled{load}
	case 2:
		return []styled{taken, load}
	}
	return []styled{taken, {v.style(), bar(w-1, v.row)}, {v.style(), v.leftLine(w)}}
}

// loadLine is bar and number of what is left, or the word that matters more.
func (v dayView) loadLine(w, digits int) string {
	switch {
	case v.row.Oversold() > 0:
		return fitting(w, leftWords(v.row)...)
	case v.row.StopSell:
		return fitting(w, "x closed", "closed", "x")
	}
	left := fitting(digits, v.tilde+leftWords(v.row)[0], v.tilde+short(v.row.Left()))
	length := w - digits - 2 // a blank before the number, a gap behind it
	if length < 2 {
		return fitting(w, left)
	}
	return bar(length, v.row) + fmt.Sprintf(" %*s", digits, left)
}

// leftLine is the words below a bar of its own.
func (v dayView) leftLine(w int) string {
	switch {
	case v.row.Oversold() > 0:
		return fitting(w, leftWords(v.row)...)
	case v.row.StopSell:
		return fitting(w, "x closed", "closed")
	}
	left := v.tilde + leftWords(v.row)[0]
	if v.row.Held == 0 {
		return fitting(w-1, "left "+left, left)
	}
	return fitting(w-1, fmt.Sprintf("held %d left %s", v.row.Held, left), fmt.Sprintf("h%d left %s", v.row.Held, left), "left "+left, left)
}

// drawList draws the month a day a row, for screens too narrow for weeks.
func (m *Model) drawList(c canvas.Canvas) {
	w, h := c.Size()
	top := listTop(m.month.Cursor(), h)
	for y := range h {
		d := top.Add(date.PeriodOfDays(y))
		if d.Month() != m.month.Cursor().Month() {
			return
		}
		drawRow(c.Sub(canvas.Rect{Y: y, W: w, H: 1}), m.view(d))
	}
}

// drawRow draws one day in one row.
func drawRow(c canvas.Canvas, v dayView) {
	w, _ := c.Size()
	const (
		label   = 8  // ">Fri 04m"
		percent = 6  // " ~101%"
		words   = 14 // " 0 (over by 3)"
		flag    = 3
	)
	c.Text(1, 0, theme.Heading, v.date.Format("Mon 02"))
	sign, signStyle := v.sign()
	c.Text(7, 0, signStyle, sign)
	c.FitRight(label, 0, percent-1, v.style(), v.measure)
	length := max(0, w-label-percent-words-flag-1)
	switch {
	case !v.read:
		c.Text(label+percent, 0, theme.Muted, "loading")
	case !v.made && v.past: // as in lines
	case !v.made:
		c.Text(label+percent, 0, theme.Muted, "not set up")
	default:
		left := leftWords(v.row)
		text := fitting(words, left...)
		if v.row.StopSell {
			text = "x closed"
		} else if v.row.Oversold() == 0 {
			text = fitting(words, "left "+v.tilde+left[0])
		}
		c.Text(label+percent, 0, v.style(), bar(length, v.row))
		c.Text(label+percent+length+1, 0, v.style(), text)
	}
	flags := v.flags()
	flags = flags[:min(len(flags), flag-1)]
	c.Text(w-1-len(flags), 0, v.flagStyle(), flags)
	if v.here {
		c.Text(0, 0, theme.Accent, ">")
		c.Emphasise(canvas.Rect{W: w, H: 1}, canvas.Reverse)
	}
}
