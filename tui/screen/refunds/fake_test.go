package refunds_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/tui/app"
	"holdfast/tui/screen/refunds"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

// till is a store in memory that answers as the real one does.
type till struct {
	now      func() time.Time
	payments map[inventory.PaymentID]inventory.Payment
	bookings map[inventory.BookingID]inventory.Booking
	journal  map[inventory.BookingID][]inventory.JournalEntry
	refunds  []inventory.Refund
	looks    int   // how often a payment was asked for
	err      error // of reads
	wErr     error // of decisions
	onWrite  func()

	writes []string
}

var mira, jan = inventory.Staff("mira"), inventory.Staff("jan")

// start is where the clock of tuitest stands.
var start = time.Date(2026, 12, 4, 11, 38, 7, 0, time.UTC)

func number(n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("01990000-0000-7000-8000-0000%08x", n))
}

func payment(n int) inventory.PaymentID { return inventory.PaymentID{UUID: number(n)} }
func booking(n int) inventory.BookingID { return inventory.BookingID{UUID: number(0x1000000 + n)} }
func refund(n int) inventory.RefundID   { return inventory.RefundID{UUID: number(0x2000000 + n)} }

func eur(minor inventory.Minor) inventory.Money {
	return inventory.Money{Minor: minor, Currency: "EUR"}
}

func newTill() *till {
	return &till{
		now: func() time.Time { return start }, payments: map[inventory.PaymentID]inventory.Payment{},
		bookings: map[inventory.BookingID]inventory.Booking{}, journal: map[inventory.BookingID][]inventory.JournalEntry{},
	}
}

// captured adds a booking and its captured payment; n names both.
func (s *till) captured(n int, amount inventory.Money, pool, buyer string, standing inventory.Standing) {
	at := start.Add(-3 * time.Hour)
	p := inventory.Payment{
		ID: payment(n), BookingID: booking(n), Attempt: 1, Provider: "simulated", ProviderPayment: fmt.Sprintf("pay_%x", n), ProviderKey: "k",
		Amount: amount, Captured: amount, State: inventory.PaymentSucceeded, Standing: standing, CreatedAt: at.Add(-time.Minute), CapturedAt: at, Version: 4,
	}
	b := inventory.Booking{
		ID: booking(n), Pool: inventory.PoolRef{Venue: "harbour", Pool: "main"}, Name: pool, Day: date.New(2026, 12, 11), Quantity: 2,
		Buyer: buyer, State: inventory.StateExpired, Amount: amount, CreatedAt: at.Add(-10 * time.Minute), Version: 3,
	}
	s.journal[b.ID] = []inventory.JournalEntry{
		{BookingID: b.ID, Seq: 1, From: "NONE", To: "HELD", Cause: inventory.CauseHold, Actor: "client:shop", At: b.CreatedAt},
		{BookingID: b.ID, Seq: 2, From: "HELD", To: "PAYMENT_PENDING", Cause: inventory.CausePay, Actor: "client:shop", At: p.CreatedAt},
	}
	last := inventory.JournalEntry{BookingID: b.ID, Seq: 3, From: "PAYMENT_PENDING", To: "EXPIRED", Cause: inventory.CauseExpired, Actor: "job:sweep", At: at.Add(-10 * time.Second)}
	if standing == inventory.StandingApplied {
		b.State = inventory.StateConfirmed
		last.To, last.Cause, last.Actor, last.At = "CONFIRMED", inventory.CausePaid, "provider:simulated", at
	} else {
		p.ZombieKind = inventory.ZombieLate
	}
	s.journal[b.ID] = append(s.journal[b.ID], last)
	s.payments[p.ID], s.bookings[b.ID] = p, b
}

// back adds a refund of payment n that was asked for so long ago.
func (s *till) back(id, n int, amount inventory.Money, age time.Duration, state inventory.RefundState, change func(*inventory.Refund)) {
	f := inventory.Refund{
		ID: refund(id), PaymentID: payment(n), Amount: amount, State: state, Provider: "simulated", Reason: "came too late",
		RequestedBy: "job:refund", RequestedAt: start.Add(-age), NextTryAt: start.Add(-age),
	}
	if state != inventory.RefundRequested {
		f.ProviderRefund, f.Tries, f.SentAt = fmt.Sprintf("re_%x", id), 1, f.RequestedAt.Add(2*time.Second)
		f.NextTryAt = start.Add(40 * time.Second)
	}
	if state == inventory.RefundFailed || state == inventory.RefundSucceeded {
		f.DoneAt, f.NextTryAt = f.RequestedAt.Add(20*time.Second), time.Time{}
	}
	if state == inventory.RefundFailed {
		f.LastError = "insufficient balance"
	}
	if change != nil {
		change(&f)
	}
	s.refunds = append(s.refunds, f)
}

