package pgstore

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"holdfast/inventory"
)

// errKeyTaken says that another request with the same key was committed first.
// The transaction is rolled back and run again: it then finds the answer.
var errKeyTaken = errors.New("the idempotency key was used meanwhile")

// keyRecord is the first use of an idempotency key.
type keyRecord struct {
	bookingID inventory.BookingID
	paymentID inventory.PaymentID
	answer    []byte
}

// keyUse is one use of an idempotency key: whose, and for what.
type keyUse struct {
	client inventory.Client
	key    string // "" only for staff, who see what happened
	print  []byte
}

// fingerprint binds a key to an operation and what was asked of it; no field
// can hold a line break.
func fingerprint(operation string, fields ...string) []byte {
	sum := sha256.Sum256([]byte(operation + "\n" + strings.Join(fields, "\n")))
	return sum[:]
}

// queue asks for the first use of the key; scanKey reads the answer.
func (k keyUse) queue(batch *pgx.Batch) {
	batch.Queue(sqlKeyGet, pgx.StrictNamedArgs{"client": k.client.ID, "key": textOrNull(k.key)})
}

// unlessTaken returns a refusal, unless what stands in the way is the first use
// of the same key, committed while this request looked or waited.
func (k keyUse) unlessTaken(ctx context.Context, tx pgx.Tx, refused error) error {
	if !refusal(refused) {
		return refused
	}
	first, err := findKey(ctx, tx, k.client, k.key, k.print)
	switch {
	case err != nil:
		return err
	case first != nil:
		return errKeyTaken
	}
	return refused
}

// findKey returns the first use of a key, or nil if there was none. Another
// request under the same key is ErrIdempotencyConflict.
func findKey(ctx context.Context, tx pgx.Tx, client inventory.Client, key string, print []byte) (*keyRecord, error) {
	if key == "" {
		return nil, nil
	}
	return scanKey(tx.QueryRow(ctx, sqlKeyGet, pgx.StrictNamedArgs{"client": client.ID, "key": textOrNull(key)}), print)
}

func scanKey(row pgx.Row, print []byte) (*keyRecord, error) {
	var stored []byte
	var r keyRecord
	err := row.Scan(&stored, &r.bookingID, &r.paymentID, &r.answer)
	switch {
	case isNoRows(err):
		return nil, nil
	case err != nil:
		return nil, err
	case string(stored) != string(print):
		return nil, inventory.ErrIdempotencyConflict
	}
	return &r, nil
}

// useKey stores a key with what it answers. A first use that is still running
// is waited for, up to the lock limit: then ErrInProgress.
func useKey(ctx context.Context, tx pgx.Tx, client inventory.Client, key string, print []byte, b inventory.Booking, p inventory.Payment) error {
	if key == "" {
		return nil
	}
	_, err := tx.Exec(ctx, sqlKeyUse, pgx.StrictNamedArgs{
		"client": client.ID, "key": key, "print": print, "booking": b.ID, "payment": idOrNull(p.ID.UUID),
	})
	switch {
	case isKeyTaken(err):
		return errKeyTaken
	case isLockTimeout(err):
		return fmt.Errorf("%w: %w", inventory.ErrInProgress, err)
	}
	return err
}

func isKeyTaken(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.ConstraintName == "idempotency_pkey"
}

// heldAnswer is the part of a hold's first answer that later events change.
type heldAnswer struct {
	State     inventory.BookingState `json:"state"`
	ExpiresAt time.Time              `json:"expires_at"`
}

// hold returns the booking as it was first answered.
func (r *keyRecord) hold(ctx context.Context, tx pgx.Tx) (inventory.Booking, error) {
	b, err := getBooking(ctx, tx, r.bookingID)
	if err != nil {
		return b, err
	}
	var first heldAnswer
	if err := json.Unmarshal(r.answer, &first); err != nil {
		return b, fmt.Errorf("stored answer of booking %s: %w", b.ID, err)
	}
	b.State, b.ExpiresAt, b.DoubtUntil, b.UpdatedAt, b.Version = first.State, first.ExpiresAt, time.Time{}, b.CreatedAt, 1
	if !first.ExpiresAt.IsZero() {
		b.ExpiresAt = first.ExpiresAt.UTC()
	}
	return b, nil
}

// payment returns the booking and payment of the first use of a key as they
// stand now: the payment row is the answer, and it only moves forward.
func (r *keyRecord) payment(ctx context.Context, tx pgx.Tx, booking inventory.BookingID) (b inventory.Booking, p inventory.Payment, err error) {
	if r.bookingID != booking {
		return b, p, inventory.ErrIdempotencyConflict
	}
	if b, err = getBooking(ctx, tx, r.bookingID); err != nil {
		return b, p, err
	}
	if r.paymentID == (inventory.PaymentID{}) {
		return b, p, nil
	}
	p, err = getPayment(ctx, tx, r.paymentID)
	return b, p, err
}

const sqlKeyGet = `-- idempotency.get
SELECT fingerprint, booking_id, payment_id, answer
  FROM idempotency
 WHERE client_id = @client AND key = @key`

const sqlKeyUse = `-- idempotency.use
INSERT INTO idempotency (client_id, key, fingerprint, booking_id, payment_id)
VALUES (@client, @key, @print, @booking, @payment)`
