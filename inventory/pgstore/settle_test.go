package pgstore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

// Confirmation tells four cases apart: won, duplicate, past its end but never
// swept, and expired.
func TestSettle_fourCasesOfConfirmation(t *testing.T) {
	t.Parallel()
	t.Run("won", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		b := s.Hold(t, "u-1", 2)
		pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_1"))
		got := booking(t, s, b.ID)
		if got.State != inventory.StateConfirmed || got.Payments[0].Standing != inventory.StandingApplied {
			t.Errorf("booking = %s, payment %s", got.State, got.Payments[0].Standing)
		}
	})
	t.Run("sameEventTwentyTimesAtOnce", func(t *testing.T) { // case B16
		t.Parallel()
		s := pgtest.OpenShop(t)
		b := s.Hold(t, "u-1", 1)
		e := pgtest.Captured(b, "pay_1")
		race(t, 20, func(int) error {
			if _, err := s.Store.StoreEvent(t.Context(), e); err != nil {
				return err
			}
			return s.Store.ApplyEvent(t.Context(), e.Provider, e.ID)
		})
		again := e
		again.ID = "evt_" + uuid.NewString() // another event, same meaning
		pgtest.Deliver(t, s.Store, again)
		got := booking(t, s, b.ID)
		if got.State != inventory.StateConfirmed || got.Version != 2 || len(got.Payments) != 1 {
			t.Errorf("booking = %s v%d with %d payments, want CONFIRMED v2 with 1", got.State, got.Version, len(got.Payments))
		}
		if n := countRows(t, s, "webhook_event"); n != 2 {
			t.Errorf("%d event rows, want 2", n)
		}
	})
	t.Run("secondCaptureIsADuplicateZombie", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		b := s.Hold(t, "u-1", 1)
		pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_1"))
		pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_2"))
		got := booking(t, s, b.ID)
		if got.Payments[0].Standing != inventory.StandingApplied || got.Payments[1].Standing != inventory.StandingZombie ||
			got.Payments[1].ZombieKind != inventory.ZombieDuplicate {
			t.Errorf("payments = %+v", got.Payments)
		}
		if _, err := s.Store.ReviveZombie(t.Context(), got.Payments[1].ID, 0, inventory.Staff("mira"), "try"); !errors.Is(err, inventory.ErrNotAllowed) {
			t.Errorf("revive of a duplicate = %v, want ErrNotAllowed", err)
		}
	})
	t.Run("pastItsEndButStillHeldTakesNothingAgain", func(t *testing.T) {
		t.Parallel()
		for _, policy := range []inventory.LatePolicy{inventory.LateAsk, inventory.LateRevive} {
			t.Run(string(policy), func(t *testing.T) {
				t.Parallel()
				s := pgtest.OpenShop(t, pgtest.Late(policy))
				b := s.Hold(t, "u-1", 2)
				pgtest.Deliver(t, s.After(t, 11*time.Minute), pgtest.Captured(b, "pay_1"))
				if got := s.State(t, b.ID); got != inventory.StateConfirmed {
					t.Errorf("state = %s, want CONFIRMED", got)
				}
				if got := s.Taken(t); got != 2 {
					t.Errorf("taken = %d, want 2", got)
				}
				journal, _ := s.Store.Journal(t.Context(), b.ID)
				if last := journal[len(journal)-1]; last.Cause != inventory.CauseLateButStillHeld {
					t.Errorf("cause = %s, want late_but_still_held", last.Cause)
				}
			})
		}
	})
	t.Run("pastItsEndPolicyRefundGivesThePlaceBack", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t, pgtest.Late(inventory.LateRefund))
		b := s.Hold(t, "u-1", 2)
		pgtest.Deliver(t, s.After(t, 11*time.Minute), pgtest.Captured(b, "pay_1"))
		got := booking(t, s, b.ID)
		if got.State != inventory.StateExpired || got.Payments[0].Standing != inventory.StandingRefunding || s.Taken(t) != 0 {
			t.Errorf("booking %s, payment %s, taken %d", got.State, got.Payments[0].Standing, s.Taken(t))
		}
	})
}

