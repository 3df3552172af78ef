package canvas_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"holdfast/tui/canvas"
)

func TestClean(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct{ name, in, want string }{
		{"plainText", "Museum day pass", "Museum day pass"},
		{"otherScripts", "Zürich 日本武道館 مسرح القاهرة क्षि देव", "Zürich 日本武道館 مسرح القاهرة क्षि देव"},
		{"decomposedAccentStays", "Cafe\u0301", "Cafe\u0301"},
		{"clearScreen", "a\x1b[2Jb", "a␛[2Jb"},
		{"clipboardWrite", "\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"},
		{"unterminatedTitle", "\x1b]0;x", "␛]0;x"},
		{"hyperlink", "\x1b]8;;http://x\x1b\\", "␛]8;;http://x␛\\"},
		{"deviceControl", "\x1bP1$r\x1b\\ \x1bc \x1b[6n", "␛P1$r␛\\ ␛c ␛[6n"},
		{"lineBreaksAndTabs", "a\r\nb\tc\x08\x00\x7f", "a␍␊b␉c␈␀␡"},
		{"c1AsRune", "a\u009b31m", "a⟨U+009B⟩31m"},
		{"c1AsByte", "a\x9b31m", "a\uFFFD31m"},
		{"badUTF8", "a\xff\xc3(b", "a\uFFFD\uFFFD(b"},
		{"textDirection", "x\u202egpj.exe", "x⟨U+202E⟩gpj.exe"},
		{"isolates", "\u2066a\u2069\u200e\u061c", "⟨U+2066⟩a⟨U+2069⟩⟨U+200E⟩⟨U+061C⟩"},
		{"separators", "a\u2028b\u2029c", "a⟨U+2028⟩b⟨U+2029⟩c"},
		{"tagCharacters", "a\U000E0041\U000E007F", "a⟨U+E0041⟩⟨U+E007F⟩"},
		{"zeroWidthIsRemoved", "pa\u200bid\u200c\u2060\ufeff\u00ad\u034f", "paid"},
		{"joinedFamilyComesApart", "👨\u200d👩\u200d👧", "👨👩👧"},
		{"variationSelector", "❤\ufe0f\U000E0101", "❤"},
		{"hangulFillers", "a\u115f\u3164\uffa0b", "ab"},
		{"twoMarksAtMost", "a" + strings.Repeat("\u0301", 200) + "b", "a\u0301\u0301b"},
		{"markWithoutCharacter", "\u0301a", "a"},
		{"flag", "🇩🇪🇫🇷", "🇩🇪🇫🇷"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := canvas.Clean(tc.in); got != tc.want {
				t.Errorf("Clean(%q) = %q, want %q", tc.in, got, tc.want)
			}
		})
	}
}

func TestClean_PlainASCIIDoesNotAllocate(t *testing.T) { //nolint:paralleltest // allocations of other tests would be counted
	s := "Harbour Hall, Fri 2026-12-04 19:30"
	if n := testing.AllocsPerRun(100, func() { _ = canvas.Clean(s) }); n != 0 {
		t.Errorf("Clean allocates %v times for plain text", n)
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{
		"", "plain", "\x1b]52;c;aGk=\x07", "a\u202eb", "\xff\xfe", "\u0301\u0301\u0301", "क्षि", "👨\u200d👩", "🇩🇪🇫", "\U000E0041", "a\u2028",
	} {
		f.Add(s, 10)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		clean := canvas.Clean(s)
		if !utf8.ValidString(clean) {
			t.Fatalf("Clean(%q) = %q is not UTF-8", s, clean)
		}
		marks := 0
		for _, r := range clean {
			if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Variation_Selector) || r >= 0xE0000 && r <= 0xE007F {
				t.Fatalf("Clean(%q) = %q lets %U through", s, clean, r)
			}
			if marks++; !unicode.In(r, unicode.Mn, unicode.Me) {
				marks = 0
			}
			if marks > 2 {
				t.Fatalf("Clean(%q) = %q piles up marks", s, clean)
			}
		}
		if again := canvas.Clean(clean); again != clean {
			t.Fatalf("Clean is not settled: %q, then %q", clean, again)
		}

		width %= 200
		cut := canvas.Cut(s, width, "...")
		if got := ansi.StringWidth(cut); got > max(0, width) {
			t.Fatalf("Cut(%q, %d) = %q takes %d cells", s, width, cut, got)
		}
		checkDrawn(t, s, max(0, width))
	})
}

// checkDrawn draws s at a few places and wants lines of the exact width.
func checkDrawn(t *testing.T, s string, width int) {
	t.Helper()
	c := canvas.New(width, 3, canvas.GlyphSet(false))
	c.Text(-1, 0, 0, s)
	c.Text(width/2, 0, 0, s)
	c.Fit(1, 1, width/2, 0, s)
	c.Fit(1+width/2, 1, width/2, 0, s)
	c.FitRight(0, 2, width, 0, s)
	for _, line := range strings.Split(c.Render(nil, canvas.Plain), "\n") {
		if got := ansi.StringWidth(line); got != width {
			t.Fatalf("a line of %d cells is %d wide: %q", width, got, line)
		}
	}
}
