package jobs_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"holdfast/inventory"
	"holdfast/inventory/httpapi"
	"holdfast/inventory/payment/signature"
	"holdfast/inventory/payment/simulated"
	"holdfast/inventory/pgstore"
	"holdfast/migrations/pgtest"
)

// lateMoney is a crowd whose holds are over and whose payments come all the
// same, under one policy.
type lateMoney struct {
	pool     inventory.PoolRef
	policy   inventory.LatePolicy
	bookings []inventory.Booking
}

// A thousand late callbacks, each three times and in random order, at two
// listeners: a thousand outcomes, stock right to the unit, and one refund at the
// provider for each payment that was refunded.
func TestLateCallbacks_thousandThreeTimes(t *testing.T) {
	t.Parallel()
	n := 1000
	if testing.Short() {
		n = 100
	}
	m := openMarket(t, patience, pgtest.PerBuyer(0), pgtest.Capacity(2*n, 0), pgtest.Late(inventory.LateRevive))
	crowds := m.lateCrowds(t, n)
	at := m.Now(t).Add(11 * time.Minute)
	for m.sweep(t, m.Store.At(at)) > 0 {
	}
	if taken := m.Taken(t); taken != 0 {
		t.Fatalf("taken = %d after the sweep", taken)
	}
	room := n / 3 // of about 2n/3 places that want to come back
	m.SetDay(t, inventory.DayEdit{Capacity: &inventory.Adjust{N: room}})

	start := time.Now()
	m.chargeAll(t, crowds)
	t.Logf("%d charges: %v", n, time.Since(start).Round(time.Millisecond))
	start = time.Now()
	m.deliverThrice(t, at, m.post.take(), n)
	t.Logf("%d deliveries: %v, %.0f/s", 3*n, time.Since(start).Round(time.Millisecond), float64(3*n)/time.Since(start).Seconds())
	start = time.Now()
	m.settleDown(t, at)
	t.Logf("refunds: %v", time.Since(start).Round(time.Millisecond))

	standings := m.checkLate(t, crowds, room)
	if total := standings[inventory.StandingApplied] + standings[inventory.StandingZombie] + standings[inventory.StandingRefunded]; total != n {
		t.Errorf("%d outcomes, want %d", total, n)
	}
	refunds := map[string]int{}
	for _, r := range m.sim.Ledger().Refunds {
		refunds[r.Payment]++
		if refunds[r.Payment] > 1 {
			t.Errorf("payment %s was refunded %d times", r.Payment, refunds[r.Payment])
		}
	}
	if len(refunds) != standings[inventory.StandingRefunded] {
		t.Errorf("%d payments refunded at the provider, %d here", len(refunds), standings[inventory.StandingRefunded])
	}
	if events := m.count(t, `select count(*) from webhook_event where kind = 'payment.succeeded'`); events != n {
		t.Errorf("%d events stored, want %d", events, n)
	}
	t.Logf("standings: %v", standings)
	m.DB.AssertNoDeadlocks(t)
}

// lateCrowds places n holds in three pools, one for each policy. The pool that
// the shop opened with is the one that revives.
func (m market) lateCrowds(t *testing.T, n int) []*lateMoney {
	t.Helper()
	crowds := []*lateMoney{
		{pool: m.Pool.Ref, policy: inventory.LateRevive},
		{policy: inventory.LateAsk},
		{policy: inventory.LateRefund},
	}
	for _, c := range crowds[1:] {
		p := m.Pool
		p.Ref.Pool, p.Late = "late-"+string(c.policy), inventory.LateRule{Policy: c.policy}
		if _, err := m.Store.AddPool(t.Context(), mira, p); err != nil {
			t.Fatal(err)
		}
		c.pool = p.Ref
	}
	if _, err := m.Store.ExtendHorizon(t.Context(), 1000); err != nil {
		t.Fatal(err)
	}
	var holds errgroup.Group
	holds.SetLimit(16)
	var mu sync.Mutex
	for i := range n {
		c := crowds[i%len(crowds)]
		holds.Go(func() error {
			r := m.Request(fmt.Sprintf("u-%d", i), 1+i/3%3)
			r.Pool = c.pool
			b, _, err := m.Store.PlaceHold(t.Context(), r)
			mu.Lock()
			defer mu.Unlock()
			c.bookings = append(c.bookings, b)
			return err
		})
	}
	if err := holds.Wait(); err != nil {
		t.Fatal(err)
	}
	return crowds
}