// Case B08: paid after expiry; each policy, with and without room.
func TestSettle_B08_lateMoneyByPolicy(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		policy       inventory.LatePolicy
		placeGone    bool
		wantState    inventory.BookingState
		wantStanding inventory.Standing
		wantTaken    int
	}{
		{"refundWithRoom", inventory.LateRefund, false, inventory.StateExpired, inventory.StandingRefunding, 0},
		{"refundWithoutRoom", inventory.LateRefund, true, inventory.StateExpired, inventory.StandingRefunding, 1},
		{"reviveWithRoom", inventory.LateRevive, false, inventory.StateConfirmed, inventory.StandingApplied, 1},
		{"reviveWithoutRoom", inventory.LateRevive, true, inventory.StateExpired, inventory.StandingRefunding, 1},
		{"askWithRoom", inventory.LateAsk, false, inventory.StateExpired, inventory.StandingZombie, 0},
		{"askWithoutRoom", inventory.LateAsk, true, inventory.StateExpired, inventory.StandingZombie, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := pgtest.OpenShop(t, pgtest.Capacity(1, 0), pgtest.Late(tt.policy))
			b := s.Hold(t, "u-001", 1)
			later := s.After(t, 11*time.Minute)
			if _, err := later.SweepHolds(t.Context(), 500); err != nil {
				t.Fatal(err)
			}
			if tt.placeGone {
				other, _, err := later.PlaceHold(t.Context(), s.Request("u-002", 1))
				if err != nil {
					t.Fatal(err)
				}
				pgtest.Deliver(t, later, pgtest.Captured(other, "pay_other"))
			}
			e := pgtest.Captured(b, "pay_1")
			for range 3 {
				pgtest.Deliver(t, later, e)
			}
			got := booking(t, s, b.ID)
			if got.State != tt.wantState || got.Payments[0].Standing != tt.wantStanding || s.Taken(t) != tt.wantTaken {
				t.Errorf("booking %s, payment %s, taken %d; want %s, %s, %d",
					got.State, got.Payments[0].Standing, s.Taken(t), tt.wantState, tt.wantStanding, tt.wantTaken)
			}
			if want := map[bool]int{true: 1, false: 0}[tt.wantStanding == inventory.StandingRefunding]; countRows(t, s, "refund") != want {
				t.Errorf("%d refund rows, want %d", countRows(t, s, "refund"), want)
			}
		})
	}
}

func TestSettle_buyerHoldsAgainMeanwhile(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Late(inventory.LateRevive))
	first := s.Hold(t, "u-1", 1)
	later := s.After(t, 11*time.Minute)
	if _, _, err := later.PlaceHold(t.Context(), s.Request("u-1", 1)); err != nil {
		t.Fatal(err)
	}
	pgtest.Deliver(t, later, pgtest.Captured(first, "pay_1"))
	got := booking(t, s, first.ID)
	if got.State != inventory.StateExpired || got.Payments[0].Standing != inventory.StandingRefunding {
		t.Errorf("booking %s, payment %s, want EXPIRED and refunding", got.State, got.Payments[0].Standing)
	}
	if s.Taken(t) != 1 {
		t.Errorf("taken = %d, want 1", s.Taken(t))
	}
}

func TestSettle_moneyThatDoesNotFit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(*inventory.ProviderEvent)
		kind  inventory.ZombieKind
	}{
		{"oneCent", func(e *inventory.ProviderEvent) { e.Amount.Minor = 1 }, inventory.ZombieMismatch},
		{"otherCurrency", func(e *inventory.ProviderEvent) { e.Amount.Currency = "USD" }, inventory.ZombieMismatch},
		{"unknownReference", func(e *inventory.ProviderEvent) { e.Reference = uuid.NewString() }, inventory.ZombieUnmatched},
		{"referenceIsNoID", func(e *inventory.ProviderEvent) { e.Reference = "../../x" }, inventory.ZombieUnmatched},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := pgtest.OpenShop(t)
			b := s.Hold(t, "u-1", 1)
			e := pgtest.Captured(b, "pay_1")
			tt.spoil(&e)
			pgtest.Deliver(t, s.Store, e)
			if got := s.State(t, b.ID); got != inventory.StateHeld {
				t.Errorf("booking is %s, want HELD: it must not be confirmed", got)
			}
			list, err := s.Store.Zombies(t.Context(), inventory.ZombieFilter{})
			if err != nil || len(list.Zombies) != 1 || list.Zombies[0].Payment.ZombieKind != tt.kind {
				t.Errorf("zombies = %+v, %v; want one %s", list.Zombies, err, tt.kind)
			}
		})
	}
}

