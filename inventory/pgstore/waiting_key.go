package pgstore

import (
	"context"
	"crypto/rand"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// RotateWaitingKey makes a new key for the tokens of waiting buyers. Tokens of
// the two before it stay good; older ones are nobody's any more.
func (s *Store) RotateWaitingKey(ctx context.Context, actor inventory.Actor) (inventory.WaitingKey, error) {
	var key inventory.WaitingKey
	err := s.inTx(ctx, "make a key for waiting rooms", beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, ""); err != nil {
			return err
		}
		if err := makeWaitingKey(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, sqlWaitingKeyForget); err != nil {
			return err
		}
		keys, err := waitingKeys(ctx, tx)
		if err == nil {
			key = keys[0]
		}
		return err
	})
	return key, err
}

// ensureWaitingKey makes the first key.
func ensureWaitingKey(ctx context.Context, tx pgx.Tx) error {
	keys, err := waitingKeys(ctx, tx)
	if err != nil || len(keys) > 0 {
		return err
	}
	return makeWaitingKey(ctx, tx)
}

// makeWaitingKey adds a key. Of two who do at once the second waits for the
// first.
func makeWaitingKey(ctx context.Context, tx pgx.Tx) error {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails: it ends the program instead
	if _, err := tx.Exec(ctx, sqlWaitingKeyLock); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, sqlWaitingKeyInsert, pgx.StrictNamedArgs{"secret": secret})
	return err
}

// waitingKeys returns the keys, newest first.
func waitingKeys(ctx context.Context, tx pgx.Tx) ([]inventory.WaitingKey, error) {
	rows, _ := tx.Query(ctx, sqlWaitingKeyList)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (k inventory.WaitingKey, err error) {
		return k, row.Scan(&k.ID, &k.Secret, &k.MadeAt)
	})
}

const sqlWaitingKeyLock = `-- waitingKey.lock
LOCK TABLE waiting_key IN SHARE ROW EXCLUSIVE MODE -- against other makers, not against readers`

const sqlWaitingKeyInsert = `-- waitingKey.insert
INSERT INTO waiting_key (id, secret)
SELECT coalesce(max(id), 0) % 32767 + 1, @secret
  FROM waiting_key`

const sqlWaitingKeyList = `-- waitingKey.list
SELECT id, secret, made_at
  FROM waiting_key
 ORDER BY made_at DESC, id DESC`

const sqlWaitingKeyForget = `-- waitingKey.forget
DELETE FROM waiting_key
 WHERE id NOT IN (SELECT id FROM waiting_key ORDER BY made_at DESC, id DESC LIMIT 3)`
