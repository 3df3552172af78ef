package pgstore

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"holdfast/inventory"
)

const (
	batchLanes   = 4
	patientLanes = 64
	batchMost    = 256  // holds decided together
	batchQueue   = 4096 // holds that wait in a lane at most
	// batchAcquire, batchLimit and the time before the last moment at which a
	// caller is taken in add up to what a caller waits for, so that all are told in
	// time what became of their holds.
	batchAcquire = 300 * time.Millisecond
	batchLimit   = 900 * time.Millisecond // for the statement
	batchNeeds   = 900 * time.Millisecond
	batchLeast   = 200 * time.Millisecond // no statement begins with less time: its limit would cost the connection
)

// errAlone says that a hold was not decided with others and has to be asked
// again by itself. Nothing was done.
var errAlone = errors.New("not decided with others")

// errLocked says that somebody else keeps the day of a hold locked. Nothing was
// done.
var errLocked = errors.New("the day is locked by somebody else")

// batches decides the plain holds of one process together. A pool day always has
// the same lane, so that its buyers are admitted in the order in which they came.
type batches struct {
	store *Store
	seed  maphash.Seed
	holds coalescer[plainHold, inventory.Booking]
	// patient are holds of days that another daemon sells, too: they wait for the
	// day's lock together, and hold up no other day.
	patient coalescer[plainHold, inventory.Booking]
}

// plainHold is a hold as a batch takes it in.
type plainHold struct {
	id inventory.BookingID
	r  inventory.HoldRequest
	k  keyUse
}

type waitingHold = question[plainHold, inventory.Booking]

func newBatches(s *Store) *batches {
	q := &batches{store: s, seed: maphash.MakeSeed()}
	q.holds = coalescer[plainHold, inventory.Booking]{
		lanes: make([]coalescerLane[plainHold, inventory.Booking], batchLanes),
		most:  batchMost, queue: batchQueue, needs: batchNeeds, log: s.log, decide: q.decide,
	}
	q.patient = coalescer[plainHold, inventory.Booking]{
		lanes: make([]coalescerLane[plainHold, inventory.Booking], patientLanes),
		most:  batchMost, queue: batchQueue, needs: batchNeeds, log: s.log, decide: q.decidePatiently,
	}
	return q
}

// place decides a hold together with those that wait beside it. It returns
// errAlone where that cannot be done, any refusal of the hold, or
// ErrUnknownOutcome where the answer of the whole batch was lost.
func (q *batches) place(ctx context.Context, r inventory.HoldRequest, k keyUse) (inventory.Booking, error) {
	lane, hold := q.laneOf(r), plainHold{inventory.NewBookingID(), r, k}
	if !q.store.hints.isShared(dayOf(r)) {
		b, err := q.holds.do(ctx, lane, hold)
		if !errors.Is(err, errLocked) {
			return b, err
		}
		q.store.hints.share(dayOf(r))
	}
	return q.patient.do(ctx, lane, hold)
}

func (q *batches) laneOf(r inventory.HoldRequest) uint64 {
	return maphash.Comparable(q.seed, dayOf(r))
}

// decide asks PostgreSQL about a whole batch and gives each caller the own
// answer. What goes wrong with the batch is no caller's fault: each then asks
// alone, unless what was asked may have been done, or there is no connection and
// asking alone would only take longer to fail.
func (q *batches) decide(batch []*waitingHold) { q.decideWith(batch, false) }

func (q *batches) decidePatiently(batch []*waitingHold) { q.decideWith(batch, true) }

func (q *batches) decideWith(batch []*waitingHold, patient bool) {
	conn, err := q.store.acquireForMany(context.Background())
	if err == nil {
		defer conn.Release()
		ctx, cancel := context.WithTimeout(context.Background(), batchLimit)
		defer cancel()
		q.decideOn(ctx, conn, batch, patient)
		return
	}
	q.store.log.Warn("a batch of holds got no connection", slog.Int("holds", len(batch)), slog.Any("error", err))
	for _, h := range batch {
		h.err = err
	}
}

