package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
)

// recordLimit bounds writing down the end of a run, which happens even if the
// run has been told to stop.
const recordLimit = 5 * time.Second

type runStore interface {
	StartJobRun(ctx context.Context, job inventory.JobName, instance string) (id int64, err error)
	FinishJobRun(ctx context.Context, id int64, done int, detail string, runErr error) error
}

// Observer is told of every run that ended, for metrics.
type Observer interface {
	JobRan(job inventory.JobName, took time.Duration, done int, err error)
}

// Runner makes a pass of a job into a run: with a time limit, recorded in the
// database, logged, and unable to take the process down.
type Runner struct {
	store    runStore
	instance string
	clock    timezone.Clock
	log      *slog.Logger
	observer Observer
}

// NewRunner returns a runner that records runs under the name of this instance
// of the program. observer may be nil.
func NewRunner(store runStore, instance string, clock timezone.Clock, log *slog.Logger, observer Observer) *Runner {
	return &Runner{store, instance, clock, log, observer}
}

// Run does one run. It fails with ErrPaused if staff paused the job, and then
// nothing was done; with a run that could not be recorded; and with the job's
// own error, a panic included.
func (r *Runner) Run(ctx context.Context, s Schedule) (Result, error) {
	name := s.Job.Name()
	id, err := r.store.StartJobRun(ctx, name, r.instance)
	if err != nil {
		if !errors.Is(err, inventory.ErrPaused) {
			r.log.LogAttrs(ctx, slog.LevelWarn, "a job could not start", slog.String("job", string(name)), slog.Any("error", err))
		}
		return Result{}, fmt.Errorf("job %s: start: %w", name, err)
	}

	start := r.clock.Now()
	res, err := r.pass(ctx, s)
	took := r.clock.Now().Sub(start)

	if recordErr := r.record(ctx, id, res, err); recordErr != nil {
		err = errors.Join(err, recordErr)
	}
	if r.observer != nil {
		r.observer.JobRan(name, took, res.Done, err)
	}
	r.report(ctx, name, res, took, err)
	if err != nil {
		return res, fmt.Errorf("job %s: %w", name, err)
	}
	return res, nil
}

// pass calls the job with its limit and catches what it throws.
func (r *Runner) pass(ctx context.Context, s Schedule) (res Result, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.Timeout, fmt.Errorf("%s took over %s", s.Job.Name(), s.Timeout))
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			r.log.LogAttrs(ctx, slog.LevelError, "a job panicked",
				slog.String("job", string(s.Job.Name())), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	res, err = s.Job.Run(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(err, cause) {
		err = fmt.Errorf("%w (%w)", cause, err)
	}
	return res, err
}

func (r *Runner) record(ctx context.Context, id int64, res Result, runErr error) error {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), recordLimit,
		errors.New("job.record took over "+recordLimit.String()))
	defer cancel()
	if err := r.store.FinishJobRun(ctx, id, res.Done, res.Detail, runErr); err != nil {
		return fmt.Errorf("record run %d: %w", id, err)
	}
	return nil
}

// report logs a run that changed something or failed; one that found nothing is
// worth a line only to someone who looks for it.
func (r *Runner) report(ctx context.Context, name inventory.JobName, res Result, took time.Duration, err error) {
	attrs := []slog.Attr{slog.String("job", string(name)), slog.Int("count", res.Done), slog.Duration("took", took)}
	if res.Detail != "" {
		attrs = append(attrs, slog.String("detail", res.Detail))
	}
	switch {
	case err != nil:
		r.log.LogAttrs(ctx, slog.LevelError, "a job failed", append(attrs, slog.Any("error", err))...)
	case res.Detail != "":
		r.log.LogAttrs(ctx, slog.LevelInfo, "a job ran", attrs...)
	default:
		r.log.LogAttrs(ctx, slog.LevelDebug, "a job found nothing to do", attrs...)
	}
}
