package pgstore_test

import (
	"errors"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

// What a decision about money must not do when the world has moved on.

func applied(t *testing.T, s pgtest.Shop, buyer string) (inventory.Booking, inventory.Payment) {
	t.Helper()
	b := s.Hold(t, buyer, 1)
	pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_"+buyer))
	b = booking(t, s, b.ID)
	return b, b.Payments[0]
}

func TestRefundZombie_leavesARevivedBookingAlone(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	z, later := lateZombie(t, s, "u-1", 1)
	if _, err := later.ReviveZombie(t.Context(), z.Payment.ID, 0, mira, "phoned"); err != nil {
		t.Fatal(err)
	}
	if _, err := later.RefundZombie(t.Context(), z.Payment.ID, 0, jan, "late"); !errors.Is(err, inventory.ErrNotAllowed) {
		t.Errorf("RefundZombie = %v, want ErrNotAllowed", err)
	}
	if got := s.State(t, z.Booking.ID); got != inventory.StateConfirmed {
		t.Errorf("booking is %s", got)
	}
}

// The job lists overdue zombies; staff revive one before it decides.
func TestDecideOverdueZombies_reviveInBetweenWins(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(100, 0))
	past := s.After(t, 26*time.Hour)
	for i := range 10 {
		z, later := lateZombie(t, s, "u-"+string(rune('a'+i)), 1)
		revived := make(chan error, 1)
		go func() {
			_, err := later.ReviveZombie(t.Context(), z.Payment.ID, 0, mira, "phoned")
			revived <- err
		}()
		if _, err := past.DecideOverdueZombies(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
		err := <-revived
		got := booking(t, s, z.Booking.ID)
		standing := got.Payments[0].Standing
		if err == nil && (got.State != inventory.StateConfirmed || standing != inventory.StandingApplied) {
			t.Errorf("revived, and then %s with %s money", got.State, standing)
		}
		if err != nil && (got.State != inventory.StateExpired || standing != inventory.StandingRefunding) {
			t.Errorf("not revived (%v), and %s with %s money", err, got.State, standing)
		}
	}
}

func TestDecideOverdueZombies_oneThatCannotDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	disputed, later := lateZombie(t, s, "u-1", 1)
	pgtest.Deliver(t, later, inventory.ProviderEvent{
		Provider: "simulated", ID: "evt_d", Kind: inventory.EventDisputeOpened, ProviderPayment: disputed.Payment.ProviderPayment, Body: []byte("{}"),
	})
	lateZombie(t, s, "u-2", 1)
	if n, err := s.After(t, 26*time.Hour).DecideOverdueZombies(t.Context(), 1); err != nil || n != 1 {
		t.Errorf("DecideOverdueZombies = %d, %v; want the other one", n, err)
	}
}

func TestRefundPayment_partsThatMakeTheWholeCancelTheBooking(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	b, p := applied(t, s, "u-1")
	for _, part := range []inventory.Minor{1000, 1500} {
		if _, err := s.Store.RefundPayment(t.Context(), p.ID, 0, part, mira, "goodwill"); err != nil {
			t.Fatal(err)
		}
	}
	if s.State(t, b.ID) != inventory.StateCancelled || s.Taken(t) != 0 {
		t.Errorf("booking %s, taken %d: all its money went back", s.State(t, b.ID), s.Taken(t))
	}
}

func TestRefundPayment_samePartSeenByTwoIsGivenOnce(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	_, p := applied(t, s, "u-1")
	won := race(t, 4, func(int) error {
		_, err := s.Store.RefundPayment(t.Context(), p.ID, p.Version, 500, mira, "goodwill")
		return err
	}, inventory.ErrStale)
	if won != 1 || countRows(t, s, "refund") != 1 {
		t.Errorf("%d of 4 equal decisions went through, %d refunds", won, countRows(t, s, "refund"))
	}
}

func TestRetryRefund_eachFailureIsRepeatedOnce(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	_, p := applied(t, s, "u-1")
	r, err := s.Store.RefundPayment(t.Context(), p.ID, 0, 500, mira, "goodwill")
	if err == nil {
		_, err = s.Store.RefundAnswered(t.Context(), r.ID, inventory.ProviderRefund{ID: "rf_1", State: inventory.RefundFailed, Reason: "no balance"})
	}
	if err != nil {
		t.Fatal(err)
	}
	won := race(t, 4, func(int) error {
		_, err := s.Store.RetryRefund(t.Context(), r.ID, mira)
		return err
	}, inventory.ErrNotAllowed)
	if won != 1 {
		t.Errorf("%d retries of one failure, want 1", won)
	}
}

