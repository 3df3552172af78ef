package timezone_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rickb777/date"

	"holdfast/timezone"
)

func TestParseDay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]date.Date{
		"2026-06-01":      date.New(2026, time.June, 1),
		" 2026-06-01 ":    date.New(2026, time.June, 1),
		"\t2026-06-01":    date.New(2026, time.June, 1),
		"2028-02-29":      date.New(2028, time.February, 29),
		"2000-01-01":      date.New(2000, time.January, 1),
		"2199-12-31":      date.New(2199, time.December, 31),
		"2000-02-29":      date.New(2000, time.February, 29),
		"2026-12-31   \t": date.New(2026, time.December, 31),
	} {
		if got, err := timezone.ParseDay(text); err != nil || got != want {
			t.Errorf("ParseDay(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}

// Case B39: none of these may silently become another day.
func TestParseDay_B39_refusesWhatOtherParsersGuess(t *testing.T) {
	t.Parallel()
	for text, problem := range map[string]string{
		"2026-02-30":             "February 2026 has 28 days",
		"2026-02-29":             "February 2026 has 28 days",
		"2100-02-29":             "February 2100 has 28 days",
		"2026-04-31":             "April 2026 has 30 days",
		"2026-13-01":             "months are 01 to 12",
		"2026-00-10":             "months are 01 to 12",
		"2026-01-00":             "days start at 01",
		"2026-01-32":             "January 2026 has 31 days",
		"0000-00-00":             "year",
		"0206-06-01":             "year",
		"1999-12-31":             "year",
		"2200-01-01":             "year",
		"2026-366":               "YYYY-MM-DD",
		"03/04/2026":             "YYYY-MM-DD",
		"31/04/2026":             "YYYY-MM-DD",
		"2026-2-3":               "YYYY-MM-DD",
		"２０２６-06-01":             "YYYY-MM-DD",
		"٢٠٢٦-٠٦-٠١":             "YYYY-MM-DD",
		"12026-06-01":            "YYYY-MM-DD",
		"2026-06-01T23:30+09:00": "YYYY-MM-DD",
		"2026-06-01 00:00":       "YYYY-MM-DD",
		"2026-06-01Z":            "YYYY-MM-DD",
		"20260601":               "YYYY-MM-DD",
		"+2026-06-01":            "YYYY-MM-DD",
		"-2026-06-01":            "YYYY-MM-DD",
		"2026-W23-1":             "YYYY-MM-DD",
		"2026–06–01":             "YYYY-MM-DD", // en dashes
		"\u00a02026-06-01":       "YYYY-MM-DD", // a blank, but not an ASCII one
		"2026-06-01\n":           "YYYY-MM-DD",
		"25:00":                  "YYYY-MM-DD",
		"9:00":                   "YYYY-MM-DD",
		"today":                  "YYYY-MM-DD",
		"":                       "a day is needed",
		"  ":                     "a day is needed",
	} {
		got, err := timezone.ParseDay(text)
		var input *timezone.InputError
		if !errors.As(err, &input) {
			t.Errorf("ParseDay(%q) = %v, %v, want an *InputError", text, got, err)
			continue
		}
		if input.Input != text || !strings.Contains(input.Problem, problem) {
			t.Errorf("ParseDay(%q): input %q, problem %q, want one about %q", text, input.Input, input.Problem, problem)
		}
	}
}

func TestParseDay_problemIsSafeToPrint(t *testing.T) {
	t.Parallel()
	_, err := timezone.ParseDay("\x1b]52;c;AAAA\x07\u202e" + strings.Repeat("x", 5000))
	if s := err.Error(); len(s) > 400 || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		t.Errorf("the message is long or has raw control characters: %q", s)
	}
}

func FuzzParseDay(f *testing.F) {
	f.Add("2026-06-01")
	f.Add(" 2028-02-29\t")
	f.Add("2026-02-30")
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := timezone.ParseDay(text); err == nil && d.String() != strings.Trim(text, " \t") {
			t.Errorf("ParseDay(%q) = %v: another day than typed", text, d)
		}
	})
}
