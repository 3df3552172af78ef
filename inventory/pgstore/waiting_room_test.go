package pgstore_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/migrations/pgtest"
)

// openRoom opens a waiting room for the shop's pool.
func openRoom(t *testing.T, s pgtest.Shop, rate float64, maxActive int, life time.Duration) inventory.WaitingRoom {
	t.Helper()
	open := true
	r, err := s.Store.SetWaitingRoom(t.Context(), inventory.WaitingRoomChange{
		Venue: "harbour", Name: "main", Kind: inventory.ClaimPool, Rate: &rate, MaxActive: &maxActive, PassLife: &life, Open: &open,
	}, inventory.Staff("test"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// look is the only open room as store sees it.
func look(t *testing.T, store *pgstore.Store) (inventory.WaitingRoomNow, time.Time) {
	t.Helper()
	now, err := store.WaitingNow(t.Context())
	if err != nil || len(now.Rooms) != 1 {
		t.Fatalf("rooms = %+v, %v", now.Rooms, err)
	}
	return now.Rooms[0], now.At
}

func TestWaitingRoom_set(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx, staff := t.Context(), inventory.Staff("mira")
	change := func(c inventory.WaitingRoomChange) (inventory.WaitingRoom, error) {
		c.Venue, c.Kind = "harbour", inventory.ClaimPool
		if c.Name == "" {
			c.Name = "main"
		}
		return s.Store.SetWaitingRoom(ctx, c, staff)
	}
	rate, open := 20.0, true
	if _, err := change(inventory.WaitingRoomChange{Rate: &rate, Version: 1}); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("a version of no room = %v", err)
	}
	if _, err := change(inventory.WaitingRoomChange{Name: "attic"}); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("a pool that does not exist = %v", err)
	}
	if _, err := s.Store.SetWaitingRoom(ctx, inventory.WaitingRoomChange{Venue: "harbour", Name: "main", Kind: inventory.ClaimSeats}, staff); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("an event that does not exist = %v", err)
	}
	tooMany := 1e9
	for _, wrong := range []float64{-1, 0.001, tooMany} {
		if _, err := change(inventory.WaitingRoomChange{Rate: &wrong}); len(inventory.FieldErrors(err)) != 1 {
			t.Errorf("rate %v = %v", wrong, err)
		}
	}
	r, err := change(inventory.WaitingRoomChange{Rate: &rate})
	if err != nil || r.Rate != 20 || r.MaxActive != inventory.DefaultMaxActive || r.PassLife != inventory.DefaultPassLife || r.Open || r.Version != 2 {
		t.Fatalf("room = %+v, %v", r, err)
	}
	if r, err = change(inventory.WaitingRoomChange{Open: &open, Version: 2, Reason: "on-sale"}); err != nil || !r.Open || r.Version != 3 {
		t.Errorf("opened = %+v, %v", r, err)
	}
	if again, err := change(inventory.WaitingRoomChange{Open: &open, Version: 3}); err != nil || again != r {
		t.Errorf("saved without changes = %+v, %v", again, err)
	}
	var stale *inventory.StaleError
	if _, err := change(inventory.WaitingRoomChange{Rate: &tooMany, Open: &open, Version: 2}); len(inventory.FieldErrors(err)) != 1 {
		t.Errorf("invalid and stale = %v", err)
	}
	if _, err := change(inventory.WaitingRoomChange{Open: &open, Version: 2}); !errors.As(err, &stale) || stale.Current != 3 || stale.By != "staff:mira" {
		t.Errorf("stale = %v", err)
	}
	if all, err := s.Store.WaitingRooms(ctx); err != nil || len(all) != 1 || all[0] != r {
		t.Errorf("rooms = %+v, %v", all, err)
	}
	audit, err := s.Store.Audit(ctx, inventory.AuditFilter{Subject: "waiting room of pool harbour/main"})
	if err != nil || len(audit) != 3 || audit[0].Reason != "on-sale" {
		t.Errorf("audit = %+v, %v", audit, err)
	}
}

