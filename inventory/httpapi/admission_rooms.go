package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
)

// waitingRooms is what the listener asks of the database about waiting rooms.
type waitingRooms interface {
	WaitingNow(ctx context.Context) (inventory.WaitingNow, error)
	NextNumber(ctx context.Context, room int64) (int64, error)
	NotePlaced(ctx context.Context, uses []inventory.PassUse) error
}

const (
	// roomsLife is how long what was read about the rooms is served before
	// somebody reads again, behind the answers; nobody waits for that while what
	// is there is younger than roomsStale. Where the database does not answer
	// within roomsPatience, what is there is served as long as roomsLast.
	roomsLife     = 200 * time.Millisecond
	roomsStale    = 500 * time.Millisecond
	roomsPatience = 300 * time.Millisecond
	roomsLast     = 5 * time.Second

	// waitingLife is how long a token that waits is good: whoever waited a day has
	// left, or asks again.
	waitingLife = 24 * time.Hour

	countAgain = time.Second // after a counting of used passes that failed

	maxPlaced = 1 << 16 // used passes that wait to be counted; more are counted when they end
)

// rooms keeps how the open waiting rooms stand, read once for all requests: a
// place in a line costs the database nothing, however many buyers ask.
type rooms struct {
	store waitingRooms
	clock timezone.Clock
	log   *slog.Logger

	latest atomic.Pointer[roomsNow]

	mu      sync.Mutex
	reading *reading            // under way; nil: none
	placed  []inventory.PassUse // to be counted with the next reading
	armed   bool                // a timer will begin a reading for them
	ended   bool                // no timer is started any more
}

// reading is one look at the rooms, for all who wait for it.
type reading struct {
	done chan struct{} // closed when now and err are set
	now  *roomsNow
	err  error
}

func newRooms(store waitingRooms, clock timezone.Clock, log *slog.Logger) *rooms {
	return &rooms{store: store, clock: clock, log: log}
}

// roomsNow is one reading.
type roomsNow struct {
	inventory.WaitingNow
	readAt time.Time // by our clock

	byID    map[int64]*inventory.WaitingRoomNow
	byPool  map[inventory.PoolRef]*inventory.WaitingRoomNow
	byEvent map[inventory.EventID]*inventory.WaitingRoomNow
	byRef   map[inventory.EventRef]*inventory.WaitingRoomNow
}

// now returns how the rooms stand. While requests come and the database answers
// it is not older than 500 ms, of those 200 and one reading as a rule. Where the
// database does not answer it may be 5 s old; beyond that there is no answer
// without a reading.
func (c *rooms) now(ctx context.Context) (*roomsNow, error) {
	latest, age := c.latest.Load(), time.Duration(-1)
	if latest != nil {
		age = c.clock.Now().Sub(latest.readAt) // negative: our clock was put back
	}
	switch {
	case age >= 0 && age < roomsLife:
		return latest, nil
	case age >= 0 && age < roomsStale:
		c.begin(ctx) // behind the answer
		return latest, nil
	case age >= 0 && age < roomsLast:
		patience := time.NewTimer(roomsPatience)
		defer patience.Stop()
		r, _ := c.begin(ctx)
		return r.wait(ctx, patience.C, latest)
	}
	r, _ := c.begin(ctx)
	return r.wait(ctx, nil, nil)
}

// again reads the rooms anew, for whoever changed something.
func (c *rooms) again(ctx context.Context) (*roomsNow, error) {
	r, fresh := c.begin(ctx)
	if now, err := r.wait(ctx, nil, nil); fresh || err != nil {
		return now, err
	}
	r, _ = c.begin(ctx) // the first was begun before the change
	return r.wait(ctx, nil, nil)
}

// begin begins a reading, unless one is under way: then it is not fresh.
func (c *rooms) begin(ctx context.Context) (r *reading, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reading != nil {
		return c.reading, false
	}
	r = &reading{done: make(chan struct{})}
	c.reading = r
	go func() { // many requests', with a limit of its own: none of them may end it
		r.now, r.err = c.read(ctx)
		c.mu.Lock()
		c.reading = nil
		if len(c.placed) > 0 { // placed while it was under way, or the counting failed
			c.arm(ctx, countAgain)
		}
		c.mu.Unlock()
		close(r.done)
	}()
	return r, true
}

// wait waits for a reading, or until patience ends; then, and after an error,
// it answers instead, if that is there.
func (r *reading) wait(ctx context.Context, patience <-chan time.Time, instead *roomsNow) (*roomsNow, error) {
	select {
	case <-r.done:
		if r.err != nil && instead != nil {
			return instead, nil
		}
		return r.now, r.err
	case <-patience:
		return instead, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting rooms were not read in time: %w", inventory.ErrBusy)
	}
}

