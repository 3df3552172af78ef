package canvas_test

import (
	"strings"
	"testing"
	"time"

	"holdfast/tui/canvas"
)

const (
	normal canvas.Style = iota
	warn
	head
)

var looks = canvas.Looks{
	{}, {FG: canvas.Palette(1)}, {FG: canvas.RGB(1, 2, 3), BG: canvas.Indexed(200), Attr: canvas.Bold},
}

func TestCanvas_Render(t *testing.T) {
	t.Parallel()

	draw := func() canvas.Canvas {
		c := plain(6, 1)
		c.Text(0, 0, normal, "ab")
		c.Text(2, 0, warn, "cd")
		c.Text(4, 0, head, "ef")
		c.Emphasise(canvas.Rect{X: 3, W: 2, H: 1}, canvas.Reverse)
		return c
	}
	for _, tc := range []struct {
		name    string
		profile canvas.Profile
		want    string
	}{
		{"plainHasNoEscape", canvas.Plain, "abcdef"},
		{"monoKeepsAttributesWithoutColour", canvas.Mono, "abc\x1b[0;7md\x1b[0;1;7me\x1b[0;1mf\x1b[0m"},
		{"sixteen", canvas.ANSI16, "ab\x1b[0;31mc\x1b[0;7;31md\x1b[0;1;7me\x1b[0;1mf\x1b[0m"},
		{"twoHundredFiftySix", canvas.ANSI256, "ab\x1b[0;31mc\x1b[0;7;31md\x1b[0;1;7;48;5;200me\x1b[0;1;48;5;200mf\x1b[0m"},
		{"any", canvas.TrueColor, "ab\x1b[0;31mc\x1b[0;7;31md\x1b[0;1;7;38;2;1;2;3;48;5;200me\x1b[0;1;38;2;1;2;3;48;5;200mf\x1b[0m"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := draw().Render(looks, tc.profile); got != tc.want {
				t.Errorf("Render = %q\n     want %q", got, tc.want)
			}
		})
	}
}

func TestCanvas_Render_OwnBackgroundCoversEveryCell(t *testing.T) {
	t.Parallel()

	painted := canvas.Looks{{BG: canvas.Palette(4)}}
	got := plain(3, 2).Render(painted, canvas.ANSI16)
	if want := "\x1b[0;44m   \x1b[0m\n\x1b[0;44m   \x1b[0m"; got != want {
		t.Errorf("Render = %q, want %q", got, want)
	}
}

func TestCanvas_Render_OneSequenceForEqualNeighbours(t *testing.T) {
	t.Parallel()

	c := plain(80, 1)
	for x := range 80 {
		c.Text(x, 0, warn, "x")
	}
	if n := strings.Count(c.Render(looks, canvas.ANSI16), "\x1b"); n != 2 {
		t.Errorf("%d escape sequences in a line of one style, want 2", n)
	}
}

func TestProfileOf(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		env  map[string]string
		want canvas.Profile
	}{
		{map[string]string{"TERM": "dumb"}, canvas.Plain},
		{map[string]string{}, canvas.Plain},
		{map[string]string{"TERM": "xterm-256color", "NO_COLOR": "1", "COLORTERM": "truecolor"}, canvas.Mono},
		{map[string]string{"TERM": "xterm", "CLICOLOR": "0"}, canvas.Mono},
		{map[string]string{"TERM": "vt100"}, canvas.Mono},
		{map[string]string{"TERM": "xterm", "COLORTERM": "truecolor"}, canvas.TrueColor},
		{map[string]string{"TERM": "tmux-256color"}, canvas.ANSI256},
		{map[string]string{"TERM": "linux"}, canvas.ANSI16},
	} {
		if got := canvas.ProfileOf(func(k string) string { return tc.env[k] }); got != tc.want {
			t.Errorf("ProfileOf(%v) = %v, want %v", tc.env, got, tc.want)
		}
	}
}

// frameBudget is what one picture of 160x50 may cost, on the slowest machine
// that we care for.
const frameBudget = 3 * time.Millisecond

func full() string {
	c := canvas.New(160, 50, canvas.GlyphSet(false))
	for y := range 50 {
		for x := 0; x < 160; x += 10 {
			c.Fit(x, y, 9, canvas.Style((x/10+y)%3), "日本 Zü 12")
		}
	}
	c.Sub(canvas.Rect{X: 20, Y: 10, W: 80, H: 20}).Border(head, "DIALOG", head)
	return c.Render(looks, canvas.TrueColor)
}

func BenchmarkCanvas_Frame(b *testing.B) {
	for b.Loop() {
		_ = full()
	}
}

// The best of a few runs is what the code costs; the others are what else the
// machine was doing.
func TestCanvas_FrameIsWithinItsBudget(t *testing.T) { //nolint:paralleltest // other tests would be measured too
	best := time.Hour
	for range 30 {
		start := time.Now()
		_ = full()
		best = min(best, time.Since(start))
	}
	t.Logf("a frame of 160x50 full of wide characters: %v", best)
	if best > frameBudget*slowdown {
		t.Errorf("a frame takes %v, want at most %v", best, frameBudget*slowdown)
	}
}
