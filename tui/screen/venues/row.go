package venues

import (
	"fmt"
	"strings"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// columns makes the policy as wide as its longest, so that it is never cut, and
// the zone where there is room.
func (m *Model) columns() []widget.Column[inventory.Venue] {
	type column = widget.Column[inventory.Venue]
	const never = widget.Always
	policy, zone := len("late"), len("Europe/Amsterdam ")
	for _, v := range m.table.Rows() {
		policy = max(policy, canvas.Width(late(v)))
		if m.width >= wide {
			zone = max(zone, min(len(v.Zone), len("America/Argentina/Buenos_Aires")))
		}
	}
	plain := func(f func(inventory.Venue) string) func(inventory.Venue) widget.Cell {
		return func(v inventory.Venue) widget.Cell { return widget.Cell{Text: f(v)} }
	}
	return []column{
		{Title: "venue", Width: 12, Priority: never, Cell: plain(func(v inventory.Venue) string { return v.Slug })},
		{Title: "time there", Width: len("Fri 12:38 +01:00"), Priority: never, Cell: m.timeCell},
		{Title: "money", Width: 5, Priority: 30, Cell: plain(func(v inventory.Venue) string { return string(v.Currency) })},
		{Title: "hold", Width: 7, Right: true, Priority: 35, Cell: plain(func(v inventory.Venue) string { return short(v.HoldTTL) })},
		{Title: "late", Width: policy, Priority: 40, Cell: plain(late)},
		{Title: "pools", Width: 5, Right: true, Priority: 20, Cell: plain(func(v inventory.Venue) string {
			return fmt.Sprint(len(m.list.Value().pools[v.Slug]))
		})},
		{Title: "zone", Width: zone, Priority: 60, Cell: zoneCell},
		{Title: "name", Priority: 50, Cell: func(v inventory.Venue) widget.Cell {
			return widget.Cell{Text: v.Name, Style: theme.Quote}
		}},
	}
}

// timeCell is the local time by the database's clock, to the minute: a list of
// venues must not change every second.
func (m *Model) timeCell(v inventory.Venue) widget.Cell {
	zone, err := timezone.ParseZone(v.Zone)
	if err != nil {
		return widget.Cell{Text: "unknown", Style: theme.Bad}
	}
	return widget.Cell{Text: m.env.Now().In(zone.Location()).Format("Mon 15:04 -07:00")}
}

func zoneCell(v inventory.Venue) widget.Cell {
	if unknownZone(v) != "" {
		return widget.Cell{Text: "? " + v.Zone, Style: theme.Bad}
	}
	return widget.Cell{Text: v.Zone}
}

// late is the policy in few cells.
func late(v inventory.Venue) string {
	if v.LatePolicy == inventory.LateAsk {
		return "ask " + short(v.LateDeadline)
	}
	return string(v.LatePolicy)
}

// flag marks the venue in focus, and one whose zone we do not know.
func (m *Model) flag(v inventory.Venue) widget.Cell {
	switch {
	case unknownZone(v) != "":
		return widget.Cell{Text: "!", Style: theme.Bad}
	case v.Slug == m.env.Venue().Slug:
		return widget.Cell{Text: "*", Style: theme.Accent}
	}
	return widget.Cell{}
}

// short writes a duration without the parts that are zero: 10m, not 10m0s.
func short(d time.Duration) string {
	s := d.Round(time.Second).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// policy says in a sentence what happens to late money.
func policy(v inventory.Venue) string {
	switch v.LatePolicy {
	case inventory.LateRefund:
		return "Late money goes back by itself, once."
	case inventory.LateRevive:
		return "Late money takes its place again if there is room; otherwise it goes back by itself."
	case inventory.LateAsk:
	}
	return "Late money waits for staff, " + short(v.LateDeadline) + " at the longest; then it goes back by itself."
}

// weekly is a pool's template in few words.
func weekly(w inventory.Week) string {
	if w == inventory.EveryDay(w[0]) {
		return template(w[0]) + " every day"
	}
	var days []string
	for i := 0; i < len(w); {
		j := i
		for j+1 < len(w) && w[j+1] == w[i] {
			j++
		}
		days = append(days, span(i, j)+" "+template(w[i]))
		i = j + 1
	}
	return strings.Join(days, ", ")
}

// span names the weekdays from i to j, Monday being 0: "Mo-Th", "Su".
func span(i, j int) string {
	name := func(i int) string { return time.Weekday((i + 1) % 7).String()[:2] } // time.Sunday is 0
	if i == j {
		return name(i)
	}
	return name(i) + "-" + name(j)
}

func template(t inventory.DayTemplate) string {
	switch {
	case t.Closed:
		return "closed"
	case t.OverbookLimit > 0:
		return fmt.Sprintf("%d+%d", t.Capacity, t.OverbookLimit)
	}
	return fmt.Sprint(t.Capacity)
}