func TestRetryRefund_afterAReviveIsRefused(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	z, later := lateZombie(t, s, "u-1", 1)
	r, err := later.RefundZombie(t.Context(), z.Payment.ID, 0, mira, "late")
	if err == nil {
		_, err = later.RefundAnswered(t.Context(), r.ID, inventory.ProviderRefund{ID: "rf_1", State: inventory.RefundFailed})
	}
	if err == nil {
		_, err = later.ReviveZombie(t.Context(), z.Payment.ID, 0, mira, "phoned")
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := later.RetryRefund(t.Context(), r.ID, mira); !errors.Is(err, inventory.ErrNotAllowed) {
		t.Errorf("RetryRefund = %v, want ErrNotAllowed: the money pays for a booking now", err)
	}
}

// The pool's limit was raised after the booking was made under the old one:
// late money still gets an owner.
func TestSettle_revivePolicyMeetsTheOldLimit(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Late(inventory.LateRevive))
	old := s.Hold(t, "u-1", 1)
	later := s.After(t, 11*time.Minute)
	if _, err := later.SweepHolds(t.Context(), 500); err != nil {
		t.Fatal(err)
	}
	other, _, err := later.PlaceHold(t.Context(), s.Request("u-1", 1))
	if err != nil {
		t.Fatal(err)
	}
	pgtest.Deliver(t, later, pgtest.Captured(other, "pay_other"))
	raised := s.Pool
	raised.MaxPerBuyer = 3
	if _, err := s.Store.SetPool(t.Context(), mira, raised, ""); err != nil {
		t.Fatal(err)
	}
	pgtest.Deliver(t, later, pgtest.Captured(old, "pay_old"))
	if got := booking(t, s, old.ID); got.State != inventory.StateExpired || got.Payments[0].Standing != inventory.StandingRefunding {
		t.Errorf("booking %s, payment %s", got.State, got.Payments[0].Standing)
	}
}

func TestSettle_lateMoneyThatIsDisputedStaysOnTheDesk(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Late(inventory.LateRefund))
	b, p, err := s.Store.StartPayment(t.Context(), inventory.PayRequest{BookingID: s.Hold(t, "u-1", 1).ID, Provider: "simulated", Actor: mira})
	if err != nil {
		t.Fatal(err)
	}
	later := s.After(t, 20*time.Minute)
	for _, e := range []inventory.ProviderEvent{
		{Kind: inventory.EventPaymentCancelled, ID: "evt_1"},
		{Kind: inventory.EventDisputeOpened, ID: "evt_2"},
		{Kind: inventory.EventPaymentSucceeded, ID: "evt_3", Amount: b.Amount},
	} {
		e.Provider, e.ProviderPayment, e.Reference, e.Body = "simulated", "sim_1", p.ID.String(), []byte("{}")
		pgtest.Deliver(t, later, e)
	}
	if got := booking(t, s, b.ID).Payments[0]; got.Standing != inventory.StandingZombie || got.DecideBy.IsZero() {
		t.Errorf("payment %s, decided by %v; want a zombie with a deadline", got.Standing, got.DecideBy)
	}
}

func TestSettle_lostDisputeEndsEverything(t *testing.T) {
	t.Parallel()
	lost := func(p inventory.Payment) inventory.ProviderEvent {
		return inventory.ProviderEvent{
			Provider: "simulated", ID: "evt_lost", Kind: inventory.EventDisputeLost, ProviderPayment: p.ProviderPayment, Body: []byte("{}"),
		}
	}
	t.Run("ofAZombie", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		z, later := lateZombie(t, s, "u-1", 1)
		if _, err := later.RefundZombie(t.Context(), z.Payment.ID, 0, mira, "late"); err != nil {
			t.Fatal(err)
		}
		pgtest.Deliver(t, later, lost(z.Payment))
		if got := booking(t, s, z.Booking.ID).Payments[0].Standing; got != inventory.StandingRefunded {
			t.Errorf("standing = %s, want refunded: the bank gave it back", got)
		}
		if tasks, err := s.After(t, time.Hour).ClaimRefunds(t.Context(), anyProvider, 10); err != nil || len(tasks) != 0 {
			t.Errorf("and it would be sent as well: %+v, %v", tasks, err)
		}
		if _, err := later.ReviveZombie(t.Context(), z.Payment.ID, 0, mira, "phoned"); err == nil {
			t.Error("and it can be revived")
		}
	})
	t.Run("ofAConfirmedBooking", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		b, p := applied(t, s, "u-1")
		pgtest.Deliver(t, s.Store, lost(p))
		if got := booking(t, s, b.ID); got.State != inventory.StateCancelled || got.Payments[0].Standing != inventory.StandingRefunded || s.Taken(t) != 0 {
			t.Errorf("booking %s, payment %s, taken %d", got.State, got.Payments[0].Standing, s.Taken(t))
		}
	})
}

