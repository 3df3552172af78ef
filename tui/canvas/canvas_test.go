package canvas_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"holdfast/tui/canvas"
)

func plain(w, h int) canvas.Canvas { return canvas.New(w, h, canvas.GlyphSet(true)) }

func lines(c canvas.Canvas) []string {
	return strings.Split(c.Render(nil, canvas.Plain), "\n")
}

func TestCanvas_Text(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name string
		draw func(canvas.Canvas)
		want string
	}{
		{"clippedAtBothEnds", func(c canvas.Canvas) { c.Text(-2, 0, 0, "abcdefghijkl") }, "cdefghij"},
		{"wideCharacterIsNeverHalf", func(c canvas.Canvas) { c.Text(7, 0, 0, "日本") }, "        "},
		{"overWideLeft", func(c canvas.Canvas) { c.Text(0, 0, 0, "日本"); c.Text(1, 0, 0, "x") }, " x本    "},
		{"overWideRight", func(c canvas.Canvas) { c.Text(0, 0, 0, "日本"); c.Text(2, 0, 0, "x") }, "日x     "},
		{"controlsAreVisible", func(c canvas.Canvas) { c.Text(0, 0, 0, "a\x1b[2J") }, "a␛[2J   "},
		{"halfFlagsDoNotMeet", func(c canvas.Canvas) { c.Text(0, 0, 0, "🇩"); c.Text(2, 0, 0, "🇪") }, "🇩??    "},
		{"fitCutsWithEllipsis", func(c canvas.Canvas) { c.Fit(0, 0, 6, 0, "abcdefgh") }, "abc...  "},
		{"fitCutsBeforeWide", func(c canvas.Canvas) { c.Fit(0, 0, 6, 0, "a日本武") }, "a日... "[:len("a日... ")-1] + "  "},
		{"fitRight", func(c canvas.Canvas) { c.FitRight(0, 0, 6, 0, "42") }, "    42  "},
		{"fitOfNoWidth", func(c canvas.Canvas) { c.Fit(0, 0, 0, 0, "x"); c.Fit(3, 0, -4, 0, "x") }, "        "},
		{"subHasItsOwnOrigin", func(c canvas.Canvas) {
			c.Sub(canvas.Rect{X: 2, W: 3, H: 1}).Text(-1, 0, 0, "abcdefgh")
		}, "  bcd   "},
		{"subOfSubStaysInside", func(c canvas.Canvas) {
			c.Sub(canvas.Rect{X: 2, W: 3, H: 1}).Sub(canvas.Rect{X: 1, W: 50, H: 5}).Text(0, 0, 0, "xyz")
		}, "   xy   "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := plain(8, 1)
			tc.draw(c)
			if got := lines(c)[0]; got != tc.want {
				t.Errorf("drew %q, want %q", got, tc.want)
			}
		})
	}
}

func TestCanvas_Text_NamesOfEveryKindKeepTheirWidth(t *testing.T) {
	t.Parallel()

	for _, name := range []string{
		"日本武道館ホール大", "Cafe\u0301", "👨\u200d👩\u200d👧\u200d👦", "🇩🇪🇫🇷", "مسرح القاهرة", "क्षि देव", strings.Repeat("x", 200),
		"a" + strings.Repeat("\u0301", 200), "\x1b[31mred", "한국어 \u1112\u1161\u11ab", "e\u0301\u0301\u0301", "❤\ufe0f", "กรุงเทพ", "½ ± ° × € ● →",
	} {
		for _, w := range []int{1, 2, 3, 7, 40, 80} {
			c := plain(w, 2)
			c.Text(0, 0, 0, name)
			c.Fit(0, 1, w, 0, name)
			for _, line := range lines(c) {
				if got := ansi.StringWidth(line); got != w {
					t.Errorf("%q at %d cells is %d wide: %q", name, w, got, line)
				}
			}
		}
	}
}

func TestCanvas_AnythingAnywhereIsExact(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(0, 60).Draw(t, "w"), rapid.IntRange(0, 8).Draw(t, "h")
		at := func(label string) int { return rapid.IntRange(-5, 65).Draw(t, label) }
		c := plain(w, h)
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			r := canvas.Rect{X: at("x"), Y: at("y"), W: at("rw"), H: at("rh")}
			s := rapid.String().Draw(t, "s")
			st := canvas.Style(rapid.IntRange(0, 40).Draw(t, "style"))
			switch rapid.IntRange(0, 6).Draw(t, "what") {
			case 0:
				c.Text(r.X, r.Y, st, s)
			case 1:
				c.Fit(r.X, r.Y, r.W, st, s)
			case 2:
				c.FitRight(r.X, r.Y, r.W, st, s)
			case 3:
				c.Sub(r).Border(st, s, st).Text(0, 0, st, s)
			case 4:
				c.Emphasise(r, canvas.Reverse)
			case 5:
				c.Sub(r).Rule(r.Y, st, st, s, s)
			case 6:
				c.Fill(r, st, s)
			}
		}
		if h == 0 {
			return
		}
		for _, p := range []canvas.Profile{canvas.Plain, canvas.TrueColor} {
			out := strings.Split(c.Render(canvas.Looks{{}, {Attr: canvas.Bold, FG: canvas.RGB(1, 2, 3)}}, p), "\n")
			if len(out) != h {
				t.Fatalf("%d lines, want %d", len(out), h)
			}
			for _, line := range out {
				if got := ansi.StringWidth(line); got != w {
					t.Fatalf("a line of %d cells is %d wide: %q", w, got, line)
				}
			}
		}
	})
}

func TestRect_NeverNegative(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		n := func(label string) int { return rapid.IntRange(-20, 20).Draw(t, label) }
		r := canvas.Box(n("w"), n("h"))
		top, rest := r.Top(n("top"))
		left, rest2 := rest.Left(n("left"))
		bottom, rest3 := rest2.Bottom(n("bottom"))
		right, rest4 := rest3.Right(n("right"))
		for _, got := range []canvas.Rect{top, rest, left, rest2, bottom, rest3, right, rest4, r.Inset(n("dx"), n("dy")), r.Centre(n("cw"), n("ch"))} {
			if got.W < 0 || got.H < 0 {
				t.Fatalf("%+v has a negative side", got)
			}
			if got.Intersect(r) != got && !got.Empty() {
				t.Fatalf("%+v lies outside %+v", got, r)
			}
		}
		if top.H+rest.H != r.H || left.W+rest2.W != rest.W {
			t.Fatal("splitting lost cells")
		}
	})
}

func TestRect_ContainsIsTheHitTest(t *testing.T) {
	t.Parallel()

	r := canvas.Rect{X: 2, Y: 1, W: 3, H: 2}
	for _, tc := range []struct {
		x, y int
		want bool
	}{{2, 1, true}, {4, 2, true}, {5, 1, false}, {2, 3, false}, {1, 1, false}, {2, 0, false}} {
		if got := r.Contains(tc.x, tc.y); got != tc.want {
			t.Errorf("Contains(%d, %d) = %v, want %v", tc.x, tc.y, got, tc.want)
		}
	}
}
