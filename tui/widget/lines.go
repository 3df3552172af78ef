package widget

import (
	"fmt"
	"strings"
	"time"

	"holdfast/tui/canvas"
)

// Wrap cleans s and breaks it into lines of at most width cells, at blanks where
// it can. An empty string is one empty line, so that paragraphs keep their gaps.
func Wrap(s string, width int) []string {
	if width <= 0 {
		return nil
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(canvas.Clean(s)) {
		switch {
		case line == "":
			line = word
		case canvas.Width(line)+1+canvas.Width(word) <= width:
			line += " " + word
			continue
		default:
			lines = append(lines, line)
			line = word
		}
		for canvas.Width(line) > width { // one word longer than a line
			head := canvas.Cut(line, width, "")
			if head == "" {
				break
			}
			lines = append(lines, head)
			line = line[len(head):]
		}
	}
	return append(lines, line)
}

// Age says how old something is, in as few characters as are honest.
func Age(d time.Duration) string {
	d = max(0, d)
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// secondsBelow is the time left from which on every second is shown; above it
// a row changes once a minute, which is what keeps an idle screen quiet.
const secondsBelow = 2 * time.Minute

// Left says how long something still has: "01:59" below two minutes, "~4m"
// above, "-00:41" when its time is over. Minutes are never rounded up.
func Left(d time.Duration) string {
	switch {
	case d < 0 && -d >= time.Hour:
		return fmt.Sprintf("-%dh%02dm", int(-d.Hours()), int(-d.Minutes())%60)
	case d < 0:
		return fmt.Sprintf("-%02d:%02d", int(-d.Minutes()), int(-d.Seconds())%60)
	case d < secondsBelow:
		return fmt.Sprintf("%02d:%02d", int(d.Minutes()), int(d.Seconds())%60)
	case d < 2*time.Hour:
		return fmt.Sprintf("~%dm", int(d.Minutes()))
	}
	return fmt.Sprintf("~%dh", int(d.Hours()))
}

// LoadBar is a bar of width characters: "#" taken for good, "h" held, "." left.
// Anything that is not nothing gets at least one character, and a full bar has
// no dot; the number beside it says the rest.
func LoadBar(width int, confirmed, held, limit int64) string {
	if width <= 0 {
		return ""
	}
	total := max(limit, confirmed+held, 1)
	share := func(n int64) int {
		if n <= 0 {
			return 0
		}
		return max(1, int(float64(n)/float64(total)*float64(width)))
	}
	full, half := min(share(confirmed), width), share(held)
	half = min(half, width-full)
	if confirmed+held >= limit && limit > 0 { // nothing left: no dot may say otherwise
		if held > 0 {
			half = width - full
		} else {
			full = width
		}
	}
	return strings.Repeat("#", full) + strings.Repeat("h", half) + strings.Repeat(".", width-full-half)
}
