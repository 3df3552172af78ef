// Package jobs holds the work that the daemon does by itself, and its
// schedule.
//
// A job is one bounded pass: it may run twice at once, in any number of
// processes, and may be stopped anywhere, because every step of it is decided
// by PostgreSQL. [Runner] makes a pass into a recorded run, [Scheduler] repeats
// runs; scheduler.go is the only file that knows gocron. See DESIGN.md.
package jobs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"holdfast/inventory"
)

// Job is one kind of scheduled work.
type Job interface {
	// Name is the job's name in the contract, the database and the logs.
	Name() inventory.JobName

	// Run does one bounded pass. With an error the result still counts what was
	// done before it.
	Run(ctx context.Context) (Result, error)
}

// Result counts one pass.
type Result struct {
	Done   int    // what the job counts: holds expired, days made, refunds sent, violations found
	Detail string // all counts in words; "" if there was nothing to do
	More   bool   // it stopped at its bound and got on: the scheduler runs it again at once
}

// Schedule says how often a job runs and how long one run may take.
type Schedule struct {
	Job     Job
	Every   time.Duration // from start to start; each process adds up to a tenth, so that copies drift apart
	Timeout time.Duration // ends one run; the next one goes on where it stopped
}

// Find returns the schedule of the named job. It fails with ErrNotFound for a
// job that is not among them.
func Find(schedules []Schedule, name inventory.JobName) (Schedule, error) {
	known := make([]string, len(schedules))
	for i, s := range schedules {
		if s.Job.Name() == name {
			return s, nil
		}
		known[i] = string(s.Job.Name())
	}
	if name == inventory.JobRelay {
		return Schedule{}, inventory.Invalid("outbox", "no receiver is configured: messages wait")
	}
	return Schedule{}, fmt.Errorf("job %q, where there are %s: %w", name, strings.Join(known, ", "), inventory.ErrNotFound)
}

// words joins the counts that are not zero: "3 expired, 1 day skipped".
func words(counts ...count) string {
	var parts []string
	for _, c := range counts {
		if c.n != 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}

type count struct {
	n    int
	what string
}
