package jobs

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"holdfast/inventory"
)

// fakeSweeps answers one canned batch after the other.
type fakeSweeps struct {
	batches []inventory.SweepResult
	err     error // after the batches
	calls   int
}

func (f *fakeSweeps) SweepHoldsUntil(_, until context.Context, limit int) (inventory.SweepResult, error) {
	f.calls++
	if limit != sweepBatch {
		return inventory.SweepResult{}, errors.New("wrong limit")
	}
	if end, bounded := until.Deadline(); !bounded || time.Until(end) > sweepRun {
		return inventory.SweepResult{}, errors.New("not bounded in time")
	}
	if f.calls <= len(f.batches) {
		return f.batches[f.calls-1], nil
	}
	if f.err != nil {
		return inventory.SweepResult{}, f.err
	}
	return f.batches[len(f.batches)-1], nil
}

func TestSweep_Run(t *testing.T) {
	t.Parallel()
	full := inventory.SweepResult{Expired: sweepBatch, Days: 3, More: true}
	cases := map[string]struct {
		store fakeSweeps
		calls int
		want  Result
		fails bool
	}{
		"nothingOverdue": {fakeSweeps{batches: []inventory.SweepResult{{}}}, 1, Result{}, false},
		"untilNothingIsLeft": {
			fakeSweeps{batches: []inventory.SweepResult{full, {Expired: 7, Days: 1}}},
			2,
			Result{Done: 20007, Detail: "20007 holds expired, 4 pool days touched"},
			false,
		},
		"lockedDaysAreLeftToTheNextRun": {
			fakeSweeps{batches: []inventory.SweepResult{{Skipped: 2, More: true}}},
			1,
			Result{Detail: "2 pool days locked by others, 1 further run needed"},
			false,
		},
		"oneRunIsBounded": {
			fakeSweeps{batches: []inventory.SweepResult{full}},
			sweepBatches,
			Result{Done: 400000, Detail: "400000 holds expired, 60 pool days touched, 1 further run needed", More: true},
			false,
		},
		"whatWasDoneBeforeAnErrorCounts": {
			fakeSweeps{batches: []inventory.SweepResult{full}, err: inventory.ErrBusy},
			2,
			Result{Done: 20000, Detail: "20000 holds expired, 3 pool days touched"},
			true,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := NewSweep(&c.store).Run(t.Context())
			if got != c.want || (err != nil) != c.fails || c.store.calls != c.calls {
				t.Errorf("Run = %+v, %v after %d batches; want %+v after %d", got, err, c.store.calls, c.want, c.calls)
			}
		})
	}
}

func TestBatches(t *testing.T) {
	t.Parallel()
	given := []int{10, 10, 4, 10}
	step := func(_ context.Context, limit int) (int, error) {
		n := given[0]
		given = given[1:]
		return n, nil
	}
	if n, err := batches(t.Context(), 9, 10, step); n != 24 || err != nil || len(given) != 1 {
		t.Errorf("batches = %d, %v with %d left; want 24 after the batch that was not full", n, err, len(given))
	}
	calls := 0
	endless := func(context.Context, int) (int, error) { calls++; return 10, nil }
	if n, _ := batches(t.Context(), 3, 10, endless); n != 30 || calls != 3 {
		t.Errorf("batches = %d after %d calls, want 30 after 3", n, calls)
	}
}

type fakeCheck []inventory.Violation

func (f fakeCheck) Check(context.Context) ([]inventory.Violation, error) { return f, nil }

func TestCheck_Run(t *testing.T) {
	t.Parallel()
	if res, err := NewCheck(fakeCheck(nil), quiet()).Run(t.Context()); err != nil || res != (Result{}) {
		t.Errorf("Run without violations = %+v, %v", res, err)
	}
	var logged bytes.Buffer
	found := make(fakeCheck, 30)
	for i := range found {
		found[i] = inventory.Violation{Invariant: "taken", Object: "harbour/main", Detail: "off by one"}
	}
	res, err := NewCheck(found, slog.New(slog.NewTextHandler(&logged, nil))).Run(t.Context())
	if err == nil || res.Done != 30 {
		t.Errorf("Run = %+v, %v; want a failed run that counts 30", res, err)
	}
	if n := strings.Count(logged.String(), "an invariant is violated"); n != checkShown {
		t.Errorf("%d lines logged, want %d", n, checkShown)
	}
}
