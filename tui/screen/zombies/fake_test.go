package zombies_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/tui/app"
	"holdfast/tui/screen/zombies"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

// till is a store in memory that answers as the real one does.
type till struct {
	now     func() time.Time
	zombies []inventory.Zombie
	stories map[inventory.BookingID][]inventory.JournalEntry
	others  map[inventory.BookingID][]inventory.Payment
	refunds []inventory.Refund
	total   int   // instead of counting
	err     error // of reads
	wErr    error // of decisions
	onWrite func(inventory.Zombie)

	writes []string
}

var mira = inventory.Staff("mira")

// start is where the clock of tuitest stands.
var start = time.Date(2026, 12, 4, 11, 38, 7, 0, time.UTC)

func number(n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("01990000-0000-7000-8000-0000%08x", n))
}

func payment(n int) inventory.PaymentID { return inventory.PaymentID{UUID: number(n)} }
func booking(n int) inventory.BookingID { return inventory.BookingID{UUID: number(0x1000000 + n)} }

func eur(minor inventory.Minor) inventory.Money {
	return inventory.Money{Minor: minor, Currency: "EUR"}
}

// late makes late money that has waited for so long.
func late(n int, age time.Duration, amount inventory.Money, pool, buyer string, quantity, left int, by time.Duration) inventory.Zombie {
	since := start.Add(-age)
	z := inventory.Zombie{
		Payment: inventory.Payment{
			ID: payment(n), BookingID: booking(n), Attempt: 1, Provider: "simulated", ProviderPayment: fmt.Sprintf("pay_%d", n), ProviderKey: "k",
			Amount: amount, Captured: amount, State: inventory.PaymentSucceeded, Standing: inventory.StandingZombie, ZombieKind: inventory.ZombieLate,
			CreatedAt: since.Add(-by - 6*time.Minute), CapturedAt: since, ZombieSince: since, DecideBy: since.Add(24 * time.Hour), Version: 3,
		},
		Booking: inventory.Booking{
			ID: booking(n), Pool: inventory.PoolRef{Venue: "harbour", Pool: "main"}, Name: pool, Day: date.New(2026, 12, 11), Quantity: quantity,
			Buyer: buyer, State: inventory.StateExpired, ExpiresAt: since.Add(-by), Amount: amount, CreatedAt: since.Add(-by - 10*time.Minute), Version: 3,
		},
		Venue: "harbour", LateBy: by, Left: left, Policy: inventory.LateAsk,
	}
	if left < quantity {
		z.CanGo = inventory.ErrSoldOut
	}
	return z
}

