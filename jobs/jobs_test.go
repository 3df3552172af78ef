package jobs

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"holdfast/inventory"
)

// fakeSweeps answers one canned batch after the other.
type fakeSweeps struct {
	batches []inventory.SweepResult
	err     error // after the batches
	calls   int
}

func (f *fakeSweeps) SweepHolds(_ context.Context, limit int) (inventory.SweepResult, error) {
	f.calls++
	if limit != sweepBatch {
		return inventory.SweepResult{}, errors.New("wrong limit")
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
			Result{507, "507 holds expired, 4 pool days touched"},
			false,
		},
		"lockedDaysAreLeftToTheNextRun": {
			fakeSweeps{batches: []inventory.SweepResult{{Skipped: 2, More: true}}},
			1,
			Result{0, "2 pool days locked by others, 1 further run needed"},
			false,
		},
		"oneRunIsBounded": {
			fakeSweeps{batches: []inventory.SweepResult{full}},
			sweepBatches,
			Result{sweepBatches * sweepBatch, "10000 holds expired, 60 pool days touched, 1 further run needed"},
			false,
		},
		"whatWasDoneBeforeAnErrorCounts": {
			fakeSweeps{batches: []inventory.SweepResult{full}, err: inventory.ErrBusy},
			2,
			Result{500, "500 holds expired, 3 pool days touched"},
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

// fakeRefunds is a refundStore with canned tasks.
type fakeRefunds struct {
	mu         sync.Mutex
	overdue    int
	tasks      []inventory.RefundTask
	noteErr    error
	answered   map[inventory.RefundID]inventory.RefundState
	unanswered map[inventory.RefundID]string
}

func (f *fakeRefunds) DecideOverdueZombies(context.Context, int) (int, error) { return f.overdue, nil }

func (f *fakeRefunds) ClaimRefunds(context.Context, int) ([]inventory.RefundTask, error) {
	return f.tasks, nil
}

func (f *fakeRefunds) RefundAnswered(ctx context.Context, id inventory.RefundID, r inventory.ProviderRefund) (inventory.Refund, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answered[id] = r.State
	return inventory.Refund{}, errors.Join(ctx.Err(), f.noteErr)
}

func (f *fakeRefunds) RefundUnanswered(ctx context.Context, id inventory.RefundID, cause string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unanswered[id] = cause
	return errors.Join(ctx.Err(), f.noteErr)
}

type providerFunc func(context.Context, inventory.RefundTask) (inventory.ProviderRefund, error)

func (f providerFunc) Refund(ctx context.Context, t inventory.RefundTask) (inventory.ProviderRefund, error) {
	return f(ctx, t)
}

func TestRefund_Run(t *testing.T) {
	t.Parallel()
	setup := func(n int) *fakeRefunds {
		f := &fakeRefunds{answered: map[inventory.RefundID]inventory.RefundState{}, unanswered: map[inventory.RefundID]string{}}
		for range n {
			f.tasks = append(f.tasks, inventory.RefundTask{Refund: inventory.Refund{ID: inventory.NewRefundID(), Provider: "simulated"}})
		}
		return f
	}
	run := func(ctx context.Context, f *fakeRefunds, p providerFunc) (Result, error) {
		return NewRefund(f, map[string]RefundProvider{"simulated": p}, quiet()).Run(ctx)
	}
	succeed := func(context.Context, inventory.RefundTask) (inventory.ProviderRefund, error) {
		return inventory.ProviderRefund{State: inventory.RefundSucceeded}, nil
	}

	t.Run("answersAreWrittenDown", func(t *testing.T) {
		t.Parallel()
		f := setup(3)
		f.overdue = 2
		states := []inventory.RefundState{inventory.RefundSucceeded, inventory.RefundPending, inventory.RefundFailed}
		byID := map[inventory.RefundID]inventory.RefundState{}
		for i, task := range f.tasks {
			byID[task.Refund.ID] = states[i]
		}
		res, err := run(t.Context(), f, func(_ context.Context, task inventory.RefundTask) (inventory.ProviderRefund, error) {
			return inventory.ProviderRefund{State: byID[task.Refund.ID]}, nil
		})
		want := Result{3, "2 zombies past their deadline, 1 refunds done, 1 pending at the provider, 1 failed"}
		if err != nil || res != want {
			t.Errorf("Run = %+v, %v; want %+v", res, err, want)
		}
		for id, state := range byID {
			if f.answered[id] != state {
				t.Errorf("refund %s written as %s, want %s", id, f.answered[id], state)
			}
		}
	})

	// B42: the row that panics must not block the others.
	t.Run("B42_panicBelongsToOneRefund", func(t *testing.T) {
		t.Parallel()
		f := setup(5)
		h13 := f.tasks[1].Refund.ID
		res, err := run(t.Context(), f, func(ctx context.Context, task inventory.RefundTask) (inventory.ProviderRefund, error) {
			if task.Refund.ID == h13 {
				panic("h13")
			}
			return succeed(ctx, task)
		})
		if err != nil || res.Done != 4 || f.unanswered[h13] != "panic: h13" {
			t.Errorf("Run = %+v, %v, h13 %q; want 4 done and h13 kept for later", res, err, f.unanswered[h13])
		}
	})

	t.Run("hangingProviderIsCutOffAndTheRefundKept", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			f := setup(refundCalls + 3)
			from := time.Now()
			res, err := run(t.Context(), f, func(ctx context.Context, _ inventory.RefundTask) (inventory.ProviderRefund, error) {
				<-ctx.Done()
				return inventory.ProviderRefund{}, ctx.Err()
			})
			if took := time.Since(from); err != nil || res.Done != 0 || took > 2*refundCallLimit {
				t.Errorf("Run = %+v, %v in %v", res, err, took)
			}
			for id, cause := range f.unanswered {
				if !strings.HasPrefix(cause, "refund.call took over 10s") {
					t.Errorf("refund %s: cause %q", id, cause)
				}
			}
			if len(f.unanswered) != refundCalls+3 {
				t.Errorf("%d kept for later, want all", len(f.unanswered))
			}
		})
	})

	t.Run("stopDuringACallIsStillWrittenDown", func(t *testing.T) {
		t.Parallel()
		f := setup(1)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := run(ctx, f, func(ctx context.Context, _ inventory.RefundTask) (inventory.ProviderRefund, error) {
			cancel()
			return inventory.ProviderRefund{}, ctx.Err()
		})
		if err != nil || len(f.unanswered) != 1 {
			t.Errorf("Run = %v with %d written down, want 1", err, len(f.unanswered))
		}
	})

	t.Run("unknownProviderIsNoAnswer", func(t *testing.T) {
		t.Parallel()
		f := setup(1)
		f.tasks[0].Refund.Provider = "stripe"
		if _, err := run(t.Context(), f, succeed); err != nil || f.unanswered[f.tasks[0].Refund.ID] == "" {
			t.Errorf("Run = %v, kept %v; want the refund kept with the reason", err, f.unanswered)
		}
	})

	t.Run("answersThatCannotBeWrittenFailTheRun", func(t *testing.T) {
		t.Parallel()
		f := setup(2)
		f.noteErr = inventory.ErrUnavailable
		if _, err := run(t.Context(), f, succeed); !errors.Is(err, inventory.ErrUnavailable) || !strings.Contains(err.Error(), "2 answers") {
			t.Errorf("Run = %v, want the count and the cause", err)
		}
	})
}
