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
			head := beginning(line, width)
			if head == line { // one character, wider than a line
				break
			}
			lines = append(lines, head)
			line = line[len(head):]
		}
	}
	return append(lines, line)
}

// beginning is as much of cleaned text as fits in width cells, and at least one
// character: a wide one in a single cell is better seen than lost. Unlike
// canvas.Cut it never cleans again, so that what is left is s without it.
func beginning(s string, width int) string {
	used, end := 0, 0
	for char, w := range canvas.Characters(s) {
		if end > 0 && used+w > width {
			break
		}
		used += w
		end += len(char)
	}
	return s[:end]
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
	case d <= -time.Hour:
		return fmt.Sprintf("-%dh%02dm", int(-d.Hours()), int(-d.Minutes())%60)
	case d <= -time.Second: // less is no time that anybody would count
		return fmt.Sprintf("-%02d:%02d", int(-d.Minutes()), int(-d.Seconds())%60)
	case d < secondsBelow:
		d = max(0, d)
		return fmt.Sprintf("%02d:%02d", int(d.Minutes()), int(d.Seconds())%60)
	case d < 2*time.Hour:
		return fmt.Sprintf("~%dm", int(d.Minutes()))
	}
	return fmt.Sprintf("~%dh", int(d.Hours()))
}

// LoadBar is a bar of width characters: "#" taken for good, "h" held, "." left.
// What is not nothing gets at least one character if the bar has three, so that
// a bar without a dot means that nothing is left; the number beside it says how
// much.
func LoadBar(width int, confirmed, held, limit int64) string {
	parts := [...]int64{max(0, confirmed), max(0, held), max(0, limit-max(0, confirmed)-max(0, held))}
	total := parts[0] + parts[1] + parts[2]
	if width <= 0 {
		return ""
	}
	if total == 0 {
		return strings.Repeat(".", width)
	}
	var cells [len(parts)]int
	used, largest := 0, 0
	for i, n := range parts {
		if n > 0 {
			cells[i] = max(1, int(float64(n)/float64(total)*float64(width)))
		}
		if used += cells[i]; n > parts[largest] {
			largest = i
		}
	}
	cells[largest] = max(0, cells[largest]+width-used)
	bar := strings.Repeat("#", cells[0]) + strings.Repeat("h", cells[1]) + strings.Repeat(".", cells[2])
	return bar[:width]
}
