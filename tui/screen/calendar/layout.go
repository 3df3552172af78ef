package calendar

import (
	"github.com/rickb777/date"

	"holdfast/tui/canvas"
)

const (
	listBelow  = 60  // narrower screens show a day a row
	gridWidth  = 80  // what the month keeps when there is a pane beside it
	minPane    = 34  // narrower is no pane
	maxPane    = 52  // wider helps nobody
	sideEditor = 48  // a pane as wide as this has room for the editor
	yearHeight = 13  // a heading and twelve months
	yearWidth  = 100 // a mark a day, and the sums
)

// areas is where everything is on a screen of one size.
type areas struct {
	title  canvas.Rect // the pool, the month, its sums
	days   canvas.Rect // the month
	note   canvas.Rect // the legend, or what is to be said instead
	detail canvas.Rect // the day under the cursor in one line
	year   canvas.Rect // the twelve months from this one; empty when there is no room
	pane   canvas.Rect // the day under the cursor in full; empty when there is no room
	list   bool        // too narrow for weeks
	side   bool        // the editor fits beside the month
}

// layout divides a screen of w x h for a month of so many weeks.
func layout(w, h, weeks int) areas {
	a := areas{list: w < listBelow}
	a.title, a.days = canvas.Box(w, h).Top(1)
	if pane := min(w-gridWidth, maxPane); pane >= minPane {
		a.pane, a.days = a.days.Right(pane)
		a.side = pane >= sideEditor
	} else if h >= 5 {
		a.detail, a.days = a.days.Bottom(1)
	}
	if h >= 8 {
		a.note, a.days = a.days.Bottom(1)
	}
	if most := 1 + weeks*maxLines; a.days.H >= most+yearHeight && a.days.W >= yearWidth {
		a.days, a.year = a.days.Top(a.days.H - yearHeight)
	}
	return a
}

const (
	gutter     = 3 // "w49"
	maxLines   = 5
	daysInWeek = 7
)

// grid is the geometry of a month by weeks, Monday first, below one row of
// weekday names.
type grid struct {
	monday date.Date // of the first week
	weeks  int
	width  int // of a day, the gap to the next one included
	lines  int // of a day
	skip   int // rows scrolled out above
}

// monthWeeks returns the Monday of the week in which the month of d begins, and
// how many weeks it touches.
func monthWeeks(d date.Date) (monday date.Date, weeks int) {
	first := date.New(d.Year(), d.Month(), 1)
	monday = first.Add(-date.PeriodOfDays((int(first.Weekday()) + 6) % daysInWeek))
	last := date.New(d.Year(), d.Month(), d.LastDayOfMonth())
	return monday, (int(last.Sub(monday)) + daysInWeek) / daysInWeek
}

// gridOf lays the month of cursor out on w x h cells; when it does not fit, the
// rows farthest from the cursor are those that are missing.
func gridOf(cursor date.Date, w, h int) grid {
	g := grid{width: max(0, (w-gutter)/daysInWeek)}
	g.monday, g.weeks = monthWeeks(cursor)
	room := max(0, h-1)
	g.lines = min(max(1, room/g.weeks), maxLines)
	if total := g.weeks * g.lines; total > room {
		row := int(cursor.Sub(g.monday)) / daysInWeek * g.lines
		g.skip = max(0, min(row+g.lines-room, total-room))
	}
	return g
}

// at is where a day stands below the row of names; negative rows are scrolled
// out.
func (g grid) at(d date.Date) canvas.Rect {
	i := int(d.Sub(g.monday))
	return canvas.Rect{X: gutter + i%daysInWeek*g.width, Y: i/daysInWeek*g.lines - g.skip, W: g.width, H: g.lines}
}

// day is the hit test: the day at (x, y), the row of names being row 0.
func (g grid) day(x, y int) (date.Date, bool) {
	if g.width == 0 || x < gutter || y < 1 {
		return date.Date{}, false
	}
	column, row := (x-gutter)/g.width, (y-1+g.skip)/g.lines
	if column >= daysInWeek || row >= g.weeks {
		return date.Date{}, false
	}
	return g.monday.Add(date.PeriodOfDays(row*daysInWeek + column)), true
}

// listTop is the first day of a list of rows days that shows the cursor with
// its neighbours, inside the month where that is possible.
func listTop(cursor date.Date, rows int) date.Date {
	first := date.New(cursor.Year(), cursor.Month(), 1)
	top := max(0, cursor.Day()-1-rows/2)
	return first.Add(date.PeriodOfDays(max(0, min(top, cursor.LastDayOfMonth()-rows))))
}
