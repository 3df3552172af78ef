package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"holdfast/inventory"
	"holdfast/inventory/payment"
	"holdfast/migrations/localdb"
	"holdfast/timezone"
	tuiapp "holdfast/tui/app"
)

func TestStatusOf(t *testing.T) {
	t.Parallel()
	wrapped := func(err error) error { return fmt.Errorf("place hold at harbour/main: %w", err) }
	_, badZone := timezone.ParseZone("EST")
	berlin, err := timezone.ParseZone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	_, skipped := parseLocal("from", "2027-03-28T02:30", berlin)
	_, doubled := parseLocal("from", "2027-10-31T02:30", berlin)
	cases := map[string]struct {
		err    error
		status int
		code   string
	}{
		"done":             {nil, statusDone, ""},
		"failed":           {errors.New("disk on fire"), statusFailed, "INTERNAL"},
		"violations":       {errQuiet, statusFailed, "INTERNAL"},
		"interrupted":      {context.Canceled, statusFailed, "INTERNAL"},
		"usage":            {usage("what?"), statusUsage, "INVALID"},
		"field":            {wrapped(inventory.Invalid("day", "is missing")), statusUsage, "INVALID"},
		"input":            {badZone, statusUsage, "INVALID"},
		"noTerminal":       {tuiapp.ErrNoTerminal, statusUsage, "INVALID"},
		"soldOut":          {wrapped(inventory.ErrSoldOut), statusRefused, "SOLD_OUT"},
		"seatTaken":        {wrapped(&inventory.SeatTakenError{}), statusRefused, "SEAT_TAKEN"},
		"rangeTaken":       {wrapped(&clashError{err: &inventory.RangeTakenError{}}), statusRefused, "RANGE_TAKEN"},
		"priceChanges":     {wrapped(inventory.ErrPriceChanges), statusRefused, "PRICE_CHANGES"},
		"skippedTime":      {skipped, statusUsage, "LOCAL_TIME_MISSING"},
		"doubledTime":      {errors.Join(inventory.Invalid("to", "is missing"), doubled), statusUsage, "LOCAL_TIME_DOUBLED"},
		"stale":            {&inventory.StaleError{}, statusRefused, "VERSION_CONFLICT"},
		"staleDays":        {&inventory.StaleDays{}, statusRefused, "VERSION_CONFLICT"},
		"notAllowed":       {wrapped(inventory.ErrNotAllowed), statusRefused, "NOT_ALLOWED"},
		"paused":           {inventory.ErrPaused, statusRefused, "PAUSED"},
		"exists":           {inventory.ErrAlreadyExists, statusRefused, "ALREADY_EXISTS"},
		"notFound":         {wrapped(inventory.ErrNotFound), statusNotFound, "NOT_FOUND"},
		"unavailable":      {wrapped(inventory.ErrUnavailable), statusUnreachable, "UNAVAILABLE"},
		"busy":             {wrapped(inventory.ErrBusy), statusUnreachable, "BUSY"},
		"cannotConnect":    {wrapped(&pgconn.ConnectError{Config: &pgconn.Config{}}), statusUnreachable, "UNAVAILABLE"},
		"noBinaries":       {wrapped(localdb.ErrNoBinaries), statusUnreachable, "UNAVAILABLE"},
		"providerIsSilent": {wrapped(payment.ErrNoAnswer), statusUnreachable, "UNAVAILABLE"},
		"unknownOutcome":   {wrapped(fmt.Errorf("%w: %w", inventory.ErrUnknownOutcome, inventory.ErrUnavailable)), statusUnknown, "UNKNOWN_OUTCOME"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := statusOf(c.err); got != c.status {
				t.Errorf("statusOf(%v) = %d, want %d", c.err, got, c.status)
			}
			if got := codeOf(c.err); got != c.code {
				t.Errorf("codeOf(%v) = %q, want %q", c.err, got, c.code)
			}
		})
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	driver := errors.New("ERROR: relation pool_day (SQLSTATE 55P03)")
	for want, err := range map[string]error{
		"release hold 42: not allowed in this state": fmt.Errorf("release hold 42: %w: %w", inventory.ErrNotAllowed, driver),
		"day: is missing\nbuyer: is missing":         errors.Join(inventory.Invalid("day", "is missing"), inventory.Invalid("buyer", "is missing")),
		"venue x was changed by mira: you saw version 1, it is now 2": fmt.Errorf("set venue: %w",
			&inventory.StaleError{Object: "venue x", Seen: 1, Current: 2, By: "mira"}),
		"what?": usage("what?"),
	} {
		if got := explain(err); got != want && !strings.HasSuffix(got, want) {
			t.Errorf("explain(%v) = %q, want %q", err, got, want)
		}
	}
}

