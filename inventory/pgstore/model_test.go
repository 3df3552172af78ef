package pgstore_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

// world is what a pool day, its bookings and their money must look like, kept
// in Go beside the database. Rapid plays random evenings against both and
// compares after every step.
type world struct {
	t       *rapid.T
	s       pgtest.Shop
	now     time.Time
	policy  inventory.LatePolicy
	limit   int
	stopped bool
	holds   []*modelBooking
	buyers  int
}

type modelBooking struct {
	id       inventory.BookingID
	buyer    string
	quantity int
	state    inventory.BookingState
	expires  time.Time
	amount   inventory.Money
	paid     int // captures delivered, each with an id of its own
	money    map[string]inventory.Standing
	revived  bool
}

func (w *world) taken() int {
	n := 0
	for _, b := range w.holds {
		if b.state.Live() {
			n += b.quantity
		}
	}
	return n
}

// reclaim is what a buyer or a sweep does to the overdue holds of the day.
func (w *world) reclaim(only string) {
	for _, b := range w.holds {
		if b.state == inventory.StateHeld && !w.now.Before(b.expires) && (only == "" || b.buyer == only) {
			b.state = inventory.StateExpired
		}
	}
}

func (w *world) liveOf(buyer string) (live, holds int) {
	for _, b := range w.holds {
		if b.buyer == buyer && b.state.Live() {
			live++
			if b.state.Hold() {
				holds++
			}
		}
	}
	return live, holds
}

// admit is the model's copy of the rules that a hold or a revive meets on a
// locked day.
func (w *world) admit(buyer string, quantity int) error {
	w.reclaim(buyer)
	if live, holds := w.liveOf(buyer); live > 0 {
		if holds > 0 {
			return inventory.ErrHoldExists
		}
		return inventory.ErrLimitPerBuyer
	}
	if w.stopped {
		return inventory.ErrStopSell
	}
	if w.taken()+quantity > w.limit {
		w.reclaim("")
	}
	if w.taken()+quantity > w.limit {
		return inventory.ErrSoldOut
	}
	return nil
}

// check compares after every step. It reads the rows at once and not by the
// store's methods, or most of the evening would be spent on looking.
func (w *world) check(t *rapid.T) {
	states, standings, taken := w.stored(t)
	for _, b := range w.holds {
		if states[b.id] != b.state {
			t.Fatalf("booking of %s is %s, the model says %s", b.buyer, states[b.id], b.state)
		}
		for payment, want := range b.money {
			if standings[payment] != want {
				t.Fatalf("payment %s of %s is %q, the model says %q", payment, b.buyer, standings[payment], want)
			}
		}
	}
	if taken != w.taken() {
		t.Fatalf("taken = %d, the model says %d", taken, w.taken())
	}
}

