package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// Audit returns staff actions and configuration edits, newest first.
func (s *Store) Audit(ctx context.Context, f inventory.AuditFilter) ([]inventory.AuditEntry, error) {
	var out []inventory.AuditEntry
	subject := likePattern(f.Subject)
	if subject != "" {
		subject = subject[1:] // the beginning only, so that the index helps
	}
	err := s.read(ctx, "list audit", func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlAuditList, pgx.StrictNamedArgs{
			"who": textOrNull(f.Who), "subject": textOrNull(subject), "since": orNull(&f.Since), "limit": bounded(f.Limit, 100, 10_000),
		})
		var err error
		out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (a inventory.AuditEntry, err error) {
			return a, row.Scan(&a.ID, &a.At, &a.Login, &a.Actor, &a.Action, &a.Subject, &a.Before, &a.After, &a.Reason)
		})
		return err
	})
	return out, err
}

// audit writes down what a person decided about something that no trigger
// watches.
func audit(ctx context.Context, tx pgx.Tx, actor inventory.Actor, action, subject, reason string) error {
	_, err := tx.Exec(ctx, sqlAuditInsert, pgx.StrictNamedArgs{"actor": actor.String(), "action": action, "subject": subject, "reason": reason})
	return err
}

const sqlAuditInsert = `-- audit.insert
INSERT INTO audit (actor, action, subject, reason)
VALUES (@actor, @action, @subject, @reason)`

const sqlAuditList = `-- audit.list
SELECT id, at, login, actor, action, subject, before, after, reason
  FROM audit
 WHERE (@who::text IS NULL OR actor = @who OR actor = 'staff:' || @who OR login = @who)
   AND (@subject::text IS NULL OR subject LIKE @subject)
   AND (@since::timestamptz IS NULL OR at >= @since)
 ORDER BY id DESC
 LIMIT @limit`

const sqlAuditLastActor = `-- audit.lastActor
SELECT actor
  FROM audit
 WHERE subject = @subject
 ORDER BY id DESC
 LIMIT 1`