func (m market) sweep(t *testing.T, store *pgstore.Store) int {
	t.Helper()
	swept, err := store.SweepHolds(t.Context(), 500)
	if err != nil {
		t.Fatal(err)
	}
	return swept.Expired
}

func (m market) chargeAll(t *testing.T, crowds []*lateMoney) {
	t.Helper()
	var charges errgroup.Group
	charges.SetLimit(8)
	for _, c := range crowds {
		for _, b := range c.bookings {
			charges.Go(func() error {
				_, err := m.provider.Charge(t.Context(), "key-"+b.ID.String(), b.ID.String(), b.Amount)
				return err
			})
		}
	}
	if err := charges.Wait(); err != nil {
		t.Fatal(err)
	}
}

// deliverThrice posts each letter three times, in random order, to two
// listeners on connections of their own.
func (m market) deliverThrice(t *testing.T, at time.Time, letters []letter, n int) {
	t.Helper()
	if len(letters) != n {
		t.Fatalf("%d callbacks arrived, want %d", len(letters), n)
	}
	var listeners [2]*httptest.Server
	for i := range listeners {
		api, err := httpapi.New(httpapi.Config{
			Store: m.DB.Store(t, 4).At(at), Inbox: m.DB.Store(t, 8).At(at), Providers: []httpapi.Provider{m.provider},
			Clock: m.simClock, Log: quiet(), InsecureNoAuth: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		listeners[i] = httptest.NewServer(api.Handler())
		t.Cleanup(listeners[i].Close)
	}
	order := rand.Perm(3 * n)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	t.Cleanup(client.CloseIdleConnections)
	var posts errgroup.Group
	posts.SetLimit(16)
	for _, i := range order {
		posts.Go(func() error { return m.deliver(t, client, listeners[i/n%2].URL, letters[i%n]) })
	}
	if err := posts.Wait(); err != nil {
		t.Error(err)
	}
}

// deliver posts one letter, signed now, and again as long as the listener says
// that it is busy, as providers do.
func (m market) deliver(t *testing.T, client *http.Client, listener string, l letter) error {
	t.Helper()
	signer := signature.NewSigner(m.secret)
	for {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, listener+"/payments/webhook/"+simulated.Name, bytes.NewReader(l.body))
		if err != nil {
			return err
		}
		if err := signer.Sign(req.Header, l.event.ID, m.simClock.Now(), l.body); err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		_ = resp.Body.Close()
		switch resp.StatusCode {
		case http.StatusNoContent:
			return nil
		case http.StatusServiceUnavailable:
		default:
			return fmt.Errorf("delivery of %s = %d, want 204", l.event.ID, resp.StatusCode)
		}
	}
}

// settleDown runs the jobs of two daemons beside each other until nothing is
// left to do.
func (m market) settleDown(t *testing.T, at time.Time) {
	t.Helper()
	stores := []*pgstore.Store{m.DB.Store(t, 8), m.DB.Store(t, 8)}
	for round := 1; ; round++ {
		at = at.Add(2 * time.Minute)
		var daemons sync.WaitGroup
		for _, store := range stores {
			daemons.Go(func() {
				for {
					events, err := m.reconcile(store.At(at)).Run(t.Context())
					if err != nil {
						t.Logf("reconcile, tried again: %v", err)
					}
					refunds, err := m.refunds(store.At(at)).Run(t.Context())
					if err != nil {
						t.Logf("refund, tried again: %v", err)
					}
					if events.Done+refunds.Done == 0 {
						return
					}
				}
			})
		}
		daemons.Wait()
		left := m.count(t, `select (select count(*) from webhook_event where state = 'STORED') + (select count(*) from refund where state in ('REQUESTED', 'PENDING'))`)
		if left == 0 {
			return
		}
		if round == 50 {
			t.Fatalf("%d events and refunds are never done", left)
		}
	}
}

// checkLate compares each crowd with what its policy promises and counts the
// standings of all payments.
func (m market) checkLate(t *testing.T, crowds []*lateMoney, room int) map[inventory.Standing]int {
	t.Helper()
	standings := map[inventory.Standing]int{}
	back, smallestRefused := 0, 1<<30
	for _, c := range crowds {
		for _, b := range c.bookings {
			after := m.booking(t, b.ID)
			if len(after.Payments) != 1 {
				t.Errorf("booking %s has %d payments", b.ID, len(after.Payments))
				continue
			}
			got := after.Payments[0].Standing
			standings[got]++
			wantState, wantStanding := inventory.StateExpired, inventory.StandingRefunded
			switch {
			case c.policy == inventory.LateAsk:
				wantStanding = inventory.StandingZombie
			case c.policy == inventory.LateRevive && got == inventory.StandingApplied:
				wantState, wantStanding = inventory.StateConfirmed, inventory.StandingApplied
				back += b.Quantity
			case c.policy == inventory.LateRevive:
				smallestRefused = min(smallestRefused, b.Quantity)
			}
			if after.State != wantState || got != wantStanding {
				t.Errorf("policy %s: booking %s, payment %s; want %s, %s", c.policy, after.State, got, wantState, wantStanding)
			}
		}
	}
	// Places only went during the run, so whoever was refused would not fit now either.
	day := m.PoolDay(t)
	if day.Taken != back || day.Taken > room || day.Left() >= smallestRefused {
		t.Errorf("taken %d of %d, revived %d, smallest refused %d", day.Taken, room, back, smallestRefused)
	}
	return standings
}

// Case B08: paid after the end of the hold, with the place sold meanwhile or
// still free. What must go back goes back once, at the provider too.
func TestLateCallbacks_B08_soldMeanwhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy  inventory.LatePolicy
		sold    bool
		state   inventory.BookingState
		refunds int
		taken   int
	}{
		"refundSold": {inventory.LateRefund, true, inventory.StateExpired, 1, 1},
		"refundFree": {inventory.LateRefund, false, inventory.StateExpired, 1, 0},
		"reviveSold": {inventory.LateRevive, true, inventory.StateExpired, 1, 1},
		"reviveFree": {inventory.LateRevive, false, inventory.StateConfirmed, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := openMarket(t, patience, pgtest.Capacity(1, 0), pgtest.Late(c.policy))
			first := m.Hold(t, "u-001", 1)
			later := m.After(t, 11*time.Minute)
			m.sweep(t, later)
			if c.sold {
				second, _, err := later.PlaceHold(t.Context(), m.Request("u-002", 1))
				if err != nil {
					t.Fatal(err)
				}
				m.charge(t, second)
				m.carry(t, later, m.post.take()...)
			}
			p := m.charge(t, first)
			letters := m.post.take()
			for range 3 {
				m.carry(t, later, letters...)
			}
			for i := range 3 {
				run(t, m.refunds(m.After(t, 11*time.Minute+time.Duration(i)*time.Minute)))
			}
			m.carry(t, later, m.post.take()...)

			made := m.sim.Ledger().Refunds
			if len(made) != c.refunds || c.refunds == 1 && (made[0].Payment != p.ID || made[0].AmountMinor != 2500) {
				t.Errorf("refunds at the provider: %+v, want %d of 2500", made, c.refunds)
			}
			if calls := len(m.calls(http.MethodPost, refundsPath)); calls != c.refunds {
				t.Errorf("%d calls for refunds, want %d", calls, c.refunds)
			}
			if got := m.booking(t, first.ID); got.State != c.state || m.Taken(t) != c.taken {
				t.Errorf("booking %s, taken %d; want %s, %d", got.State, m.Taken(t), c.state, c.taken)
			}
			if n := m.count(t, `select count(*) from journal where topic = 'refund.succeeded'`); n != c.refunds {
				t.Errorf("%d messages that it was refunded, want %d", n, c.refunds)
			}
		})
	}
}
