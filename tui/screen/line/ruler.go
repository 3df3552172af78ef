package line

import (
	"fmt"
	"strings"
	"time"
)

// ruler is the two lines above the rows: hours, and ticks below them.
type ruler struct{ hours, ticks string }

// The ticks. A doubled hour has its letter instead of a bar.
const (
	tickHour = '|'
	tickStep = '.'
	tickGap  = '^' // right after hours that do not exist
	tickNow  = 'v'
)

// ruler writes the hours of the columns [first, first+width), one cell a
// column. Doubled hours and those after a gap are labelled before all others, so
// that they are seen at any step; the others as often as there is room for with a blank between.
func (a axis) ruler(first, width int, now time.Time) ruler {
	width = max(0, min(width, len(a.columns)-first))
	hours, ticks := blanks(width), []byte(strings.Repeat(string(tickStep), width))
	all := a.hours()
	for _, h := range all {
		if h.twin == 0 {
			continue
		}
		text := fmt.Sprintf("%02d%c", h.number, h.twin)
		if h.last-h.first <= len(text) {
			text = fmt.Sprintf("%d%c", h.number, h.twin)
		}
		put(hours, h.first-first, text, 0)
	}
	every := a.every()
	number := func(h hour) { put(hours, h.first-first, fmt.Sprintf("%02d", h.number), 1) }
	for _, h := range all {
		if h.afterGap && h.onTheHour {
			number(h)
		}
	}
	for _, h := range all {
		if h.twin == 0 && h.onTheHour && h.number%every == 0 {
			number(h)
		}
	}
	for _, h := range all {
		mark := byte(tickHour)
		switch {
		case h.twin != 0:
			mark = h.twin
		case h.afterGap:
			mark = tickGap
		case !h.onTheHour:
			mark = tickStep
		}
		if x := h.first - first; x >= 0 && x < width {
			ticks[x] = mark
		}
	}
	if x := a.at(now) - first; x >= 0 && x < width && a.at(now) >= 0 {
		ticks[x] = tickNow
	}
	return ruler{string(hours), string(ticks)}
}

// every is how many hours a label stands for, so that labels have room.
func (a axis) every() int {
	const need = 3 // two digits and a blank
	perHour := int(time.Hour / a.step)
	for _, n := range []int{1, 2, 3, 4, 6} {
		if n*perHour >= need {
			return n
		}
	}
	return hoursOfFace
}

// put writes text at x if it fits whole and touches nothing but blanks, with so
// many blanks round it.
func put(row []byte, x int, text string, around int) {
	if x < 0 || x+len(text) > len(row) {
		return
	}
	for i := max(0, x-around); i < min(len(row), x+len(text)+around); i++ {
		if row[i] != ' ' {
			return
		}
	}
	copy(row[x:], text)
}

func blanks(n int) []byte { return []byte(strings.Repeat(" ", n)) }
