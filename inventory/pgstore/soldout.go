package pgstore

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
)

const (
	// hintLife is how long a pool day counts as sold out after PostgreSQL was
	// asked: a place that comes back is sold within 250 ms, the asking included.
	hintLife = 200 * time.Millisecond
	hintMost = 4096 // days that are known at once
	// hintCrowd is how many have to be refused within crowdSpan of each other
	// before hints are used at all: whoever is not in a crowd gets PostgreSQL's own
	// answer.
	hintCrowd = 16
	crowdSpan = time.Second
	// sharedSpan is how long a day counts as sold by another process, too, after it
	// was found locked.
	sharedSpan = time.Second

	lookMost = 512
)

// dayRef is a pool day as buyers name it.
type dayRef struct {
	pool inventory.PoolRef
	day  date.Date
}

func dayOf(r inventory.HoldRequest) dayRef { return dayRef{r.Pool, r.Day} }

// hints remember for a moment which days PostgreSQL called sold out, and for how
// many places. A hint never takes a place and never gives one: all it can do is
// to repeat a refusal that is less than hintLife old.
type hints struct {
	clock timezone.Clock
	mu    sync.Mutex
	days  map[dayRef]hint

	forgotten time.Time // what was asked before is not learned any more

	shared map[dayRef]time.Time // when another process was last seen to sell the day
}

type hint struct {
	quantity int       // so many or more were refused
	asked    time.Time // before PostgreSQL looked
	crowd    int       // how many were refused so far
}

func newHints() *hints {
	return &hints{clock: timezone.SystemClock{}, days: map[dayRef]hint{}, shared: map[dayRef]time.Time{}}
}

func (h *hints) now() time.Time { return h.clock.Now() }

// fresh reports that a hint still counts. A clock that was set back makes it old.
func (h *hints) fresh(x hint) bool {
	age := h.now().Sub(x.asked)
	return age >= 0 && age < hintLife
}

// soldOut reports that a hold like r was refused a moment ago.
func (h *hints) soldOut(r inventory.HoldRequest) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	x, known := h.days[dayOf(r)]
	return known && x.crowd >= hintCrowd && r.Quantity >= x.quantity && h.fresh(x)
}

// learn takes in what PostgreSQL decided about a batch that began at asked.
func (h *hints) learn(batch []*waitingHold, asked time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !asked.After(h.forgotten) {
		return
	}
	for _, q := range batch {
		day, quantity := dayOf(q.ask.r), q.ask.r.Quantity
		x, known := h.days[day]
		switch {
		case q.err == nil && known && quantity >= x.quantity:
			delete(h.days, day) // there was room after all
		case !errors.Is(q.err, inventory.ErrSoldOut) || known && asked.Before(x.asked):
		case known && asked.Equal(x.asked):
			h.days[day] = hint{min(quantity, x.quantity), asked, x.crowd + 1}
		case known && asked.Sub(x.asked) < crowdSpan:
			h.days[day] = hint{quantity, asked, x.crowd + 1}
		default:
			h.days[day] = hint{quantity, asked, 1}
		}
	}
	if len(h.days) > hintMost {
		for day, x := range h.days {
			if h.now().Sub(x.asked) > crowdSpan {
				delete(h.days, day)
			}
		}
	}
	if len(h.days) > hintMost {
		clear(h.days) // only load is lost
	}
}

// share notes that another process sells a day, too.
func (h *hints) share(day dayRef) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.shared) >= hintMost {
		clear(h.shared)
	}
	h.shared[day] = h.now()
}

// isShared reports that another process was seen to sell the day a moment ago.
func (h *hints) isShared(day dayRef) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	seen, known := h.shared[day]
	return known && h.now().Sub(seen) < sharedSpan
}

// forget makes PostgreSQL be asked again about every day.
func (h *hints) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forgotten = h.clock.Now()
	for day, x := range h.days {
		x.quantity = math.MaxInt // hopeless for nobody; the crowd is still there
		h.days[day] = x
	}
}

// looks find out together what a hint cannot tell: whether a hopeless hold is
// one that was answered before, or its buyer's second.
type looks struct {
	store *Store
	asked coalescer[plainHold, bool]
}

func newLooks(s *Store) *looks {
	l := &looks{store: s}
	l.asked = coalescer[plainHold, bool]{
		lanes: make([]coalescerLane[plainHold, bool], 1), most: lookMost, queue: batchQueue, needs: batchNeeds, log: s.log,
		decide: l.decide,
	}
	return l
}

// known reports that there is more to say to a hold than that the day is sold
// out.
func (l *looks) known(ctx context.Context, r inventory.HoldRequest, k keyUse) (bool, error) {
	return l.asked.do(ctx, 0, plainHold{r: r, k: k})
}

func (l *looks) decide(batch []*question[plainHold, bool]) {
	ctx, cancel := context.WithTimeout(context.Background(), batchLimit)
	defer cancel()
	if err := l.look(ctx, batch); err != nil {
		l.store.log.Warn("a batch of looks failed", slog.Int("holds", len(batch)), slog.Any("error", err))
		for _, q := range batch {
			q.err = errAlone
		}
	}
}

func (l *looks) look(ctx context.Context, batch []*question[plainHold, bool]) error {
	conn, err := l.store.acquireForMany(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	n := len(batch)
	venues, pools, buyers := make(pgtype.FlatArray[string], n), make(pgtype.FlatArray[string], n), make(pgtype.FlatArray[string], n)
	days := make(pgtype.FlatArray[pgtype.Date], n)
	clients, keys := make(pgtype.FlatArray[pgtype.Int8], n), make(pgtype.FlatArray[pgtype.Text], n)
	for i, q := range batch {
		r := q.ask.r
		venues[i], pools[i], buyers[i], days[i] = r.Pool.Venue, r.Pool.Pool, r.Buyer, pgDate(r.Day)
		clients[i] = pgtype.Int8{Int64: r.Client.ID, Valid: r.Client.ID != 0}
		keys[i] = pgtype.Text{String: q.ask.k.key, Valid: q.ask.k.key != ""}
	}
	rows, _ := conn.Query(ctx, sqlHoldKnown, pgx.StrictNamedArgs{
		"venues": venues, "pools": pools, "days": days, "buyers": buyers, "clients": clients, "keys": keys,
	})
	places, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return l.store.translate(err)
	}
	for _, place := range places {
		batch[place-1].answer = true
	}
	return nil
}

// pgDate is a local date as the driver encodes it.
func pgDate(d date.Date) pgtype.Date {
	year, month, day := d.Date()
	return pgtype.Date{Time: time.Date(year, month, day, 0, 0, 0, 0, time.UTC), Valid: true}
}

const sqlHoldKnown = `-- hold.known
SELECT place
  FROM hold_known(@venues, @pools, @days, @buyers, @clients, @keys) place`
