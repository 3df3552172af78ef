package bench

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/jobs"
)

const (
	sweepClients = 20
	sweepEvery   = 200 * time.Millisecond // of each client: 100 holds a second
	sweepLimit   = 10 * time.Minute
	passes       = 5 // of each kind that are compared
)

// sweep leaves a backlog to the daemons' own job while buyers come in, and then
// compares a pass with a long history to one without.
func (b *bench) sweep(ctx context.Context) error {
	name := fmt.Sprintf("%s/%d", Sweep, b.cfg.Overdue)
	if err := b.backlog(ctx, name); err != nil {
		return err
	}
	if err := b.store.PauseJob(ctx, staff, inventory.JobSweep, "measured"); err != nil {
		return err
	}
	without, err := b.pass(ctx)
	if err != nil {
		return err
	}
	if err := b.fill(ctx, fillHistory, b.cfg.History); err != nil {
		return err
	}
	with, err := b.pass(ctx)
	if err != nil {
		return err
	}
	b.cfg.Say(Figure{name, "pass without history", without.Seconds() * 1000, "ms"})
	b.cfg.Say(Figure{name, fmt.Sprintf("pass with %d finished", b.cfg.History), with.Seconds() * 1000, "ms"})
	b.cfg.Say(Figure{name, "ratio of the passes", with.Seconds() / without.Seconds(), "x"})
	return b.store.ResumeJob(ctx, staff, inventory.JobSweep)
}

// backlog waits until the daemons have swept all of it.
func (b *bench) backlog(ctx context.Context, name string) error {
	if err := b.fill(ctx, fillOverdue, b.cfg.Overdue); err != nil {
		return err
	}
	began := time.Now()
	selling, stop := context.WithTimeout(ctx, sweepLimit)
	defer stop()
	type answer struct {
		load load
		err  error
	}
	sold := make(chan answer, 1)
	go func() {
		l, err := b.steadyHolds(selling)
		sold <- answer{l, err}
	}()
	for {
		var left bool
		if err := b.pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM booking WHERE state = 'HELD' AND expires_at <= now() - interval '1 minute')").Scan(&left); err != nil {
			return err
		}
		if !left {
			break
		}
		if time.Since(began) > sweepLimit {
			return fmt.Errorf("the backlog is not swept after %s", sweepLimit)
		}
		if !sleep(ctx, 200*time.Millisecond) {
			return ctx.Err()
		}
	}
	b.cfg.Say(Figure{name, "swept within", time.Since(began).Seconds(), "s"})
	stop()
	buyers := <-sold
	if buyers.err != nil {
		return buyers.err
	}
	b.say(name+" buyers", buyers.load)
	return nil
}

// steadyHolds are 100 holds a second over the same days, until ctx ends.
func (b *bench) steadyHolds(ctx context.Context) (load, error) {
	r := b.holdsAt(run{clients: sweepClients, length: sweepLimit, targets: b.targets(), every: sweepEvery}, func(n int) (string, date.Date) {
		return poolSlug(1 + n%spreadPools), b.today.Add(date.PeriodOfDays(1 + n/spreadPools%spreadDays))
	})
	placed := r.check
	r.check = func(client int, answer reply) error {
		if answer.status >= http.StatusInternalServerError { // busy or unknown: counted as a refusal
			return nil
		}
		return placed(client, answer)
	}
	return r.do(ctx)
}

// pass is the middle time of one run of the job over a small backlog.
func (b *bench) pass(ctx context.Context) (time.Duration, error) {
	var all []load
	for range passes {
		if err := b.fill(ctx, fillOverdue, max(1000, b.cfg.Overdue/50)); err != nil {
			return 0, err
		}
		began := time.Now()
		done := 0
		for {
			r, err := jobs.NewSweep(b.store).Run(ctx)
			if err != nil {
				return 0, err
			}
			done += r.Done
			if r.Done == 0 {
				break
			}
		}
		all = append(all, load{took: time.Since(began), answers: done})
	}
	return median(all).took, nil
}
