package timezone_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/timezone"
)

func TestParseWallTime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2027-01-15T10:00":      "2027-01-15T10:00",
		"2027-01-15T10:00:30":   "2027-01-15T10:00:30",
		"2027-01-15T10:00:00":   "2027-01-15T10:00",
		" 2027-01-15T00:00\t":   "2027-01-15T00:00",
		"2028-02-29T23:59:59  ": "2028-02-29T23:59:59",
	} {
		if got, err := timezone.ParseWallTime(text); err != nil || got.String() != want {
			t.Errorf("ParseWallTime(%q) = %v, %v, want %s", text, got, err, want)
		}
	}
}

func TestParseWallTime_refusesWhatOtherParsersGuess(t *testing.T) {
	t.Parallel()
	for text, problem := range map[string]string{
		"":                          "a local time is needed",
		"  ":                        "a local time is needed",
		"2027-02-30T10:00":          "February 2027 has 28 days",
		"2027-13-01T10:00":          "months are 01 to 12",
		"1999-12-31T10:00":          "year",
		"2027-01-15T24:00":          "24:00 is not a time that a clock shows",
		"2027-01-15T25:00":          "25:00 is not",
		"2027-01-15T10:60":          "10:60 is not",
		"2027-01-15T10:00:60":       "10:00:60 is not",
		"2027-01-15":                "written as",
		"10:00":                     "written as",
		"2027-01-15 10:00":          "written as",
		"2027-01-15t10:00":          "written as",
		"2027-01-15T9:00":           "written as",
		"2027-01-15T10":             "written as",
		"2027-01-15T10:00:00.5":     "written as",
		"2027-01-15T10:00+01:00":    "written as",
		"2027-01-15T10:00Z":         "written as",
		"2027-01-15T10:00\n":        "written as",
		"２０２７-01-15T10:00":          "written as",
		"2027-01-15T١٠:٠٠":          "written as",
		"\u00a02027-01-15T10:00":    "written as",
		"2027-01-15T10:00 tomorrow": "written as",
	} {
		got, err := timezone.ParseWallTime(text)
		var input *timezone.InputError
		if !errors.As(err, &input) || input.Input != text || !strings.Contains(input.Problem, problem) {
			t.Errorf("ParseWallTime(%q) = %v, %v, want an *InputError about %q", text, got, err, problem)
		}
	}
}

func TestParseLocal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, zone, text, want string }{
		{"plain", "Europe/Berlin", "2027-01-15T10:00", "2027-01-15T09:00:00Z"},
		{"withSeconds", "Europe/Berlin", "2027-01-15T10:00:30", "2027-01-15T09:00:30Z"},
		{"withItsOffset", "Europe/Berlin", "2027-01-15T10:00+01:00", "2027-01-15T09:00:00Z"},
		{"withSecondsAndOffset", "Europe/Berlin", " 2027-01-15T10:00:30+01:00 ", "2027-01-15T09:00:30Z"},
		{"firstOfTwo", "Europe/Berlin", "2027-10-31T02:30+02:00", "2027-10-31T00:30:00Z"},
		{"secondOfTwo", "Europe/Berlin", "2027-10-31T02:30+01:00", "2027-10-31T01:30:00Z"},
		{"halfHours", "America/St_Johns", "2027-01-15T10:00-03:30", "2027-01-15T13:30:00Z"},
		{"firstHalfHourOfTwo", "Australia/Lord_Howe", "2026-04-05T01:45+11:00", "2026-04-04T14:45:00Z"},
		{"secondHalfHourOfTwo", "Australia/Lord_Howe", "2026-04-05T01:45+10:30", "2026-04-04T15:15:00Z"},
		{"zulu", "UTC", "2027-01-15T10:00Z", "2027-01-15T10:00:00Z"},
		{"zuluIsAnOffsetLikeOthers", "Europe/London", "2027-10-31T01:30:00Z", "2027-10-31T01:30:00Z"},
		{"zero", "Europe/London", "2027-01-15T10:00+00:00", "2027-01-15T10:00:00Z"},
	} {
		if got, err := timezone.ParseLocal(c.text, zone(t, c.zone)); err != nil || got.Format(time.RFC3339) != c.want {
			t.Errorf("%s: ParseLocal(%q) = %v, %v, want %s", c.name, c.text, got, err, c.want)
		}
	}
}

