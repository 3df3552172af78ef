package timezone_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rickb777/date"
	"pgregory.net/rapid"

	"holdfast/timezone"
)

// today is the Friday of the design's pictures.
var today = date.New(2026, time.December, 4)

func TestParseDays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, canonical, days string }{
		// The examples of the contract and of the console.
		{"2027-01-15", "2027-01-15", "2027-01-15"},
		{"2027-01-01..2027-01-31 fri,sat", "2027-01 fri,sat", "2027-01-01 01-02 01-08 01-09 01-15 01-16 01-22 01-23 01-29 01-30"},
		{"fri 2027-01", "2027-01 fri", "2027-01-01 01-08 01-15 01-22 01-29"},
		{"fri 2027-01 not 2027-01-08", "2027-01 fri not 2027-01-08", "2027-01-01 01-15 01-22 01-29"},
		{"2026-12-01..2026-12-31 sat,sun", "2026-12 sat,sun", "2026-12-05 12-06 12-12 12-13 12-19 12-20 12-26 12-27"},
		{"2026-12 every 2nd fri", "2026-12 every 2nd fri", "2026-12-04 12-18"},
		{"last sun of each month 2027-01..2027-03", "2027-01-01..2027-03-31 last sun of each month", "2027-01-31 02-28 03-28"},
		{"week 50", "week 50 2026", "2026-12-07 12-08 12-09 12-10 12-11 12-12 12-13"},
		{"week 2", "week 2 2027", "2027-01-11 01-12 01-13 01-14 01-15 01-16 01-17"},
		{"fri jan 2027", "2027-01 fri", "2027-01-01 01-08 01-15 01-22 01-29"},
		{"fri next month", "2027-01 fri", "2027-01-01 01-08 01-15 01-22 01-29"},
		{"fri in dec", "2026-12 fri", "2026-12-04 12-11 12-18 12-25"},
		{"fri in nov", "2027-11 fri", "2027-11-05 11-12 11-19 11-26"},

		// Case, blanks, fillers, long names.
		{" FRI\t2027-01 ", "2027-01 fri", "2027-01-01 01-08 01-15 01-22 01-29"},
		{"Fridays and Saturdays in the week 50", "week 50 2026 fri,sat", "2026-12-11 12-12"},
		{"fri, sat week 50", "week 50 2026 fri,sat", "2026-12-11 12-12"},
		{"fri sat week 50", "week 50 2026 fri,sat", "2026-12-11 12-12"},

		// Single days and periods.
		{"today", "2026-12-04", "2026-12-04"},
		{"tomorrow", "2026-12-05", "2026-12-05"},
		{"Fri 2026-12-04", "2026-12-04 fri", "2026-12-04"},
		{"2026-12-24 2026-12-26", "2026-12-24 2026-12-26", "2026-12-24 12-26"},
		{"2026-12-26,2026-12-24,2026-12-26", "2026-12-26 2026-12-24 2026-12-26", "2026-12-24 12-26"},
		{"2026-12-30..2027-01-02", "2026-12-30..2027-01-02", "2026-12-30 12-31 2027-01-01 01-02"},
		{"2026-12-30 .. 2027-01-02", "2026-12-30..2027-01-02", "2026-12-30 12-31 2027-01-01 01-02"},
		{"2026-12-30..+2", "2026-12-30..2027-01-01", "2026-12-30 12-31 2027-01-01"},
		{"today..2026-12-06", "2026-12-04..2026-12-06", "2026-12-04 12-05 12-06"},
		{"dec..jan mon", "2026-12-01..2027-01-31 mon", "2026-12-07 12-14 12-21 12-28 2027-01-04 01-11 01-18 01-25"},
		{"this week", "week 49 2026", "2026-11-30 12-01 12-02 12-03 12-04 12-05 12-06"},
		{"next week sun", "week 50 2026 sun", "2026-12-13"},
		{"2027-w53 2026-W53 sun", "", ""}, // 2027 has 52 weeks
		{"2026-W53 sun", "week 53 2026 sun", "2027-01-03"},
		{"week 1 2026 mon", "week 1 2026 mon", "2025-12-29"},
		{"next year 1st day of each month", "2027 1st day of each month", "2027-01-01 02-01 03-01 04-01 05-01 06-01 07-01 08-01 09-01 10-01 11-01 12-01"},

		// Days of the week and ordinals.
		{"week 50 mon..wed", "week 50 2026 mon,tue,wed", "2026-12-07 12-08 12-09"},
		{"week 50 sat-mon", "week 50 2026 mon,sat,sun", "2026-12-07 12-12 12-13"},
		{"week 50 weekends", "week 50 2026 sat,sun", "2026-12-12 12-13"},
		{"week 50 weekdays", "week 50 2026 mon,tue,wed,thu,fri", "2026-12-07 12-08 12-09 12-10 12-11"},
		{"every fri dec", "2026-12 fri", "2026-12-04 12-11 12-18 12-25"},
		{"every other fri dec", "2026-12 every 2nd fri", "2026-12-04 12-18"},
		{"every 2nd fri,sat dec", "2026-12 every 2nd fri,sat", "2026-12-04 12-05 12-18 12-19"},
		{"every 10th day dec", "2026-12 every 10th day", "2026-12-01 12-11 12-21 12-31"},
		{"1st,3rd mon of each month jan", "2027-01 1st mon of each month 3rd mon of each month", "2027-01-04 01-18"},
		{"first and last mon of every month jan", "2027-01 1st mon of each month last mon of each month", "2027-01-04 01-25"},
		{"5th fri 2027-01..2027-04", "2027-01-01..2027-04-30 5th fri of each month", "2027-01-29 04-30"},
		{"last day of each month 2028-02..2028-03", "2028-02-01..2028-03-31 last day of each month", "2028-02-29 03-31"},
		{"last sun 2027-01-01..2027-01-30 sat", "2027-01-01..2027-01-30 sat last sun of each month", "2027-01-02 01-09 01-16 01-23 01-30"},

		// Several clauses.
		{"jan fri; feb sat", "2027-01 fri; 2027-02 sat", "2027-01-01 01-08 01-15 01-22 01-29 02-06 02-13 02-20 02-27"},
		{"week 50; week 51 sat not sun", "week 50 2026; week 51 2026 sat not sun", "2026-12-07 12-08 12-09 12-10 12-11 12-12 12-19"},
		{"week 50 fri; sun;", "week 50 2026 fri; sun", "2026-12-11 12-13"},
		{"dec mon not 2026-12-07 2026-12-28", "2026-12 mon not 2026-12-07 2026-12-28", "2026-12-14 12-21"},
		{"dec mon not week 50 not last mon", "2026-12 mon not week 50 2026 not last mon of each month", "2026-12-14 12-21"},
		{"week 50 not 2026-12-08; 2026-12-08", "week 50 2026 not 2026-12-08; 2026-12-08", "2026-12-07 12-09 12-10 12-11 12-12 12-13"},
	} {
		got, err := timezone.ParseDays(c.text, today)
		if c.days == "" {
			if err == nil {
				t.Errorf("ParseDays(%q) = %v, want an error", c.text, got)
			}
			continue
		}
		if err != nil {
			t.Errorf("ParseDays(%q): %v", c.text, err)
			continue
		}
		if got.String() != c.canonical {
			t.Errorf("ParseDays(%q) = %q, want %q", c.text, got, c.canonical)
		}
		if days := brief(got.Expand()); days != c.days {
			t.Errorf("ParseDays(%q).Expand() = %s\nwant %s", c.text, days, c.days)
		}
	}
}

