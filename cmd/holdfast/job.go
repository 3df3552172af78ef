package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/jobs"
	"holdfast/timezone"
)

type jobView struct {
	Job         inventory.JobName `json:"job"`
	Paused      bool              `json:"paused"`
	PausedBy    string            `json:"pausedBy,omitzero"`
	PauseReason string            `json:"pauseReason,omitzero"`
	PausedAt    time.Time         `json:"pausedAt,omitzero"`
	LastStart   time.Time         `json:"lastStart,omitzero"`
	LastEnd     time.Time         `json:"lastEnd,omitzero"`
	LastOutcome string            `json:"lastOutcome,omitzero"`
	LastDone    int               `json:"lastDone"`
	LastDetail  string            `json:"lastDetail,omitzero"`
	LastError   string            `json:"lastError,omitzero"`
	LastSuccess time.Time         `json:"lastSuccess,omitzero"`
	Failures    int               `json:"failures"` // in the last hour
	Instance    string            `json:"instance,omitzero"`
}

func viewJob(j inventory.JobStatus) jobView {
	r := j.LastRun
	return jobView{
		j.Name, j.Paused, j.PausedBy, j.PauseReason, j.PausedAt, r.StartedAt, r.FinishedAt, r.Outcome, r.Done,
		r.Detail, r.Error, j.LastSuccess, j.Failures, r.Instance,
	}
}

func (j jobView) state() string {
	switch {
	case j.Paused:
		return "paused by " + j.PausedBy
	case j.LastStart.IsZero():
		return "never ran"
	case j.LastOutcome == "":
		return "running"
	}
	return j.LastOutcome
}

var jobColumns = []output.Column[jobView]{
	{Name: "job", Value: func(j jobView) string { return string(j.Job) }},
	{Name: "state", Value: jobView.state},
	{Name: "last_start", Value: func(j jobView) string { return instant(j.LastStart) }},
	{Name: "last_success", Value: func(j jobView) string { return instant(j.LastSuccess) }},
	{Name: "done", Number: true, Value: func(j jobView) string { return decimal(j.LastDone) }},
	{Name: "failures", Number: true, Value: func(j jobView) string { return decimal(j.Failures) }},
	{Name: "instance", Value: func(j jobView) string { return j.Instance }},
	{Name: "detail", Value: func(j jobView) string {
		return j.LastDetail + yes(j.PauseReason != "", " ("+j.PauseReason+")") + yes(j.LastError != "", " "+j.LastError)
	}},
}

func (a *app) jobCommand() *cobra.Command {
	return group("job", "Scheduled work: sweep, reconcile, refund, relay, horizon, check, purge",
		a.jobListCommand(), a.jobRunCommand(), a.jobPauseCommand(), a.jobResumeCommand())
}

func (a *app) jobListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "Every job, over all daemons", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error { return a.printJobs(ctx, s, "") })
		},
	}
}

// printJobs prints one job, or all for "".
func (a *app) printJobs(ctx context.Context, s *pgstore.Store, only inventory.JobName) error {
	all, err := s.Jobs(ctx)
	if err != nil {
		return err
	}
	if only == "" {
		return output.Rows(a.print, jobColumns, mapped(all, viewJob))
	}
	for _, j := range all {
		if j.Name == only {
			return output.One(a.print, jobColumns, viewJob(j))
		}
	}
	return fmt.Errorf("job %s: %w", only, inventory.ErrNotFound)
}

type jobRunView struct {
	Job    inventory.JobName `json:"job"`
	Done   int               `json:"done"`
	Detail string            `json:"detail"`
}

var jobRunColumns = []output.Column[jobRunView]{
	{Name: "job", Value: func(r jobRunView) string { return string(r.Job) }},
	{Name: "done", Number: true, Value: func(r jobRunView) string { return decimal(r.Done) }},
	{Name: "detail", Value: func(r jobRunView) string { return r.Detail }},
}

func (a *app) jobRunCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "run NAME", Short: "Run a job once, now and here", Args: exactly("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				quiet := slog.New(slog.DiscardHandler) // the outcome is what this command prints
				providers, err := a.jobProviders()
				if err != nil {
					return err
				}
				sink, stop, err := a.sink(jsonLog(a.stderr, a.cfg.Log))
				if err != nil {
					return err
				}
				defer stop()
				schedule, err := jobs.Find(jobs.Standard(s, providers, sink, a.cfg.Keep, quiet), inventory.JobName(args[0]))
				if err != nil {
					return err
				}
				clock := timezone.SystemClock{}
				res, err := jobs.NewRunner(s, instanceName("command"), clock, quiet, nil).Run(ctx, schedule)
				if err != nil {
					return err
				}
				return output.One(a.print, jobRunColumns, jobRunView{schedule.Job.Name(), res.Done, res.Detail})
			})
		},
	}
	retentionFlags(cmd.Flags())
	return cmd
}

// instanceName tells processes apart in job_run.
func instanceName(role string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown-host"
	}
	return fmt.Sprintf("%s:%d:%s", host, os.Getpid(), role)
}

func (a *app) jobPauseCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "pause NAME --reason TEXT", Short: "Stop every daemon from starting a job", Args: exactly("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := inventory.CheckReason(reason); err != nil {
				return err
			}
			name := inventory.JobName(args[0])
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				if err := s.PauseJob(ctx, a.staff(), name, reason); err != nil {
					return err
				}
				return a.printJobs(ctx, s, name)
			})
		},
	}
	reasonFlag(cmd.Flags(), &reason)
	return cmd
}

func (a *app) jobResumeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "resume NAME", Short: "Let a paused job run again", Args: exactly("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := inventory.JobName(args[0])
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				if err := s.ResumeJob(ctx, a.staff(), name); err != nil {
					return err
				}
				return a.printJobs(ctx, s, name)
			})
		},
	}
}