// evening is a till with a refund of each sort.
func evening() *till {
	s := newTill()
	s.captured(0x71, eur(24000), "Gala", "u-2077", inventory.StandingZombie)
	s.captured(0x72, eur(2500), "Museum", "u-0815", inventory.StandingApplied)
	s.captured(0x73, eur(10000), "Museum", "u-2078", inventory.StandingRefunding)
	s.captured(0x74, eur(7200), "Museum", "u-0042", inventory.StandingRefunding)
	s.captured(0x75, eur(1800), "Parking P1", "u-3001", inventory.StandingRefunded)
	s.captured(0x76, eur(5000), "Gala", "u-3002", inventory.StandingRefunded)
	s.captured(0x77, eur(900), "Museum", "u-3003", inventory.StandingRefunding)
	unmatched := inventory.Payment{
		ID: payment(0x78), Provider: "simulated", ProviderPayment: "pay_unknown", Amount: inventory.Money{Minor: 1234567, Currency: "KWD"},
		Captured: inventory.Money{Minor: 1234567, Currency: "KWD"}, State: inventory.PaymentSucceeded, Standing: inventory.StandingZombie,
		ZombieKind: inventory.ZombieUnmatched, CapturedAt: start.Add(-time.Hour), Version: 3,
	}
	s.payments[unmatched.ID] = unmatched

	s.back(0xa1, 0x71, eur(24000), 26*time.Minute, inventory.RefundFailed, nil)
	s.back(0xa2, 0x72, eur(500), 50*time.Minute, inventory.RefundFailed, func(f *inventory.Refund) {
		f.RequestedBy, f.Reason, f.LastError = "staff:jan", "one seat was dirty", "card expired"
	})
	s.back(0xa3, 0x73, eur(10000), 9*time.Minute, inventory.RefundRequested, func(f *inventory.Refund) {
		f.Tries, f.SentAt, f.NextTryAt, f.LastError = 3, start.Add(-8*time.Minute), start.Add(95*time.Second), "no answer within 10s"
	})
	s.back(0xa4, 0x74, eur(7200), 5*time.Minute, inventory.RefundPending, nil)
	s.back(0xa5, 0x75, eur(1800), 2*time.Hour, inventory.RefundFailed, nil)
	s.back(0xa6, 0x75, eur(1800), 90*time.Minute, inventory.RefundSucceeded, func(f *inventory.Refund) { f.RequestedBy = "staff:mira" })
	s.back(0xa7, 0x76, eur(5000), 70*time.Minute, inventory.RefundSucceeded, func(f *inventory.Refund) {
		f.External, f.RequestedBy, f.Reason, f.SentAt, f.Tries = true, "provider:simulated", "made at the provider", time.Time{}, 0
	})
	s.back(0xa8, 0x77, eur(900), 20*time.Second, inventory.RefundRequested, nil)
	s.back(0xa9, 0x78, unmatched.Captured, 40*time.Minute, inventory.RefundFailed, nil)
	return s
}

func open(t *testing.T, s *till) *tuitest.Console {
	t.Helper()
	return tuitest.Open(t, options(s))
}

func options(s *till) tuitest.Options {
	return tuitest.Options{
		Tabs: []app.Tab{{Title: "Refunds", Route: ui.Route{Screen: refunds.Name}}},
		Screen: func(env *ui.Env) ui.Screen {
			s.now = env.Now
			return refunds.New(env, s, mira)
		},
		Config: func(c *app.Config) {
			c.Offline = func(err error) bool { return errors.Is(err, inventory.ErrUnavailable) }
			c.Explain = inventory.Message
		},
	}
}

// rest lets the cursor rest until the story of its row is read.
func rest(c *tuitest.Console) {
	timed := c.Timed
	c.Timed = nil
	c.Drive(timed...)
}

func (s *till) venueOf(f inventory.Refund) string {
	venue, _, _ := strings.Cut(s.bookings[s.payments[f.PaymentID].BookingID].Ref(), "/")
	return venue
}

func (s *till) Refunds(_ context.Context, f inventory.RefundFilter) ([]inventory.Refund, error) {
	var out []inventory.Refund
	for _, r := range s.refunds {
		if (f.State == "" || r.State == f.State) && (f.Venue == "" || s.venueOf(r) == f.Venue) {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b inventory.Refund) int { return b.RequestedAt.Compare(a.RequestedAt) })
	return out[:min(len(out), cmp.Or(f.Limit, 200))], s.err
}

func (s *till) Zombies(_ context.Context, f inventory.ZombieFilter) (inventory.ZombieList, error) {
	var l inventory.ZombieList
	for _, p := range s.payments {
		if p.Standing == inventory.StandingZombie {
			l.Zombies = append(l.Zombies, inventory.Zombie{Payment: p})
		}
	}
	l.Total = len(l.Zombies)
	l.Zombies = l.Zombies[:min(len(l.Zombies), cmp.Or(f.Limit, 200))]
	return l, s.err
}

