package timezone_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/timezone"
)

func hours(t testing.TB, text string) timezone.Hours {
	t.Helper()
	h, err := timezone.ParseHours(text)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestParseHours(t *testing.T) {
	t.Parallel()
	clock := timezone.NewTimeOfDay
	for _, c := range []struct {
		text  string
		want  timezone.Hours
		shown string // "" if it is the text
	}{
		{"09:00-22:00", timezone.Hours{Opens: clock(9, 0), Closes: clock(22, 0)}, ""},
		{"00:00-24:00", timezone.Hours{Closes: clock(24, 0)}, ""},
		{"00:00-00:01", timezone.Hours{Closes: clock(0, 1)}, ""},
		{"18:00-02:00", timezone.Hours{Opens: clock(18, 0), Closes: clock(26, 0)}, ""},
		{"18:00-24:00", timezone.Hours{Opens: clock(18, 0), Closes: clock(24, 0)}, ""},
		{"18:00-00:00", timezone.Hours{Opens: clock(18, 0), Closes: clock(24, 0)}, "18:00-24:00"},
		{"00:01-00:00", timezone.Hours{Opens: clock(0, 1), Closes: clock(24, 0)}, "00:01-24:00"},
		{"23:59-23:58", timezone.Hours{Opens: clock(23, 59), Closes: clock(47, 58)}, ""},
		{"closed", timezone.Hours{}, ""},
		{" 09:00-22:00\t", timezone.Hours{Opens: clock(9, 0), Closes: clock(22, 0)}, "09:00-22:00"},
	} {
		got, err := timezone.ParseHours(c.text)
		if err != nil || got != c.want || got.Closed() != (c.text == "closed") {
			t.Errorf("ParseHours(%q) = %v, %v, want %v", c.text, got, err, c.want)
		}
		if c.shown == "" {
			c.shown = c.text
		}
		if got.String() != c.shown {
			t.Errorf("%q is shown as %q, want %q", c.text, got, c.shown)
		}
	}
}

func TestParseHours_refusesWhatItWouldHaveToGuess(t *testing.T) {
	t.Parallel()
	for text, problem := range map[string]string{
		"":                     "are needed",
		" \t":                  "are needed",
		"9:00-17:00":           "written as",
		"09:00 - 17:00":        "written as",
		"09:00–17:00":          "written as", // an en dash
		"09.00-17.00":          "written as",
		"09:00:00-17:00:00":    "written as",
		"0900-1700":            "written as",
		"09:00-17:00,19:00-20": "written as",
		"٠٩:٠٠-١٧:٠٠":          "written as",
		"Closed":               "written as",
		"closed closed":        "written as",
		"09:00-17:00\n":        "written as",
		"24:00-02:00":          "24:00 is no time to open at",
		"25:00-26:00":          "25:00 is no time to open at",
		"18:00-26:00":          "26:00 is no time to close at",
		"00:00-24:01":          "24:01 is no time to close at",
		"09:60-17:00":          "09:60 is no time to open at",
		"09:00-17:60":          "17:60 is no time to close at",
		"09:00-09:00":          "at the same time",
		"00:00-00:00":          "at the same time",
	} {
		got, err := timezone.ParseHours(text)
		var input *timezone.InputError
		if !errors.As(err, &input) || input.Input != text || !strings.Contains(input.Problem, problem) || got != (timezone.Hours{}) {
			t.Errorf("ParseHours(%q) = %v, %v, want an *InputError about %q", text, got, err, problem)
		}
	}
}

func TestHours_String_isReadBackAsTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		opens := rapid.IntRange(0, 1439).Draw(t, "opens")
		closes := opens + rapid.IntRange(1, 1439).Draw(t, "length")
		h := timezone.Hours{Opens: timezone.NewTimeOfDay(0, opens), Closes: timezone.NewTimeOfDay(0, closes)}
		if got, err := timezone.ParseHours(h.String()); err != nil || got != h {
			t.Fatalf("ParseHours(%q) = %v, %v", h, got, err)
		}
	})
}

func FuzzParseHours(f *testing.F) {
	for _, seed := range []string{"09:00-22:00", "18:00-02:00", "00:00-24:00", "closed", "09:00-09:00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := timezone.ParseHours(text)
		if err != nil {
			onlyPlainText(t, err)
			return
		}
		if again, err := timezone.ParseHours(h.String()); err != nil || again != h {
			t.Errorf("%q is shown as %q, which is %v, %v", text, h, again, err)
		}
		if length := time.Duration(h.Closes - h.Opens); !h.Closed() && (h.Opens < 0 || h.Opens >= timezone.NewTimeOfDay(24, 0) || length <= 0 || length > 24*time.Hour) {
			t.Errorf("ParseHours(%q) = %v: %v long", text, h, length)
		}
	})
}

// onlyPlainText fails if the error about a typed text could steer a terminal.
func onlyPlainText(t *testing.T, err error) {
	t.Helper()
	if s := err.Error(); len(s) > 600 || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		t.Errorf("the message is long or has raw control characters: %q", s)
	}
}

func TestOpenOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, zone, day, hours, from, to string }{
		{"plain", "Europe/Berlin", "2026-12-04", "09:00-17:00", "2026-12-04T08:00:00Z", "2026-12-04T16:00:00Z"},
		{"closed", "Europe/Berlin", "2026-12-04", "closed", "", ""},
		{"intoTheNextDay", "Europe/Berlin", "2026-12-04", "18:00-02:00", "2026-12-04T17:00:00Z", "2026-12-05T01:00:00Z"},
		{"wholeDayOf23Hours", "Europe/Berlin", "2026-03-29", "00:00-24:00", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
		{"wholeDayOf25Hours", "Europe/Berlin", "2026-10-25", "00:00-24:00", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		{"opensInTheGap", "Europe/Berlin", "2026-03-29", "02:30-05:00", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00Z"},
		{"closesInTheGap", "Europe/Berlin", "2026-03-29", "00:30-02:30", "2026-03-28T23:30:00Z", "2026-03-29T01:00:00Z"},
		{"allInTheGap", "Europe/Berlin", "2026-03-29", "02:15-02:45", "", ""},
		{"theGapItself", "Europe/Berlin", "2026-03-29", "02:00-03:00", "", ""},
		{"opensAtTheFirstOfTwo", "Europe/Berlin", "2026-10-25", "02:30-05:00", "2026-10-25T00:30:00Z", "2026-10-25T04:00:00Z"},
		{"closesAtTheFirstOfTwo", "Europe/Berlin", "2026-10-25", "00:30-02:30", "2026-10-24T22:30:00Z", "2026-10-25T00:30:00Z"},
		{"opensAtTheSkippedMidnight", "America/Santiago", "2026-09-06", "00:00-08:00", "2026-09-06T04:00:00Z", "2026-09-06T11:00:00Z"},
		{"closesAtTheSkippedMidnight", "America/Santiago", "2026-09-05", "18:00-24:00", "2026-09-05T22:00:00Z", "2026-09-06T04:00:00Z"},
		{"closesBehindTheSkippedMidnight", "America/Santiago", "2026-09-05", "18:00-00:30", "2026-09-05T22:00:00Z", "2026-09-06T04:00:00Z"},
		{"dayThatNeverWas", "Pacific/Apia", "2011-12-30", "09:00-17:00", "", ""},
		{"nightOfTheDayThatNeverWas", "Pacific/Apia", "2011-12-30", "18:00-02:00", "", ""},
		{"intoTheDayThatNeverWas", "Pacific/Apia", "2011-12-29", "18:00-02:00", "2011-12-30T04:00:00Z", "2011-12-30T10:00:00Z"},
		{"afterTheDayThatNeverWas", "Pacific/Apia", "2011-12-31", "09:00-17:00", "2011-12-30T19:00:00Z", "2011-12-31T03:00:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, ok := timezone.OpenOn(day(t, c.day), hours(t, c.hours), zone(t, c.zone))
			if c.from == "" {
				if ok || got != (timezone.Period{}) {
					t.Errorf("OpenOn = %v, %v, want not open", got, ok)
				}
				return
			}
			if from, to := got.From.Format(time.RFC3339), got.To.Format(time.RFC3339); !ok || from != c.from || to != c.to {
				t.Errorf("OpenOn = %s to %s, %v, want %s to %s", from, to, ok, c.from, c.to)
			}
		})
	}
}

func TestFirstInstantAt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, zone, day string
		hour, minute    int
		want            string
	}{
		{"once", "Europe/Berlin", "2026-12-04", 19, 30, "2026-12-04T18:30:00Z"},
		{"gapBegins", "Europe/Berlin", "2027-03-28", 2, 0, "2027-03-28T01:00:00Z"},
		{"inTheGap", "Europe/Berlin", "2027-03-28", 2, 59, "2027-03-28T01:00:00Z"},
		{"gapEnds", "Europe/Berlin", "2027-03-28", 3, 0, "2027-03-28T01:00:00Z"},
		{"foldBegins", "Europe/Berlin", "2027-10-31", 2, 0, "2027-10-31T00:00:00Z"},
		{"inTheFold", "Europe/Berlin", "2027-10-31", 2, 30, "2027-10-31T00:30:00Z"},
		{"foldEnds", "Europe/Berlin", "2027-10-31", 3, 0, "2027-10-31T02:00:00Z"},
		{"midnightGap", "Asia/Beirut", "2026-03-29", 0, 30, "2026-03-28T22:00:00Z"},
		{"midnightFold", "America/Havana", "2026-11-01", 0, 0, "2026-11-01T04:00:00Z"},
		{"dayThatNeverWas", "Pacific/Apia", "2011-12-30", 12, 0, "2011-12-30T10:00:00Z"},
		{"hour26IsTwoOnTheNextDay", "Europe/Berlin", "2027-03-27", 26, 0, "2027-03-28T01:00:00Z"},
		{"beforeTheFoldThatPassesMidnight", "America/St_Johns", "2010-11-06", 23, 30, "2010-11-07T02:00:00Z"},
		{"behindTheFoldThatPassesMidnight", "America/St_Johns", "2010-11-07", 0, 1, "2010-11-07T03:31:00Z"},
	} {
		if got := timezone.FirstInstantAt(wall(t, c.day, c.hour, c.minute), zone(t, c.zone)); got.Format(time.RFC3339) != c.want {
			t.Errorf("%s: FirstInstantAt = %v, want %s", c.name, got, c.want)
		}
	}
}
