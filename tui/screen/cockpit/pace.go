package cockpit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
)

const (
	// sparkStep is what one character of the line stands for.
	sparkStep = 5 * time.Second
	// slow is an answer that a buyer notices.
	slow = 500 * time.Millisecond
	// silent is two reports of an idle daemon missed, and a little.
	silent = 70 * time.Second
)

// pace is how all daemons together sell, at the time of the last reading.
func (m *Model) pace() inventory.Pace {
	return inventory.Together(m.paces(m.daemons()))
}

// daemons are those that are there, or were a while ago.
func (m *Model) daemons() []string { return inventory.Instances(m.now.Value().pulses.Pulses) }

func (m *Model) paces(instances []string) []inventory.Pace {
	l := m.now.Value().pulses
	out := make([]inventory.Pace, len(instances))
	for i, name := range instances {
		out[i] = inventory.PaceOf(l.Pulses, name, l.AsOf)
	}
	return out
}

// isSilent reports that a daemon has not said for too long that it is there.
func (m *Model) isSilent(p inventory.Pace) bool {
	return m.now.Value().pulses.AsOf.Sub(p.Last) > silent
}

// verdict is the first thing to know, in a few words.
func (m *Model) verdict() (canvas.Style, string) {
	if !m.now.Ready() {
		return theme.Heading, "ON-SALE"
	}
	p := m.pace()
	switch bad := trouble(p); {
	case m.old() != "":
		return theme.Warn, fmt.Sprintf("LAST SEEN: ~%s/s placed, ~%s/s refused", perSecond(p.Second), perSecond(p.RefusedSecond()))
	case p.Last.IsZero():
		return theme.Warn, "NO DAEMON REPORTS: nothing is known of sales"
	case m.isSilent(p):
		return theme.Bad, "NO DAEMON REPORTS since " + m.at(p.Last) + ": buyers may get no answer"
	case bad > 0:
		return theme.Bad, fmt.Sprintf("TURNED AWAY: %s a second get no answer", perSecond(bad))
	case p.P99 >= slow:
		return theme.Warn, fmt.Sprintf("SLOW: 1 buyer of 100 waits %s or more", took(p.P99))
	case p.Second == 0 && p.RefusedSecond() == 0:
		return theme.Heading, "QUIET: nobody asks for a place now"
	}
	if m.width < narrow {
		return theme.OK, fmt.Sprintf("SELLING: %s/s, refused %s/s", perSecond(p.Second), perSecond(p.RefusedSecond()))
	}
	return theme.OK, fmt.Sprintf("SELLING: %s holds a second, answers are quick", perSecond(p.Second))
}

// drawPace draws the four lines below the verdict. Numbers come first, the line
// of characters, which a terminal may draw wider than we think, last.
func (m *Model) drawPace(c canvas.Canvas) {
	w, h := c.Size()
	if h < 4 {
		return
	}
	p, mark := m.pace(), m.tilde()
	row := func(y int, label string, style canvas.Style, text string) {
		c.Text(2, y, theme.Muted, label)
		c.Text(12, y, style, canvas.Cut(text, w-13, c.Glyphs().Ellipsis))
	}
	l := m.now.Value().pulses
	all := inventory.PaceLine(l.Pulses, l.AsOf, sparkStep, int(lookBack/sparkStep))
	const text = 46 // room for the numbers before the line
	shown := all[len(all)-min(len(all), max(0, w-text-1)):]
	peak := p.Second // the steps that are over may all be lower
	for _, x := range shown {
		peak = max(peak, x)
	}
	placed := fmt.Sprintf("%s%s/s", mark, perSecond(p.Second))
	if len(shown) > 0 {
		placed += fmt.Sprintf("  most %s/s in %s", perSecond(peak), short(time.Duration(len(shown))*sparkStep))
	}
	row(0, "holds", theme.Text, placed)
	c.Text(text, 0, theme.Accent, spark(shown, c.Glyphs().Horizontal == "-"))

	style, refused := theme.Text, mark+perSecond(p.RefusedSecond())+"/s"
	if words := refusals(p); words != "" {
		refused += "  " + words
	}
	if trouble(p) > 0 {
		style = theme.Bad
	}
	row(1, "refused", style, refused)

	style = theme.Text
	if p.P99 >= slow {
		style = theme.Warn
	}
	answers := "no answers lately"
	if p.P99 > 0 {
		answers = fmt.Sprintf("%shalf within %s, 99 of 100 within %s", mark, took(p.P50), took(p.P99))
	}
	row(2, "answers", style, answers)
	row(3, "inside", theme.Text, mark+inside(p))
}

// inside is what the daemons do to be quick.
func inside(p inventory.Pace) string {
	var parts []string
	if p.BatchMean > 0 {
		parts = append(parts, fmt.Sprintf("%.0f at a time (%d at most)", max(1, p.BatchMean), max(1, p.BatchMax)))
	}
	if p.LockWait > 0 {
		parts = append(parts, took(p.LockWait)+" wait for places")
	}
	return strings.Join(append(parts, thousands(int64(p.Queue))+" in the queue"), ", ")
}

// daemonsInShort counts the daemons.
func (m *Model) daemonsInShort() string {
	paces := m.paces(m.daemons())
	quiet := 0
	for _, p := range paces {
		if m.isSilent(p) {
			quiet++
		}
	}
	switch {
	case len(paces) == 0:
		return ""
	case quiet > 0 && quiet < len(paces):
		return fmt.Sprintf("%s, %d silent", count(len(paces), "daemon"), quiet)
	}
	return count(len(paces), "daemon")
}

// daemonLines is each daemon by itself, the busiest first.
func (m *Model) daemonLines() []line {
	names := m.daemons()
	paces := m.paces(names)
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case paces[a].Second > paces[b].Second:
			return -1
		case paces[a].Second < paces[b].Second:
			return 1
		}
		return strings.Compare(names[a], names[b])
	})
	var out []line
	for _, i := range order {
		p := paces[i]
		if m.isSilent(p) {
			out = append(out, line{theme.Warn, fmt.Sprintf("silent since %s: %s", m.at(p.Last), names[i])})
			continue
		}
		text := fmt.Sprintf("%s holds/s, refused %s/s", perSecond(p.Second), perSecond(p.RefusedSecond()))
		if p.P99 > 0 {
			text += fmt.Sprintf(", half %s, 99 of 100 %s", took(p.P50), took(p.P99))
		}
		out = append(out, line{theme.Text, text + ", " + inside(p) + ": " + names[i]})
	}
	return out
}
