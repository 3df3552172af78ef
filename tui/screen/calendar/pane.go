package calendar

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// labelWidth is the column of the words before the values in the pane.
const labelWidth = 12

// fact is a line of the pane.
type fact struct {
	label string
	styled
}

// drawPane draws the day under the cursor in full, its last edits, and the
// marked days.
func (m *Model) drawPane(c canvas.Canvas) {
	w, h := c.Size()
	day := m.month.Cursor()
	d, made := m.selected()
	remark := ""
	if made {
		remark = "v" + strconv.Itoa(d.Version)
	}
	c.Rule(0, theme.Rule, theme.Heading, timezone.DayLabel(day), remark)
	y := 1
	for _, f := range m.facts(day, d, made) {
		c.Fit(2, y, labelWidth-1, theme.Muted, f.label)
		for _, s := range widget.Wrap(f.text, w-labelWidth-3) {
			c.Text(2+labelWidth, y, f.style, s)
			y++
		}
	}
	if made {
		c.Text(2, y, tint(d), bar(w-4, d))
		y++
	}
	y = m.drawEdits(c.Sub(canvas.Rect{Y: y + 1, W: w, H: h - y - 1}), day) + y + 1
	m.drawMarked(c.Sub(canvas.Rect{Y: y + 1, W: w, H: h - y - 1}))
}

// facts is what is known of a day.
func (m *Model) facts(day date.Date, d inventory.PoolDay, made bool) []fact {
	var out []fact
	add := func(label string, st canvas.Style, format string, args ...any) {
		out = append(out, fact{label, styled{st, fmt.Sprintf(format, args...)}})
	}
	switch {
	case !m.days.Ready():
		add("", theme.Muted, "asking the database ...")
		return out
	case !made:
		add("state", theme.Text, "%s", m.unmadeWords(day))
		if pool, ok := m.poolOnScreen(); ok {
			t := pool.Week.For(day)
			add("template", theme.Text, "%s+%s%s", thousands(t.Capacity), thousands(t.OverbookLimit), closedWords(t.Closed))
		}
	default:
		m.madeFacts(add, d)
	}
	if change, ok := m.changes[day]; ok {
		add("clocks", theme.Warn, "%s", m.changeWords(day, change))
	}
	return out
}

func (m *Model) madeFacts(add func(string, canvas.Style, string, ...any), d inventory.PoolDay) {
	if d.StopSell {
		add("state", theme.Warn, "closed (stop-sell): nothing is sold")
	} else {
		add("state", theme.OK, "%s", m.sellingWords(d))
	}
	add("capacity", theme.Text, "%s", thousands(d.Capacity))
	add("overbook", theme.Text, "%s, sell limit %s", thousands(d.OverbookLimit), thousands(d.SellLimit()))
	add("taken", theme.Text, "%s%s: confirmed %s, held %s", m.tilde(), thousands(d.Taken), thousands(confirmed(d)), thousands(d.Held))
	if over := d.Oversold(); over > 0 {
		add("left", theme.Bad, "0 (over by %s): sells nothing until taken is below %s", thousands(over), thousands(d.SellLimit()))
	} else {
		add("left", theme.Text, "%s%s", m.tilde(), thousands(d.Left()))
	}
	if n, ok := load(d); ok {
		add("load", tint(d), "%d %%", n)
	}
	add("sold until", theme.Text, "%s", m.cutoffWords(d))
	if d.EditedBy != "" {
		add("last edit", theme.Text, "%s by %s", m.stamp(d.EditedAt), who(d.EditedBy))
	} else {
		add("last edit", theme.Muted, "none: as the template made it")
	}
}

func closedWords(closed bool) string {
	if closed {
		return ", closed"
	}
	return ""
}

// sellingWords says whether buyers can have places now, and if not why.
func (m *Model) sellingWords(d inventory.PoolDay) string {
	now := m.env.Now()
	switch {
	case !now.Before(d.SalesUntil):
		return "over: sales have ended"
	case now.Before(d.SalesFrom):
		return "on sale from " + m.stamp(d.SalesFrom)
	case d.Oversold() > 0:
		return "open, but oversold"
	case d.Left() == 0:
		return "open, sold out"
	}
	return "open"
}

// cutoffWords is when sales end.
func (m *Model) cutoffWords(d inventory.PoolDay) string {
	if m.zone.IsZero() {
		return m.stamp(d.SalesUntil)
	}
	if _, end := timezone.DayBounds(d.Day, m.zone); end.Equal(d.SalesUntil) {
		return "the end of the day"
	}
	return m.stamp(d.SalesUntil)
}

