package holds_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/tui/app"
	"holdfast/tui/screen/holds"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

// desk is a store in memory that answers as the real one does.
type desk struct {
	now      func() time.Time
	bookings []inventory.Booking
	journal  map[inventory.BookingID][]inventory.JournalEntry
	counts   *inventory.HoldCounts // instead of counting
	more     bool
	err      error // of reads
	writeErr error // of writes, after the version was checked
	onWrite  func(*inventory.Booking)

	writes []string
	asked  []inventory.BookingFilter
}

var mira = inventory.Staff("mira")

func id(n int) inventory.BookingID {
	return inventory.BookingID{UUID: uuid.MustParse(fmt.Sprintf("01990000-0000-7000-8000-0000%08x", n))}
}

// open shows the holds of a desk whose clock is the console's.
func open(t *testing.T, d *desk) *tuitest.Console {
	t.Helper()
	return tuitest.Open(t, options(d))
}

func options(d *desk) tuitest.Options {
	return tuitest.Options{
		Tabs: []app.Tab{{Title: "Holds", Route: ui.Route{Screen: holds.Name}}},
		Screen: func(env *ui.Env) ui.Screen {
			d.now = env.Now
			return holds.New(env, d, mira)
		},
		Config: func(c *app.Config) {
			c.Offline = func(err error) bool { return errors.Is(err, inventory.ErrUnavailable) }
			c.Explain = inventory.Message
		},
	}
}

// start is where the clock of tuitest stands.
var start = time.Date(2026, 12, 4, 11, 38, 7, 0, time.UTC)

// hold makes a hold that ends so long after start.
func hold(n int, state inventory.BookingState, left time.Duration, pool, buyer string, qty int, amount inventory.Money) inventory.Booking {
	return inventory.Booking{
		ID: id(n), Pool: inventory.PoolRef{Venue: "harbour", Pool: "main"}, Name: pool, Day: date.New(2026, 12, 4), Quantity: qty,
		Buyer: buyer, State: state, Amount: amount, Version: 1, IdempotencyKey: fmt.Sprintf("order-%06d", n),
		CreatedAt: start.Add(left - 10*time.Minute - 9*time.Second), ExpiresAt: start.Add(left), UpdatedAt: start.Add(left - 10*time.Minute - 9*time.Second),
	}
}

func eur(minor inventory.Minor) inventory.Money {
	return inventory.Money{Minor: minor, Currency: "EUR"}
}

// busy is a desk on a busy evening.
func busy() *desk {
	d := &desk{bookings: []inventory.Booking{
		hold(0x8f2d, inventory.StateHeld, -41*time.Second, "Museum day pass", "u-4471", 2, eur(3600)),
		hold(0x8f2f, inventory.StateHeld, -8*time.Second, "Museum day pass", "u-1190", 1, eur(1800)),
		hold(0x90fb, inventory.StateHeld, 19*time.Second, "Gala", "u-3320", 1, eur(18000)),
		hold(0x90fa, inventory.StateHeld, 134*time.Second, "Gala", "u-1029", 2, eur(24000)),
		hold(0x9140, inventory.StatePaymentPending, 160*time.Second, "Museum day pass", "u-7718", 4, eur(7200)),
		hold(0x9141, inventory.StateHeld, 4*time.Minute+30*time.Second, "Parking P1", "u-7718", 1, inventory.Money{Minor: 1200, Currency: "JPY"}),
		hold(0x9149, inventory.StateHeld, 6*time.Minute+2*time.Second, "Studio A", "u-0042", 1, inventory.Money{Minor: 1000000000, Currency: "KWD"}),
		hold(0x9152, inventory.StatePaymentPending, 7*time.Minute+59*time.Second, "Gala", "u-5500", 4, eur(48000)),
		hold(0x7a01, inventory.StateExpired, -9*time.Minute, "Gala", "u-2077", 2, eur(24000)),
		hold(0x7a02, inventory.StateConfirmed, -30*time.Minute, "Gala", "u-2078", 2, eur(24000)),
		hold(0x7a03, inventory.StateCancelled, -50*time.Minute, "Parking P1", "u-4471", 1, eur(1200)),
	}}
	pay := &d.bookings[4]
	pay.Version, pay.DoubtUntil = 2, start.Add(14*time.Minute)
	pay.Payments = []inventory.Payment{{
		ID: inventory.PaymentID{UUID: uuid.MustParse("01990000-0000-7000-8000-00000000ab12")}, Attempt: 1, Provider: "simulated",
		Amount: pay.Amount, State: inventory.PaymentPending, CreatedAt: start.Add(-62 * time.Second),
	}}
	d.journal = map[inventory.BookingID][]inventory.JournalEntry{}
	for _, b := range d.bookings {
		d.journal[b.ID] = []inventory.JournalEntry{{BookingID: b.ID, Seq: 1, From: inventory.StateNone, To: inventory.StateHeld, Cause: inventory.CauseHold, Actor: "client:shop", At: b.CreatedAt}}
	}
	d.journal[pay.ID] = append(d.journal[pay.ID], inventory.JournalEntry{
		BookingID: pay.ID, Seq: 2, From: inventory.StateHeld, To: inventory.StatePaymentPending, Cause: inventory.CausePay, Actor: "client:shop", At: start.Add(-62 * time.Second),
	})
	return d
}

