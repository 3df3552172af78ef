package jobs

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
)

type observed struct {
	job  inventory.JobName
	done int
	err  error
}

type fakeObserver struct{ seen []observed }

func (f *fakeObserver) JobRan(job inventory.JobName, _ time.Duration, done int, err error) {
	f.seen = append(f.seen, observed{job, done, err})
}

func TestRunner_Run(t *testing.T) {
	t.Parallel()
	type bundle struct {
		runs     *fakeRuns
		observer *fakeObserver
		runner   *Runner
	}
	setup := func() bundle {
		b := bundle{runs: &fakeRuns{}, observer: &fakeObserver{}}
		b.runner = NewRunner(b.runs, "test", timezone.SystemClock{}, quiet(), b.observer)
		return b
	}
	once := func(pass func(context.Context) (Result, error)) Schedule {
		return Schedule{Job: &fakeJob{name: "sweep", pass: pass}, Every: time.Second, Timeout: time.Second}
	}

	t.Run("countsAreRecorded", func(t *testing.T) {
		t.Parallel()
		b := setup()
		res, err := b.runner.Run(t.Context(), once(func(context.Context) (Result, error) { return Result{Done: 3, Detail: "3 holds expired"}, nil }))
		if err != nil || res.Done != 3 {
			t.Errorf("Run = %+v, %v", res, err)
		}
		if got := b.runs.records(); len(got) != 1 || got[0] != (record{"sweep", 3, "3 holds expired", nil}) {
			t.Errorf("recorded %+v", got)
		}
		if len(b.observer.seen) != 1 || b.observer.seen[0].done != 3 {
			t.Errorf("observed %+v", b.observer.seen)
		}
	})

	t.Run("pausedJobDoesNothing", func(t *testing.T) {
		t.Parallel()
		b := setup()
		b.runs.paused = map[inventory.JobName]bool{"sweep": true}
		_, err := b.runner.Run(t.Context(), once(func(context.Context) (Result, error) {
			t.Error("a paused job ran")
			return Result{}, nil
		}))
		if !errors.Is(err, inventory.ErrPaused) || len(b.observer.seen) != 0 {
			t.Errorf("Run = %v, observed %+v; want ErrPaused and nothing", err, b.observer.seen)
		}
	})

	t.Run("databaseDownIsTheError", func(t *testing.T) {
		t.Parallel()
		b := setup()
		b.runs.down = inventory.ErrUnavailable
		if _, err := b.runner.Run(t.Context(), once(nil)); !errors.Is(err, inventory.ErrUnavailable) {
			t.Errorf("Run = %v, want ErrUnavailable", err)
		}
	})

	t.Run("panicIsAFailedRun", func(t *testing.T) {
		t.Parallel()
		b := setup()
		_, err := b.runner.Run(t.Context(), once(func(context.Context) (Result, error) { panic("boom") }))
		if err == nil || !strings.Contains(err.Error(), "panic: boom") {
			t.Errorf("Run = %v, want the panic", err)
		}
		if got := b.runs.records(); len(got) != 1 || got[0].err == nil {
			t.Errorf("recorded %+v, want a failed run", got)
		}
	})

	t.Run("timeoutIsNamedAndStillRecorded", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			b := setup()
			_, err := b.runner.Run(t.Context(), once(sleepFor(time.Minute)))
			if err == nil || !strings.Contains(err.Error(), "sweep took over 1s") {
				t.Errorf("Run = %v, want a named timeout", err)
			}
			if got := b.runs.records(); len(got) != 1 || !errors.Is(got[0].err, context.DeadlineExceeded) {
				t.Errorf("recorded %+v", got)
			}
		})
	})
}

func TestFind(t *testing.T) {
	t.Parallel()
	all := []Schedule{{Job: &fakeJob{name: "sweep"}}, {Job: &fakeJob{name: "check"}}}
	if s, err := Find(all, "check"); err != nil || s.Job.Name() != "check" {
		t.Errorf("Find = %v, %v", s, err)
	}
	if _, err := Find(all, "polish"); !errors.Is(err, inventory.ErrNotFound) || !strings.Contains(err.Error(), "sweep, check") {
		t.Errorf("Find of an unknown job = %v, want not found and the names", err)
	}
}
