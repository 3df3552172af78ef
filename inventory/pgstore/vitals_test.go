package pgstore_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/migrations/pgtest"
)

func TestVitals_nothingHappened(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	v, err := s.Store.Vitals(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v.At.IsZero() || v.Overdue != 0 || !v.OverdueSince.IsZero() || v.OutboxOpen != 0 || !v.OutboxSince.IsZero() ||
		len(v.Zombies) != 0 || !v.ZombieDeadline.IsZero() || len(v.Refunds) != 0 || v.RoomsOpen != 0 || !v.ViolationsAsked.IsZero() {
		t.Errorf("vitals of an empty installation: %+v", v)
	}
	if len(v.Jobs) < 6 || v.Jobs[0].Ran || v.Jobs[0].Paused {
		t.Errorf("jobs: %+v", v.Jobs)
	}
}

func TestVitals_countWhatWaits(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	z, later := lateZombie(t, s, "u-late", 2)
	s.Hold(t, "u-in-time", 1)
	overdue := s.Hold(t, "u-overdue", 3)
	room := openRoom(t, s, 1, 10, time.Minute)
	if _, err := s.Store.NextNumber(t.Context(), room.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.Store.PauseJob(t.Context(), inventory.Staff("test"), inventory.JobRelay, "the receiver moves"); err != nil {
		t.Fatal(err)
	}
	run(t, s.Store, inventory.JobSweep, 0, nil)
	run(t, s.Store, inventory.JobCheck, 3, errors.New("3 violations"))
	run(t, s.Store, inventory.JobCheck, 0, errors.New("the database was away"))

	v, err := later.At(s.Now(t).Add(11 * time.Minute)).Vitals(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v.Overdue != 2 || v.OverdueSince.After(overdue.ExpiresAt) {
		t.Errorf("%d overdue since %v, want 2 since %v at the latest", v.Overdue, v.OverdueSince, overdue.ExpiresAt)
	}
	if v.OutboxOpen != 2 || v.OutboxSince.IsZero() || v.OutboxParked != 0 { // expired, late money
		t.Errorf("outbox: %d since %v, %d parked", v.OutboxOpen, v.OutboxSince, v.OutboxParked)
	}
	if v.InboxStored != 0 || v.InboxUnmatched != 0 {
		t.Errorf("inbox: %d stored, %d unmatched", v.InboxStored, v.InboxUnmatched)
	}
	if want := (pgstore.ZombieVitals{Kind: inventory.ZombieLate, Currency: "EUR", Count: 1, Minor: 5000}); len(v.Zombies) != 1 || v.Zombies[0] != want {
		t.Errorf("zombies = %+v, want %+v", v.Zombies, want)
	}
	if !v.ZombieDeadline.Equal(z.Payment.DecideBy) {
		t.Errorf("deadline %v, want %v", v.ZombieDeadline, z.Payment.DecideBy)
	}
	if v.RoomsOpen != 1 || v.RoomWaiting != 1 || v.RoomAdmitted != 0 {
		t.Errorf("rooms: %d open, %d waiting, %d admitted", v.RoomsOpen, v.RoomWaiting, v.RoomAdmitted)
	}
	if v.Violations != 3 || v.ViolationsAsked.IsZero() {
		t.Errorf("%d violations at %v, want the 3 that the last look found", v.Violations, v.ViolationsAsked)
	}
	for _, j := range v.Jobs {
		if j.Paused != (j.Name == inventory.JobRelay) || j.LastSuccess.IsZero() == (j.Name == inventory.JobSweep) {
			t.Errorf("job %+v", j)
		}
	}
}

// A failed refund counts until somebody tries it again; then the new one does.
func TestVitals_refundsByState(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	z, later := lateZombie(t, s, "u-1", 2)
	if _, err := later.RefundZombie(t.Context(), z.Payment.ID, z.Payment.Version, inventory.Staff("test"), "late"); err != nil {
		t.Fatal(err)
	}
	want := func(what string, want map[inventory.RefundState]int) {
		t.Helper()
		v, err := later.Vitals(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(v.Refunds) != len(want) {
			t.Errorf("%s: %v, want %v", what, v.Refunds, want)
		}
		for state, n := range want {
			if v.Refunds[state] != n {
				t.Errorf("%s: %v, want %v", what, v.Refunds, want)
			}
		}
	}
	want("asked for", map[inventory.RefundState]int{inventory.RefundRequested: 1})
	tasks, err := later.ClaimRefunds(t.Context(), []string{"simulated"}, 10)
	if err != nil || len(tasks) != 1 {
		t.Fatalf("ClaimRefunds = %v, %v", tasks, err)
	}
	failed, err := later.RefundAnswered(t.Context(), tasks[0].Refund.ID, inventory.ProviderRefund{
		ID: "re_1", Payment: tasks[0].ProviderPayment, Reference: tasks[0].Refund.ID.String(), Amount: tasks[0].Refund.Amount,
		State: inventory.RefundFailed, Reason: "the card is gone",
	})
	if err != nil {
		t.Fatal(err)
	}
	want("failed", map[inventory.RefundState]int{inventory.RefundFailed: 1})
	if _, err := later.RetryRefund(t.Context(), failed.ID, inventory.Staff("test")); err != nil {
		t.Fatal(err)
	}
	want("tried again", map[inventory.RefundState]int{inventory.RefundRequested: 1})
}

// However long the history is, no table that grows with it is read as a whole:
// with sequential scans put off, the planner falls back on one only where no
// index fits.
func TestVitals_readByIndexAlone(t *testing.T) {
	t.Parallel()
	db := pgtest.DB(t)
	tx, err := db.Pool.BeginTx(t.Context(), pgx.TxOptions{BeginQuery: "begin read only; set local enable_seqscan = off; set local enable_bitmapscan = off"})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	rows, _ := tx.Query(t.Context(), "EXPLAIN "+sqlConstants(t)["sqlVitalsRead"], pgx.StrictNamedArgs{"now": nil, "most": 10_000})
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	byIndex := 0
	for _, line := range plan {
		if strings.Contains(line, "Seq Scan") || strings.Contains(line, "Bitmap") || strings.Contains(line, "hashed") || strings.Contains(line, "Sort") && strings.Contains(line, "booking") {
			t.Errorf("not by an index alone: %s", line)
		}
		if strings.Contains(line, "Index") && strings.Contains(line, "Scan using") {
			byIndex++
		}
	}
	if byIndex < 10 {
		t.Errorf("%d index scans in the plan: the test looks at the wrong thing\n%s", byIndex, strings.Join(plan, "\n"))
	}
}

func TestVitals_databaseAway(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if v, err := s.Store.Vitals(ctx); err == nil || !v.At.IsZero() {
		t.Errorf("Vitals = %+v, %v, want an error", v, err)
	}
}

// run records a run of a job that is over.
func run(t *testing.T, store *pgstore.Store, job inventory.JobName, done int, failure error) {
	t.Helper()
	id, err := store.StartJobRun(t.Context(), job, "test")
	if err == nil {
		err = store.FinishJobRun(t.Context(), id, done, "", failure)
	}
	if err != nil {
		t.Fatal(err)
	}
}