func (d *desk) Bookings(_ context.Context, f inventory.BookingFilter) (inventory.BookingList, error) {
	d.asked = append(d.asked, f)
	if d.err != nil {
		return inventory.BookingList{}, d.err
	}
	l := inventory.BookingList{AsOf: d.now(), More: d.more}
	for _, b := range d.bookings {
		if b.State.Hold() {
			d.count(&l.Counts, b)
		}
		text := strings.ToLower(b.Buyer + " " + b.Name + " " + b.ID.String())
		if slices.Contains(f.States, b.State) || len(f.States) == 0 && b.State.Hold() {
			if strings.Contains(text, strings.ToLower(f.Search)) {
				l.Bookings = append(l.Bookings, b)
			}
		}
	}
	if f.Order == inventory.OrderByNewest {
		slices.SortStableFunc(l.Bookings, func(a, b inventory.Booking) int { return b.CreatedAt.Compare(a.CreatedAt) })
	} else {
		slices.SortStableFunc(l.Bookings, func(a, b inventory.Booking) int { return a.ExpiresAt.Compare(b.ExpiresAt) })
	}
	l.Bookings = l.Bookings[:min(len(l.Bookings), cmp.Or(f.Limit, 200))]
	if d.counts != nil {
		l.Counts = *d.counts
	}
	return l, nil
}

func (d *desk) count(c *inventory.HoldCounts, b inventory.Booking) {
	if b.State == inventory.StatePaymentPending {
		c.Paying++
	} else {
		c.Held++
		if !d.now().Before(b.ExpiresAt) {
			c.Due++
		}
	}
	for i := range c.AtStake {
		if c.AtStake[i].Currency == b.Amount.Currency {
			c.AtStake[i].Minor += b.Amount.Minor
			return
		}
	}
	c.AtStake = append(c.AtStake, b.Amount)
}

func (d *desk) find(id inventory.BookingID) *inventory.Booking {
	i := slices.IndexFunc(d.bookings, func(b inventory.Booking) bool { return b.ID == id })
	if i < 0 {
		return nil
	}
	return &d.bookings[i]
}

func (d *desk) Booking(_ context.Context, id inventory.BookingID) (inventory.Booking, error) {
	b := d.find(id)
	switch {
	case d.err != nil:
		return inventory.Booking{}, d.err
	case b == nil:
		return inventory.Booking{}, inventory.ErrNotFound
	}
	return *b, nil
}

func (d *desk) Journal(_ context.Context, id inventory.BookingID) ([]inventory.JournalEntry, error) {
	return d.journal[id], d.err
}

func (d *desk) Venue(context.Context, string) (inventory.Venue, error) {
	return inventory.NewVenue("harbour", "Harbour Hall", "Europe/Berlin", "EUR"), d.err
}

// move is one transition by an actor.
func (d *desk) move(id inventory.BookingID, to inventory.BookingState, cause inventory.Cause, by inventory.Actor) inventory.Booking {
	b := d.find(id)
	from := b.State
	b.State, b.UpdatedAt = to, d.now()
	b.Version++
	if d.journal == nil {
		d.journal = map[inventory.BookingID][]inventory.JournalEntry{}
	}
	d.journal[id] = append(d.journal[id], inventory.JournalEntry{BookingID: id, Seq: b.Version, From: from, To: to, Cause: cause, Actor: by.String(), At: d.now()})
	return *b
}

func (d *desk) ExtendHold(_ context.Context, id inventory.BookingID, version int, by time.Duration, actor inventory.Actor, reason string) (inventory.Booking, error) {
	if err := d.write(id, version, fmt.Sprintf("extend %s by %s %q v%d", id.Short(), by, reason, version)); err != nil {
		return inventory.Booking{}, err
	}
	b := d.find(id)
	if until := b.ExpiresAt.Add(by); until.After(b.CreatedAt.Add(time.Hour)) {
		return *b, inventory.ErrLimitOfHold
	}
	b.ExpiresAt = b.ExpiresAt.Add(by)
	return d.move(id, inventory.StateHeld, inventory.CauseExtended, actor), nil
}

func (d *desk) ReleaseHold(_ context.Context, id inventory.BookingID, version int, actor inventory.Actor, reason string) (inventory.Booking, error) {
	if err := d.write(id, version, fmt.Sprintf("release %s %q v%d", id.Short(), reason, version)); err != nil {
		return inventory.Booking{}, err
	}
	return d.move(id, inventory.StateCancelled, inventory.CauseReleased, actor), nil
}

// write refuses like the store: what stands is not what was decided on.
func (d *desk) write(id inventory.BookingID, version int, what string) error {
	if d.onWrite != nil {
		d.onWrite(d.find(id))
	}
	if now := d.find(id).Version; version == now || errors.Is(d.writeErr, inventory.ErrUnknownOutcome) {
		d.writes = append(d.writes, what)
	}
	if errors.Is(d.writeErr, inventory.ErrUnknownOutcome) {
		return d.writeErr // it was sent in time; what has moved since, moved after it
	}
	if now := d.find(id).Version; version != now {
		return &inventory.StaleError{Object: "booking " + id.String(), Seen: version, Current: now}
	}
	return d.writeErr
}
