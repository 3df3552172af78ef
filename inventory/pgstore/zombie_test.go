package pgstore_test

import (
	"errors"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/migrations/pgtest"
)

// lateZombie makes a hold, lets it expire and delivers its money after that.
func lateZombie(t *testing.T, s pgtest.Shop, buyer string, quantity int) (inventory.Zombie, *pgstore.Store) {
	t.Helper()
	b := s.Hold(t, buyer, quantity)
	later := s.After(t, 11*time.Minute)
	if _, err := later.SweepHolds(t.Context(), 500); err != nil {
		t.Fatal(err)
	}
	pgtest.Deliver(t, later, pgtest.Captured(b, "pay_"+buyer))
	p := booking(t, s, b.ID).Payments[0]
	z, err := later.Zombie(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	return z, later
}

func TestZombies_tellStaffWhatTheyNeed(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	z, later := lateZombie(t, s, "u-1", 2)
	if z.CanGo != nil || z.Left != 12 || z.LateBy < 30*time.Second || z.Policy != inventory.LateAsk || z.Payment.DecideBy.IsZero() {
		t.Errorf("zombie = %+v", z)
	}
	list, err := later.Zombies(t.Context(), inventory.ZombieFilter{Venue: "harbour"})
	if err != nil || list.Total != 1 || list.AtStake[0].String() != "EUR 50.00" {
		t.Errorf("list = %+v, %v", list, err)
	}
	s.Hold(t, "u-full", 11)
	if z, err = s.Store.Zombie(t.Context(), z.Payment.ID); err != nil || !errors.Is(z.CanGo, inventory.ErrSoldOut) || z.Left != 1 {
		t.Errorf("without room: can %v, left %d, %v", z.CanGo, z.Left, err)
	}
}

// Case B02: two staff revive two zombies for one place at the same moment.
func TestReviveZombie_B02_twoForOnePlace(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(1, 0))
	first, _ := lateZombie(t, s, "u-001", 1)
	second, later := lateZombie(t, s, "u-002", 1)
	zombies := []inventory.PaymentID{first.Payment.ID, second.Payment.ID}
	other := s.DB.Store(t, 4)
	stores := []*pgstore.Store{later, other.At(s.Now(t).Add(11 * time.Minute))}
	won := race(t, 2, func(i int) error {
		_, err := stores[i].ReviveZombie(t.Context(), zombies[i], 0, inventory.Staff("mira"), "phoned")
		return err
	}, inventory.ErrSoldOut)
	if won != 1 || s.Taken(t) != 1 {
		t.Errorf("%d revived, taken %d, want 1 and 1", won, s.Taken(t))
	}
	list, err := later.Zombies(t.Context(), inventory.ZombieFilter{})
	if err != nil || len(list.Zombies) != 1 {
		t.Fatalf("the loser is still a zombie: %+v, %v", list.Zombies, err)
	}
	if _, err := later.RefundPayment(t.Context(), list.Zombies[0].Payment.ID, 0, 0, inventory.Staff("mira"), "no room"); err != nil {
		t.Errorf("and can be refunded: %v", err)
	}
}

func TestReviveZombie_pressedFiveTimesIsOneTransition(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	z, later := lateZombie(t, s, "u-1", 1)
	won := race(t, 5, func(int) error {
		_, err := later.ReviveZombie(t.Context(), z.Payment.ID, z.Payment.Version, inventory.Staff("mira"), "phoned")
		return err
	}, inventory.ErrNotAllowed)
	audit, err := s.Store.Audit(t.Context(), inventory.AuditFilter{Subject: "booking " + z.Booking.ID.String()})
	if won != 1 || err != nil || len(audit) != 1 || audit[0].Action != "booking.revived" {
		t.Errorf("won %d, audit %+v, %v", won, audit, err)
	}
}

func TestReviveZombie_staleVersionIsRefused(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	z, later := lateZombie(t, s, "u-1", 1)
	_, err := later.ReviveZombie(t.Context(), z.Payment.ID, z.Payment.Version+1, inventory.Staff("mira"), "phoned")
	if !errors.Is(err, inventory.ErrStale) {
		t.Errorf("ReviveZombie = %v, want ErrStale", err)
	}
}

func TestSettle_moneyForAReleasedHoldIsAZombie(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	b := s.Hold(t, "u-1", 1)
	if _, err := s.Store.ReleaseHold(t.Context(), b.ID, 0, inventory.Staff("mira"), ""); err != nil {
		t.Fatal(err)
	}
	pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_1"))
	got := booking(t, s, b.ID)
	if got.State != inventory.StateCancelled || got.Payments[0].ZombieKind != inventory.ZombieLate {
		t.Errorf("booking %s, payment %+v", got.State, got.Payments[0])
	}
}

func TestDecideOverdueZombies_refundsAfterTheDeadline(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	_, later := lateZombie(t, s, "u-1", 1)
	if n, err := later.DecideOverdueZombies(t.Context(), 100); err != nil || n != 0 {
		t.Errorf("before the deadline: %d, %v", n, err)
	}
	if n, err := s.After(t, 25*time.Hour).DecideOverdueZombies(t.Context(), 100); err != nil || n != 1 {
		t.Errorf("after the deadline: %d, %v", n, err)
	}
}