func (w *world) stored(t *rapid.T) (map[inventory.BookingID]inventory.BookingState, map[string]inventory.Standing, int) {
	states, standings, taken := map[inventory.BookingID]inventory.BookingState{}, map[string]inventory.Standing{}, 0
	rows, _ := w.s.DB.Pool.Query(w.t.Context(), `
		SELECT d.taken, b.id, b.state, coalesce(p.provider_payment, ''), coalesce(p.standing, '')
		  FROM pool_day d
		  LEFT JOIN booking b USING (pool_id, day)
		  LEFT JOIN payment p ON p.booking_id = b.id
		 WHERE d.pool_id = $1 AND d.day = $2::date`, w.s.Pool.ID, w.s.Day.String())
	for rows.Next() {
		var id inventory.BookingID
		var state *inventory.BookingState
		var payment string
		var standing inventory.Standing
		if err := rows.Scan(&taken, &id, &state, &payment, &standing); err != nil {
			t.Fatal(err)
		}
		if state != nil {
			states[id], standings[payment] = *state, standing
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return states, standings, taken
}

// capture is what the model makes of captured money, written from REQUIREMENTS
// C6 and C7 and not from the store's code.
func (w *world) capture(b *modelBooking, payment string) {
	refundOr := func(s inventory.Standing) inventory.Standing {
		if w.policy == inventory.LateAsk {
			return inventory.StandingZombie
		}
		return s
	}
	switch {
	case b.state == inventory.StateHeld && w.now.Before(b.expires):
		b.state, b.money[payment] = inventory.StateConfirmed, inventory.StandingApplied
	case b.state == inventory.StateHeld && w.policy != inventory.LateRefund: // never left
		b.state, b.money[payment] = inventory.StateConfirmed, inventory.StandingApplied
	case b.state == inventory.StateHeld:
		b.state, b.money[payment] = inventory.StateExpired, inventory.StandingRefunding
	case b.state == inventory.StateConfirmed:
		b.money[payment] = refundOr(inventory.StandingRefunding)
	case w.policy == inventory.LateRevive && !b.revived && w.admit(b.buyer, b.quantity) == nil:
		b.state, b.money[payment], b.revived = inventory.StateConfirmed, inventory.StandingApplied, true
	default:
		b.money[payment] = refundOr(inventory.StandingRefunding)
	}
}

func TestModel_randomEvenings(t *testing.T) {
	t.Parallel()
	shops := map[inventory.LatePolicy]pgtest.Shop{}
	for _, policy := range inventory.LatePolicies {
		shops[policy] = pgtest.OpenShop(t, pgtest.Late(policy))
	}
	evening := 0
	rapid.Check(t, func(rt *rapid.T) {
		evening++
		policy := rapid.SampledFrom(inventory.LatePolicies).Draw(rt, "policy")
		s := shops[policy]
		w := newWorld(t, rt, s, s.Day.Add(periodOfDays(10+evening)), policy) // each evening has a day of its own
		rt.Repeat(map[string]func(*rapid.T){
			"":        w.check,
			"hold":    w.hold,
			"capture": w.captureOne,
			"again":   w.captureAgain,
			"release": w.release,
			"sweep":   w.sweep,
			"revive":  w.revive,
			"refund":  w.refund,
			"cancel":  w.cancel,
			"advance": w.advance,
			"edit":    w.edit,
		})
	})
}

func newWorld(t *testing.T, rt *rapid.T, s pgtest.Shop, day dateOf, policy inventory.LatePolicy) *world {
	t.Helper()
	s.Day = day
	stop := false
	limit := rapid.IntRange(1, 6).Draw(rt, "limit")
	s.SetDay(t, inventory.DayEdit{Capacity: set(limit), OverbookLimit: set(0), StopSell: &stop})
	return &world{t: rt, s: s, now: s.Now(t), policy: policy, limit: limit}
}

func (w *world) hold(t *rapid.T) {
	if len(w.holds) == 0 || rapid.Bool().Draw(t, "new buyer") {
		w.buyers++
	}
	buyer := fmt.Sprintf("u-%s-%d", w.s.Day, rapid.IntRange(1, w.buyers).Draw(t, "buyer"))
	quantity := rapid.IntRange(1, 3).Draw(t, "quantity")
	want := w.admit(buyer, quantity)
	b, _, err := w.s.Store.At(w.now).PlaceHold(t.Context(), w.s.Request(buyer, quantity))
	if !errors.Is(err, want) {
		t.Fatalf("PlaceHold(%s, %d) = %v, the model says %v", buyer, quantity, err, want)
	}
	if err == nil {
		w.holds = append(w.holds, &modelBooking{
			id: b.ID, buyer: buyer, quantity: quantity, state: inventory.StateHeld, expires: b.ExpiresAt,
			amount: b.Amount, money: map[string]inventory.Standing{},
		})
	} else {
		w.undoReclaim(t)
	}
}

// undoReclaim follows the store where a refusal rolled its reclaiming back.
func (w *world) undoReclaim(t *rapid.T) {
	states, _, _ := w.stored(t)
	for _, b := range w.holds {
		if b.state == inventory.StateExpired && states[b.id] == inventory.StateHeld {
			b.state = inventory.StateHeld
		}
	}
}

func (w *world) pick(t *rapid.T, ok func(*modelBooking) bool) *modelBooking {
	var fit []*modelBooking
	for _, b := range w.holds {
		if ok(b) {
			fit = append(fit, b)
		}
	}
	if len(fit) == 0 {
		t.Skip("nothing fits")
	}
	return rapid.SampledFrom(fit).Draw(t, "booking")
}

func (w *world) deliver(t *rapid.T, b *modelBooking, payment string) {
	store := w.s.Store.At(w.now)
	e := pgtest.Captured(inventory.Booking{ID: b.id, Amount: b.amount}, payment)
	if _, err := store.StoreEvent(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if err := store.ApplyEvent(t.Context(), e.Provider, e.ID); err != nil {
		t.Fatal(err)
	}
}

func (w *world) captureOne(t *rapid.T) {
	b := w.pick(t, func(b *modelBooking) bool { return b.paid < 3 })
	b.paid++
	payment := fmt.Sprintf("pay_%s_%d", b.id, b.paid)
	w.capture(b, payment)
	w.deliver(t, b, payment)
	w.undoReclaim(t) // an automatic revive that was refused commits; the database is the witness
}

func (w *world) captureAgain(t *rapid.T) {
	b := w.pick(t, func(b *modelBooking) bool { return b.paid > 0 })
	w.deliver(t, b, fmt.Sprintf("pay_%s_%d", b.id, rapid.IntRange(1, b.paid).Draw(t, "which")))
}

func (w *world) release(t *rapid.T) {
	b := w.pick(t, func(b *modelBooking) bool { return b.state == inventory.StateHeld })
	if _, err := w.s.Store.At(w.now).ReleaseHold(t.Context(), b.id, 0, mira, ""); err != nil {
		t.Fatal(err)
	}
	b.state = inventory.StateCancelled
}

func (w *world) sweep(t *rapid.T) {
	if _, err := w.s.Store.At(w.now).SweepHolds(t.Context(), 500); err != nil {
		t.Fatal(err)
	}
	w.reclaim("")
}

func (w *world) zombieOf(t *rapid.T) (*modelBooking, inventory.Payment) {
	b := w.pick(t, func(b *modelBooking) bool {
		for _, s := range b.money {
			if s == inventory.StandingZombie {
				return true
			}
		}
		return false
	})
	got, err := w.s.Store.Booking(t.Context(), b.id)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range got.Payments {
		if p.Standing == inventory.StandingZombie {
			return b, p
		}
	}
	t.Fatalf("no zombie of %s in the database", b.buyer)
	return nil, inventory.Payment{}
}

func (w *world) revive(t *rapid.T) {
	b, p := w.zombieOf(t)
	want := inventory.ErrNotAllowed
	if p.ZombieKind == inventory.ZombieLate && !b.state.Live() && !b.revived { // once in its life
		want = w.admit(b.buyer, b.quantity)
	}
	_, err := w.s.Store.At(w.now).ReviveZombie(t.Context(), p.ID, p.Version, mira, "phoned")
	if !errors.Is(err, want) {
		t.Fatalf("ReviveZombie = %v, the model says %v", err, want)
	}
	if err != nil {
		w.undoReclaim(t)
		return
	}
	b.state, b.money[p.ProviderPayment], b.revived = inventory.StateConfirmed, inventory.StandingApplied, true
}

func (w *world) refund(t *rapid.T) {
	b, p := w.zombieOf(t)
	if _, err := w.s.Store.At(w.now).RefundPayment(t.Context(), p.ID, p.Version, 0, mira, "late"); err != nil {
		t.Fatal(err)
	}
	b.money[p.ProviderPayment] = inventory.StandingRefunding
}

func (w *world) cancel(t *rapid.T) {
	b := w.pick(t, func(b *modelBooking) bool { return b.state == inventory.StateConfirmed })
	refund := rapid.Bool().Draw(t, "refund")
	if _, err := w.s.Store.At(w.now).CancelBooking(t.Context(), b.id, mira, "ill", refund); err != nil {
		t.Fatal(err)
	}
	b.state = inventory.StateCancelled
	for id, s := range b.money {
		if s == inventory.StandingApplied {
			b.money[id] = map[bool]inventory.Standing{true: inventory.StandingRefunding, false: inventory.StandingZombie}[refund]
		}
	}
}

func (w *world) advance(t *rapid.T) {
	w.now = w.now.Add(rapid.SampledFrom([]time.Duration{time.Microsecond, time.Minute, 10*time.Minute - time.Microsecond, 10 * time.Minute, 11 * time.Minute}).Draw(t, "by"))
}

func (w *world) edit(t *rapid.T) {
	limit, stopped := rapid.IntRange(0, 6).Draw(t, "limit"), rapid.IntRange(0, 4).Draw(t, "stop") == 0
	plan, err := w.s.Store.PlanDays(t.Context(), w.s.Pool.Ref, []dateOf{w.s.Day}, inventory.DayEdit{Capacity: set(limit), StopSell: &stopped})
	if err == nil {
		_, err = w.s.Store.SaveDays(t.Context(), mira, plan, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	w.limit, w.stopped = limit, stopped
}