// decideOn decides a batch on one connection. A key that another transaction is
// using just now makes the whole statement give up: halves of it are tried, until
// its hold is alone and the others are placed.
func (q *batches) decideOn(ctx context.Context, conn *pgxpool.Conn, batch []*waitingHold, patient bool) {
	began := q.store.stopwatch.Now()
	err := q.store.holdBatch(ctx, conn, batch, patient)
	outcome := errAlone
	switch {
	case err == nil:
		q.store.observer.Batch(len(batch), q.store.stopwatch.Now().Sub(began))
		q.store.hints.learn(batch, began)
		return
	case isKeyBusy(err) && len(batch) > 1:
		half := len(batch) / 2
		q.decideOn(ctx, conn, batch[:half], patient)
		q.decideOn(ctx, conn, batch[half:], patient)
		return
	case errors.Is(err, inventory.ErrUnknownOutcome), errors.Is(err, inventory.ErrUnavailable):
		outcome = err
	}
	q.store.log.Warn("a batch of holds was not decided", slog.Int("holds", len(batch)), slog.Any("error", err))
	for _, h := range batch {
		h.answer, h.err = inventory.Booking{}, outcome
	}
}

// acquireForMany is acquire for a batch, which nobody in particular waits for.
func (s *Store) acquireForMany(ctx context.Context) (*pgxpool.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, batchAcquire)
	defer cancel()
	conn, err := s.acquire(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no free connection within %s: %w", batchAcquire, inventory.ErrBusy)
	}
	return conn, s.translate(err)
}

// holdBatch runs one statement, which is its own transaction.
func (s *Store) holdBatch(ctx context.Context, conn *pgxpool.Conn, batch []*waitingHold, patient bool) error {
	for _, h := range batch {
		h.err = errAlone // until an answer comes
	}
	deadline, _ := ctx.Deadline()
	if conn.Conn().IsClosed() || deadline.Sub(s.stopwatch.Now()) < batchLeast {
		return fmt.Errorf("no time left for %d of a batch: %w", len(batch), inventory.ErrBusy) // nothing was asked
	}
	sql, args := sqlHoldBatch, batchArgs(batch, patient)
	if len(batch) == 1 && !patient {
		sql, args = sqlHoldOne, oneArgs(batch[0])
	}
	rows, err := conn.Query(ctx, sql, args)
	keyTaken := false
	if err == nil {
		_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) {
			taken, err := scanBatchAnswer(row, batch)
			keyTaken = keyTaken || taken
			return struct{}{}, err
		})
	}
	if err == nil {
		if keyTaken {
			askSoldOutAgain(batch)
		}
		return nil
	}
	if err = s.translate(err); refusedByServer(err) {
		return err
	}
	return fmt.Errorf("%w: %w", inventory.ErrUnknownOutcome, err)
}

// askSoldOutAgain is for a batch in which somebody was counted and then was not
// placed, because the key turned out to be another request's: what that one left
// may be enough for those who were refused.
func askSoldOutAgain(batch []*waitingHold) {
	for _, h := range batch {
		if errors.Is(h.err, inventory.ErrSoldOut) {
			h.err = errAlone
		}
	}
}

func batchArgs(batch []*waitingHold, patient bool) pgx.StrictNamedArgs {
	n := len(batch)
	// Types that the driver encodes without looking at each element anew.
	ids, days, quantities := make(pgtype.FlatArray[pgtype.UUID], n), make(pgtype.FlatArray[pgtype.Date], n), make(pgtype.FlatArray[int32], n)
	venues, pools := make(pgtype.FlatArray[string], n), make(pgtype.FlatArray[string], n)
	buyers, actors := make(pgtype.FlatArray[string], n), make(pgtype.FlatArray[string], n)
	clients, keys := make(pgtype.FlatArray[pgtype.Int8], n), make(pgtype.FlatArray[pgtype.Text], n)
	prints := make(pgtype.FlatArray[[]byte], n)
	for i, h := range batch {
		r := h.ask.r
		ids[i] = pgtype.UUID{Bytes: h.ask.id.UUID, Valid: true}
		days[i], quantities[i] = pgDate(r.Day), int32(r.Quantity) //nolint:gosec // Validate bounds it
		venues[i], pools[i], buyers[i], actors[i] = r.Pool.Venue, r.Pool.Pool, r.Buyer, r.Actor.String()
		clients[i] = pgtype.Int8{Int64: r.Client.ID, Valid: r.Client.ID != 0}
		keys[i] = pgtype.Text{String: h.ask.k.key, Valid: h.ask.k.key != ""}
		prints[i] = h.ask.k.print
	}
	return pgx.StrictNamedArgs{
		"ids": ids, "venues": venues, "pools": pools, "days": days, "quantities": quantities, "buyers": buyers,
		"clients": clients, "keys": keys, "prints": prints, "actors": actors, "patient": patient,
	}
}

