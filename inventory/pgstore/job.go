package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// StartJobRun opens a job_run row, or fails with ErrPaused if staff paused the
// job, and ErrNotFound for a name that is no job.
func (s *Store) StartJobRun(ctx context.Context, job inventory.JobName, instance string) (id int64, err error) {
	err = s.inTx(ctx, "start job "+string(job), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		var paused bool
		if err := tx.QueryRow(ctx, sqlJobPaused, pgx.StrictNamedArgs{"job": job}).Scan(&paused); err != nil {
			return err
		}
		if paused {
			return inventory.ErrPaused
		}
		return tx.QueryRow(ctx, sqlJobRunStart, pgx.StrictNamedArgs{"job": job, "instance": instance}).Scan(&id)
	})
	return id, err
}

// FinishJobRun closes a job_run row with what the run did.
func (s *Store) FinishJobRun(ctx context.Context, id int64, done int, detail string, runErr error) error {
	outcome, text := "ok", ""
	if runErr != nil {
		outcome, text = "failed", runErr.Error()
	}
	return s.inTx(ctx, "finish job run", beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sqlJobRunFinish, pgx.StrictNamedArgs{"id": id, "outcome": outcome, "done": done, "detail": detail, "error": text})
		return err
	})
}

// Jobs returns what is known of every job, over all daemons.
func (s *Store) Jobs(ctx context.Context) ([]inventory.JobStatus, error) {
	var out []inventory.JobStatus
	err := s.read(ctx, "list jobs", func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlJobList)
		var err error
		out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (j inventory.JobStatus, err error) {
			r := &j.LastRun
			err = row.Scan(&j.Name, &j.Paused, &j.PausedBy, &j.PauseReason, orNull(&j.PausedAt),
				&r.ID, &r.Instance, orNull(&r.StartedAt), orNull(&r.FinishedAt), &r.Outcome, &r.Done, &r.Detail, &r.Error,
				orNull(&j.LastSuccess), &j.Failures)
			r.Job = j.Name
			return j, err
		})
		return err
	})
	return out, err
}

// PauseJob stops every daemon from starting the job, until ResumeJob.
func (s *Store) PauseJob(ctx context.Context, actor inventory.Actor, job inventory.JobName, reason string) error {
	if err := inventory.CheckReason(reason); err != nil {
		return err
	}
	return s.setJob(ctx, actor, job, reason, sqlJobPause)
}

// ResumeJob takes a pause back; resuming a job that runs changes nothing.
func (s *Store) ResumeJob(ctx context.Context, actor inventory.Actor, job inventory.JobName) error {
	return s.setJob(ctx, actor, job, "", sqlJobResume)
}

func (s *Store) setJob(ctx context.Context, actor inventory.Actor, job inventory.JobName, reason, sql string) error {
	return s.inTx(ctx, "set job "+string(job), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, reason); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, sql, pgx.StrictNamedArgs{"job": job, "actor": actor.String(), "reason": reason})
		if err == nil && tag.RowsAffected() == 0 {
			return inventory.ErrNotFound
		}
		return err
	})
}

const sqlJobPaused = `-- job.paused
SELECT paused_at IS NOT NULL
  FROM job
 WHERE name = @job`

const sqlJobRunStart = `-- job.runStart
INSERT INTO job_run (job, instance)
VALUES (@job, @instance)
RETURNING id`

const sqlJobRunFinish = `-- job.runFinish
UPDATE job_run
   SET finished_at = statement_timestamp(), outcome = @outcome, done = @done, detail = @detail, error = left(@error, 2000)
 WHERE id = @id AND finished_at IS NULL`

const sqlJobList = `-- job.list
SELECT j.name, j.paused_at IS NOT NULL, j.paused_by, j.pause_reason, j.paused_at,
       coalesce(r.id, 0), coalesce(r.instance, ''), r.started_at, r.finished_at,
       coalesce(r.outcome, ''), coalesce(r.done, 0), coalesce(r.detail, ''), coalesce(r.error, ''),
       ok.finished_at,
       (SELECT count(*) FROM job_run f WHERE f.job = j.name AND f.outcome = 'failed' AND f.started_at > now() - interval '1 hour')::int
  FROM job j
  LEFT JOIN LATERAL (SELECT * FROM job_run WHERE job = j.name ORDER BY started_at DESC LIMIT 1) r ON true
  LEFT JOIN LATERAL (SELECT finished_at FROM job_run WHERE job = j.name AND outcome = 'ok' ORDER BY started_at DESC LIMIT 1) ok ON true
 ORDER BY j.name`

const sqlJobPause = `-- job.pause
UPDATE job
   SET paused_at = coalesce(paused_at, statement_timestamp()), paused_by = @actor, pause_reason = @reason
 WHERE name = @job`

const sqlJobResume = `-- job.resume
UPDATE job
   SET paused_at = NULL, paused_by = '', pause_reason = @reason
 WHERE name = @job AND @actor::text <> ''`