// read counts the passes that were used here and reads how the rooms stand,
// which moves their lines on.
func (c *rooms) read(ctx context.Context) (now *roomsNow, err error) {
	defer func() {
		if cause := recover(); cause != nil { // nobody's request: it must not end the process
			c.log.LogAttrs(ctx, slog.LevelError, "reading the waiting rooms panicked", panicAttrs(cause)...)
			err = errPanicked
		}
	}()
	ctx, cancel := limited(ctx, "rooms.read", storeLimit)
	defer cancel()
	c.countPlaced(ctx)
	began := c.clock.Now()
	answer, err := c.store.WaitingNow(ctx)
	if err != nil {
		c.log.LogAttrs(ctx, slog.LevelWarn, "the waiting rooms could not be read", slog.Any("error", err))
		return nil, err
	}
	// From before the question: what was read is not taken to be younger than it is.
	now = &roomsNow{
		WaitingNow: answer, readAt: began, byID: map[int64]*inventory.WaitingRoomNow{},
		byPool: map[inventory.PoolRef]*inventory.WaitingRoomNow{}, byEvent: map[inventory.EventID]*inventory.WaitingRoomNow{},
		byRef: map[inventory.EventRef]*inventory.WaitingRoomNow{},
	}
	for i := range answer.Rooms {
		room := &answer.Rooms[i]
		now.byID[room.ID] = room
		if room.Kind == inventory.ClaimPool {
			now.byPool[inventory.PoolRef{Venue: room.Venue, Pool: room.Name}] = room
			continue
		}
		now.byEvent[room.Event] = room
		now.byRef[inventory.EventRef{Venue: room.Venue, Event: room.Name}] = room
	}
	c.latest.Store(now)
	return now, nil
}

// notePlaced remembers a pass whose hold was placed until the next reading,
// which comes soon, also if nobody asks this daemon any more.
func (c *rooms) notePlaced(ctx context.Context, use inventory.PassUse) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.placed) < maxPlaced {
		c.placed = append(c.placed, use)
	}
	c.arm(ctx, roomsLife)
}

// arm begins a reading some time later, if there is something to count by then
// and nobody did before: also if nobody asks this daemon any more. It is called
// with mu.
func (c *rooms) arm(ctx context.Context, after time.Duration) {
	if c.armed || c.ended {
		return
	}
	c.armed = true
	time.AfterFunc(after, func() {
		c.mu.Lock()
		c.armed = false
		due := len(c.placed) > 0 && !c.ended
		c.mu.Unlock()
		if due {
			c.begin(ctx) // one that is under way arms anew where it leaves something
		}
	})
}

// end waits for a reading that is under way and counts what is left to count.
func (c *rooms) end(ctx context.Context) {
	c.mu.Lock()
	c.ended = true
	r := c.reading
	c.mu.Unlock()
	if r != nil {
		_, _ = r.wait(ctx, nil, nil) // whatever it read, nobody asks any more
	}
	c.countPlaced(ctx)
}

// countPlaced tells the database which passes were used. What it is not told of
// keeps its place in the room until the pass ends.
func (c *rooms) countPlaced(ctx context.Context) {
	c.mu.Lock()
	uses := c.placed
	c.placed = nil
	c.mu.Unlock()
	if len(uses) == 0 {
		return
	}
	if err := c.store.NotePlaced(ctx, uses); err != nil {
		c.log.LogAttrs(ctx, slog.LevelWarn, "used passes could not be counted", slog.Int("passes", len(uses)), slog.Any("error", err))
		c.mu.Lock()
		c.placed = append(uses, c.placed[:min(len(c.placed), max(0, maxPlaced-len(uses)))]...)
		c.mu.Unlock()
	}
}

// at is PostgreSQL's clock now, reckoned from the reading.
func (n *roomsNow) at(clock timezone.Clock) time.Time {
	return n.At.Add(max(0, clock.Now().Sub(n.readAt)))
}

// place tells where a token stands in its room. A pass that was signed is good
// as long as it says, unless its line is over: another daemon may have let its
// number in just now. A token that waits is over after a day.
func (n *roomsNow) place(room *inventory.WaitingRoomNow, t admissionToken, at time.Time) inventory.WaitingPlace {
	switch {
	case t.number <= room.Line.BeginsAfter:
		return inventory.WaitingPlace{}
	case at.Before(t.expires):
		return inventory.WaitingPlace{ExpiresAt: t.expires}
	case t.expires.IsZero() && at.Sub(t.issued) > waitingLife:
		return inventory.WaitingPlace{}
	}
	return room.Line.Place(t.number, at)
}
