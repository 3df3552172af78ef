package calendar

import (
	"fmt"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
)

// drawYear draws twelve months from the one on screen, a mark a day, and what
// each comes to.
func (m *Model) drawYear(c canvas.Canvas) {
	w, h := c.Size()
	if h < 2 {
		return
	}
	w-- // clear of the pane's edge
	c = c.Sub(canvas.Rect{W: w, H: h})
	c.Rule(0, theme.Rule, theme.Heading, "THE YEAR", ". <25%  : <50  + <75  # <95  @ to 100  ! oversold  x closed  blank: not set up")
	if !m.year.Ready() {
		c.Text(2, 1, theme.Muted, "loading")
		return
	}
	byMonth := map[date.Date][]inventory.PoolDay{}
	for _, d := range m.year.Value() {
		first := date.New(d.Day.Year(), d.Day.Month(), 1)
		byMonth[first] = append(byMonth[first], d)
	}
	for i := range min(h-1, 12) {
		first := date.New(m.month.First().Year(), m.month.First().Month()+time.Month(i), 1)
		m.drawYearMonth(c.Sub(canvas.Rect{Y: i + 1, W: w, H: 1}), first, byMonth[first])
	}
}

func (m *Model) drawYearMonth(c canvas.Canvas, first date.Date, days []inventory.PoolDay) {
	w, _ := c.Size()
	c.Text(2, 0, theme.Heading, first.Format("Jan 06"))
	const marks = 10
	for _, d := range days {
		mark := yearMark(d)
		c.Text(marks+d.Day.Day(), 0, mark.style, mark.text)
	}
	const sum = marks + 35
	if len(days) == 0 {
		c.Fit(sum, 0, w-sum-1, theme.Muted, "no day is set up")
		return
	}
	s := sumOf(days, m.env.Now())
	text := fmt.Sprintf("taken %-7s left to sell %-7s held %-5s", thousands(s.taken), thousands(s.left), thousands(s.held))
	st := theme.Text
	if s.oversold > 0 {
		text += fmt.Sprintf(" ! %d over", s.oversold)
		st = theme.Bad
	}
	c.Fit(sum, 0, w-sum-1, st, text)
}

// yearMark is a day in one character.
func yearMark(d inventory.PoolDay) styled {
	n, ok := load(d)
	switch {
	case d.Oversold() > 0:
		return styled{theme.Bad, "!"}
	case d.StopSell, !ok:
		return styled{theme.Muted, "x"}
	case n < 25:
		return styled{tint(d), "."}
	case n < 50:
		return styled{tint(d), ":"}
	case n < 75:
		return styled{tint(d), "+"}
	case n < 95:
		return styled{tint(d), "#"}
	}
	return styled{tint(d), "@"}
}
