package jobs

import (
	"context"
	"errors"
	"regexp"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
)

// startScheduler runs a scheduler in the test's bubble; stop ends it and gives
// its error.
func startScheduler(t *testing.T, runs *fakeRuns, schedules ...Schedule) (s *Scheduler, stop func() error) {
	t.Helper()
	clock := timezone.SystemClock{}
	s = NewScheduler(NewRunner(runs, "test", clock, quiet(), nil), schedules, clock, quiet())
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	return s, func() error { cancel(); return <-ended }
}

// ownGoroutines counts the goroutines of this test's bubble: those of tests that
// run beside it come and go as they like.
func ownGoroutines(t *testing.T) int {
	t.Helper()
	buf := make([]byte, 8<<20)
	bubble := regexp.MustCompile(`synctest bubble \d+`)
	own := bubble.FindString(string(buf[:runtime.Stack(buf, false)]))
	if own == "" {
		t.Fatal("not in a bubble: nothing to count")
	}
	n := 0
	for _, header := range regexp.MustCompile(`(?m)^goroutine \d+ .*$`).FindAllString(string(buf[:runtime.Stack(buf, true)]), -1) {
		if bubble.FindString(header) == own {
			n++
		}
	}
	return n
}

// B41: without singleton mode a slow job piles up, 11 at once and growing.
func TestScheduler_B41(t *testing.T) {
	t.Parallel()

	t.Run("slowRunNeverOverlapsAndNothingQueues", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var slow atomic.Bool
			slow.Store(true)
			job := &fakeJob{name: "sweep"}
			job.pass = func(ctx context.Context) (Result, error) {
				if slow.Load() {
					return sleepFor(5 * time.Second)(ctx)
				}
				return Result{}, nil
			}
			_, stop := startScheduler(t, &fakeRuns{}, Schedule{Job: job, Every: time.Second, Timeout: time.Minute})

			time.Sleep(10 * time.Second)
			goroutines := ownGoroutines(t)
			time.Sleep(50 * time.Second)
			synctest.Wait()
			if n := ownGoroutines(t); n > goroutines+5 {
				t.Errorf("goroutines grew from %d to %d while runs were slow", goroutines, n)
			}
			if runs := job.runs(); runs < 9 || runs > 13 {
				t.Errorf("%d runs of 5 s in 60 s, want about 10", runs)
			}

			slow.Store(false)
			time.Sleep(6 * time.Second) // the last slow run ends
			before := job.runs()
			time.Sleep(20 * time.Second)
			if n := job.runs() - before; n < 17 || n > 21 {
				t.Errorf("%d runs in 20 s after recovery, want one a second and no backlog", n)
			}
			if job.most != 1 {
				t.Errorf("%d runs at once, want 1", job.most)
			}
			if err := stop(); err != nil {
				t.Errorf("Run = %v, want nil", err)
			}
		})
	})

	t.Run("kickWhileRunningIsDropped", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			job := &fakeJob{name: "sweep", pass: sleepFor(time.Minute)}
			s, stop := startScheduler(t, &fakeRuns{}, Schedule{Job: job, Every: time.Hour, Timeout: 2 * time.Minute})
			time.Sleep(5 * time.Second)
			for range 5 {
				if err := s.Kick("sweep"); err != nil {
					t.Fatalf("Kick = %v", err)
				}
			}
			time.Sleep(2 * time.Minute)
			if job.runs() != 1 || job.most != 1 {
				t.Errorf("runs %d, at once %d; want 1 and 1", job.runs(), job.most)
			}
			if err := s.Kick("sweep"); err != nil {
				t.Fatalf("Kick = %v", err)
			}
			time.Sleep(time.Second)
			if job.runs() != 2 {
				t.Errorf("a kick of an idle job gave %d runs, want 2", job.runs())
			}
			if err := s.Kick("relay"); !errors.Is(err, inventory.ErrNotFound) {
				t.Errorf("Kick of an unknown job = %v, want not found", err)
			}
			_ = stop()
			if err := s.Kick("sweep"); !errors.Is(err, inventory.ErrNotFound) {
				t.Errorf("Kick after the end = %v, want not found", err)
			}
		})
	})
}

