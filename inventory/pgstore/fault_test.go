package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/migrations/pgtest"
)

// commitCutter is a proxy before PostgreSQL that, when armed, drops the
// connection at the moment the answer to a COMMIT passes: the transaction is
// done and nobody hears of it.
type commitCutter struct {
	armed atomic.Int32
	cuts  atomic.Int32
}

// How the end of a transaction looks on its way back: the tag of COMMIT, or the
// answer of a batch of holds, which is a transaction of its own.
var commitAnswer, batchAnswer = []byte("C\x00\x00\x00\x0bCOMMIT\x00"), []byte("PLACED")

// open starts the proxy and returns a store behind it.
func (p *commitCutter) open(t *testing.T, db *pgtest.Database) *pgstore.Store {
	t.Helper()
	config, err := pgx.ParseConfig(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	t.Cleanup(func() { _ = listener.Close(); wg.Wait() })
	wg.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", filepath.Join(config.Host, ".s.PGSQL."+strconv.Itoa(int(config.Port))))
			if err != nil {
				t.Error(err)
				_ = client.Close()
				return
			}
			wg.Go(func() { _, _ = io.Copy(server, client); _ = server.Close() })
			wg.Go(func() { p.answers(client, server) })
		}
	})
	host, port, _ := net.SplitHostPort(listener.Addr().String())
	dsn := fmt.Sprintf("host=%s port=%s user=%s password=%s dbname=%s sslmode=disable", host, port, config.User, config.Password, config.Database)
	pool, err := pgstore.Connect(t.Context(), dsn, pgstore.PoolConfig{MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pgstore.New(pool, slog.New(slog.DiscardHandler))
}

func (p *commitCutter) answers(client, server net.Conn) {
	defer client.Close()
	defer server.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := server.Read(buffer)
		if err != nil {
			return
		}
		ends := bytes.Contains(buffer[:n], commitAnswer) || bytes.Contains(buffer[:n], batchAnswer)
		if ends && p.armed.Add(-1) >= 0 {
			p.cuts.Add(1)
			return
		}
		if _, err := client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// Fault F7: the answer to COMMIT is lost. Unknown is resolved by the key on a
// new connection, and never repeated blindly.
func TestPlaceHold_F7_lostAnswerToCommit(t *testing.T) {
	t.Parallel()
	t.Run("keyTellsThatItIsDone", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		var proxy commitCutter
		store := proxy.open(t, s.DB)
		proxy.armed.Store(1)
		r := s.Request("u-1", 2)
		b, _, err := store.PlaceHold(t.Context(), r)
		if err != nil || proxy.cuts.Load() != 1 {
			t.Fatalf("PlaceHold = %v with %d answers cut; want the hold that is there", err, proxy.cuts.Load())
		}
		again, replayed, err := store.PlaceHold(t.Context(), r)
		if err != nil || !replayed || again.ID != b.ID || s.Taken(t) != 2 {
			t.Errorf("again: %v, replayed %v, same %v, taken %d", err, replayed, again.ID == b.ID, s.Taken(t))
		}
	})
	t.Run("withoutKeyItStaysUnknown", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		var proxy commitCutter
		store := proxy.open(t, s.DB)
		proxy.armed.Store(1)
		r := s.Request("u-1", 2)
		r.IdempotencyKey = ""
		if _, _, err := store.PlaceHold(t.Context(), r); !errors.Is(err, inventory.ErrUnknownOutcome) {
			t.Errorf("PlaceHold = %v, want ErrUnknownOutcome", err)
		}
		if s.Taken(t) != 2 {
			t.Errorf("taken = %d", s.Taken(t))
		}
	})
	t.Run("reviveStaysUnknownAndIsThere", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		z, _ := lateZombie(t, s, "u-1", 1)
		var proxy commitCutter
		store := proxy.open(t, s.DB)
		proxy.armed.Store(1)
		if _, err := store.ReviveZombie(t.Context(), z.Payment.ID, 0, mira, "phoned"); !errors.Is(err, inventory.ErrUnknownOutcome) {
			t.Errorf("ReviveZombie = %v, want ErrUnknownOutcome", err)
		}
		if got := s.State(t, z.Booking.ID); got != inventory.StateConfirmed {
			t.Errorf("booking is %s", got)
		}
	})
}

