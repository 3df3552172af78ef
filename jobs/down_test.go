package jobs_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/payment/signature"
	"holdfast/inventory/payment/simulated"
	"holdfast/inventory/pgstore"
	"holdfast/jobs"
	"holdfast/migrations/pgtest"
)

// Row F8: the provider hangs for the whole run, with payments and refunds that
// wait for it. Holds go on as before, nothing in doubt is released before its
// cap, and everything is at its cap.
func TestProviderDown_holdsGoOn(t *testing.T) {
	t.Parallel()
	const inDoubt = 48
	m := openMarket(t, 400*time.Millisecond, pgtest.Capacity(100_000, 0), pgtest.PerBuyer(0))
	_, paid := m.paid(t, "u-refund", 1)
	if _, err := m.Store.RefundPayment(t.Context(), paid.ID, 0, 0, mira, "the show is cancelled"); err != nil {
		t.Fatal(err)
	}
	m.behave("", simulated.Behaviour{Mode: simulated.ModeSlow, Delay: time.Hour}) // every answer trickles and is never whole
	var doubts []inventory.BookingID
	for i := range inDoubt {
		hold := m.Hold(t, fmt.Sprintf("u-doubt-%d", i), 2)
		if _, _, err := m.Store.StartPayment(t.Context(), inventory.PayRequest{BookingID: hold.ID, Provider: simulated.Name, Actor: mira}); err != nil {
			t.Fatal(err)
		}
		doubts = append(doubts, hold.ID)
	}

	work := m.DB.Store(t, 4) // as in a daemon, jobs have a small pool of their own
	window := time.Second
	if testing.Short() {
		window = 300 * time.Millisecond
	}
	base := m.Now(t)
	due := 16 * time.Minute
	var calm, down [][]time.Duration // how long holds took, by window
	for range 6 {
		calm = append(calm, m.holdFor(t, window))
		stop := m.keepAsking(t, work, base, &due)
		down = append(down, m.holdFor(t, window))
		stop()
	}
	if asked := len(m.calls("GET", "/v1/payments")); asked == 0 {
		t.Error("the provider was never asked: the test shows nothing")
	}
	for _, id := range doubts {
		if got := m.State(t, id); got != inventory.StatePaymentPending {
			t.Fatalf("a booking in doubt is %s before its cap", got)
		}
	}
	for _, p := range []int{50, 99} {
		before, during := percentile(p, calm...), percentile(p, down...)
		t.Logf("hold p%d: calm %v, provider down %v, ratio %.2f", p, before, during, during.Seconds()/before.Seconds())
	}
	// The machine that runs this does other things too: only a difference that
	// every window shows is one.
	slowestCalm, fastestDown := time.Duration(0), time.Hour
	for i := range calm {
		slowestCalm, fastestDown = max(slowestCalm, percentile(99, calm[i])), min(fastestDown, percentile(99, down[i]))
	}
	if fastestDown > 2*slowestCalm {
		t.Errorf("hold p99: every window with the provider down (from %v) is far slower than every one without (up to %v)", fastestDown, slowestCalm)
	}

	m.atTheCap(t, base, doubts)
}

// holdFor places holds at a steady rate and returns how long each took. Every
// one must succeed.
func (m market) holdFor(t *testing.T, window time.Duration) []time.Duration {
	t.Helper()
	const clients, every = 4, 40 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), window)
	defer cancel()
	var all []time.Duration
	var mu sync.Mutex
	var buyers sync.WaitGroup
	for c := range clients {
		buyers.Go(func() {
			next := time.NewTicker(every)
			defer next.Stop()
			for i := 0; ctx.Err() == nil; i++ {
				r := m.Request(fmt.Sprintf("u-%d-%d", c, i), 1)
				r.Day = r.Day.Add(-1) // not the day of those in doubt
				start := time.Now()
				if _, _, err := m.Store.PlaceHold(t.Context(), r); err != nil {
					t.Errorf("hold: %v", err)
				}
				took := time.Since(start)
				mu.Lock()
				all = append(all, took)
				mu.Unlock()
				select {
				case <-next.C:
				case <-ctx.Done():
				}
			}
		})
	}
	buyers.Wait()
	return all
}

func percentile(p int, windows ...[]time.Duration) time.Duration {
	all := slices.Sorted(slices.Values(slices.Concat(windows...)))
	return all[len(all)*p/100].Round(10 * time.Microsecond)
}

// keepAsking runs reconcile and refund over and over, far more often than a
// daemon does and as if each backoff were over every time, until it is stopped.
func (m market) keepAsking(t *testing.T, work *pgstore.Store, base time.Time, due *time.Duration) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var daemon sync.WaitGroup
	from := *due
	daemon.Go(func() {
		for at := from; ctx.Err() == nil; at += 10 * time.Minute {
			*due = at
			if at > 23*time.Hour {
				at = 23 * time.Hour
			}
			if _, err := m.reconcile(work.At(base.Add(at))).Run(ctx); err != nil && ctx.Err() == nil {
				t.Errorf("reconcile: %v", err)
			}
			rest(ctx)
		}
	})
	daemon.Go(func() {
		for at := from; ctx.Err() == nil; at += 10 * time.Minute {
			if _, err := m.refunds(work.At(base.Add(at))).Run(ctx); err != nil && ctx.Err() == nil {
				t.Errorf("refund: %v", err)
			}
			rest(ctx)
		}
	})
	return func() {
		cancel()
		daemon.Wait()
	}
}

// rest is the pause between two runs of a job.
func rest(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(100 * time.Millisecond):
	}
}

// atTheCap shows that bookings in doubt are kept up to their cap and go then,
// with a provider to which no connection can be made any more.
func (m market) atTheCap(t *testing.T, base time.Time, doubts []inventory.BookingID) {
	t.Helper()
	gone, err := simulated.NewProvider(simulated.ProviderConfig{BaseURL: "http://127.0.0.1:1", Secrets: []signature.Secret{m.secret}})
	if err != nil {
		t.Fatal(err)
	}
	sweep := func(after time.Duration) (kept int) {
		store := m.Store.At(base.Add(after))
		for range len(doubts) { // a provider that is down is asked a few questions in each run
			if _, err := jobs.NewReconcile(store, map[string]jobs.Provider{simulated.Name: gone}, quiet()).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range doubts {
			if m.State(t, id) == inventory.StatePaymentPending {
				kept++
			}
		}
		return kept
	}
	if kept := sweep(23*time.Hour + 55*time.Minute); kept != len(doubts) || m.Taken(t) != 2*len(doubts) {
		t.Errorf("before the cap %d of %d are kept, taken %d", kept, len(doubts), m.Taken(t))
	}
	if kept := sweep(26 * time.Hour); kept != 0 || m.Taken(t) != 0 {
		t.Errorf("after the cap %d of %d are kept, taken %d", kept, len(doubts), m.Taken(t))
	}
}