func TestReviveZombie_notWithAPartGone(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	z, later := lateZombie(t, s, "u-1", 1)
	r, err := later.RefundPayment(t.Context(), z.Payment.ID, 0, 1000, mira, "a part")
	if err == nil {
		_, err = later.RefundAnswered(t.Context(), r.ID, inventory.ProviderRefund{ID: "rf_1", State: inventory.RefundSucceeded})
	}
	if err != nil {
		t.Fatal(err)
	}
	rest, err := later.Zombie(t.Context(), z.Payment.ID)
	if err != nil || rest.Payment.DecideBy.IsZero() || rest.CanGo == nil {
		t.Errorf("the rest: %+v, %v; want a deadline, and no revive", rest, err)
	}
	if _, err := later.ReviveZombie(t.Context(), z.Payment.ID, 0, mira, "phoned"); !errors.Is(err, inventory.ErrNotAllowed) {
		t.Errorf("ReviveZombie = %v, want ErrNotAllowed", err)
	}
}

// A callback that did not name us came first; then the provider's own answer
// says that the money is for this payment.
func TestPaymentAnswered_adoptsMoneyKeptAsUnmatched(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	b, p, err := s.Store.StartPayment(t.Context(), inventory.PayRequest{BookingID: s.Hold(t, "u-1", 1).ID, Provider: "simulated", Actor: mira})
	if err != nil {
		t.Fatal(err)
	}
	nameless := pgtest.Captured(b, "sim_1")
	nameless.Reference = ""
	pgtest.Deliver(t, s.Store, nameless)
	b, p, err = s.Store.PaymentAnswered(t.Context(), p.ID, inventory.ProviderPayment{ID: "sim_1", State: inventory.PaymentSucceeded, Amount: b.Amount})
	if err != nil || b.State != inventory.StateConfirmed || p.Standing != inventory.StandingApplied {
		t.Errorf("PaymentAnswered = %s, %s, %v", b.State, p.Standing, err)
	}
	if n := countRows(t, s, "payment"); n != 1 {
		t.Errorf("%d payments, want 1", n)
	}
}

func TestOutbox_retryOfAParkedMessageIsNoViolation(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	z, later := lateZombie(t, s, "u-1", 1) // seq 2 expired, seq 3 payment.late
	id := z.Booking.ID
	if err := later.ParkMessage(ctx, mira, id, 2, "that shop is closed"); err != nil {
		t.Fatal(err)
	}
	if err := later.OutboxDelivered(ctx, id, 3); err != nil {
		t.Fatal(err)
	}
	if err := later.RetryMessage(ctx, mira, id, 2); err != nil {
		t.Fatal(err)
	}
	if v, err := s.Store.Check(ctx); err != nil || len(v) != 0 {
		t.Errorf("Check = %v, %v", v, err)
	}
	audit, err := s.Store.Audit(ctx, inventory.AuditFilter{Subject: "message " + id.String()})
	if err != nil || len(audit) != 2 || audit[1].Reason != "that shop is closed" {
		t.Errorf("audit = %+v, %v; want the parking and the retry", audit, err)
	}
}

func TestPoolDay_oversoldMarkShrinks(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	first, second := s.Hold(t, "u-1", 5), s.Hold(t, "u-2", 4)
	s.SetDay(t, inventory.DayEdit{Capacity: set(5), OverbookLimit: set(0)})
	mark := func() (n int) {
		if err := s.DB.Pool.QueryRow(t.Context(), "SELECT oversold_by_edit FROM pool_day WHERE day = $1::date", s.Day.String()).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, want := range []struct {
		release inventory.BookingID
		mark    int
	}{{inventory.BookingID{}, 4}, {second.ID, 0}, {first.ID, 0}} {
		if want.release != (inventory.BookingID{}) {
			if _, err := s.Store.ReleaseHold(t.Context(), want.release, 0, mira, ""); err != nil {
				t.Fatal(err)
			}
		}
		if got := mark(); got != want.mark {
			t.Errorf("oversold_by_edit = %d, want %d", got, want.mark)
		}
	}
}
