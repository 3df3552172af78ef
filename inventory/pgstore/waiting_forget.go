package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// ForgetPasses forgets passes of waiting rooms that were over a minute ago, and
// the steps they belonged to: also those of rooms that let nobody in any more.
// It does one batch, of at most limit rows in a transaction of its own, and
// returns how many rows it was. A full batch means that there may be more.
func (s *Store) ForgetPasses(ctx context.Context, limit int) (int, error) {
	var steps, passes int
	err := s.inTx(ctx, "forget passes", beginJob, func(ctx context.Context, tx pgx.Tx) error {
		args := pgx.StrictNamedArgs{"kept": stepKept, "limit": limit, "now": s.now}
		if err := tx.QueryRow(ctx, sqlPassForgetSteps, args).Scan(&steps); err != nil {
			return err
		}
		args["limit"] = limit - steps
		return tx.QueryRow(ctx, sqlPassForget, args).Scan(&passes)
	})
	if err != nil {
		return 0, err
	}
	return steps + passes, nil
}

// Whoever counts passes of a step has it locked, and is passed over.
const sqlPassForgetSteps = `-- pass.forgetSteps
WITH gone AS (
    DELETE FROM waiting_step
     WHERE (room_id, first_number) IN (
           SELECT room_id, first_number
             FROM waiting_step
            WHERE expires_at < coalesce(@now::timestamptz, statement_timestamp()) - @kept::interval
            ORDER BY room_id, first_number
            LIMIT @limit
              FOR UPDATE SKIP LOCKED)
    RETURNING 1
)
SELECT count(*)::int FROM gone`

// A pass without a step is over: by its time, or with its whole line. Its step is
// gone first, since what is counted in a step must be found. One that was just
// claimed, with an old answer of ours in hand, stays as long as that request.
const sqlPassForget = `-- pass.forget
WITH gone AS (
    DELETE FROM waiting_pass
     WHERE (room_id, number) IN (
           SELECT p.room_id, p.number
             FROM waiting_pass p
            WHERE p.claimed_at < coalesce(@now::timestamptz, statement_timestamp()) - @kept::interval
              AND NOT EXISTS (SELECT
                                FROM waiting_step s
                               WHERE s.room_id = p.room_id AND p.number BETWEEN s.first_number AND s.last_number)
            LIMIT @limit
              FOR UPDATE SKIP LOCKED)
    RETURNING 1
)
SELECT count(*)::int FROM gone`