func TestParseLocal_missingAndDoubledWithoutAnOffset(t *testing.T) {
	t.Parallel()
	for text, missing := range map[string]bool{"2027-03-28T02:30": true, "2027-10-31T02:30": false} {
		_, err := timezone.ParseLocal(text, zone(t, "Europe/Berlin"))
		var choice *timezone.WallTimeError
		if !errors.As(err, &choice) || choice.Missing != missing {
			t.Errorf("ParseLocal(%q): %v, want a *WallTimeError", text, err)
		}
	}
}

func TestParseLocal_offsetThatTheZoneDoesNotHave(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" 2027-01-15T10:00+02:00": "2027-01-15T10:00 in Europe/Berlin has the offset +01:00, not +02:00; did you mean 2027-01-15T10:00+01:00?",
		"2027-07-15T10:00+01:00":  "2027-07-15T10:00 in Europe/Berlin has the offset +02:00, not +01:00; did you mean 2027-07-15T10:00+02:00?",
		"2027-07-15T10:00Z":       "2027-07-15T10:00 in Europe/Berlin has the offset +02:00, not Z; did you mean 2027-07-15T10:00+02:00?",
		"2027-10-31T02:30-01:00":  "2027-10-31T02:30 in Europe/Berlin has the offsets +02:00 and +01:00, not -01:00",
		"2027-03-28T02:30+01:00":  "2027-03-28T02:30 in Europe/Berlin is skipped by the clocks and has no offset (there is 2027-03-28T01:30+01:00 and 2027-03-28T03:30+02:00), not +01:00",
		"2027-01-15T10:00+24:00":  "+24:00 is no offset written as +01:00, -03:30 or Z",
		"2027-01-15T10:00+01:60":  "+01:60 is no offset written as +01:00, -03:30 or Z",
		"2027-01-15T10:00-00:00":  "-00:00 is no offset written as +01:00, -03:30 or Z",
	} {
		got, err := timezone.ParseLocal(text, zone(t, "Europe/Berlin"))
		var input *timezone.InputError
		if !errors.As(err, &input) || err.Error() != want || !got.IsZero() {
			t.Errorf("ParseLocal(%q) = %v, %v, want %s", text, got, err, want)
			continue
		}
		if input.Input != text || input.Word == "" || text[input.At:] != input.Word {
			t.Errorf("ParseLocal(%q) marks %q at %d", text, input.Word, input.At)
		}
	}
}

func TestParseLocal_refusesOtherForms(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "Z", "+01:00", "2027-01-15", "2027-01-15Z", "2027-01-15+01:00", "10:00+01:00", "2027-01-15T10:00 +01:00", "2027-01-15T10:00+1:00",
		"2027-01-15T10:00+0100", "2027-01-15T10:00+01", "2027-01-15T10:00z", "2027-01-15T10:00ZZ", "2027-01-15T10:00+01:00Z", "2027-01-15T10:00Z+01:00",
		"2027-01-15T10:00−01:00", "2027-01-15T10:00+٠١:٠٠", "2027-02-30T10:00+01:00", "2027-01-15T24:00+01:00", "2027-01-15T10:00[Europe/Berlin]",
	} {
		got, err := timezone.ParseLocal(text, zone(t, "Europe/Berlin"))
		var input *timezone.InputError
		if !errors.As(err, &input) || input.Input != text || !got.IsZero() {
			t.Errorf("ParseLocal(%q) = %v, %v, want an *InputError", text, got, err)
		}
	}
}