func TestRefundPayment_oneKeyForLife(t *testing.T) {
	t.Parallel()
	mira := inventory.Staff("mira")
	t.Run("pressedTenTimesIsOneRefund", func(t *testing.T) { // case B22
		t.Parallel()
		s := pgtest.OpenShop(t)
		z, later := lateZombie(t, s, "u-1", 1)
		won := race(t, 10, func(int) error {
			_, err := later.RefundPayment(t.Context(), z.Payment.ID, 0, 0, mira, "late")
			return err
		}, inventory.ErrNotAllowed)
		if won != 1 || countRows(t, s, "refund") != 1 {
			t.Errorf("%d accepted, %d rows", won, countRows(t, s, "refund"))
		}
		first, err := later.ClaimRefunds(t.Context(), anyProvider, 10)
		if err != nil || len(first) != 1 || first[0].ProviderPayment != "pay_u-1" {
			t.Fatalf("ClaimRefunds = %+v, %v", first, err)
		}
		if again, err := later.ClaimRefunds(t.Context(), anyProvider, 10); err != nil || len(again) != 0 {
			t.Errorf("claimed twice at once: %+v, %v", again, err)
		}
		if err := later.RefundUnanswered(t.Context(), first[0].Refund.ID, "timeout"); err != nil {
			t.Fatal(err)
		}
		again, err := s.After(t, 30*time.Minute).ClaimRefunds(t.Context(), anyProvider, 10)
		if err != nil || len(again) != 1 || again[0].Refund.ID != first[0].Refund.ID || again[0].Refund.Tries != 2 {
			t.Errorf("after no answer: %+v, %v; want the same id again", again, err)
		}
	})
	t.Run("pendingIsNotDoneAndFailureGoesBackToTheDesk", func(t *testing.T) { // case B24
		t.Parallel()
		s := pgtest.OpenShop(t)
		z, later := lateZombie(t, s, "u-1", 1)
		r, err := later.RefundPayment(t.Context(), z.Payment.ID, 0, 0, mira, "late")
		if err != nil {
			t.Fatal(err)
		}
		standing := func() inventory.Standing { return booking(t, s, z.Booking.ID).Payments[0].Standing }
		answer := func(id inventory.RefundID, state inventory.RefundState) {
			t.Helper()
			if _, err := later.RefundAnswered(t.Context(), id, inventory.ProviderRefund{ID: "rf_" + id.Short(), State: state, Reason: "insufficient balance"}); err != nil {
				t.Fatal(err)
			}
		}
		answer(r.ID, inventory.RefundPending)
		if got := standing(); got != inventory.StandingRefunding {
			t.Errorf("pending: standing %s", got)
		}
		answer(r.ID, inventory.RefundFailed)
		if got := standing(); got != inventory.StandingZombie {
			t.Errorf("failed: standing %s, want zombie", got)
		}
		retry, err := later.RetryRefund(t.Context(), r.ID, mira)
		if err != nil || retry.ID == r.ID {
			t.Fatalf("RetryRefund = %+v, %v; want a new key", retry, err)
		}
		answer(retry.ID, inventory.RefundSucceeded)
		answer(r.ID, inventory.RefundFailed) // the old failure arrives once more
		if got := standing(); got != inventory.StandingRefunded {
			t.Errorf("at the end: standing %s, want refunded", got)
		}
	})
	t.Run("bankReturnsASucceededRefund", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		z, later := lateZombie(t, s, "u-1", 1)
		r, err := later.RefundPayment(t.Context(), z.Payment.ID, 0, 0, mira, "late")
		if err != nil {
			t.Fatal(err)
		}
		for _, state := range []inventory.RefundState{inventory.RefundSucceeded, inventory.RefundFailed, inventory.RefundSucceeded} {
			if _, err := later.RefundAnswered(t.Context(), r.ID, inventory.ProviderRefund{ID: "rf_1", State: state}); err != nil {
				t.Fatal(err)
			}
		}
		if got := booking(t, s, z.Booking.ID).Payments[0].Standing; got != inventory.StandingZombie {
			t.Errorf("standing = %s, want zombie: the money is here again", got)
		}
	})
	t.Run("partsNeverExceedTheWhole", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		b := s.Hold(t, "u-1", 1)
		pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_1"))
		p := booking(t, s, b.ID).Payments[0]
		won := race(t, 8, func(int) error {
			_, err := s.Store.RefundPayment(t.Context(), p.ID, 0, 1000, mira, "goodwill")
			if len(inventory.FieldErrors(err)) == 1 {
				return inventory.ErrNotAllowed
			}
			return err
		}, inventory.ErrNotAllowed)
		if won != 2 || s.State(t, b.ID) != inventory.StateConfirmed {
			t.Errorf("%d parts of EUR 10.00 from EUR 25.00, booking %s", won, s.State(t, b.ID))
		}
	})
	t.Run("wholeOfAnAppliedPaymentCancelsItsBooking", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		b := s.Hold(t, "u-1", 2)
		pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_1"))
		p := booking(t, s, b.ID).Payments[0]
		if _, err := s.Store.RefundPayment(t.Context(), p.ID, 0, 0, mira, "show cancelled"); err != nil {
			t.Fatal(err)
		}
		if s.State(t, b.ID) != inventory.StateCancelled || s.Taken(t) != 0 {
			t.Errorf("booking %s, taken %d", s.State(t, b.ID), s.Taken(t))
		}
	})
	t.Run("providerSaysSoByCallback", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		z, later := lateZombie(t, s, "u-1", 1)
		r, err := later.RefundPayment(t.Context(), z.Payment.ID, 0, 0, mira, "late")
		if err != nil {
			t.Fatal(err)
		}
		pgtest.Deliver(t, later, inventory.ProviderEvent{
			Provider: "simulated", ID: "evt_r1", Kind: inventory.EventRefundSucceeded, ProviderRefund: "rf_1",
			Reference: r.ID.String(), Amount: r.Amount, Body: []byte("{}"),
		})
		if got := booking(t, s, z.Booking.ID).Payments[0].Standing; got != inventory.StandingRefunded {
			t.Errorf("standing = %s, want refunded", got)
		}
	})
}