func oneArgs(h *waitingHold) pgx.StrictNamedArgs {
	r := h.ask.r
	return pgx.StrictNamedArgs{
		"id": pgtype.UUID{Bytes: h.ask.id.UUID, Valid: true}, "venue": r.Pool.Venue, "pool": r.Pool.Pool, "day": pgDate(r.Day),
		"quantity": int32(r.Quantity), "buyer": r.Buyer, //nolint:gosec // Validate bounds it
		"client": pgtype.Int8{Int64: r.Client.ID, Valid: r.Client.ID != 0}, "key": pgtype.Text{String: h.ask.k.key, Valid: h.ask.k.key != ""},
		"print": h.ask.k.print, "actor": r.Actor.String(),
	}
}

// scanBatchAnswer gives one row of hold_batch to its caller; keyTaken says that
// it was counted and then not placed.
func scanBatchAnswer(row pgx.CollectableRow, batch []*waitingHold) (keyTaken bool, err error) {
	var place int
	var outcome string
	var venue *int64
	var name *string
	var amount *inventory.Minor
	var currency *inventory.Currency
	var ends *time.Time
	var at time.Time
	if err := row.Scan(&place, &outcome, &venue, &name, &amount, &currency, &ends, &at); err != nil {
		return false, err
	}
	h := batch[place-1]
	r := h.ask.r
	switch outcome {
	case "PLACED":
		h.answer, h.err = inventory.Booking{
			ID: h.ask.id, VenueID: *venue, Kind: inventory.ClaimPool, Pool: r.Pool, Name: *name, Day: r.Day, Quantity: r.Quantity,
			Buyer: r.Buyer, State: inventory.StateHeld, ExpiresAt: *ends, Amount: inventory.Money{Minor: *amount, Currency: *currency},
			ClientID: r.Client.ID, IdempotencyKey: h.ask.k.key, CreatedAt: at, UpdatedAt: at, Version: 1,
		}, nil
	case "ALONE":
		h.err = errAlone
	case "LOCKED":
		h.err = errLocked
	case "KEY_TAKEN":
		h.err = errAlone
		return true, nil
	case "NOT_FOUND":
		h.err = fmt.Errorf("pool %s: %w", r.Pool, inventory.ErrNotFound)
	case "HOLD_EXISTS":
		h.err = inventory.ErrHoldExists
	case "LIMIT_PER_BUYER":
		h.err = inventory.ErrLimitPerBuyer
	default:
		h.err = refused(outcome)
	}
	return false, nil
}

// refusedByServer reports that PostgreSQL itself said that the statement failed:
// nothing of it was kept.
func refusedByServer(err error) bool {
	_, said := errors.AsType[*pgconn.PgError](err)
	return said
}

const sqlHoldBatch = `-- hold.batch
SELECT place, outcome, venue_id, pool_name, amount, currency, expires_at, created_at
  FROM hold_batch(@ids, @venues, @pools, @days, @quantities, @buyers, @clients, @keys, @prints, @actors, @patient)`

const sqlHoldOne = `-- hold.one
SELECT place, outcome, venue_id, pool_name, amount, currency, expires_at, created_at
  FROM hold_one(@id, @venue, @pool, @day, @quantity, @buyer, @client, @key, @print, @actor)`
