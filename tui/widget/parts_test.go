package widget_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/tui/canvas"
	"holdfast/tui/widget"
)

func TestLeft(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		in   time.Duration
		want string
	}{
		{119 * time.Second, "01:59"},
		{0, "00:00"},
		{-400 * time.Millisecond, "00:00"},
		{-time.Second, "-00:01"},
		{-41 * time.Second, "-00:41"},
		{2 * time.Minute, "~2m"},
		{4*time.Minute + 59*time.Second, "~4m"},
		{3 * time.Hour, "~3h"},
		{-90 * time.Minute, "-1h30m"},
	} {
		if got := widget.Left(tc.in); got != tc.want {
			t.Errorf("Left(%v) = %q, want %q", tc.in, got, tc.want)
		}
	}
}

func TestAge(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		in   time.Duration
		want string
	}{{-time.Second, "0.0s"}, {800 * time.Millisecond, "0.8s"}, {14 * time.Second, "14s"}, {63 * time.Second, "1m03s"}, {90 * time.Minute, "1h30m"}} {
		if got := widget.Age(tc.in); got != tc.want {
			t.Errorf("Age(%v) = %q, want %q", tc.in, got, tc.want)
		}
	}
}

func TestLoadBar(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		confirmed, held, limit int64
		want                   string
	}{
		{0, 0, 80, "......"},
		{40, 0, 80, "###..."},
		{1, 0, 1000, "#....."},
		{79, 0, 80, "#####."},
		{80, 0, 80, "######"},
		{79, 1, 80, "#####h"},
		{124, 0, 123, "######"},
		{0, 0, 0, "......"},
		{-5, -5, -5, "......"},
		{1_000_000_000, 1, 2_000_000_000, "###h.."},
	} {
		if got := widget.LoadBar(6, tc.confirmed, tc.held, tc.limit); got != tc.want {
			t.Errorf("LoadBar(%d, %d, %d) = %q, want %q", tc.confirmed, tc.held, tc.limit, got, tc.want)
		}
	}
}

func TestLoadBar_AnyNumbersKeepTheWidth(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(0, 20).Draw(t, "w")
		got := widget.LoadBar(w, rapid.Int64Range(-1e9, 1e9).Draw(t, "c"), rapid.Int64Range(-1e9, 1e9).Draw(t, "h"), rapid.Int64Range(-1e9, 1e9).Draw(t, "l"))
		if len(got) != w {
			t.Fatalf("%q is not %d wide", got, w)
		}
	})
}

func TestWrap(t *testing.T) {
	t.Parallel()

	got := widget.Wrap("Nobody loses a place. No hold\nis touched.", 12)
	want := "Nobody loses|a place. No|hold␊is|touched."
	if strings.Join(got, "|") != want {
		t.Errorf("Wrap = %q, want %q", strings.Join(got, "|"), want)
	}
}

func TestWrap_oneCharacterIsNeverTooMuch(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		s     string
		width int
		want  string
	}{
		{"々A", 1, "々|A"},                   // a wide character has no room in one cell and is still seen
		{" \u0816\tAAA", 2, "\u0816␉A|AA"}, // a mark without a cell of its own begins the word
	} {
		if got := strings.Join(widget.Wrap(tc.s, tc.width), "|"); got != tc.want {
			t.Errorf("Wrap(%q, %d) = %q, want %q", tc.s, tc.width, got, tc.want)
		}
	}
}

func TestWrap_AnyTextKeepsTheWidth(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(-1, 20).Draw(t, "w")
		for _, l := range widget.Wrap(rapid.String().Draw(t, "s"), w) {
			if canvas.Width(l) > max(w, 2) {
				t.Fatalf("%q is wider than %d", l, w)
			}
		}
	})
}

func header() widget.Header {
	zone := time.FixedZone("CET", 3600)
	return widget.Header{
		Venue: "Harbour Hall", Env: "PROD", Role: "manager:mira", Prod: true,
		Now: time.Date(2026, 12, 4, 11, 38, 7, 0, time.UTC), Zone: zone, Freshness: widget.Cell{Text: "LIVE 0.8s"},
	}
}

func TestHeader_NothingIsEverHidden(t *testing.T) {
	t.Parallel()

	for _, w := range []int{40, 52, 60, 80, 100, 160, 300} {
		h := header()
		got := drawn(w, 1, h.Draw)
		for _, part := range []string{"Harbour", "PROD", "12:38:07", "LIVE 0.8s"} {
			if !strings.Contains(got, part) {
				t.Errorf("at %d cells %q is missing: %q", w, part, got)
			}
		}
		h.Venue = strings.Repeat("日本武道館", 20)
		got = drawn(w, 1, h.Draw)
		for _, part := range []string{"日", "PROD", "12:38:07", "LIVE 0.8s"} {
			if !strings.Contains(got, part) {
				t.Errorf("with a long name at %d cells %q is missing: %q", w, part, got)
			}
		}
	}
}

func TestTabs(t *testing.T) {
	t.Parallel()

	tabs := widget.Tabs{Active: 1, Items: []widget.Tab{
		{Key: "1", Title: "Calendar"}, {Key: "2", Title: "Holds"}, {Key: "3", Title: "Zombies", Badge: "3!"}, {Key: "4", Title: "Venues"},
	}}
	if got, want := drawn(80, 1, tabs.Draw), " 1 Calendar[2 Holds]3 Zombies 3! 4 Venues"; !strings.HasPrefix(got, want) {
		t.Errorf("drew %q, want %q", got, want)
	}
	if got := drawn(20, 1, tabs.Draw); !strings.Contains(got, "[2 Holds]") {
		t.Errorf("the active screen is not visible at 20 cells: %q", got)
	}
	for x := range 80 {
		i, ok := tabs.At(x, 80)
		if x == 15 && (!ok || i != 1) {
			t.Errorf("a click on Holds hits %d", i)
		}
		if x > 45 && ok {
			t.Errorf("a click beside the tabs hits %d", i)
		}
	}
	for _, none := range []widget.Tabs{{}, {Active: 3}, {Active: -1, Items: tabs.Items}} {
		drawn(10, 1, none.Draw)
	}
}