// The driver tells of every attempt, on a line of its own: with TLS and without,
// to every server and every address of it.
func TestExplain_firstAttemptToConnectOnly(t *testing.T) {
	t.Parallel()
	config, err := pgconn.ParseConfig("postgres://mira:geheim@one.invalid,two.invalid/shop?sslmode=prefer")
	if err != nil {
		t.Fatal(err)
	}
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return nil, fmt.Errorf("no host %s", host) }
	_, err = pgconn.ConnectConfig(t.Context(), config)
	if err == nil || !strings.Contains(err.Error(), "\n") {
		t.Fatalf("the driver says %q: no need to shorten it", err)
	}
	const want = "list venues: unavailable: cannot connect to the database shop as mira: hostname resolving error: no host one.invalid"
	for _, connecting := range []error{
		fmt.Errorf("list venues: unavailable: %w", err),
		fmt.Errorf("list venues: %w: %w", errors.New("unavailable"), err),
	} {
		if got := explain(connecting); got != want {
			t.Errorf("explain = %q, want %q", got, want)
		}
	}
}

func TestParseWeek(t *testing.T) {
	t.Parallel()
	base := inventory.EveryDay(inventory.DayTemplate{Capacity: 10, OverbookLimit: 1})
	for text, want := range map[string]string{
		"mon-fri=80+3,sat=120,sun=closed": "mon-fri=80+3,sat=120,sun=closed",
		"fri-mon=5":                       "mon=5,tue-thu=10+1,fri-sun=5",
		" wed=0 ":                         "mon-tue=10+1,wed=0,thu-sun=10+1",
		"mon-sun=7":                       "mon-sun=7",
	} {
		week, err := parseWeek(base, text)
		if err != nil || formatWeek(week) != want {
			t.Errorf("parseWeek(%q) = %q, %v; want %q", text, formatWeek(week), err, want)
		}
		if again, err := parseWeek(base, formatWeek(week)); err != nil || formatWeek(again) != formatWeek(week) {
			t.Errorf("%q does not read back: %v", formatWeek(week), err)
		}
	}
	for _, text := range []string{
		"", "mon", "mon=", "mon=-1", "mon=1+", "mon=1.5", "mon=1000001", "mon=99999999999", "Mon=1", "monday=1",
		"mon-=1", "-mon=1", "mon=1,mon=2", "mon-wed=1,tue=2", "mon=1,", "mon=open", "mon=１",
	} {
		if week, err := parseWeek(base, text); err == nil || week != base {
			t.Errorf("parseWeek(%q) = %q, %v; want it refused and nothing changed", text, formatWeek(week), err)
		}
	}
}

func TestSplitWords(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"":                               nil,
		"  venue\tlist ":                 {"venue", "list"},
		`venue set h --name "Quay Hall"`: {"venue", "set", "h", "--name", "Quay Hall"},
		`a 'b "c"' ""`:                   {"a", `b "c"`, ""},
		`--reason='two words'`:           {"--reason=two words"},
	} {
		got, err := splitWords(line)
		if err != nil || strings.Join(got, "|") != strings.Join(want, "|") || len(got) != len(want) {
			t.Errorf("splitWords(%q) = %q, %v; want %q", line, got, err, want)
		}
	}
	if _, err := splitWords(`say "hello`); err == nil {
		t.Error("an open quote was accepted")
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", 10 * time.Minute: "10m", time.Hour: "1h", 90 * time.Minute: "1h30m", 30 * time.Second: "30s",
		100 * time.Minute: "1h40m", 61 * time.Second: "1m1s", 10 * time.Hour: "10h", 20 * time.Minute: "20m",
	} {
		if got := span(d).String(); got != want {
			t.Errorf("span(%v) = %q, want %q", d, got, want)
		}
	}
}

// L1: the JSON handler leaves bidirectional overrides and C1 controls as they are.
func TestJSONLog_valuesCannotSteerATerminal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := jsonLog(&out, slog.LevelInfo)
	nasty := "a\u202eb\u009b31m\x1b[2J\nfake line"
	log.Info("a line", slog.String("buyer", nasty), slog.Any("error", errors.New(nasty)), slog.String("long", strings.Repeat("x", 5000)),
		slog.Group("inner", slog.String("reason", nasty)), slog.Any("panic", []string{nasty}))
	text := out.String()
	if strings.ContainsAny(strings.TrimSuffix(text, "\n"), "\u202e\u009b\x1b\n") {
		t.Errorf("the log holds %q", text)
	}
	if len(text) > 3000 {
		t.Errorf("a value was not cut: %d bytes", len(text))
	}
}

func TestParseSince(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 1, 15, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"":                          {},
		"90m":                       now.Add(-90 * time.Minute),
		"2027-01-14":                time.Date(2027, 1, 14, 0, 0, 0, 0, time.UTC),
		"2027-01-14T10:00:00+01:00": time.Date(2027, 1, 14, 9, 0, 0, 0, time.UTC),
	} {
		if got, err := parseSince(text, now); err != nil || !got.Equal(want) {
			t.Errorf("parseSince(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"yesterday", "-5m", "2026-02-30", "2027-01-14T10:00:00"} {
		if _, err := parseSince(text, now); err == nil {
			t.Errorf("parseSince(%q) was accepted", text)
		}
	}
}