// evening is a till with one zombie of each kind and more.
func evening() *till {
	duplicate := late(0x77b1, 10*time.Minute, eur(2500), "Museum", "u-0815", 1, 7, 0)
	duplicate.Payment.ZombieKind, duplicate.CanGo, duplicate.Booking.State, duplicate.Booking.Version = inventory.ZombieDuplicate, inventory.ErrNotAllowed, inventory.StateConfirmed, 2
	mismatch := late(0x77c1, 9*time.Minute, inventory.Money{Minor: 900, Currency: "JPY"}, "Museum", "u-0816", 1, 7, 0)
	mismatch.Payment.ZombieKind, mismatch.CanGo, mismatch.Payment.DecideBy, mismatch.Booking.Amount = inventory.ZombieMismatch, inventory.ErrNotAllowed, time.Time{}, eur(900)
	unmatched := inventory.Zombie{
		Payment: inventory.Payment{
			ID: payment(0x77d1), Provider: "simulated", ProviderPayment: "pay_unknown", Amount: inventory.Money{Minor: 1234567, Currency: "KWD"}, Captured: inventory.Money{Minor: 1234567, Currency: "KWD"},
			State: inventory.PaymentSucceeded, Standing: inventory.StandingZombie, ZombieKind: inventory.ZombieUnmatched,
			CreatedAt: start.Add(-time.Minute), CapturedAt: start.Add(-time.Minute), ZombieSince: start.Add(-time.Minute), Version: 1,
		},
		Left: -1, CanGo: inventory.ErrNotAllowed,
	}
	stopped := late(0x77e1, 30*time.Second, eur(7200), "Museum", "u-0042", 4, 7, 4*time.Second)
	stopped.CanGo = inventory.ErrStopSell
	urgent := late(0x77f1, 23*time.Hour+20*time.Minute, eur(1800), "Parking P1", "u-3001", 1, 85, 2*time.Minute)
	t := &till{zombies: []inventory.Zombie{
		urgent,
		late(0x77a1, 26*time.Minute+10*time.Second, eur(24000), "Gala", "u-2077", 2, 9, 133*time.Second),
		late(0x77a2, 19*time.Minute+44*time.Second, eur(10000), "Museum", "u-2078", 2, 1, 31*time.Second),
		duplicate, mismatch, unmatched, stopped,
	}}
	t.stories, t.others = map[inventory.BookingID][]inventory.JournalEntry{}, map[inventory.BookingID][]inventory.Payment{}
	for _, z := range t.zombies {
		b := z.Booking
		if b.ID == (inventory.BookingID{}) {
			continue
		}
		t.stories[b.ID] = []inventory.JournalEntry{
			{BookingID: b.ID, Seq: 1, From: "NONE", To: "HELD", Cause: inventory.CauseHold, Actor: "client:shop", At: b.CreatedAt},
			{BookingID: b.ID, Seq: 2, From: "HELD", To: "PAYMENT_PENDING", Cause: inventory.CausePay, Actor: "client:shop", At: z.Payment.CreatedAt},
			{BookingID: b.ID, Seq: 3, From: "PAYMENT_PENDING", To: "EXPIRED", Cause: inventory.CauseExpired, Actor: "job:sweep", At: b.ExpiresAt.Add(12 * time.Second)},
		}
		if b.State == inventory.StateConfirmed {
			first := z.Payment
			first.ID, first.Standing, first.CapturedAt, first.ZombieKind = payment(0x1), inventory.StandingApplied, b.CreatedAt.Add(3*time.Minute), ""
			t.others[b.ID] = []inventory.Payment{first}
			t.stories[b.ID] = append(t.stories[b.ID][:1], inventory.JournalEntry{BookingID: b.ID, Seq: 2, From: "HELD", To: "CONFIRMED", Cause: inventory.CausePaid, Actor: "provider:simulated", At: first.CapturedAt})
		}
	}
	return t
}

func open(t *testing.T, s *till) *tuitest.Console {
	t.Helper()
	return tuitest.Open(t, options(s))
}

func options(s *till) tuitest.Options {
	return tuitest.Options{
		Tabs: []app.Tab{{Title: "Zombies", Route: ui.Route{Screen: zombies.Name}}},
		Screen: func(env *ui.Env) ui.Screen {
			s.now = env.Now
			return zombies.New(env, s, mira)
		},
		Config: func(c *app.Config) {
			c.Offline = func(err error) bool { return errors.Is(err, inventory.ErrUnavailable) }
			c.Explain = inventory.Message
		},
	}
}

func (s *till) Zombies(_ context.Context, f inventory.ZombieFilter) (inventory.ZombieList, error) {
	l := inventory.ZombieList{AsOf: s.now()}
	for _, z := range s.zombies {
		if f.Venue != "" && z.Venue != f.Venue {
			continue
		}
		l.Total++
		if len(l.Zombies) < cmp.Or(f.Limit, 200) {
			l.Zombies = append(l.Zombies, z)
		}
		i := slices.IndexFunc(l.AtStake, func(m inventory.Money) bool { return m.Currency == z.Payment.Captured.Currency })
		if i < 0 {
			l.AtStake = append(l.AtStake, inventory.Money{Currency: z.Payment.Captured.Currency})
			i = len(l.AtStake) - 1
		}
		l.AtStake[i].Minor += z.Payment.Captured.Minor
	}
	l.Total = max(l.Total, s.total)
	return l, s.err
}

func (s *till) find(id inventory.PaymentID) (inventory.Zombie, bool) {
	for _, z := range s.zombies {
		if z.Payment.ID == id {
			return z, true
		}
	}
	return inventory.Zombie{}, false
}