func (s *till) Payment(_ context.Context, id inventory.PaymentID) (inventory.Payment, error) {
	s.looks++
	p, ok := s.payments[id]
	if !ok {
		return p, inventory.ErrNotFound
	}
	return p, s.err
}

func (s *till) Booking(_ context.Context, id inventory.BookingID) (inventory.Booking, error) {
	b, ok := s.bookings[id]
	if !ok {
		return b, inventory.ErrNotFound
	}
	for _, p := range s.payments {
		if p.BookingID == id {
			b.Payments = append(b.Payments, p)
		}
	}
	return b, s.err
}

func (s *till) Journal(_ context.Context, id inventory.BookingID) ([]inventory.JournalEntry, error) {
	return s.journal[id], s.err
}

// asks adds a refund as by, whoever that is.
func (s *till) asks(id inventory.PaymentID, amount inventory.Money, by inventory.Actor, reason string) inventory.Refund {
	p := s.payments[id]
	r := inventory.Refund{
		ID: refund(0xf0000 + len(s.refunds)), PaymentID: id, Amount: amount, State: inventory.RefundRequested, Provider: p.Provider,
		Reason: reason, RequestedBy: by.String(), RequestedAt: s.now(), NextTryAt: s.now(),
	}
	s.refunds = append(slices.Clone(s.refunds), r)
	if p.Standing == inventory.StandingZombie {
		s.stand(id, inventory.StandingRefunding)
	}
	return r
}

// stand moves captured money, as everything does that decides about it.
func (s *till) stand(id inventory.PaymentID, to inventory.Standing) {
	p := s.payments[id]
	p.Standing = to
	p.Version++
	s.payments = maps.Clone(s.payments)
	s.payments[id] = p
}

// revives ends a zombie as by.
func (s *till) revives(id inventory.PaymentID, by inventory.Actor) {
	p := s.payments[id]
	b := s.bookings[p.BookingID]
	b.State, b.Version = inventory.StateConfirmed, b.Version+1
	s.bookings[b.ID] = b
	s.journal[b.ID] = append(slices.Clone(s.journal[b.ID]), inventory.JournalEntry{
		BookingID: b.ID, Seq: b.Version, From: "EXPIRED", To: "CONFIRMED", Cause: inventory.CauseRevived, Actor: by.String(), At: s.now(),
	})
	s.stand(id, inventory.StandingApplied)
}

func (s *till) left(id inventory.PaymentID) inventory.Minor {
	left := s.payments[id].Captured.Minor
	for _, r := range s.refunds {
		if r.PaymentID == id && r.State != inventory.RefundFailed {
			left -= r.Amount.Minor
		}
	}
	return left
}

// request is what the real store does under the payment's lock.
func (s *till) request(id inventory.PaymentID, amount inventory.Minor, actor inventory.Actor, reason string) (inventory.Refund, error) {
	p := s.payments[id]
	switch {
	case s.wErr != nil:
		return inventory.Refund{}, s.wErr
	case p.Standing != inventory.StandingZombie && p.Standing != inventory.StandingApplied:
		return inventory.Refund{}, inventory.ErrNotAllowed
	case p.Dispute == inventory.DisputeOpen, p.Dispute == inventory.DisputeLost:
		return inventory.Refund{}, inventory.ErrDisputed
	}
	left := s.left(id)
	amount = cmp.Or(amount, left)
	if amount > left || left == 0 {
		return inventory.Refund{}, inventory.Invalid("amount", "is more than what is left of the payment, %s", inventory.Money{Minor: left, Currency: p.Captured.Currency})
	}
	return s.asks(id, inventory.Money{Minor: amount, Currency: p.Captured.Currency}, actor, reason), nil
}

func (s *till) wrote(format string, args ...any) {
	s.writes = append(s.writes, fmt.Sprintf(format, args...))
	if s.onWrite != nil {
		s.onWrite()
	}
}

func (s *till) RetryRefund(_ context.Context, id inventory.RefundID, actor inventory.Actor) (inventory.Refund, error) {
	i := slices.IndexFunc(s.refunds, func(r inventory.Refund) bool { return r.ID == id })
	old := s.refunds[i]
	s.wrote("retry %s %s", id.Short(), old.PaymentID.Short())
	if old.State != inventory.RefundFailed {
		return inventory.Refund{}, inventory.ErrNotAllowed
	}
	return s.request(old.PaymentID, old.Amount.Minor, actor, old.Reason)
}

func (s *till) RefundPayment(_ context.Context, id inventory.PaymentID, version int, amount inventory.Minor, actor inventory.Actor, reason string) (inventory.Refund, error) {
	s.wrote("refund %s v%d %d %q", id.Short(), version, amount, reason)
	if p := s.payments[id]; s.wErr == nil && p.Version != version {
		return inventory.Refund{}, &inventory.StaleError{Object: "payment", Seen: version, Current: p.Version}
	}
	return s.request(id, amount, actor, reason)
}
