package pgstore_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

const week = 168 * time.Hour

func TestPurgeKeys(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(10, 0))
	ctx := t.Context()
	r := s.Request("u-over", 1)
	over, _, err := s.Store.PlaceHold(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	held := s.Request("u-held", 1)
	if _, _, err := s.Store.PlaceHold(ctx, held); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.ReleaseHold(ctx, over.ID, 0, mira, ""); err != nil {
		t.Fatal(err)
	}
	if n, err := s.After(t, week-time.Hour).PurgeKeys(ctx, week, 100); err != nil || n != 0 {
		t.Errorf("within the retention: %d forgotten, %v", n, err)
	}
	if n, err := s.After(t, week+time.Hour).PurgeKeys(ctx, week, 100); err != nil || n != 1 {
		t.Errorf("after it: %d forgotten, %v; want the one whose hold is over", n, err)
	}
	if _, replayed, err := s.Store.PlaceHold(ctx, held); err != nil || !replayed {
		t.Errorf("the key of a hold that lasts: replayed %t, %v", replayed, err)
	}
	if b, replayed, err := s.Store.PlaceHold(ctx, r); err != nil || replayed || b.ID == over.ID {
		t.Errorf("a key that was forgotten: %s, replayed %t, %v; want a new booking", b.ID, replayed, err)
	}
}

// A payment that is not decided keeps its key and its booking's, however old.
func TestPurgeKeys_paymentInDoubt(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	b := s.Hold(t, "u-1", 1)
	pay := inventory.PayRequest{BookingID: b.ID, Provider: "simulated", IdempotencyKey: "pay-1", Actor: mira}
	if _, _, err := s.Store.StartPayment(ctx, pay); err != nil {
		t.Fatal(err)
	}
	if n, err := s.After(t, 100*week).PurgeKeys(ctx, week, 100); err != nil || n != 0 {
		t.Errorf("%d forgotten, %v", n, err)
	}
}

func TestPurgeKeys_batchIsBounded(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	for _, buyer := range []string{"u-1", "u-2", "u-3"} {
		if _, err := s.Store.ReleaseHold(t.Context(), s.Hold(t, buyer, 1).ID, 0, mira, ""); err != nil {
			t.Fatal(err)
		}
	}
	later := s.After(t, 2*week)
	var got []int
	for range 3 {
		n, err := later.PurgeKeys(t.Context(), week, 2)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, n)
	}
	if !slices.Equal(got, []int{2, 1, 0}) {
		t.Errorf("forgotten %v, want 2, 1, 0", got)
	}
}

func TestEmptyCallbacks(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	b := s.Hold(t, "u-1", 1)
	applied := pgtest.Captured(b, "pay_1")
	pgtest.Deliver(t, s.Store, applied)
	parked := pgtest.Captured(b, "pay_2")
	parked.Kind, parked.Problem = inventory.EventPaymentProcessing, "test mode"
	stored := pgtest.Captured(b, "pay_3")
	stored.Kind = inventory.EventPaymentProcessing
	for _, e := range []inventory.ProviderEvent{parked, stored} {
		if _, err := s.Store.StoreEvent(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.After(t, 12*week).EmptyCallbacks(ctx, 13*week, 100); err != nil || n != 0 {
		t.Errorf("within the retention: %d emptied, %v", n, err)
	}
	for _, want := range []int{1, 0} {
		if n, err := s.After(t, 14*week).EmptyCallbacks(ctx, 13*week, 100); err != nil || n != want {
			t.Errorf("after it: %d emptied, %v; want %d", n, err, want)
		}
	}
	bodies := map[string]int{}
	rows, _ := s.DB.Pool.Query(ctx, "SELECT event_id, length(body) FROM webhook_event")
	for rows.Next() {
		var id string
		var n int
		if err := rows.Scan(&id, &n); err != nil {
			t.Fatal(err)
		}
		bodies[id] = n
	}
	if bodies[applied.ID] != 0 || bodies[parked.ID] == 0 || bodies[stored.ID] == 0 || len(bodies) != 3 {
		t.Errorf("bodies = %v; want only that of the applied one gone", bodies)
	}
	if fresh, err := s.Store.StoreEvent(ctx, applied); err != nil || fresh {
		t.Errorf("delivered again: fresh %t, %v; its row must still tell", fresh, err)
	}
}

func TestPurgeJobRuns_keepsTheLast(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	for _, outcome := range []error{nil, nil, errors.New("no luck")} {
		id, err := s.Store.StartJobRun(ctx, inventory.JobSweep, "test")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Store.FinishJobRun(ctx, id, 1, "", outcome); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.After(t, week).PurgeJobRuns(ctx, 2*week, 100); err != nil || n != 0 {
		t.Errorf("within the retention: %d forgotten, %v", n, err)
	}
	if n, err := s.After(t, 3*week).PurgeJobRuns(ctx, 2*week, 100); err != nil || n != 1 {
		t.Errorf("after it: %d forgotten, %v; want the first success", n, err)
	}
	jobs, err := s.Store.Jobs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		if j.Name == inventory.JobSweep && (j.LastRun.Outcome != "failed" || j.LastSuccess.IsZero()) {
			t.Errorf("%+v; want its last run and its last success", j)
		}
	}
}