// Daemon-driven: the payment row is there before the provider is asked.
func TestStartPayment_attempts(t *testing.T) {
	t.Parallel()
	pay := func(b inventory.Booking, key string) inventory.PayRequest {
		return inventory.PayRequest{BookingID: b.ID, IdempotencyKey: key, Provider: "simulated", Actor: inventory.Staff("test")}
	}
	t.Run("declineEndsTheAttemptNotTheBooking", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		b := s.Hold(t, "u-1", 1)
		b, p, err := s.Store.StartPayment(t.Context(), pay(b, "k1"))
		if err != nil || b.State != inventory.StatePaymentPending || p.State != inventory.PaymentCreated || b.DoubtUntil.IsZero() {
			t.Fatalf("StartPayment = %s, %+v, %v", b.State, p, err)
		}
		b, p, err = s.Store.PaymentAnswered(t.Context(), p.ID, inventory.ProviderPayment{ID: "sim_1", State: inventory.PaymentFailed, Amount: b.Amount})
		if err != nil || b.State != inventory.StateHeld || p.State != inventory.PaymentFailed {
			t.Fatalf("declined: %s, %s, %v", b.State, p.State, err)
		}
		b, p, err = s.Store.StartPayment(t.Context(), pay(b, "k2"))
		if err != nil || p.Attempt != 2 {
			t.Fatalf("second attempt = %+v, %v", p, err)
		}
		b, p, err = s.Store.PaymentAnswered(t.Context(), p.ID, inventory.ProviderPayment{ID: "sim_2", State: inventory.PaymentSucceeded, Amount: b.Amount})
		if err != nil || b.State != inventory.StateConfirmed || p.Standing != inventory.StandingApplied {
			t.Errorf("paid: %s, %s, %v", b.State, p.Standing, err)
		}
	})
	t.Run("pressedTwiceIsOneAttempt", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		b := s.Hold(t, "u-1", 1)
		_, first, err := s.Store.StartPayment(t.Context(), pay(b, "k1"))
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"k1", "k2", ""} {
			_, again, err := s.Store.StartPayment(t.Context(), pay(b, key))
			if err != nil || again.ID != first.ID {
				t.Errorf("key %q: payment %s, %v; want the open one %s", key, again.ID, err, first.ID)
			}
		}
	})
	t.Run("afterItsEndThePlaceIsGone", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		b := s.Hold(t, "u-1", 1)
		if _, _, err := s.After(t, 11*time.Minute).StartPayment(t.Context(), pay(b, "k1")); !errors.Is(err, inventory.ErrHoldExpired) {
			t.Errorf("StartPayment = %v, want ErrHoldExpired", err)
		}
	})
	t.Run("declinedAfterItsEndGivesThePlaceBack", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		b := s.Hold(t, "u-1", 2)
		_, p, err := s.Store.StartPayment(t.Context(), pay(b, "k1"))
		if err != nil {
			t.Fatal(err)
		}
		b, _, err = s.After(t, 20*time.Minute).PaymentAnswered(t.Context(), p.ID, inventory.ProviderPayment{ID: "sim_1", State: inventory.PaymentCancelled})
		if err != nil || b.State != inventory.StateExpired || s.Taken(t) != 0 {
			t.Errorf("cancelled late: %s, taken %d, %v", b.State, s.Taken(t), err)
		}
	})
	t.Run("succeededIsNeverTakenBackByAnOlderEvent", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		b := s.Hold(t, "u-1", 1)
		_, p, err := s.Store.StartPayment(t.Context(), pay(b, "k1"))
		if err != nil {
			t.Fatal(err)
		}
		for _, state := range []inventory.PaymentState{inventory.PaymentSucceeded, inventory.PaymentFailed, inventory.PaymentPending} {
			if b, p, err = s.Store.PaymentAnswered(t.Context(), p.ID, inventory.ProviderPayment{ID: "sim_1", State: state, Amount: b.Amount}); err != nil {
				t.Fatal(err)
			}
		}
		if b.State != inventory.StateConfirmed || p.State != inventory.PaymentSucceeded {
			t.Errorf("booking %s, payment %s", b.State, p.State)
		}
	})
	t.Run("nothingToPayIsConfirmedAtOnce", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t, pgtest.Price(0))
		b := s.Hold(t, "u-1", 1)
		b, p, err := s.Store.StartPayment(t.Context(), pay(b, "k1"))
		if err != nil || b.State != inventory.StateConfirmed || p.ID != (inventory.PaymentID{}) {
			t.Errorf("StartPayment = %s, %+v, %v", b.State, p, err)
		}
	})
}

func booking(t *testing.T, s pgtest.Shop, id inventory.BookingID) inventory.Booking {
	t.Helper()
	b, err := s.Store.Booking(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
