package pgstore_test

import (
	"errors"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/migrations/pgtest"
)

// inDoubt makes a booking whose payment the provider has not decided.
func inDoubt(t *testing.T, s pgtest.Shop, buyer string) (inventory.Booking, inventory.Payment) {
	t.Helper()
	b, p, err := s.Store.StartPayment(t.Context(), inventory.PayRequest{BookingID: s.Hold(t, buyer, 2).ID, Provider: "simulated", Actor: mira})
	if err != nil {
		t.Fatal(err)
	}
	return b, p
}

func claimDoubtful(t *testing.T, store *pgstore.Store) []inventory.DoubtfulPayment {
	t.Helper()
	due, err := store.ClaimDoubtful(t.Context(), anyProvider, 100)
	if err != nil {
		t.Fatal(err)
	}
	return due
}

func TestClaimDoubtful_asksOnABackoff(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	_, p := inDoubt(t, s, "u-1")
	if due := claimDoubtful(t, s.After(t, 14*time.Minute)); len(due) != 0 {
		t.Errorf("before doubt_until: %d", len(due))
	}
	at := 16 * time.Minute
	for try := 1; try <= 4; try++ {
		due := claimDoubtful(t, s.After(t, at))
		if len(due) != 1 || due[0].Payment.ID != p.ID || due[0].Payment.AskTries != try || due[0].PastCap {
			t.Fatalf("try %d: %+v", try, due)
		}
		if again := claimDoubtful(t, s.After(t, at)); len(again) != 0 {
			t.Errorf("try %d: claimed twice", try)
		}
		wait := due[0].Payment.NextAskAt.Sub(s.Now(t).Add(at))
		if least := 14 * time.Second << (try - 1); wait < least || wait > 2*least {
			t.Errorf("try %d: asked again after %s, want from %s", try, wait, least)
		}
		at += wait + time.Second
	}
}

func TestGiveUpDoubt_onlyPastTheCap(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	b, p := inDoubt(t, s, "u-1")
	if _, err := s.After(t, 23*time.Hour).GiveUpDoubt(t.Context(), p.ID); !errors.Is(err, inventory.ErrNotAllowed) {
		t.Errorf("before the cap: %v, want ErrNotAllowed", err)
	}
	if s.Taken(t) != 2 {
		t.Errorf("taken = %d: a place in doubt was released before its cap", s.Taken(t))
	}
	later := s.After(t, 25*time.Hour)
	if due := claimDoubtful(t, later); len(due) != 1 || !due[0].PastCap {
		t.Fatalf("after the cap: %+v", due)
	}
	got, err := later.GiveUpDoubt(t.Context(), p.ID)
	if err != nil || got.State != inventory.StateExpired || s.Taken(t) != 0 {
		t.Errorf("GiveUpDoubt = %s, %v; taken %d", got.State, err, s.Taken(t))
	}
	// The money was taken after all: it has an owner all the same.
	_, paid, err := later.PaymentAnswered(t.Context(), p.ID, inventory.ProviderPayment{ID: "sim_1", State: inventory.PaymentSucceeded, Amount: b.Amount})
	if err != nil || paid.Standing != inventory.StandingZombie {
		t.Errorf("captured after all: %s, %v; want a zombie", paid.Standing, err)
	}
}

// A buyer who left while the provider thought: the attempt is still asked
// about, or a lost callback would leave money that nobody owns.
func TestClaimDoubtful_asksAboutAttemptsOfDeadBookings(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	b, p := inDoubt(t, s, "u-1")
	if _, err := s.Store.ReleaseHold(t.Context(), b.ID, 0, mira, "changed their mind"); err != nil {
		t.Fatal(err)
	}
	due := claimDoubtful(t, s.After(t, 20*time.Minute))
	if len(due) != 1 || due[0].Payment.ID != p.ID || due[0].PastCap {
		t.Errorf("due = %+v, want the attempt of the released booking", due)
	}
}

func TestPool_lateRuleOverridesTheVenue(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Late(inventory.LateRefund), func(_ *inventory.Venue, p *inventory.Pool) {
		p.Late = inventory.LateRule{Policy: inventory.LateAsk, Deadline: time.Hour}
	})
	z, _ := lateZombie(t, s, "u-1", 1)
	if z.Policy != inventory.LateAsk || z.Payment.DecideBy.Sub(z.Payment.ZombieSince) != time.Hour {
		t.Errorf("policy %s, decided by %s after", z.Policy, z.Payment.DecideBy.Sub(z.Payment.ZombieSince))
	}
}

func TestSettle_disputeBlocksTheRefund(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	z, later := lateZombie(t, s, "u-1", 1)
	say := func(kind inventory.EventKind, id string) {
		pgtest.Deliver(t, later, inventory.ProviderEvent{Provider: "simulated", ID: id, Kind: kind, ProviderPayment: "pay_u-1", Body: []byte("{}")})
	}
	say(inventory.EventDisputeOpened, "evt_d1")
	if _, err := later.RefundPayment(t.Context(), z.Payment.ID, 0, 0, mira, "late"); !errors.Is(err, inventory.ErrDisputed) {
		t.Errorf("refund while disputed: %v, want ErrDisputed", err)
	}
	if n, err := s.After(t, 48*time.Hour).DecideOverdueZombies(t.Context(), 10); err != nil || n != 0 {
		t.Errorf("the deadline refunded %d, %v while disputed", n, err)
	}
	say(inventory.EventDisputeWon, "evt_d2")
	say(inventory.EventDisputeOpened, "evt_d3") // late
	if _, err := later.RefundPayment(t.Context(), z.Payment.ID, 0, 0, mira, "late"); err != nil {
		t.Errorf("refund after the dispute was won: %v", err)
	}
}