func TestScheduler_Stop(t *testing.T) {
	t.Parallel()

	t.Run("runUnderWayMayFinish", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			runs := &fakeRuns{}
			job := &fakeJob{name: "sweep", pass: sleepFor(4 * time.Second)}
			_, stop := startScheduler(t, runs, Schedule{Job: job, Every: time.Hour, Timeout: time.Minute})
			time.Sleep(firstRunWithin + 200*time.Millisecond)
			if err := stop(); err != nil {
				t.Errorf("Run = %v, want nil", err)
			}
			if got := runs.records(); len(got) != 1 || got[0].err != nil || got[0].done != 1 {
				t.Errorf("recorded %+v, want one whole run", got)
			}
		})
	})

	t.Run("longRunIsCancelledAfterTheGraceAndRecorded", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			runs := &fakeRuns{}
			job := &fakeJob{name: "sweep", pass: sleepFor(time.Hour)}
			_, stop := startScheduler(t, runs, Schedule{Job: job, Every: time.Hour, Timeout: 2 * time.Hour})
			time.Sleep(firstRunWithin + 200*time.Millisecond)
			from := time.Now()
			if err := stop(); err != nil {
				t.Errorf("Run = %v, want nil", err)
			}
			if took := time.Since(from); took < stopGrace || took > stopGrace+time.Second {
				t.Errorf("stop took %v, want about %v", took, stopGrace)
			}
			if got := runs.records(); len(got) != 1 || !errors.Is(got[0].err, context.Canceled) {
				t.Errorf("recorded %+v, want one cancelled run", got)
			}
		})
	})

	// In real time: gocron then waits for the run in a loop that keeps a core
	// busy, and in a bubble time would stand still meanwhile.
	t.Run("deafRunIsGivenUp", func(t *testing.T) {
		t.Parallel()
		started, release := make(chan struct{}), make(chan struct{})
		job := &fakeJob{name: "sweep", pass: func(context.Context) (Result, error) {
			close(started)
			<-release
			return Result{}, nil
		}}
		clock := timezone.SystemClock{}
		s := NewScheduler(NewRunner(&fakeRuns{}, "test", clock, quiet(), nil),
			[]Schedule{{Job: job, Every: time.Minute, Timeout: time.Minute}}, clock, quiet())
		s.grace, s.limit = 10*time.Millisecond, 10*time.Millisecond
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		<-started
		cancel()
		if err := <-ended; !errors.Is(err, ErrStillRunning) {
			t.Errorf("Run = %v, want ErrStillRunning", err)
		}
		close(release)
	})
}

// B42: gocron has no recovery of its own; a panic would end the process.
func TestScheduler_B42(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		runs := &fakeRuns{}
		bad := &fakeJob{name: "refund", pass: func(context.Context) (Result, error) { panic("hold h13") }}
		good := &fakeJob{name: "sweep", pass: func(context.Context) (Result, error) { return Result{Done: 2}, nil }}
		_, stop := startScheduler(t, runs,
			Schedule{Job: bad, Every: time.Second, Timeout: time.Second},
			Schedule{Job: good, Every: time.Second, Timeout: time.Second})
		time.Sleep(20 * time.Second)
		if bad.runs() < 10 || good.runs() < 10 {
			t.Errorf("runs in 20 s: bad %d, good %d; both must go on", bad.runs(), good.runs())
		}
		if err := stop(); err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
		for _, r := range runs.records() {
			if failed := r.err != nil; failed != (r.job == "refund") {
				t.Errorf("recorded %+v", r)
			}
		}
	})
}

// panickyRuns breaks outside the job itself, where only gocron's listener is
// left to catch it.
type panickyRuns struct{ fakeRuns }

func (*panickyRuns) StartJobRun(context.Context, inventory.JobName, string) (int64, error) {
	panic("store")
}

func TestScheduler_B42_panicOutsideTheJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clock := timezone.SystemClock{}
		job := &fakeJob{name: "sweep"}
		s := NewScheduler(NewRunner(&panickyRuns{}, "test", clock, quiet(), nil),
			[]Schedule{{Job: job, Every: time.Second, Timeout: time.Second}}, clock, quiet())
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		time.Sleep(10 * time.Second)
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
	})
}

// R13: jobs by duration know nothing of clock changes. Half-hourly runs over
// both changes of New York in 2026 come every half hour, none skipped at 02:30
// in March, none doubled at 01:30 in November.
func TestScheduler_R13(t *testing.T) {
	t.Parallel()
	zone, err := timezone.ParseZone("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string]time.Time{
		"clocksForward": time.Date(2026, 3, 8, 7, 0, 0, 0, time.UTC),  // 02:00 EST -> 03:00 EDT
		"clocksBack":    time.Date(2026, 11, 1, 6, 0, 0, 0, time.UTC), // 02:00 EDT -> 01:00 EST
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // the bubble's time starts in 2000
				time.Sleep(time.Until(change.Add(-5 * time.Hour)))
				job := &fakeJob{name: "horizon", pass: func(context.Context) (Result, error) { return Result{}, nil }}
				_, stop := startScheduler(t, &fakeRuns{}, Schedule{Job: job, Every: 30 * time.Minute, Timeout: time.Minute})
				time.Sleep(10 * time.Hour)
				_ = stop()
				if first, last := job.starts[0], job.starts[len(job.starts)-1]; timezone.OffsetAt(first, zone) == timezone.OffsetAt(last, zone) {
					t.Fatalf("runs from %v to %v do not span the change", first, last)
				}
				for i, at := range job.starts[1:] {
					// Once in hundreds of times gocron hands out one moment twice. The runs come
					// one after the other, which every job stands; it is no half hour too many.
					if d := at.Sub(job.starts[i]); d != 0 && (d < 30*time.Minute || d > 33*time.Minute) {
						t.Errorf("%v between the runs at %v and %v", d, job.starts[i].In(zone.Location()), at.In(zone.Location()))
					}
				}
			})
		})
	}
}

func TestScheduler_wrongScheduleIsRefused(t *testing.T) {
	t.Parallel()
	clock := timezone.SystemClock{}
	s := NewScheduler(NewRunner(&fakeRuns{}, "test", clock, quiet(), nil),
		[]Schedule{{Job: &fakeJob{name: "sweep"}, Every: time.Second}}, clock, quiet())
	if err := s.Run(t.Context()); err == nil {
		t.Error("a job without a timeout was accepted")
	}
}
