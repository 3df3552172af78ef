package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// Check looks for broken invariants, in one statement and so on one snapshot.
// None is what there should be. The rules are the view violation of the
// migrations, so that any read-only login can ask the same question.
func (s *Store) Check(ctx context.Context) ([]inventory.Violation, error) {
	var out []inventory.Violation
	err := s.read(ctx, "check the invariants", func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlViolations)
		var err error
		out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (v inventory.Violation, err error) {
			return v, row.Scan(&v.Invariant, &v.Object, &v.Detail)
		})
		return err
	})
	return out, err
}

const sqlViolations = `-- check.violations
SELECT invariant, object, detail
  FROM violation
 ORDER BY invariant, object`
