package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/migrations/pgtest"
)

// letInTwice opens a room whose numbers 1 to 3 and 4 to 6 are two steps; it
// returns the room and an instant at which both are good.
func letInTwice(t *testing.T, s pgtest.Shop) (inventory.WaitingRoom, time.Time) {
	t.Helper()
	r := openRoom(t, s, 100, 100, time.Minute)
	at := s.Now(t)
	for step := range 2 {
		for range 3 {
			if _, err := s.Store.NextNumber(t.Context(), r.ID); err != nil {
				t.Fatal(err)
			}
		}
		at = at.Add(5 * time.Second) // more than a 64th of a pass's life
		if room, _ := look(t, s.Store.At(at)); len(room.Line.Steps) != step+1 {
			t.Fatalf("steps = %+v", room.Line.Steps)
		}
	}
	return r, at
}

// locking runs do while a transaction of its own has what sql locks, until do
// has called unlock, and returns do's error.
func locking(t *testing.T, s pgtest.Shop, sql string, do func(unlock func() error) error) error {
	t.Helper()
	tx, err := s.DB.Pool.Begin(t.Context())
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := tx.Exec(t.Context(), sql); err != nil {
		return err
	}
	return do(func() error { return tx.Commit(t.Context()) })
}

// untilWaits returns when a session waits for a lock.
func untilWaits(t *testing.T, s pgtest.Shop) error {
	t.Helper()
	for began := s.Now(t); s.Now(t).Sub(began) < 10*time.Second; {
		var n int
		err := s.DB.Pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n)
		if err != nil || n > 0 {
			return err
		}
	}
	return errors.New("nobody waits")
}

