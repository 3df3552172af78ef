package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
)

// slowRooms is a database whose answers about waiting rooms take as long, and
// fail as, the test says.
type slowRooms struct {
	mu          sync.Mutex
	takes       time.Duration
	fails       error
	reads       int
	told        int // passes that were counted
	countFails  int // times that are left
	countedLast time.Time
}

func (d *slowRooms) WaitingNow(ctx context.Context) (inventory.WaitingNow, error) {
	d.mu.Lock()
	d.reads++
	takes, fails := d.takes, d.fails
	d.mu.Unlock()
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		return inventory.WaitingNow{}, ctx.Err()
	}
	return inventory.WaitingNow{At: timezone.SystemClock{}.Now()}, fails
}

func (*slowRooms) NextNumber(context.Context, int64) (int64, error) { return 1, nil }

func (d *slowRooms) NotePlaced(_ context.Context, uses []inventory.PassUse) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.countedLast = timezone.SystemClock{}.Now()
	if d.countFails > 0 {
		d.countFails--
		return inventory.ErrBusy
	}
	d.told += len(uses)
	return nil
}

func (d *slowRooms) counted() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.told
}

// set changes what the database does from now on.
func (d *slowRooms) set(takes time.Duration, fails error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.takes, d.fails = takes, fails
}

// inBubble runs test with rooms over a slow database, on a clock that goes on
// only when nobody has anything to do.
func inBubble(t *testing.T, test func(ctx context.Context, c *rooms, d *slowRooms)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &slowRooms{}
		c := newRooms(d, timezone.SystemClock{}, slog.New(slog.DiscardHandler))
		test(t.Context(), c, d)
		c.end(t.Context())
		synctest.Wait()
	})
}

// Used passes are counted soon, though nobody asks any more: also after a
// counting that failed, and where they were used while a reading was under way.
func TestRooms_countsUsedPasses(t *testing.T) {
	t.Parallel()
	for name, countFails := range map[string]int{"atOnce": 0, "afterFailures": 3} {
		inBubble(t, func(ctx context.Context, c *rooms, d *slowRooms) {
			d.countFails = countFails
			c.notePlaced(ctx, inventory.PassUse{Number: 1})
			time.Sleep(roomsLife + time.Duration(countFails)*countAgain + time.Millisecond)
			if n := d.counted(); n != 1 {
				t.Errorf("%s: %d passes are counted, want 1", name, n)
			}
		})
	}
	inBubble(t, func(ctx context.Context, c *rooms, d *slowRooms) {
		d.set(time.Second, nil)
		c.begin(ctx)
		time.Sleep(time.Millisecond)
		c.notePlaced(ctx, inventory.PassUse{Number: 1}) // its timer finds that reading
		time.Sleep(time.Second + countAgain + time.Second)
		if n := d.counted(); n != 1 {
			t.Errorf("used while rooms were read: %d passes are counted, want 1", n)
		}
	})
}

// At the end what is left is counted, and nothing after it.
func TestRooms_end(t *testing.T) {
	t.Parallel()
	inBubble(t, func(ctx context.Context, c *rooms, d *slowRooms) {
		d.countFails = 100
		c.notePlaced(ctx, inventory.PassUse{Number: 1})
		time.Sleep(time.Millisecond)
		ended := timezone.SystemClock{}.Now()
		c.end(ctx)
		c.notePlaced(ctx, inventory.PassUse{Number: 2})
		time.Sleep(time.Minute)
		if !d.countedLast.Equal(ended) || d.reads != 0 {
			t.Errorf("counted last %s after the end, %d readings", d.countedLast.Sub(ended), d.reads)
		}
	})
}

// How old what is served may be, and who waits for a reading.
func TestRooms_age(t *testing.T) {
	t.Parallel()
	broken := errors.New("no database")
	for name, c := range map[string]struct {
		age      time.Duration
		takes    time.Duration
		fails    error
		waits    time.Duration
		isServed bool // what was there
		isError  bool
	}{
		"fresh":                {roomsLife - 1, time.Hour, nil, 0, true, false},
		"readBehindTheAnswer":  {roomsStale - 1, time.Hour, nil, 0, true, false},
		"waitsForAReading":     {roomsStale, 10 * time.Millisecond, nil, 10 * time.Millisecond, false, false},
		"patienceEnds":         {roomsStale, time.Hour, nil, roomsPatience, true, false},
		"theReadingFails":      {roomsLast - 1, 0, broken, 0, true, false},
		"tooOld":               {roomsLast, time.Second, nil, time.Second, false, false},
		"tooOldAndNoDatabase":  {roomsLast, 0, broken, 0, false, true},
		"tooOldAndNoAnswerYet": {roomsLast, time.Hour, nil, storeLimit, false, true},
	} {
		inBubble(t, func(ctx context.Context, r *rooms, d *slowRooms) {
			was, err := r.now(ctx)
			if err != nil {
				t.Error(err)
				return
			}
			time.Sleep(c.age)
			d.set(c.takes, c.fails)
			asked := timezone.SystemClock{}.Now()
			now, err := r.now(ctx)
			if waited := (timezone.SystemClock{}).Now().Sub(asked); waited != c.waits || (now == was) != c.isServed || (err != nil) != c.isError {
				t.Errorf("%s: waited %s, the old one is served: %v, %v; want %+v", name, waited, now == was, err, c)
			}
		})
	}
}
