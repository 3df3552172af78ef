package pgstore_test

import (
	"strings"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

func TestPulse_writtenAndReadAsItWas(t *testing.T) {
	t.Parallel()
	db := pgtest.DB(t)
	store := db.Store(t, 2)
	want := inventory.Pulse{
		Instance: "box:1:daemon", Span: 2 * time.Second, Placed: 812, Refused: map[string]int{"SOLD_OUT": 40, "BUSY": 1},
		P50: 8 * time.Millisecond, P95: 30 * time.Millisecond, P99: 41500 * time.Microsecond,
		BatchMean: 12.5, BatchMax: 60, LockWait: 3 * time.Millisecond, Queue: 14,
	}
	quiet := inventory.Pulse{Instance: "box:2:daemon", Span: 2 * time.Second}
	for _, p := range []inventory.Pulse{want, quiet} {
		if err := store.WritePulse(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	got, err := store.Pulses(t.Context(), time.Minute)
	if err != nil || len(got.Pulses) != 2 {
		t.Fatalf("Pulses = %+v, %v, want 2", got, err)
	}
	for i, p := range []inventory.Pulse{want, quiet} {
		read := got.Pulses[i]
		if age := got.AsOf.Sub(read.At); age < 0 || age > time.Minute {
			t.Errorf("%s is %s old", read.Instance, age)
		}
		read.At = time.Time{}
		if p.Refused == nil {
			p.Refused = map[string]int{}
		}
		if !same(read, p) {
			t.Errorf("read %+v, want %+v", read, p)
		}
	}
	later := store.At(got.AsOf.Add(2 * time.Minute))
	if l, err := later.Pulses(t.Context(), time.Minute); err != nil || len(l.Pulses) != 0 {
		t.Errorf("two minutes later: %+v, %v, want none", l, err)
	}
}

func same(a, b inventory.Pulse) bool {
	if len(a.Refused) != len(b.Refused) {
		return false
	}
	for code, n := range a.Refused {
		if b.Refused[code] != n {
			return false
		}
	}
	a.Refused, b.Refused = nil, nil
	return a.Instance == b.Instance && a.Span == b.Span && a.Placed == b.Placed && a.P50 == b.P50 && a.P95 == b.P95 &&
		a.P99 == b.P99 && a.BatchMean == b.BatchMean && a.BatchMax == b.BatchMax && a.LockWait == b.LockWait && a.Queue == b.Queue
}

func TestPulse_oldOnesAreForgotten(t *testing.T) {
	t.Parallel()
	db := pgtest.DB(t)
	store := db.Store(t, 2)
	now, err := store.DatabaseNow(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		p := inventory.Pulse{Instance: "box:1:daemon", Span: time.Second, Placed: i}
		if err := store.At(now.Add(time.Duration(i)*time.Second)).WritePulse(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (n int) {
		if err := db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM sale_pulse").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	// Two hours later: each that writes removes some, never all at once.
	for i, want := range []int{11, 2, 3} {
		at := now.Add(2*time.Hour + time.Duration(i)*time.Second)
		if err := store.At(at).WritePulse(t.Context(), inventory.Pulse{Instance: "box:1:daemon", Span: time.Second}); err != nil {
			t.Fatal(err)
		}
		if got := left(); got != want {
			t.Errorf("after %d later writes %d are left, want %d", i+1, got, want)
		}
	}
}

func TestPulse_wrongOnesAreRefused(t *testing.T) {
	t.Parallel()
	store := pgtest.DB(t).Store(t, 1)
	for name, p := range map[string]inventory.Pulse{
		"instance": {Span: time.Second},
		"span":     {Instance: "a", Span: 2 * time.Hour},
		"placed":   {Instance: "a", Span: time.Second, Placed: -1},
		"refused":  {Instance: "a", Span: time.Second, Refused: map[string]int{"\x1b[2J": 1}},
	} {
		err := store.WritePulse(t.Context(), p)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