// Case B44: with every connection taken and every row locked, each call
// answers in time and says why, and the store works again afterwards.
func TestStore_B44_exhaustedPoolAnswersInTime(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	small := s.DB.Store(t, 4)
	tx, err := s.DB.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE pool_day IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	race(t, 100, func(i int) error {
		began := time.Now()
		_, _, err := small.PlaceHold(t.Context(), s.Request(fmt.Sprintf("u-%d", i), 1))
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("the answer took %s", took)
		}
		if err == nil {
			t.Error("a hold was placed on a locked table")
		}
		return err
	}, inventory.ErrBusy)
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := small.PlaceHold(t.Context(), s.Request("u-after", 1)); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// Fault F3: the server ends our sessions; the pool finds its way back.
func TestStore_F3_terminatedSessionsAreReplaced(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	store := s.DB.Store(t, 3)
	for i := range 5 {
		if _, err := s.DB.Pool.Exec(t.Context(), `
			SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			 WHERE application_name = 'test' AND datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
			t.Fatal(err)
		}
		var err error
		for range 10 { // a session that is found dead is an answer of its own; the next is new
			if _, _, err = store.PlaceHold(t.Context(), s.Request(fmt.Sprintf("u-%d", i), 1)); err == nil {
				break
			}
			if !errors.Is(err, inventory.ErrUnavailable) && !errors.Is(err, inventory.ErrBusy) {
				t.Fatalf("PlaceHold = %v, want ErrUnavailable while sessions die", err)
			}
		}
		if err != nil {
			t.Errorf("round %d: still %v", i, err)
		}
	}
}

// A caller who hangs up does not turn done into unknown: the commit does not
// run on the caller's context, and the connection survives the rollback.
func TestStore_hangUpCostsNoConnection(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(1000, 0), pgtest.PerBuyer(0))
	store := s.DB.Store(t, 2)
	for i := range 60 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*100*time.Microsecond)
		_, _, err := store.PlaceHold(ctx, s.Request("u-1", 1))
		cancel()
		if errors.Is(err, inventory.ErrUnknownOutcome) {
			t.Errorf("after %d00 µs: %v", i, err)
		}
	}
	if _, _, err := store.PlaceHold(t.Context(), s.Request("u-1", 1)); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// Fault F21: a migration holds a lock; a hold answers busy and does not hang.
func TestStore_sqlstateBecomesAnOutcome(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		sql  string
		want error
	}{
		{"55P03lockNotAvailable", `DO $$ BEGIN RAISE lock_not_available; END $$`, inventory.ErrBusy},
		{"57014statementTimeout", `SELECT pg_sleep(1)`, inventory.ErrBusy},
		{"40P01deadlockThreeTimes", `DO $$ BEGIN RAISE deadlock_detected; END $$`, inventory.ErrBusy},
		{"53100diskFull", `DO $$ BEGIN RAISE disk_full; END $$`, inventory.ErrUnavailable},
		{"53300tooManyConnections", `DO $$ BEGIN RAISE too_many_connections; END $$`, inventory.ErrUnavailable},
		{"57P01adminShutdown", `DO $$ BEGIN RAISE admin_shutdown; END $$`, inventory.ErrUnavailable},
		{"25006readOnly", `DO $$ BEGIN RAISE read_only_sql_transaction; END $$`, inventory.ErrUnavailable},
		{"23514isABug", `DO $$ BEGIN RAISE check_violation; END $$`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := pgtest.OpenShop(t)
			// The statement fails inside the store, through a trigger.
			_, err := s.DB.Pool.Exec(t.Context(), `
				CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN EXECUTE `+quoted(tt.sql)+`; RETURN NULL; END $f$;
				CREATE TRIGGER fail AFTER INSERT ON booking FOR EACH STATEMENT EXECUTE FUNCTION fail()`)
			if err != nil {
				t.Fatal(err)
			}
			ctx := t.Context()
			if tt.name == "57014statementTimeout" {
				if _, err := s.DB.Pool.Exec(ctx, `CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN PERFORM pg_sleep(10); RETURN NULL; END $f$`); err != nil {
					t.Fatal(err)
				}
			}
			_, _, err = s.Store.PlaceHold(ctx, s.Request("u-1", 1))
			if tt.want == nil {
				if inventory.Code(err) != "INTERNAL" {
					t.Errorf("PlaceHold = %v (%s), want an internal error", err, inventory.Code(err))
				}
			} else if !errors.Is(err, tt.want) {
				t.Errorf("PlaceHold = %v, want %v", err, tt.want)
			}
			assertNoTrace(t, s, "u-1")
		})
	}
}

func quoted(sql string) string { return "$q$" + sql + "$q$" }
