package cockpit

import "strings"

// Steps of height, low to high. Nothing has the lowest that is drawn, so that
// every column of time is seen.
const (
	sparkLines = "▁▂▃▄▅▆▇█"
	sparkASCII = "_.:-=+*#"
)

// spark draws numbers as a line of characters, the largest as high as there is.
// Anything above nothing is drawn higher than nothing.
func spark(line []float64, ascii bool) string {
	steps := []rune(sparkLines)
	if ascii {
		steps = []rune(sparkASCII)
	}
	top := 0.0
	for _, x := range line {
		top = max(top, x)
	}
	var b strings.Builder
	for _, x := range line {
		i := 0
		if x > 0 && top > 0 {
			i = 1 + int(x/top*float64(len(steps)-2)+0.5)
		}
		b.WriteRune(steps[min(max(i, 0), len(steps)-1)])
	}
	return b.String()
}