func TestSettle_refundMadeAtTheProviderIsRecordedOnce(t *testing.T) {
	t.Parallel()
	refund := func(kind inventory.EventKind, id string, minor inventory.Minor) inventory.ProviderEvent {
		return inventory.ProviderEvent{
			Provider: "simulated", ID: id, Kind: kind, ProviderPayment: "pay_1", ProviderRefund: "rf_dashboard",
			Amount: inventory.Money{Minor: minor, Currency: "EUR"}, Body: []byte("{}"),
		}
	}
	t.Run("wholeOfAnAppliedPayment", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		b := s.Hold(t, "u-1", 1)
		pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_1"))
		events := []inventory.ProviderEvent{
			refund(inventory.EventRefundPending, "evt_1", 2500), refund(inventory.EventRefundSucceeded, "evt_2", 2500), refund(inventory.EventRefundSucceeded, "evt_3", 2500),
		}
		race(t, len(events), func(i int) error {
			if _, err := s.Store.StoreEvent(t.Context(), events[i]); err != nil {
				return err
			}
			return s.Store.ApplyEvent(t.Context(), "simulated", events[i].ID)
		})
		got := booking(t, s, b.ID)
		if got.State != inventory.StateCancelled || got.Payments[0].Standing != inventory.StandingRefunded || countRows(t, s, "refund") != 1 || s.Taken(t) != 0 {
			t.Errorf("booking %s, payment %s, %d refunds, taken %d", got.State, got.Payments[0].Standing, countRows(t, s, "refund"), s.Taken(t))
		}
		if tasks, err := s.After(t, time.Hour).ClaimRefunds(t.Context(), anyProvider, 10); err != nil || len(tasks) != 0 {
			t.Errorf("it would be sent again: %+v, %v", tasks, err)
		}
	})
	t.Run("partOfAnAppliedPayment", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		b := s.Hold(t, "u-1", 1)
		pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_1"))
		pgtest.Deliver(t, s.Store, refund(inventory.EventRefundSucceeded, "evt_1", 1000))
		if got := booking(t, s, b.ID); got.State != inventory.StateConfirmed || got.Payments[0].Standing != inventory.StandingApplied {
			t.Errorf("booking %s, payment %s", got.State, got.Payments[0].Standing)
		}
	})
	t.Run("beforeWeHearOfTheCapture", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		b := s.Hold(t, "u-1", 1)
		pgtest.Deliver(t, s.Store, refund(inventory.EventRefundSucceeded, "evt_1", 2500))
		pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_1"))
		if n, err := s.After(t, time.Hour).ApplyPendingEvents(t.Context(), 10); err != nil || n != 1 {
			t.Fatalf("ApplyPendingEvents = %d, %v", n, err)
		}
		if got := booking(t, s, b.ID).Payments[0].Standing; got != inventory.StandingRefunded {
			t.Errorf("standing = %s, want refunded", got)
		}
	})
}

func TestInbox_poisonIsParkedAndOthersGoOn(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	poison := inventory.ProviderEvent{Provider: "simulated", ID: "evt_poison", Kind: "payment.exploded", Body: []byte("{}")}
	live := pgtest.Captured(s.Hold(t, "u-live", 1), "pay_live")
	live.Problem = "a live event on a test system"
	for _, e := range []inventory.ProviderEvent{poison, live} {
		if _, err := s.Store.StoreEvent(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	good := pgtest.Captured(s.Hold(t, "u-1", 1), "pay_1")
	if _, err := s.Store.StoreEvent(ctx, good); err != nil {
		t.Fatal(err)
	}
	at := time.Minute
	for range 15 {
		at *= 2
		_, _ = s.After(t, at).ApplyPendingEvents(ctx, 10) // the poison's error is reported every time
	}
	events, err := s.Store.Inbox(ctx, inventory.InboxFilter{})
	if err != nil || len(events) != 3 {
		t.Fatalf("inbox = %+v, %v", events, err)
	}
	want := map[string]inventory.InboxState{"evt_poison": inventory.InboxParked, live.ID: inventory.InboxParked, good.ID: inventory.InboxApplied}
	for _, e := range events {
		if e.State != want[e.ID] || e.Note == "" {
			t.Errorf("%s is %s (%q), want %s", e.ID, e.State, e.Note, want[e.ID])
		}
	}
	if err := s.Store.RetryEvent(ctx, mira, "simulated", "evt_poison"); err != nil {
		t.Errorf("retry of the poison: %v", err)
	}
	if err := s.Store.RetryEvent(ctx, mira, "simulated", live.ID); !errors.Is(err, inventory.ErrNotAllowed) {
		t.Errorf("retry of the live event: %v, want ErrNotAllowed", err)
	}
}
