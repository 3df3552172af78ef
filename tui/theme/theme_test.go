package theme_test

import (
	"math"
	"testing"

	"holdfast/tui/canvas"
	"holdfast/tui/theme"
)

func must(t *testing.T, name string, p canvas.Profile) theme.Theme {
	t.Helper()
	th, err := theme.New(name, p, false)
	if err != nil {
		t.Fatalf("New(%q) = %v", name, err)
	}
	return th
}

func TestNew_UnknownThemeIsAnError(t *testing.T) {
	t.Parallel()

	if _, err := theme.New("solarized", canvas.ANSI16, false); err == nil {
		t.Error("New accepted a theme that does not exist")
	}
}

func TestDefault_LeavesTextAndBackgroundToTheTerminal(t *testing.T) {
	t.Parallel()

	th := must(t, "", canvas.ANSI16)
	if th.Looks[theme.Text] != (canvas.Look{}) {
		t.Errorf("normal text looks like %+v, want the terminal's own", th.Looks[theme.Text])
	}
	for st, l := range th.Looks {
		if l.BG != (canvas.Colour{}) {
			t.Errorf("style %d has a background of its own", st)
		}
		if _, _, _, fixed := l.FG.Channels(); fixed {
			t.Errorf("style %d has a colour that is not from the palette", st)
		}
	}
}

// What must be told apart must be told apart without any colour.
func TestThemes_TellApartWithoutColour(t *testing.T) {
	t.Parallel()

	for _, name := range theme.Names() {
		th := must(t, name, canvas.Mono)
		for _, st := range []canvas.Style{theme.Selected, theme.TabOn, theme.ButtonOn, theme.Prod, theme.Cursor} {
			if th.Looks[st].Attr&canvas.Reverse == 0 {
				t.Errorf("%s: style %d is told by colour alone", name, st)
			}
		}
		if th.Looks[theme.Bad].Attr == th.Looks[theme.Text].Attr {
			t.Errorf("%s: bad news look like any other without colour", name)
		}
	}
}

func TestMono_NeverHasColour(t *testing.T) {
	t.Parallel()

	if got := must(t, "mono", canvas.TrueColor).Profile; got != canvas.Mono {
		t.Errorf("mono on a rich terminal has profile %v, want Mono", got)
	}
}

func TestNext_GoesRound(t *testing.T) {
	t.Parallel()

	th := must(t, "", canvas.ANSI16)
	seen := map[string]bool{}
	for range theme.Names() {
		seen[th.Name] = true
		th = th.Next()
	}
	if len(seen) != len(theme.Names()) || th.Name != theme.Default {
		t.Errorf("T went through %v and ended at %s", seen, th.Name)
	}
	if th.Profile != canvas.ANSI16 {
		t.Error("going through mono lost the terminal's colours")
	}
}

func TestContrast(t *testing.T) {
	t.Parallel()

	for name, least := range map[string]float64{"contrast": 7, "dark": 4.5, "light": 4.5} {
		th := must(t, name, canvas.TrueColor)
		for st, l := range th.Looks {
			if tint := canvas.Style(st); tint >= theme.Tint1 && tint <= theme.Tint5 && name != "contrast" {
				continue // a tint is only ever beside its number
			}
			if got := contrast(t, l.FG, l.BG); got < least {
				t.Errorf("%s: style %d has a contrast of %.1f, want %.1f", name, st, got, least)
			}
		}
	}
}

// contrast is the ratio of WCAG 2.
func contrast(t *testing.T, a, b canvas.Colour) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, c canvas.Colour) float64 {
	t.Helper()
	r, g, b, known := c.Channels()
	if !known {
		t.Fatalf("%+v is not a colour that can be measured", c)
	}
	linear := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= 0.03928 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}