// Two daemons count passes of the same two steps. The one that waits for the
// first step has nothing of the second in hand: the other gets by.
func TestNotePlaced_inOneOrder(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	r, _ := letInTwice(t, s)
	daemons := []*pgstore.Store{s.DB.Store(t, 2), s.DB.Store(t, 2)}
	use := func(number int64) inventory.PassUse {
		return inventory.PassUse{Room: r.ID, Number: number, Key: fmt.Sprint(number)}
	}
	err := pgtest.Again(func() error {
		return locking(t, s, `SELECT FROM waiting_step WHERE first_number = 1 FOR UPDATE`, func(unlock func() error) error {
			crossing := make(chan error, 1)
			go func() { crossing <- daemons[0].NotePlaced(t.Context(), []inventory.PassUse{use(5), use(2)}) }()
			if err := untilWaits(t, s); err != nil {
				return err
			}
			err := daemons[1].NotePlaced(t.Context(), []inventory.PassUse{use(5), use(6)})
			select {
			case early := <-crossing: // on a busy machine its patience is over
				return errors.Join(err, early)
			default:
			}
			return errors.Join(err, unlock(), <-crossing)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if room, _ := look(t, s.Store); room.Line.Steps[0].Used != 1 || room.Line.Steps[1].Used != 2 {
		t.Errorf("steps = %+v, want 1 and 2 used", room.Line.Steps)
	}
}

// Many daemons count crossing steps while the line moves on, forgets, and the room
// is edited: nobody is ended as a deadlock.
func TestWaitingRoom_locksInOneOrder(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	r, at := letInTwice(t, s)
	later := at.Add(3 * time.Minute) // both steps are to be forgotten
	for range 50 {
		if _, err := s.Store.NextNumber(t.Context(), r.ID); err != nil {
			t.Fatal(err)
		}
	}
	daemons := []*pgstore.Store{s.DB.Store(t, 3), s.DB.Store(t, 3)}
	race(t, 24, func(i int) error {
		store := daemons[i%2]
		switch i % 6 {
		case 0:
			rate := float64(50 + i)
			_, err := store.SetWaitingRoom(t.Context(), inventory.WaitingRoomChange{Venue: "harbour", Name: "main", Kind: inventory.ClaimPool, Rate: &rate}, inventory.Staff("test"))
			return err
		case 1:
			_, err := store.At(later.Add(time.Duration(i) * time.Second)).WaitingNow(t.Context())
			return err
		case 2:
			_, err := store.At(later).ForgetPasses(t.Context(), 2)
			return err
		}
		a, b := int64(i%3+1), int64(6-i%3)
		return store.NotePlaced(t.Context(), []inventory.PassUse{{Room: r.ID, Number: b, Key: "b"}, {Room: r.ID, Number: a, Key: "a"}})
	})
	s.DB.AssertNoDeadlocks(t)
}

// Whoever moves a line has it, and asks for the room, as a new step refers to it;
// an edit has the room and asks for the line. Neither may wait for the other for ever.
func TestSetWaitingRoom_letsALineMove(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	_, _ = letInTwice(t, s)
	closed := false
	err := pgtest.Again(func() error {
		return locking(t, s, `SELECT FROM waiting_line FOR UPDATE`, func(unlock func() error) error {
			edited := make(chan error, 1)
			go func() { // has the room, and waits for the line
				_, err := s.Store.SetWaitingRoom(t.Context(), inventory.WaitingRoomChange{Venue: "harbour", Name: "main", Kind: inventory.ClaimPool, Open: &closed}, inventory.Staff("test"))
				edited <- err
			}()
			if err := untilWaits(t, s); err != nil {
				return err
			}
			_, err := s.DB.Pool.Exec(t.Context(), `SELECT FROM waiting_room FOR KEY SHARE NOWAIT`) // what a new step asks for
			return errors.Join(err, unlock(), <-edited)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever a sale leaves is forgotten, closed or not, in batches, and nothing that
// is still good.
func TestForgetPasses(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	r, at := letInTwice(t, s) // two steps, good until 66 s or 61 s after
	for n := range int64(6) {
		use := inventory.PassUse{Room: r.ID, Number: n + 1, Key: fmt.Sprint(n)}
		if claimed, err := s.Store.ClaimPass(ctx, use); err != nil || !claimed {
			t.Fatalf("claimed = %v, %v", claimed, err)
		}
		if err := s.Store.NotePlaced(ctx, []inventory.PassUse{use}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Store.ReturnPass(ctx, inventory.PassUse{Room: r.ID, Number: 6, Key: "5"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after               time.Duration
		limit, want         int
		wantSteps, wantLeft int
	}{
		{0, 10, 0, 2, 6},
		{time.Minute, 10, 0, 2, 6},                 // over for less than a minute
		{118 * time.Second, 10, 4, 1, 3},           // the first step and its passes
		{3 * time.Minute, 2, 2, 0, 2},              // the second and a pass
		{3 * time.Minute, 2, 2, 0, 0},              // and the others
		{3 * time.Minute, 2, 0, 0, 0},              // nothing is left
		{3*time.Minute + time.Second, 10, 0, 0, 0}, // nor comes again
	} {
		n, err := s.Store.At(at.Add(c.after)).ForgetPasses(ctx, c.limit)
		steps, left := countRows(t, s, "waiting_step"), countRows(t, s, "waiting_pass")
		if err != nil || n != c.want || steps != c.wantSteps || left != c.wantLeft {
			t.Errorf("%s after: %d forgotten, %v; %d steps and %d passes are left, want %+v", c.after, n, err, steps, left, c)
		}
	}
}

// Passes that live shorter since an edit end before older ones: only they are
// forgotten.
func TestWaitingRoom_forgetsWhatIsOver(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	r, at := letInTwice(t, s)
	if err := s.Store.NotePlaced(ctx, []inventory.PassUse{{Room: r.ID, Number: 1, Key: "a"}, {Room: r.ID, Number: 4, Key: "b"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DB.Pool.Exec(ctx, `UPDATE waiting_step SET expires_at = $1 WHERE first_number = 1`, at.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.NextNumber(ctx, r.ID); err != nil {
		t.Fatal(err)
	}
	if room, _ := look(t, s.Store.At(at.Add(3*time.Minute))); room.Line.Admitted != 7 {
		t.Fatalf("line = %+v", room.Line)
	}
	var kept []int64
	if err := s.DB.Pool.QueryRow(ctx, `SELECT array_agg(number) FROM waiting_pass`).Scan(&kept); err != nil || fmt.Sprint(kept) != "[1]" {
		t.Errorf("passes of %v are kept, %v; want that of 1", kept, err)
	}
	if n := countRows(t, s, "waiting_step"); n != 2 {
		t.Errorf("%d steps are kept, want the old one that is good, and the new one", n)
	}
}

// The audit sees all that happens to a key, and never its secret.
func TestWaitingKey_audit(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	if _, err := s.Store.RotateWaitingKey(ctx, inventory.Staff("test")); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{`UPDATE waiting_key SET secret = decode(repeat('ab', 32), 'hex')`, `DELETE FROM waiting_key`} {
		if _, err := s.DB.Pool.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	var actions []string
	var told int
	err := s.DB.Pool.QueryRow(ctx, `SELECT array_agg(action ORDER BY id), count(*) FILTER (WHERE audit::text ILIKE '%abababab%') FROM audit WHERE subject LIKE 'waiting room key%'`).Scan(&actions, &told)
	if err != nil || strings.Join(actions, " ") != "waiting_key.insert waiting_key.update waiting_key.delete" || told != 0 {
		t.Errorf("actions %v, %v; %d of them show a secret", actions, err, told)
	}
	var public bool
	err = s.DB.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_class, aclexplode(coalesce(relacl, acldefault('r', relowner))) WHERE relname = 'waiting_key' AND grantee = 0)`).Scan(&public)
	if err != nil || public {
		t.Errorf("everybody may do something with the keys: %v, %v", public, err)
	}
}