func (s *till) Zombie(_ context.Context, id inventory.PaymentID) (inventory.Zombie, error) {
	z, ok := s.find(id)
	if !ok {
		return z, inventory.ErrNotFound
	}
	return z, s.err
}

func (s *till) Booking(_ context.Context, id inventory.BookingID) (inventory.Booking, error) {
	for _, z := range s.zombies {
		if z.Booking.ID == id {
			b := z.Booking
			b.Payments = append(slices.Clone(s.others[id]), z.Payment)
			return b, s.err
		}
	}
	return inventory.Booking{}, inventory.ErrNotFound
}

func (s *till) Journal(_ context.Context, id inventory.BookingID) ([]inventory.JournalEntry, error) {
	return s.stories[id], s.err
}

func (s *till) Refunds(_ context.Context, f inventory.RefundFilter) ([]inventory.Refund, error) {
	var out []inventory.Refund
	for _, r := range s.refunds {
		if f.State == "" || r.State == f.State {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b inventory.Refund) int { return b.RequestedAt.Compare(a.RequestedAt) })
	return out, s.err
}

func (s *till) remove(id inventory.PaymentID) {
	s.zombies = slices.DeleteFunc(slices.Clone(s.zombies), func(z inventory.Zombie) bool { return z.Payment.ID == id })
}

// revives ends a zombie as by, whoever that is.
func (s *till) revives(z inventory.Zombie, by inventory.Actor) inventory.Booking {
	b := z.Booking
	b.State, b.Version = inventory.StateConfirmed, b.Version+1
	if s.stories == nil {
		s.stories = map[inventory.BookingID][]inventory.JournalEntry{}
	}
	s.stories[b.ID] = append(s.stories[b.ID], inventory.JournalEntry{BookingID: b.ID, Seq: b.Version, From: "EXPIRED", To: "CONFIRMED", Cause: inventory.CauseRevived, Actor: by.String(), At: s.now()})
	s.remove(z.Payment.ID)
	return b
}

// refundsIt ends a zombie as by.
func (s *till) refundsIt(z inventory.Zombie, by inventory.Actor) inventory.Refund {
	r := inventory.Refund{ID: inventory.RefundID{UUID: number(0xf0000 + len(s.refunds))}, PaymentID: z.Payment.ID, Amount: z.Payment.Captured, State: inventory.RefundRequested, RequestedBy: by.String(), RequestedAt: s.now()}
	s.refunds = append(s.refunds, r)
	s.remove(z.Payment.ID)
	return r
}

func (s *till) decide(verb string, id inventory.PaymentID, version int, reason string) (inventory.Zombie, error) {
	s.writes = append(s.writes, fmt.Sprintf("%s %s v%d %q", verb, id.Short(), version, reason))
	z, ok := s.find(id)
	if s.onWrite != nil {
		s.onWrite(z)
	}
	switch {
	case s.wErr != nil:
		return z, s.wErr
	case !ok:
		return z, inventory.ErrNotAllowed
	case z.Payment.Version != version:
		return z, &inventory.StaleError{Object: "payment", Seen: version, Current: z.Payment.Version}
	}
	return z, nil
}

func (s *till) ReviveZombie(_ context.Context, id inventory.PaymentID, version int, actor inventory.Actor, reason string) (inventory.Booking, error) {
	z, err := s.decide("revive", id, version, reason)
	if err != nil {
		return inventory.Booking{}, err
	}
	if z.CanGo != nil {
		return inventory.Booking{}, z.CanGo
	}
	return s.revives(z, actor), nil
}

func (s *till) RefundPayment(_ context.Context, id inventory.PaymentID, version int, amount inventory.Minor, actor inventory.Actor, reason string) (inventory.Refund, error) {
	z, err := s.decide("refund", id, version, reason)
	if err != nil {
		return inventory.Refund{}, err
	}
	if amount != 0 {
		return inventory.Refund{}, inventory.Invalid("amount", "the whole is meant")
	}
	return s.refundsIt(z, actor), nil
}
