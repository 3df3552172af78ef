package pgstore

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"holdfast/inventory"
)

const (
	batchLanes = 4
	batchMost  = 256  // holds decided together
	batchQueue = 4096 // holds that wait in a lane at most
	// batchLimit is how long one batch may take. It lies below what a caller
	// waits for, so that a caller is told what became of the hold.
	batchLimit = 1200 * time.Millisecond
)

// errAlone says that a hold was not decided with others and has to be asked
// again by itself. Nothing was done.
var errAlone = errors.New("not decided with others")

// batches decides the plain holds of one process together: those that arrive
// while a batch is under way form the next one, so that a busy day costs one
// transaction for many buyers and an idle one waits for nobody. There is no
// timer. A pool day always has the same lane, so that its buyers are admitted
// in the order in which they came.
type batches struct {
	store *Store
	seed  maphash.Seed
	lane  [batchLanes]batchLane
}

type batchLane struct {
	mu      sync.Mutex
	waiting []*waitingHold
	running bool
}

// waitingHold is one caller's hold on its way through a batch.
type waitingHold struct {
	id   inventory.BookingID
	r    inventory.HoldRequest
	k    keyUse
	done chan struct{} // closed when b and err are set

	b   inventory.Booking
	err error
}

func newBatches(s *Store) *batches { return &batches{store: s, seed: maphash.MakeSeed()} }

// place decides a hold together with those that wait beside it. It returns
// errAlone where that cannot be done, any refusal of the hold, or
// ErrUnknownOutcome where the answer of the whole batch was lost.
func (q *batches) place(ctx context.Context, r inventory.HoldRequest, k keyUse) (inventory.Booking, error) {
	h := &waitingHold{id: inventory.NewBookingID(), r: r, k: k, done: make(chan struct{})}
	lane := &q.lane[maphash.String(q.seed, r.Pool.String()+" "+r.Day.String())%batchLanes]
	if !lane.add(q, h) { //nolint:contextcheck // a batch is many callers': none of them may end it
		return inventory.Booking{}, fmt.Errorf("%d holds wait already: %w", batchQueue, inventory.ErrBusy)
	}
	select {
	case <-h.done:
		return h.b, h.err
	case <-ctx.Done():
	}
	if lane.leave(h) {
		return inventory.Booking{}, fmt.Errorf("no turn in time: %w", inventory.ErrBusy)
	}
	<-h.done // under way, and bounded by batchLimit: what became of it is worth waiting for
	return h.b, h.err
}

// add lets a hold wait for the next batch, and starts one if none is under way.
// It refuses where more wait than could be answered in time.
func (l *batchLane) add(q *batches, h *waitingHold) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) >= batchQueue {
		return false
	}
	l.waiting = append(l.waiting, h)
	if !l.running {
		l.running = true
		go l.run(q)
	}
	return true
}

// leave takes back a hold that no batch has taken in yet.
func (l *batchLane) leave(h *waitingHold) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, w := range l.waiting {
		if w == h {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// run decides batch after batch until nobody waits.
func (l *batchLane) run(q *batches) {
	for {
		batch := l.next()
		if batch == nil {
			return
		}
		q.decide(batch)
	}
}

// next takes those in who have waited longest; nil ends the run.
func (l *batchLane) next() []*waitingHold {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(l.waiting), batchMost)
	if n == 0 {
		l.running, l.waiting = false, nil
		return nil
	}
	batch := l.waiting[:n:n]
	l.waiting = l.waiting[n:]
	return batch
}

// decide asks PostgreSQL about a whole batch and gives each caller the own
// answer. Whatever goes wrong with the batch is no caller's fault: each then
// asks alone, unless what was asked may have been done.
func (q *batches) decide(batch []*waitingHold) {
	defer func() {
		if r := recover(); r != nil { // a caller must not wait for ever
			q.store.log.Error("a batch of holds panicked", slog.Any("panic", r), slog.String("stack", string(debug.Stack())))
		}
		for _, h := range batch {
			select {
			case <-h.done:
			default:
				if h.err == nil && h.b.ID == (inventory.BookingID{}) {
					h.err = errAlone
				}
				close(h.done)
			}
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), batchLimit)
	defer cancel()
	err := q.store.holdBatch(ctx, batch)
	if err == nil {
		return
	}
	outcome := errAlone
	if errors.Is(err, inventory.ErrUnknownOutcome) {
		outcome = err
	}
	q.store.log.Warn("a batch of holds was not decided", slog.Int("holds", len(batch)), slog.Any("error", err))
	for _, h := range batch {
		h.b, h.err = inventory.Booking{}, outcome
	}
}

// holdBatch runs one statement, which is its own transaction.
func (s *Store) holdBatch(ctx context.Context, batch []*waitingHold) error {
	conn, err := s.acquire(ctx)
	if err != nil {
		return s.translate(err)
	}
	defer conn.Release()
	rows, err := conn.Query(ctx, sqlHoldBatch, batchArgs(batch))
	if err == nil {
		_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) { return struct{}{}, scanBatchAnswer(row, batch) })
	}
	if err == nil {
		return nil
	}
	if err = s.translate(err); refusedByServer(err) {
		return err
	}
	return fmt.Errorf("%w: %w", inventory.ErrUnknownOutcome, err)
}

