package pgstore

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// AddClient stores an API client and returns its token, which is stored
// nowhere and shown this once. A token is hf_PREFIX_SECRET: the prefix is
// public and finds the row, the secret has 256 random bits.
func (s *Store) AddClient(ctx context.Context, actor inventory.Actor, name string, scopes []string) (c inventory.Client, token string, err error) {
	if err := inventory.CheckSlug("name", name); err != nil {
		return c, "", err
	}
	for _, scope := range scopes {
		if !slices.Contains(inventory.Scopes, scope) {
			return c, "", inventory.Invalid("scope", "must be one of %s", strings.Join(inventory.Scopes, ", "))
		}
	}
	if scopes == nil {
		scopes = []string{}
	}
	random := make([]byte, 6+32)
	_, _ = rand.Read(random) // never fails: it ends the program instead
	prefix := fmt.Sprintf("%x", random[:6])
	token = "hf_" + prefix + "_" + base64.RawURLEncoding.EncodeToString(random[6:])
	hash := sha256.Sum256([]byte(token))
	c = inventory.Client{Name: name, Scopes: scopes}
	err = s.inTx(ctx, "add client "+name, beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, ""); err != nil {
			return err
		}
		return tx.QueryRow(ctx, sqlClientInsert, pgx.StrictNamedArgs{
			"name": name, "prefix": prefix, "hash": hash[:], "scopes": scopes,
		}).Scan(&c.ID)
	})
	if err != nil {
		return c, "", err
	}
	return c, token, nil
}

// Clients returns all API clients, revoked ones too, by name.
func (s *Store) Clients(ctx context.Context) ([]inventory.ClientRecord, error) {
	var out []inventory.ClientRecord
	err := s.read(ctx, "list clients", func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlClientList)
		var err error
		out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (c inventory.ClientRecord, err error) {
			return c, row.Scan(&c.ID, &c.Name, &c.Scopes, &c.CreatedAt, orNull(&c.LastUsedAt), orNull(&c.RevokedAt))
		})
		return err
	})
	return out, err
}

// RevokeClient ends a client's token at once. Revoking again changes nothing.
func (s *Store) RevokeClient(ctx context.Context, actor inventory.Actor, name string) error {
	return s.inTx(ctx, "revoke client "+name, beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, ""); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, sqlClientRevoke, pgx.StrictNamedArgs{"name": name})
		if err == nil && tag.RowsAffected() == 0 {
			return inventory.ErrNotFound
		}
		return err
	})
}

// ClientByToken returns the client that a token belongs to. Unknown, wrong and
// revoked tokens are all ErrNotFound, compared in constant time.
func (s *Store) ClientByToken(ctx context.Context, token string) (inventory.Client, error) {
	prefix, _, ok := strings.Cut(strings.TrimPrefix(token, "hf_"), "_")
	if !ok || !strings.HasPrefix(token, "hf_") || len(prefix) != 12 {
		return inventory.Client{}, inventory.ErrNotFound
	}
	hash := sha256.Sum256([]byte(token))
	var c inventory.Client
	err := s.inTx(ctx, "look up a client", beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		var stored []byte
		err := tx.QueryRow(ctx, sqlClientByPrefix, pgx.StrictNamedArgs{"prefix": prefix}).Scan(&c.ID, &c.Name, &c.Scopes, &stored)
		if err != nil {
			return err
		}
		if subtle.ConstantTimeCompare(stored, hash[:]) != 1 {
			return inventory.ErrNotFound
		}
		_, err = tx.Exec(ctx, sqlClientUsed, pgx.StrictNamedArgs{"id": c.ID})
		return err
	})
	if err != nil {
		return inventory.Client{}, err
	}
	return c, nil
}

const sqlClientInsert = `-- client.insert
INSERT INTO api_client (name, token_prefix, token_hash, scopes)
VALUES (@name, @prefix, @hash, @scopes)
RETURNING id`

const sqlClientList = `-- client.list
SELECT id, name, scopes, created_at, last_used_at, revoked_at
  FROM api_client
 ORDER BY name`

const sqlClientRevoke = `-- client.revoke
UPDATE api_client
   SET revoked_at = coalesce(revoked_at, statement_timestamp())
 WHERE name = @name`

const sqlClientByPrefix = `-- client.byPrefix
SELECT id, name, scopes, token_hash
  FROM api_client
 WHERE token_prefix = @prefix AND revoked_at IS NULL`

// For people: written at most once a minute, and never waited for.
const sqlClientUsed = `-- client.used
UPDATE api_client
   SET last_used_at = statement_timestamp()
 WHERE id = (SELECT id
               FROM api_client
              WHERE id = @id AND (last_used_at IS NULL OR last_used_at < statement_timestamp() - interval '1 minute')
                FOR NO KEY UPDATE SKIP LOCKED)`
