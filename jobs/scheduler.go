package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"github.com/go-co-op/gocron/v2"
	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/timezone"
)

const (
	// firstRunWithin spreads the first runs after a start.
	firstRunWithin = 3 * time.Second

	// stopGrace is how long runs may go on after the order to stop; then their
	// contexts end, and after stopLimit more they are given up.
	stopGrace = 5 * time.Second
	stopLimit = 5 * time.Second

	// cronStopTimeout is short because gocron waits for its jobs in a loop that
	// keeps a core busy. When it is asked to stop, nothing of ours runs any more.
	cronStopTimeout = time.Second
)

// ErrStillRunning means that a run did not end although it was told to.
var ErrStillRunning = errors.New("a job did not stop in time")

// Scheduler runs jobs again and again: one run of each at a time in this
// process, at fixed distances, until it is told to stop. Other processes do the
// same without knowing of each other.
type Scheduler struct {
	runner    *Runner
	schedules []Schedule
	clock     timezone.Clock
	log       *slog.Logger
	grace     time.Duration
	limit     time.Duration

	mu        sync.Mutex
	accepting bool                             // runs may begin
	entries   map[inventory.JobName]gocron.Job // what can be kicked; nil unless gocron runs
	running   sync.WaitGroup                   // runs that passed begin
}

// NewScheduler returns a scheduler for schedules, which must have different
// names.
func NewScheduler(runner *Runner, schedules []Schedule, clock timezone.Clock, log *slog.Logger) *Scheduler {
	return &Scheduler{runner: runner, schedules: schedules, clock: clock, log: log, grace: stopGrace, limit: stopLimit}
}

// Run runs the jobs until ctx ends, and returns when the last run has ended:
// no new run starts, those under way get some time to finish, then their
// contexts end. It fails if the schedules are wrong, or with ErrStillRunning.
func (s *Scheduler) Run(ctx context.Context) error {
	cron, err := gocron.NewScheduler(gocron.WithStopTimeout(cronStopTimeout), gocron.WithLocation(time.UTC))
	if err != nil {
		return fmt.Errorf("scheduler: %w", err)
	}
	// The jobs' context outlives ctx by the grace.
	jobsCtx, endJobs := context.WithCancelCause(context.WithoutCancel(ctx))
	defer endJobs(nil)

	entries := make(map[inventory.JobName]gocron.Job, len(s.schedules))
	for _, sched := range s.schedules {
		entry, err := s.add(jobsCtx, cron, sched)
		if err != nil {
			_ = cron.Shutdown()
			return fmt.Errorf("scheduler: job %s: %w", sched.Job.Name(), err)
		}
		entries[sched.Job.Name()] = entry
	}
	s.accept(true, nil)
	cron.Start()
	s.accept(true, entries)

	<-ctx.Done()
	s.accept(false, nil)
	return s.stop(cron, endJobs)
}

// add puts one job on gocron's list. DurationJob only: gocron's DailyJob stops
// for ever in a zone that skips midnight, and work by local time asks the
// database which venues are due instead.
func (s *Scheduler) add(ctx context.Context, cron gocron.Scheduler, sched Schedule) (gocron.Job, error) {
	if sched.Every <= 0 || sched.Timeout <= 0 {
		return nil, errors.New("needs an interval and a timeout")
	}
	every := sched.Every + rand.N(sched.Every/10+1)
	first := s.clock.Now().Add(100*time.Millisecond + rand.N(min(sched.Every, firstRunWithin)))
	return cron.NewJob(
		gocron.DurationJob(every),
		gocron.NewTask(func() { s.tick(ctx, sched) }),
		gocron.WithName(string(sched.Job.Name())),
		gocron.WithStartAt(gocron.WithStartDateTime(first)),
		// A tick that finds the job running is skipped, never queued.
		gocron.WithSingletonMode(gocron.LimitModeReschedule),
		gocron.WithEventListeners(gocron.AfterJobRunsWithPanic(s.panicked)),
	)
}

// tick is one run, if it may still start, and further ones for as long as there
// is more to do and nobody stops. The runner has logged what went wrong; there
// is nobody else to tell.
func (s *Scheduler) tick(ctx context.Context, sched Schedule) {
	for s.runOnce(ctx, sched) {
	}
}

// runOnce reports whether there is more to do.
func (s *Scheduler) runOnce(ctx context.Context, sched Schedule) bool {
	if !s.begin() {
		return false
	}
	defer s.running.Done()
	res, err := s.runner.Run(ctx, sched)
	return err == nil && res.More
}

// begin counts a run, unless the scheduler is stopping.
func (s *Scheduler) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.accepting {
		return false
	}
	s.running.Add(1)
	return true
}

func (s *Scheduler) accept(accepting bool, entries map[inventory.JobName]gocron.Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accepting, s.entries = accepting, entries
}

// panicked is the last net: the runner catches what a job throws, this catches
// what the runner throws. Without it a panic would end the process.
func (s *Scheduler) panicked(_ uuid.UUID, name string, recovered any) {
	s.log.LogAttrs(context.Background(), slog.LevelError, "running a job panicked",
		slog.String("job", name), slog.Any("panic", recovered), slog.String("stack", string(debug.Stack())))
}

// stop waits for the runs under way, with limits, and only then stops gocron.
func (s *Scheduler) stop(cron gocron.Scheduler, endJobs context.CancelCauseFunc) error {
	ended := make(chan struct{})
	go func() {
		s.running.Wait()
		close(ended)
	}()
	var err error
	if !within(ended, s.grace) {
		endJobs(errors.New("the scheduler stops"))
		if !within(ended, s.limit) {
			err = ErrStillRunning
		}
	}
	if cronErr := cron.Shutdown(); cronErr != nil && err == nil {
		err = fmt.Errorf("scheduler: %w", cronErr)
	}
	return err
}

// within reports whether done closes in d.
func within(done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

// Kick makes the named job run now, if it is not running already. It fails with
// ErrNotFound for a job that is not scheduled here or while the scheduler is
// not running.
func (s *Scheduler) Kick(name inventory.JobName) error {
	s.mu.Lock()
	entry, ok := s.entries[name]
	s.mu.Unlock()
	if !ok {
		return fmt.Errorf("kick job %s: %w", name, inventory.ErrNotFound)
	}
	if err := entry.RunNow(); err != nil {
		return fmt.Errorf("kick job %s: %w", name, err)
	}
	return nil
}