// brief writes days with their year only where it changes.
func brief(days []date.Date) string {
	var words []string
	year := 0
	for _, d := range days {
		text := d.String()
		if d.Year() == year {
			text = text[len("2006-"):]
		}
		year = d.Year()
		words = append(words, text)
	}
	return strings.Join(words, " ")
}

func TestParseDays_withoutPeriodMeansTheYearFromToday(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"every 2nd fri":          "2026-12-04..2027-12-03 every 2nd fri",
		"last sun of each month": "2026-12-04..2027-12-03 last sun of each month",
	} {
		got, err := timezone.ParseDays(text, today)
		if err != nil || got.String() != want {
			t.Errorf("ParseDays(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestParseDays_refusalsPointAtTheWord(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, word, problem string }{
		{"", "", "days are needed"},
		{"  ;; ", "", "days are needed"},
		{"in the", "", "days are needed"},
		{"2027-02-30", "2027-02-30", "February 2027 has 28 days"},
		{"fri 2027-13", "2027-13", "months are 01 to 12"},
		{"fri 2027-1-5", "2027-1-5", "YYYY-MM-DD"},
		{"03/04/2027", "03/04/2027", "YYYY-MM-DD"},
		{"２０２７-01", "２０２７-01", "is not a day"},
		{"2027-01 fryday", "fryday", "did you mean friday?"},
		{"fir 2027-01", "fir", "did you mean fri?"},
		{"fri dec cap 140", "cap", "is not a day"},
		{"thu 2026-12-04", "2026-12-04", "is a Friday, not thu"},
		{"2027-01-31..2027-01-01", "2027-01-31", "runs backwards"},
		{"2027-01-01..", "", "missing at the end"},
		{"2027-01-01..fri", "fri", "is not a day"},
		{"2027-01-01..+x", "+x", "number of days"},
		{"2027-01-01..+99999", "+99999", "number of days"},
		{"..2027-01-01", "..", "is not a day"},
		{"2027..2037", "2027", "longer than 10 years"},
		{"1999-12-31", "1999-12-31", "year"},
		{"1999", "1999", "years 2000 and 2199"},
		{"2199-12-31..+1", "2199-12-31", "years 2000 and 2199"},
		{"dec..2027-02", "dec", "needs a year too"},
		{"week", "", "its number"},
		{"week fri", "fri", "its number"},
		{"week 0 2027", "0", "2027 has weeks 1 to 52"},
		{"week 53 2027", "53", "2027 has weeks 1 to 52"},
		{"week 300", "300", "its number"},
		{"2027-w54", "2027-w54", "2027 has weeks 1 to 52"},
		{"next fri", "next", "week, month or year"},
		{"mon..jan", "jan", "a day of the week must follow"},
		{"2nd 2027-01", "2nd", "must be followed by a day of the week"},
		{"2th fri dec", "2th", "is not a day"},
		{"every dec", "every", "must be followed by a day of the week"},
		{"every last fri dec", "last", "last sun of each month"},
		{"6th fri dec", "6th", "no month has a 6th fri"},
		{"32nd day of each month dec", "32nd", "no month has a 32nd day"},
		{"not 2027-01-08", "not", "only takes days away"},
		{"2027-01 not", "not", "must be followed by days"},
		{"2027-01 not; 2027-02", "not", "must be followed by days"},
		{"2027-01 not 2027-01", "", "no day is left"},
		{"5th fri 2027-02", "", "no day is left"},
		{"2027..2029", "", "that is 1096 days; at most 1000"},
		{strings.Repeat("2027-01 ", 100), "", "at most 500 characters"},
		{strings.Repeat("jan,", 100), "", "at most 500 characters"}, // its String would be longer
		{"fri\u00a02027-01", "fri\u00a02027-01", "YYYY-MM-DD"},
		{"2027-01 \x1b[31mfri", "\x1b[31mfri", `"\x1b[31mfri"`},
	} {
		rule, err := timezone.ParseDays(c.text, today)
		var input *timezone.InputError
		if !errors.As(err, &input) {
			t.Errorf("ParseDays(%q) = %v, %v, want an *InputError", c.text, rule, err)
			continue
		}
		if input.Input != c.text || input.Word != c.word || !strings.HasPrefix(c.text[input.At:], c.word) {
			t.Errorf("ParseDays(%q) points at %q at %d, want %q", c.text, input.Word, input.At, c.word)
		}
		if !strings.Contains(err.Error(), c.problem) {
			t.Errorf("ParseDays(%q): %q, want %q in it", c.text, err, c.problem)
		}
	}
}

func TestDayRule_expandGivesACopy(t *testing.T) {
	t.Parallel()
	rule, err := timezone.ParseDays("week 50", today)
	if err != nil {
		t.Fatal(err)
	}
	rule.Expand()[0] = today
	if got := rule.Expand()[0]; got == today {
		t.Error("a caller changed the rule through Expand")
	}
	if got := (timezone.DayRule{}).Expand(); len(got) != 0 {
		t.Errorf("the zero rule names %v", got)
	}
}

// ruleText draws a rule of the language, with the bounds that its days must keep.
func ruleText(t *rapid.T) (text string, from, to date.Date) {
	weekday := rapid.SampledFrom(strings.Fields("mon tue wed thu fri sat sun weekends mon..thu sat-mon"))
	ordinal := rapid.SampledFrom(strings.Fields("1st 2nd 3rd 4th 5th last first other"))
	stride := rapid.SampledFrom(strings.Fields("2nd 3rd 10th other"))
	from, to = date.New(2199, 12, 31), date.New(2000, 1, 1)
	cover := func(a, b date.Date) {
		from, to = from.Min(a), to.Max(b)
	}
	clause := func(t *rapid.T) string {
		start := today.Add(date.PeriodOfDays(rapid.IntRange(0, 400).Draw(t, "start")))
		end := start.Add(date.PeriodOfDays(rapid.IntRange(1, 60).Draw(t, "length")))
		words := []string{start.String() + ".." + end.String()}
		switch rapid.IntRange(0, 3).Draw(t, "period") {
		case 0:
			words[0] = start.String()[:len("2027-01")]
			cover(start.Add(-31), start.Add(31))
		case 1:
			words[0] = rapid.SampledFrom(strings.Fields("jan feb dec")).Draw(t, "month") + " 2027"
			cover(date.New(2027, 1, 1), date.New(2027, 12, 31))
		case 2:
			words[0] = "week " + rapid.SampledFrom(strings.Fields("1 9 50")).Draw(t, "week") + " 2027"
			cover(date.New(2027, 1, 4), date.New(2027, 12, 31))
		default:
			cover(start, end)
		}
		for range rapid.IntRange(0, 3).Draw(t, "picks") {
			switch rapid.IntRange(0, 4).Draw(t, "pick") {
			case 0:
				words = append(words, "every "+stride.Draw(t, "stride")+" "+weekday.Draw(t, "weekday"))
			case 1:
				words = append(words, ordinal.Draw(t, "ordinal")+" "+weekday.Draw(t, "weekday")+" of each month")
			case 2:
				words = append(words, "every "+stride.Draw(t, "stride")+" day")
			default:
				words = append(words, weekday.Draw(t, "weekday"))
			}
		}
		return strings.Join(rapid.Permutation(words).Draw(t, "words"), " ")
	}
	clauses := []string{clause(t)}
	for range rapid.IntRange(0, 3).Draw(t, "more") {
		clauses = append(clauses, rapid.SampledFrom([]string{"; ", " not "}).Draw(t, "joint"))
		if rapid.Bool().Draw(t, "withPeriod") {
			clauses = append(clauses, clause(t))
		} else {
			clauses = append(clauses, weekday.Draw(t, "weekday"))
		}
	}
	return strings.Join(clauses, ""), from, to
}

func TestDayRule_properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, from, to := ruleText(t)
		rule, err := timezone.ParseDays(text, today)
		if err != nil {
			if !strings.Contains(err.Error(), "no day is left") {
				t.Fatalf("ParseDays(%q): %v", text, err)
			}
			t.Skip("the clauses take every day away: a rule without days is refused")
		}
		days := rule.Expand()
		for i, d := range days {
			if d.Before(from) || d.After(to) || i > 0 && !d.After(days[i-1]) {
				t.Fatalf("%q: day %v is outside %v..%v, doubled or out of order", text, d, from, to)
			}
		}
		if len(days) == 0 || len(days) > timezone.MaxDays {
			t.Fatalf("%q: %d days", text, len(days))
		}

		// The canonical text means the same, on any other day too.
		elsewhen := today.Add(date.PeriodOfDays(rapid.IntRange(-3000, 3000).Draw(t, "elsewhen")))
		again, err := timezone.ParseDays(rule.String(), elsewhen)
		if err != nil || !reflect.DeepEqual(again, rule) {
			t.Fatalf("ParseDays(String of %q) = %q, %v, want %q", text, again, err, rule)
		}

		// Taking something away never adds a day.
		less, err := timezone.ParseDays(text+" not fri", today)
		if err != nil {
			t.Skip("every day was a friday: nothing would be left")
		}
		for _, d := range less.Expand() {
			if !slices.Contains(days, d) {
				t.Fatalf("%q not fri has %v, which %q lacks", text, d, text)
			}
		}
	})
}

func FuzzParseDays(f *testing.F) {
	for _, s := range []string{"fri 2027-01 not 2027-01-08", "every 2nd fri; week 50", "2027-01-01..+6", "last day of each month jan..mar", "mon..fri this month", "..;not,,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rule, err := timezone.ParseDays(text, today)
		if err != nil {
			return
		}
		again, err := timezone.ParseDays(rule.String(), today.Add(-1000))
		if err != nil || !reflect.DeepEqual(again, rule) {
			t.Errorf("%q is %q, which reads as %q, %v", text, rule, again, err)
		}
	})
}
