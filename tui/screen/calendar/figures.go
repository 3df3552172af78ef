package calendar

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// measure is the number that stands beside each day.
type measure uint8

// The measures, in the order of the M key.
const (
	byLoad measure = iota
	byHeld
	byLeft
	byMoney
)

// measures is how many there are.
const measures = 4

// name says what the measure counts.
func (m measure) name(p inventory.Pool) string {
	switch m {
	case byHeld:
		return "held"
	case byLeft:
		return "left"
	case byMoney:
		return "held x " + p.Price.String()
	case byLoad:
	}
	return "load %"
}

// of returns the measure of a day.
func (m measure) of(d inventory.PoolDay, p inventory.Pool) string {
	switch m {
	case byHeld:
		return short(d.Held)
	case byLeft:
		return short(d.Left())
	case byMoney:
		return shortMoney(p.Price, d.Held)
	case byLoad:
	}
	n, ok := load(d)
	if !ok {
		return "-"
	}
	return short(n) + "%"
}

// confirmed is the part of what is taken that is no hold.
func confirmed(d inventory.PoolDay) int { return max(0, d.Taken-d.Held) }

// load is the part of the sell limit that is taken, in per cent; a day without
// places has none. A day with one place left is never 100 %.
func load(d inventory.PoolDay) (percent int, ok bool) {
	limit := d.SellLimit()
	if limit <= 0 {
		return 0, false
	}
	percent = (d.Taken*100 + limit/2) / limit
	switch {
	case d.Oversold() > 0:
		return max(percent, 101), true
	case d.Left() > 0:
		return min(percent, 99), true
	}
	return percent, true
}

// tint is the step of load for terminals with colour; the number and the bar
// say it as well.
func tint(d inventory.PoolDay) canvas.Style {
	n, ok := load(d)
	switch {
	case !ok || d.StopSell:
		return theme.Muted
	case d.Oversold() > 0:
		return theme.Bad
	case n < 25:
		return theme.Tint1
	case n < 50:
		return theme.Tint2
	case n < 75:
		return theme.Tint3
	case n < 95:
		return theme.Tint4
	}
	return theme.Tint5
}

// bar is confirmed, held and left as a bar; a closed day is crossed out.
func bar(width int, d inventory.PoolDay) string {
	if d.StopSell {
		return strings.Repeat("x", max(0, width))
	}
	return widget.LoadBar(width, int64(confirmed(d)), int64(d.Held), int64(d.SellLimit()))
}

// leftWords says how many are left, longest form first. An oversold day has
// none left, and how many too many were sold is said apart: never a number
// below zero.
func leftWords(d inventory.PoolDay) []string {
	over := d.Oversold()
	if over == 0 {
		return []string{strconv.Itoa(d.Left()), short(d.Left())}
	}
	return []string{
		fmt.Sprintf("0 (over by %d)", over), fmt.Sprintf("0 (over %d)", over), fmt.Sprintf("0 over %d", over),
		fmt.Sprintf("over %d", over), "over " + short(over),
	}
}

// takenWords says what is taken of what may be sold, longest form first. Taken,
// not confirmed alone, since with what is left it makes the sell limit.
func takenWords(d inventory.PoolDay) []string {
	return []string{
		fmt.Sprintf("%d/%d+%d", d.Taken, d.Capacity, d.OverbookLimit),
		fmt.Sprintf("%d/%d", d.Taken, d.SellLimit()),
		short(d.Taken) + "/" + short(d.SellLimit()),
		short(d.Taken),
	}
}

// fitting returns the first text that fits into width cells, and the last one,
// to be cut, when none does.
func fitting(width int, texts ...string) string {
	for _, s := range texts {
		if canvas.Width(s) <= width {
			return s
		}
	}
	return texts[len(texts)-1]
}

// short writes n in few characters, rounded down, for cells that are
// too narrow for all of it. The line of the day has the whole number.
func short(n int) string {
	switch {
	case n >= 1_000_000:
		return strconv.Itoa(n/1_000_000) + "M"
	case n >= 10_000:
		return strconv.Itoa(n/1000) + "k"
	}
	return strconv.Itoa(n)
}

// shortMoney is the price of n places in whole units of the currency.
func shortMoney(price inventory.Money, n int) string {
	total := inventory.Money{Minor: price.Minor * inventory.Minor(n), Currency: price.Currency}
	whole, _, _ := strings.Cut(total.Plain(), ".")
	units, err := strconv.Atoi(whole)
	if err != nil {
		return whole
	}
	return short(units)
}

// thousands writes n with a comma every three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count is "1 day", "5 days".
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + one + "s"
}

// who is an actor of the journal without its kind: "staff:mira" is mira.
func who(actor string) string {
	_, name, ok := strings.Cut(actor, ":")
	if !ok {
		return actor
	}
	return name
}

// sums adds up days.
type sums struct {
	left     int // on days that sell: what an oversold day has too many is never taken off
	held     int
	taken    int
	oversold int // days
	over     int // places too many on them
	closed   int
}

// sumOf adds up the days that still sell at now.
func sumOf(days []inventory.PoolDay, now time.Time) sums {
	var s sums
	for _, d := range days {
		s.held += d.Held
		s.taken += d.Taken
		if over := d.Oversold(); over > 0 {
			s.oversold++
			s.over += over
		}
		switch {
		case d.StopSell:
			s.closed++
		case now.Before(d.SalesUntil):
			s.left += d.Left()
		}
	}
	return s
}