func batchArgs(batch []*waitingHold) pgx.StrictNamedArgs {
	n := len(batch)
	ids, days, quantities := make([]uuid.UUID, n), make([]string, n), make([]int32, n)
	venues, pools, buyers, actors := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	clients, keys, prints := make([]*int64, n), make([]*string, n), make([][]byte, n)
	for i, h := range batch {
		ids[i], days[i], quantities[i] = h.id.UUID, h.r.Day.String(), int32(h.r.Quantity) //nolint:gosec // Validate bounds it
		venues[i], pools[i], buyers[i], actors[i] = h.r.Pool.Venue, h.r.Pool.Pool, h.r.Buyer, h.r.Actor.String()
		prints[i] = h.k.print
		if id := h.r.Client.ID; id != 0 {
			clients[i] = &id
		}
		if key := h.k.key; key != "" {
			keys[i] = &key
		}
	}
	return pgx.StrictNamedArgs{
		"ids": ids, "venues": venues, "pools": pools, "days": days, "quantities": quantities, "buyers": buyers,
		"clients": clients, "keys": keys, "prints": prints, "actors": actors,
	}
}

// scanBatchAnswer gives one row of hold_batch to its caller.
func scanBatchAnswer(row pgx.CollectableRow, batch []*waitingHold) error {
	var place int
	var outcome string
	var venue *int64
	var name *string
	var amount *inventory.Minor
	var currency *inventory.Currency
	var ends *time.Time
	var at time.Time
	if err := row.Scan(&place, &outcome, &venue, &name, &amount, &currency, &ends, &at); err != nil {
		return err
	}
	h := batch[place-1]
	switch outcome {
	case "PLACED":
		h.b = inventory.Booking{
			ID: h.id, VenueID: *venue, Kind: inventory.ClaimPool, Pool: h.r.Pool, Name: *name, Day: h.r.Day, Quantity: h.r.Quantity,
			Buyer: h.r.Buyer, State: inventory.StateHeld, ExpiresAt: *ends, Amount: inventory.Money{Minor: *amount, Currency: *currency},
			ClientID: h.r.Client.ID, IdempotencyKey: h.k.key, CreatedAt: at, UpdatedAt: at, Version: 1,
		}
	case "ALONE":
		h.err = errAlone
	case "NOT_FOUND":
		h.err = fmt.Errorf("pool %s: %w", h.r.Pool, inventory.ErrNotFound)
	case "HOLD_EXISTS":
		h.err = inventory.ErrHoldExists
	case "LIMIT_PER_BUYER":
		h.err = inventory.ErrLimitPerBuyer
	default:
		h.err = refused(outcome)
	}
	return nil
}

// refusedByServer reports that PostgreSQL itself said that the statement failed:
// nothing of it was kept.
func refusedByServer(err error) bool {
	_, said := errors.AsType[*pgconn.PgError](err)
	return said
}

const sqlHoldBatch = `-- hold.batch
SELECT place, outcome, venue_id, pool_name, amount, currency, expires_at, created_at
  FROM hold_batch(@ids, @venues, @pools, @days::text[]::date[], @quantities, @buyers, @clients, @keys, @prints, @actors)`