// changeWords says what the clocks do on a day.
func (m *Model) changeWords(day date.Date, change timezone.ClockChange) string {
	before, after := change.Faces()
	way := "forward"
	if change.Shift() < 0 {
		way = "back"
	}
	return fmt.Sprintf("%s day: clocks go %s, %s -> %s", hours(timezone.DayLength(day, m.zone)), way, before.Time, after.Time)
}

// hours is the length of a day.
func hours(d time.Duration) string {
	if d%time.Hour == 0 {
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// stamp is an instant without seconds.
func (m *Model) stamp(t time.Time) string { return t.In(m.env.Zone()).Format("2006-01-02 15:04 -07") }

// drawEdits lists the last edits of a day.
func (m *Model) drawEdits(c canvas.Canvas, day date.Date) (used int) {
	w, h := c.Size()
	for _, set := range m.sets.Value() {
		for _, ch := range set.Changes {
			if ch.After.Day != day || used+1 >= h {
				continue
			}
			if used == 0 {
				c.Rule(0, theme.Rule, theme.Heading, "EDITS OF THIS DAY", "newest first")
				used++
			}
			c.Fit(2, used, w-3, theme.Text, m.editLine(set, ch))
			used++
		}
	}
	return used
}

func (m *Model) editLine(set inventory.ChangeSet, c inventory.DayChange) string {
	text := fmt.Sprintf("v%d %s %s  %s", c.After.Version, set.At.In(m.env.Zone()).Format("01-02 15:04"), who(set.Actor), changeWords(c))
	if set.Undoes != 0 {
		text += ", put back"
	}
	if set.Reason != "" {
		text += "  " + set.Reason
	}
	return text
}

// changeWords says what an edit made of one day.
func changeWords(c inventory.DayChange) string {
	if c.Missing {
		return "made " + limitWords(c.After) + closedWords(c.After.StopSell)
	}
	text := ""
	add := func(s string) {
		if text != "" {
			text += ", "
		}
		text += s
	}
	if c.Before.Capacity != c.After.Capacity {
		add("cap " + arrow(c.Before.Capacity, c.After.Capacity))
	}
	if c.Before.OverbookLimit != c.After.OverbookLimit {
		add("over " + arrow(c.Before.OverbookLimit, c.After.OverbookLimit))
	}
	if c.Before.StopSell != c.After.StopSell {
		add(stateOf(c.After))
	}
	return text
}

// markedWords says in w cells what a marked day has left.
func markedWords(d inventory.PoolDay, w int) string {
	switch {
	case d.Oversold() > 0:
		return fitting(w, leftWords(d)...)
	case d.StopSell:
		return "closed"
	}
	return fitting(w, "left "+leftWords(d)[0], short(d.Left()))
}

// drawMarked lists the marked days with what they have left, and their sum.
func (m *Model) drawMarked(c canvas.Canvas) {
	w, h := c.Size()
	days := m.month.Marked()
	if len(days) == 0 || h < 3 {
		return
	}
	c.Rule(0, theme.Rule, theme.Heading, strings.ToUpper(count(len(days), "day")+" marked"), "e edit")
	var known []inventory.PoolDay
	for i, d := range days {
		row, ok := m.byDay[d]
		if ok {
			known = append(known, row)
		}
		if i >= h-3 {
			continue
		}
		x := c.Text(2, i+1, theme.Text, d.Format("Mon 02 Jan")+"  ")
		switch {
		case ok:
			x = c.Text(x, i+1, theme.Text, fmt.Sprintf("%-9s taken %-5d ", limitWords(row), row.Taken))
			c.Fit(x, i+1, w-x-1, theme.Text, markedWords(row, w-x-1))
		case d.Month() == m.month.Cursor().Month() && m.days.Ready():
			c.Fit(x, i+1, w-x-1, theme.Muted, "not set up")
		default:
			c.Fit(x, i+1, w-x-1, theme.Muted, "not on screen")
		}
	}
	y := 1 + min(len(days), h-3)
	if more := len(days) - (h - 3); more > 0 {
		c.Fit(2, y, w-3, theme.Muted, fmt.Sprintf("and %d more", more))
		y++
	}
	s := sumOf(known, m.env.Now())
	c.Fit(2, y, w-3, theme.Heading, fmt.Sprintf("together  taken %s, left %s", thousands(s.taken), thousands(s.left)))
}