// Two daemons draw numbers for many buyers and move the line at once: each
// number is given once, without gaps, and together they are no faster than one.
func TestWaitingRoom_twoDaemons(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	r := openRoom(t, s, 100, 30, time.Minute)
	opened := s.Now(t)
	daemons := []*pgstore.Store{s.DB.Store(t, 4), s.DB.Store(t, 4)}
	const buyers = 300
	var mu sync.Mutex
	seen := map[int64]bool{}
	var wg sync.WaitGroup
	for i := range buyers {
		wg.Go(func() {
			n, err := daemons[i%2].NextNumber(t.Context(), r.ID)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || seen[n] || n < 1 || n > buyers {
				t.Errorf("number %d, %v", n, err)
			}
			seen[n] = true
		})
	}
	for _, d := range daemons {
		wg.Go(func() {
			for range 40 {
				now, err := d.WaitingNow(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				line, most := now.Rooms[0].Line, now.At.Sub(opened).Seconds()*100+100
				if line.Active(now.At) > 30 || float64(line.Admitted) > most {
					t.Errorf("%d are in and %d let in, at most 30 and %v", line.Active(now.At), line.Admitted, most)
				}
			}
		})
	}
	wg.Wait()
	room, at := look(t, daemons[0])
	for room.Line.Admitted < 30 && at.Sub(opened) < 10*time.Second { // each look takes a round trip
		room, at = look(t, daemons[0])
	}
	if room.Line.Given != buyers || room.Line.Admitted != 30 {
		t.Errorf("%d numbers were given and %d let in, want all and 30", room.Line.Given, room.Line.Admitted)
	}
}

// Two daemons that decide on the same reading: one moves the line, the other
// does not move it again, nor back.
func TestWaitingRoom_movedOnce(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	r := openRoom(t, s, 10, 10_000, time.Hour)
	for range 100 {
		if _, err := s.Store.NextNumber(t.Context(), r.ID); err != nil {
			t.Fatal(err)
		}
	}
	began := s.Now(t)
	at := began
	stored := func() (n int64) {
		t.Helper()
		if err := s.DB.Pool.QueryRow(t.Context(), `SELECT admitted FROM waiting_line`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	var before int64
	var seen [2]int64
	err := pgtest.Again(func() error { // on a busy machine a daemon may wait too long for the lock
		at, before = at.Add(time.Second), stored()
		lock, err := s.DB.Pool.Begin(t.Context())
		if err != nil {
			return err
		}
		defer func() { _ = lock.Rollback(context.WithoutCancel(t.Context())) }()
		if _, err := lock.Exec(t.Context(), `SELECT FROM waiting_line FOR UPDATE`); err != nil {
			return err
		}
		var errs [2]error
		var wg sync.WaitGroup
		for i := range seen {
			wg.Go(func() {
				var now inventory.WaitingNow
				if now, errs[i] = s.Store.At(at.Add(time.Duration(i+1) * 400 * time.Millisecond)).WaitingNow(t.Context()); errs[i] == nil {
					seen[i] = now.Rooms[0].Line.Admitted
				}
			})
		}
		for waiting := 0; waiting < 2 && s.Now(t).Sub(began) < 10*time.Second; { // both have read, and wait to write
			err := s.DB.Pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
			if err != nil {
				return err
			}
		}
		err = lock.Commit(t.Context())
		wg.Wait()
		return errors.Join(err, errs[0], errs[1])
	})
	if err != nil {
		t.Fatal(err)
	}
	after := stored()
	if after != max(seen[0], seen[1]) || after == before || seen[0]+seen[1]-before != after {
		t.Errorf("from %d on the daemons let in up to %v, stored is %d: want what one of them did", before, seen, after)
	}
}

// A pass has one hold at a time, whoever else tries; a refused request gives it
// back, a hold that is over does, and an answer once given is given again.
func TestPass_oneHoldAtATime(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.HoldTTL(time.Hour))
	ctx := t.Context()
	use := func(key string) inventory.PassUse { return inventory.PassUse{Room: 7, Number: 1, Key: key} }
	claim := func(store *pgstore.Store, key string, wantClaimed bool, want error) {
		t.Helper()
		claimed, err := store.ClaimPass(ctx, use(key))
		if claimed != wantClaimed || !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("claim by %s = %v, %v; want %v, %v", key, claimed, err, wantClaimed, want)
		}
	}
	r := s.Request("u-1", 1)
	claim(s.Store, r.IdempotencyKey, true, nil)
	claim(s.Store, r.IdempotencyKey, false, inventory.ErrInProgress)
	claim(s.Store, "other", false, inventory.ErrHoldExists)
	if err := s.Store.ReturnPass(ctx, use("other")); err != nil {
		t.Fatal(err)
	}
	claim(s.Store, "other", false, inventory.ErrHoldExists) // only who has it gives it back
	if err := s.Store.ReturnPass(ctx, use(r.IdempotencyKey)); err != nil {
		t.Fatal(err)
	}
	claim(s.Store, "other", true, nil)
	if err := s.Store.ReturnPass(ctx, use("other")); err != nil {
		t.Fatal(err)
	}
	claim(s.Store, r.IdempotencyKey, true, nil)
	b, _, err := s.Store.PlaceHold(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	claim(s.Store, r.IdempotencyKey, false, nil) // asked again for the answer
	claim(s.Store, "other", false, inventory.ErrHoldExists)
	claim(s.After(t, time.Minute), "other", false, inventory.ErrHoldExists)
	if has, err := s.Store.HasAnswer(ctx, 0, r.IdempotencyKey); err != nil || !has {
		t.Errorf("has an answer = %v, %v", has, err)
	}
	if has, err := s.Store.HasAnswer(ctx, 1, r.IdempotencyKey); err != nil || has {
		t.Errorf("another client has its answer = %v, %v", has, err)
	}
	if _, err := s.Store.ReleaseHold(ctx, b.ID, 0, inventory.Staff("test"), ""); err != nil {
		t.Fatal(err)
	}
	claim(s.Store, "other", true, nil)
	// A request that left no trace has the pass as long as it may be under way.
	claim(s.After(t, 14*time.Second), "third", false, inventory.ErrHoldExists)
	claim(s.After(t, 16*time.Second), "third", true, nil)
}

// Many try one pass at once: one gets it.
func TestPass_race(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	won := race(t, 20, func(int) error {
		_, err := s.Store.ClaimPass(t.Context(), inventory.PassUse{Room: 7, Number: 1, Key: uuid.NewString()})
		return err
	}, inventory.ErrHoldExists, inventory.ErrInProgress)
	if won != 1 {
		t.Errorf("%d requests have the pass", won)
	}
}

// Placed holds make room for the next, counted once however often it is told.
func TestPass_placedMakesRoom(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	r := openRoom(t, s, 1000, 3, time.Minute)
	for range 10 {
		if _, err := s.Store.NextNumber(ctx, r.ID); err != nil {
			t.Fatal(err)
		}
	}
	at := s.Now(t)
	after := func(d time.Duration) inventory.WaitingRoomNow {
		t.Helper()
		room, _ := look(t, s.Store.At(at.Add(d)))
		return room
	}
	if room := after(time.Second); room.Line.Admitted != 3 {
		t.Fatalf("%d are let in, want 3", room.Line.Admitted)
	}
	uses := []inventory.PassUse{{Room: r.ID, Number: 2, Key: "a"}, {Room: r.ID, Number: 2, Key: "a"}, {Room: r.ID, Number: 3, Key: "b"}}
	for range 2 {
		if err := s.Store.NotePlaced(ctx, uses); err != nil {
			t.Fatal(err)
		}
	}
	if room := after(2 * time.Second); room.Line.Admitted != 5 || room.Line.Active(at.Add(2*time.Second)) != 3 {
		t.Errorf("after two holds %d are let in", room.Line.Admitted)
	}
	// All passes end: their steps and what was used of them are forgotten.
	if room := after(4 * time.Minute); room.Line.Admitted != 8 || len(room.Line.Steps) != 1 {
		t.Errorf("later %d are let in, %d steps", room.Line.Admitted, len(room.Line.Steps))
	}
	if n := countRows(t, s, "waiting_pass"); n != 0 {
		t.Errorf("%d passes are kept", n)
	}
	if n := countRows(t, s, "waiting_step"); n != 1 {
		t.Errorf("%d steps are kept", n)
	}
}

// A room that was closed for a moment goes on; one that was closed for long
// begins anew, and nobody queues behind people who left.
func TestWaitingRoom_opensAgain(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	r := openRoom(t, s, 1, 3, time.Minute)
	for range 10 {
		if _, err := s.Store.NextNumber(ctx, r.ID); err != nil {
			t.Fatal(err)
		}
	}
	at := s.Now(t)
	turn := func(after time.Duration, open bool) inventory.WaitingRoom {
		t.Helper()
		r, err := s.Store.At(at.Add(after)).SetWaitingRoom(ctx, inventory.WaitingRoomChange{
			Venue: "harbour", Name: "main", Kind: inventory.ClaimPool, Open: &open,
		}, inventory.Staff("test"))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	turn(time.Second, false)
	if now, err := s.Store.WaitingNow(ctx); err != nil || len(now.Rooms) != 0 {
		t.Errorf("closed: %+v, %v", now.Rooms, err)
	}
	if r := turn(31*time.Second, true); r.Waiting != 10 {
		t.Errorf("opened soon: %d wait, want 10", r.Waiting)
	}
	if room, _ := look(t, s.Store.At(at.Add(31*time.Second+500*time.Millisecond))); room.Line.Admitted != 0 {
		t.Errorf("%d were let in for time that the room was closed", room.Line.Admitted)
	}
	turn(time.Minute, false)
	if r := turn(3*time.Minute, true); r.Waiting != 0 || r.Active != 0 {
		t.Errorf("opened later: %+v", r)
	}
	if n, err := s.Store.NextNumber(ctx, r.ID); err != nil || n != 11 {
		t.Errorf("the next number is %d, %v", n, err)
	}
	if room, at := look(t, s.Store); room.Line.BeginsAfter != 10 || !room.Line.Place(10, at).IsOver() || room.Line.Place(11, at).IsOver() {
		t.Errorf("the new line = %+v, want one that begins after 10", room.Line)
	}
}

func TestWaitingKey_rotates(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	openRoom(t, s, 1, 1, time.Minute)
	keys := func() []inventory.WaitingKey {
		now, err := s.Store.WaitingNow(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return now.Keys
	}
	first := keys()
	if len(first) != 1 || len(first[0].Secret) != 32 {
		t.Fatalf("keys = %v", first)
	}
	for want := uint16(2); want <= 4; want++ {
		key, err := s.Store.RotateWaitingKey(t.Context(), inventory.Staff("test"))
		if err != nil || key.ID != want {
			t.Fatalf("key %d, %v", key.ID, err)
		}
	}
	if now := keys(); len(now) != 3 || now[0].ID != 4 || now[2].ID != 2 || string(now[0].Secret) == string(now[1].Secret) {
		t.Errorf("keys = %v", now)
	}
}

// Numbers are drawn for all who wait at once, and a caller who leaves does not
// take the others along.
func TestNextNumber_leaves(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	r := openRoom(t, s, 1, 1, time.Minute)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Store.NextNumber(gone, r.ID); err != nil && !errors.Is(err, inventory.ErrBusy) {
		t.Errorf("a caller who left: %v", err)
	}
	if n, err := s.Store.NextNumber(t.Context(), r.ID); err != nil || n < 1 || n > 2 {
		t.Errorf("the next number is %d, %v", n, err)
	}
	if _, err := s.Store.NextNumber(t.Context(), r.ID+1); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("a room that does not exist: %v", err)
	}
}
