package venues

import (
	"fmt"
	"strings"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// drawAhead draws what would move: the choice above, the list below it.
func (m *Model) drawAhead(c canvas.Canvas) {
	f := m.find
	a := f.ahead
	w, h := c.Size()
	title := fmt.Sprintf("IF YOU CHANGE %s -> %s", f.venue.Zone, a.match.Zone.Name())
	remark := "seen " + f.counts.ReadAt().In(m.env.Zone()).Format("15:04:05")
	c.Rule(0, theme.Rule, theme.Heading, canvas.Cut(title, w-canvas.Width(remark)-7, c.Glyphs().Ellipsis), remark)
	y := 1
	for _, l := range m.aheadLines(w) {
		c.Text(2, y, l.style, canvas.Cut(l.text, w-3, c.Glyphs().Ellipsis))
		y++
	}
	_, list := canvas.Box(w, h).Top(y)
	a.table.Draw(c.Sub(list))
}

// fitAhead fits the list to the screen and to the choice.
func (m *Model) fitAhead() {
	if m.find == nil || m.find.ahead == nil {
		return
	}
	a := m.find.ahead
	a.table.Columns = a.columns(m.width)
	a.table.Flag = func(v inventory.ZoneMove) widget.Cell {
		if v.Problem != "" && a.keep == inventory.KeepLocal {
			return widget.Cell{Text: "!", Style: theme.Bad}
		}
		return widget.Cell{}
	}
	a.table.SetHeight(m.high - 1 - len(m.aheadLines(m.width)))
}

// aheadLines are the choice and what it means.
func (m *Model) aheadLines(w int) []line {
	a := m.find.ahead
	p := a.preview
	var out []line
	add := func(st canvas.Style, text string) { out = append(out, wrapped(text, w, st)...) }
	local, moment := a.examples()
	for _, o := range []struct {
		keep inventory.ZoneKeep
		text string
	}{{inventory.KeepLocal, "keep the local time" + local}, {inventory.KeepInstant, "keep the moment" + moment}} {
		mark, st := "( ) ", theme.Text
		if o.keep == a.keep {
			mark, st = "(x) ", theme.FieldOn
		}
		out = append(out, line{st, mark + o.text})
	}
	ranges, events, days := a.count()
	total := fmt.Sprintf("%d of %d ahead would move: %s.", p.Moving, p.Future, listed(
		some{ranges, "booking by time", "bookings by time"}, some{events, "event", "events"}, some{days, "end of a day", "ends of days"}))
	if p.Moving > len(p.Moves) {
		total = fmt.Sprintf("%d of %d ahead would move; the first %d are listed.", p.Moving, p.Future, len(p.Moves))
	}
	add(theme.Text, total)
	if text := a.problems(); text != "" {
		st := theme.Muted
		if a.keep == inventory.KeepLocal {
			st = theme.Bad
		}
		add(st, text)
	}
	if p.NewDay > 0 {
		add(theme.Warn, fmt.Sprintf("Day borders move: with the moment kept, %s on another local day.", counted(p.NewDay, "booking is", "bookings are")))
	}
	add(theme.Muted, "Both copies of the zone rules agree. If they differ, saving is refused.")
	return append(out[:min(len(out), max(2, m.high-1-listLeast))], line{})
}

// listLeast is what is left for the list on a low screen, its heading and the
// blank line above it included.
const listLeast = 5

// examples say by the first move what each choice does to it.
func (a *ahead) examples() (local, moment string) {
	v, ok := a.example()
	if !ok {
		return "", ""
	}
	at := v.Local.Time.String()
	then := v.LocalThen.Time.String()
	if v.LocalThen.Day != v.Local.Day {
		then = timezone.DayLabel(v.LocalThen.Day) + " " + then
	}
	return fmt.Sprintf("   (%s stays %s; the moment moves)", at, at), fmt.Sprintf("   (%s becomes %s)", at, then)
}

// problems says which local times the new zone does not have once.
func (a *ahead) problems() string {
	var parts []string
	if n := a.preview.Missing; n > 0 {
		parts = append(parts, counted(n, "local time falls into a gap", "local times fall into a gap"))
	}
	if n := a.preview.Doubled; n > 0 {
		parts = append(parts, counted(n, "comes twice", "come twice"))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + ": move such bookings first, or keep the moments. They are listed first."
}

// columns of what would move. Both outcomes are always shown, so that the choice
// needs no trying.
func (a *ahead) columns(width int) []widget.Column[inventory.ZoneMove] {
	type column = widget.Column[inventory.ZoneMove]
	plain := func(f func(inventory.ZoneMove) string) func(inventory.ZoneMove) widget.Cell {
		return func(v inventory.ZoneMove) widget.Cell { return widget.Cell{Text: f(v)} }
	}
	const wall = len("2027-03-28T02:30")
	cols := []column{
		{Title: "local time", Width: wall, Priority: widget.Always, Cell: plain(func(v inventory.ZoneMove) string { return v.Local.String() })},
		{Title: "if it is kept", Width: len("gap: 01:30 or 03:30"), Priority: 60, Cell: a.keptLocal},
		{Title: "if the moment is", Width: wall, Priority: 50, Cell: plain(func(v inventory.ZoneMove) string { return v.LocalThen.String() })},
	}
	if width >= wide {
		cols = append(cols, column{Title: "kind", Width: len("pool-day"), Priority: 20, Cell: plain(func(v inventory.ZoneMove) string { return v.Kind })})
	}
	return append(cols, column{Title: "what", Priority: 40, Cell: func(v inventory.ZoneMove) widget.Cell {
		text := v.Name
		if v.Buyer != "" {
			text += ", " + v.Buyer
		}
		return widget.Cell{Text: text, Style: theme.Quote}
	}})
}

// keptLocal is where a local time lies that is kept: the moment in UTC, or why
// there is no one moment.
func (a *ahead) keptLocal(v inventory.ZoneMove) widget.Cell {
	word := map[string]string{inventory.LocalTimeMissing: "gap", inventory.LocalTimeDoubled: "twice"}[v.Problem]
	if word == "" {
		return widget.Cell{Text: v.Would.UTC().Format("01-02 15:04") + "Z"}
	}
	one, other := timezone.WallTimeOf(v.Choice[0], a.match.Zone), timezone.WallTimeOf(v.Choice[1], a.match.Zone)
	text := word
	if word == "gap" {
		text = fmt.Sprintf("gap: %s or %s", one.Time, other.Time)
	}
	return widget.Cell{Text: text, Style: theme.Bad}
}