// From any instant to what is typed for it and back, in any zone.
func TestParseLocal_allZones_backAndForthIsTheSameInstant(t *testing.T) {
	t.Parallel()
	zones := places(t)
	rapid.Check(t, func(t *rapid.T) {
		z := rapid.SampledFrom(zones).Draw(t, "zone")
		at := time.Unix(rapid.Int64Range(946771200, 2240524800).Draw(t, "at"), 0).UTC() // 2000-01-02 to 2040
		if changes := timezone.NextChanges(z, at, 1); len(changes) > 0 && rapid.Bool().Draw(t, "nearAChange") {
			at = changes[0].At.Add(time.Duration(rapid.IntRange(-7200, 7200).Draw(t, "seconds")) * time.Second)
		}
		shown := timezone.WallTimeOf(at, z).String()
		got, err := timezone.ParseLocal(shown, z)
		if twice, ok := err.(*timezone.WallTimeError); ok { //nolint:errorlint // ParseLocal promises the type
			if twice.Missing || !twice.Earlier.Equal(at) && !twice.Later.Equal(at) {
				t.Fatalf("%s: ParseLocal(%s): %v, but it is shown at %v", z, shown, err, at)
			}
		} else if err != nil || !got.Equal(at) {
			t.Fatalf("%s: ParseLocal(%s) = %v, %v, want %v", z, shown, got, err, at)
		}
		stamp := shown + timezone.OffsetAt(at, z).String()
		if got, err := timezone.ParseLocal(stamp, z); err != nil || !got.Equal(at) {
			t.Fatalf("%s: ParseLocal(%s) = %v, %v, want %v", z, stamp, got, err, at)
		}
	})
}

// From any typed time to an instant and back: the wall shows it then, or it is
// reported; an offset never makes it another time.
func TestParseLocal_allZones_neverAnotherTimeThanTyped(t *testing.T) {
	t.Parallel()
	zones := places(t)
	rapid.Check(t, func(t *rapid.T) {
		z := rapid.SampledFrom(zones).Draw(t, "zone")
		w := timezone.WallTime{Day: drawDay(t, z), Time: timezone.NewTimeOfDay(0, rapid.IntRange(0, 1439).Draw(t, "minute"))}
		at, err := timezone.ParseLocal(w.String(), z)
		var choice *timezone.WallTimeError
		switch {
		case err == nil && timezone.WallTimeOf(at, z) != w:
			t.Fatalf("%s: ParseLocal(%s) = %v, when the wall shows %v", z, w, at, timezone.WallTimeOf(at, z))
		case err != nil && (!errors.As(err, &choice) || choice.Missing != (timezone.WallTimeOf(choice.Earlier, z) != w)):
			t.Fatalf("%s: ParseLocal(%s): %v", z, w, err)
		}
		offset := timezone.Offset(rapid.IntRange(-56, 56).Draw(t, "quarters")) * timezone.Offset(15*time.Minute)
		with, err := timezone.ParseLocal(w.String()+offset.String(), z)
		if err == nil && (timezone.WallTimeOf(with, z) != w || timezone.OffsetAt(with, z) != offset) {
			t.Fatalf("%s: ParseLocal(%s%s) = %v", z, w, offset, with)
		}
		var input *timezone.InputError
		if err != nil && !errors.As(err, &input) {
			t.Fatalf("%s: ParseLocal(%s%s): %v, want an *InputError", z, w, offset, err)
		}
	})
}

func FuzzParseLocal(f *testing.F) {
	for _, seed := range []string{"2027-01-15T10:00", "2027-10-31T02:30:00+01:00", "2027-03-28T02:30Z", " 2027-10-31T02:30\t", "2027-01-15T10:00-03:30"} {
		f.Add(seed)
	}
	berlin, err := timezone.ParseZone("Europe/Berlin")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := timezone.ParseLocal(text, berlin)
		if err != nil {
			onlyPlainText(t, err)
			return
		}
		if shown := timezone.WallTimeOf(at, berlin).String(); !strings.HasPrefix(strings.Trim(text, " \t"), shown) {
			t.Errorf("ParseLocal(%q) = %v, when the wall shows %s", text, at, shown)
		}
	})
}
