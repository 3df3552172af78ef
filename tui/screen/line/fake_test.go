package line_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/app"
	"holdfast/tui/screen/line"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

// hall is a store in memory that answers as the real one does.
type hall struct {
	now       func() time.Time
	zone      timezone.Zone
	resources []inventory.Resource
	bookings  []inventory.Booking
	journal   map[inventory.BookingID][]inventory.JournalEntry
	err       error // of reads
	wErr      error // of writes, instead of doing them
	lost      bool  // writes are done, and their answers lost
	before    func()

	writes []string
}

var mira, jan = inventory.Staff("mira"), inventory.Staff("jan")

// start is where the clock of tuitest stands.
var start = time.Date(2026, 12, 4, 11, 38, 7, 0, time.UTC)

func id(n int) inventory.BookingID {
	return inventory.BookingID{UUID: uuid.MustParse(fmt.Sprintf("01990000-0000-7000-8000-0000%08x", n))}
}

func eur(minor inventory.Minor) inventory.Money {
	return inventory.Money{Minor: minor, Currency: "EUR"}
}

func open(t testing.TB, h *hall) *tuitest.Console {
	t.Helper()
	return tuitest.Open(t, options(h))
}

func options(h *hall) tuitest.Options {
	return tuitest.Options{
		Venue: ui.Venue{Slug: "harbour", Name: "Harbour Hall", Zone: h.zone.Location()},
		Tabs:  []app.Tab{{Title: "Line", Route: ui.Route{Screen: line.Name}}},
		Screen: func(env *ui.Env) ui.Screen {
			h.now = env.Now
			return line.New(env, h, mira)
		},
		Config: func(c *app.Config) {
			c.Offline = func(err error) bool { return errors.Is(err, inventory.ErrUnavailable) }
			c.Explain = inventory.Message
		},
	}
}

func zone(t testing.TB, name string) timezone.Zone {
	t.Helper()
	z, err := timezone.ParseZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func resource(n int, slug, name string, turnaround time.Duration) inventory.Resource {
	return inventory.Resource{
		ID: int64(n), Ref: inventory.ResourceRef{Venue: "harbour", Resource: slug}, Name: name,
		Week:       inventory.OpenEveryDay(timezone.Hours{Closes: timezone.NewTimeOfDay(24, 0)}),
		Turnaround: turnaround, MinStay: time.Minute, MaxStay: 12 * time.Hour, PricePerHour: eur(3000), Version: 1,
	}
}

// studios are the rooms of the house in a zone.
func studios(t testing.TB, zoneName string) *hall {
	t.Helper()
	h := &hall{zone: zone(t, zoneName), now: func() time.Time { return start }, journal: map[inventory.BookingID][]inventory.JournalEntry{}}
	h.resources = []inventory.Resource{
		resource(1, "studio-a", "Studio A", 30*time.Minute),
		resource(2, "studio-b", "Studio B", 0),
		resource(3, "rehearsal-1", "Rehearsal 1", 0),
		resource(4, "rehearsal-2", "Rehearsal 2", 0),
		resource(5, "podcast", "Podcast box", 15*time.Minute),
	}
	for i := range h.resources {
		h.resources[i].Zone = h.zone.Name()
	}
	h.resources[3].Week = inventory.OpenEveryDay(timezone.Hours{Opens: timezone.NewTimeOfDay(9, 0), Closes: timezone.NewTimeOfDay(22, 0)})
	return h
}

// springNight is a busy house on the day on which Berlin skips an hour.
func springNight(t testing.TB) *hall {
	t.Helper()
	h := studios(t, "Europe/Berlin")
	h.add(t, 0x5512, 2, "u-0042", inventory.StateConfirmed, "2027-03-28T01:00", "2027-03-28T04:00")
	h.add(t, 0x5513, 2, "u-0043", inventory.StateConfirmed, "2027-03-28T10:00", "2027-03-28T13:00")
	h.add(t, 0x5514, 1, "u-1029", inventory.StateConfirmed, "2027-03-28T09:00", "2027-03-28T11:00")
	h.add(t, 0x5515, 1, "u-3320", inventory.StateHeld, "2027-03-28T12:00", "2027-03-28T13:00")
	h.add(t, 0x5516, 3, "u-7718", inventory.StatePaymentPending, "2027-03-28T11:00", "2027-03-28T12:00")
	h.add(t, 0x5517, 3, "u-0815", inventory.StateConfirmed, "2027-03-28T22:00", "2027-03-29T02:00")
	h.add(t, 0x5518, 5, "u-2077", inventory.StateConfirmed, "2027-03-28T08:00", "2027-03-28T08:30")
	h.add(t, 0x5519, 5, "u-2078", inventory.StateConfirmed, "2027-03-28T08:45", "2027-03-28T09:15")
	return h
}

// add puts a booking by local times; an offset may settle a doubled hour.
func (h *hall) add(t testing.TB, n, resource int, buyer string, state inventory.BookingState, from, to string) inventory.Booking {
	t.Helper()
	var during inventory.Range
	for text, at := range map[string]*time.Time{from: &during.From, to: &during.To} {
		parsed, err := timezone.ParseLocal(text, h.zone)
		if err != nil {
			t.Fatal(err)
		}
		*at = parsed
	}
	return h.put(n, resource, buyer, state, during)
}

func (h *hall) put(n, resource int, buyer string, state inventory.BookingState, during inventory.Range) inventory.Booking {
	r := h.resources[slices.IndexFunc(h.resources, func(r inventory.Resource) bool { return r.ID == int64(resource) })]
	b := inventory.Booking{
		ID: id(n), Kind: inventory.ClaimRange, Name: r.Name, Quantity: 1, Resource: r.Ref, Buyer: buyer, State: state, Amount: r.Price(during.Length()),
		CreatedAt: start.Add(-3 * time.Minute), UpdatedAt: start.Add(-3 * time.Minute), Version: 1, Zone: h.zone.Name(),
	}
	h.journal[b.ID] = []inventory.JournalEntry{{BookingID: b.ID, Seq: 1, From: inventory.StateNone, To: inventory.StateHeld, Cause: inventory.CauseHold, Actor: "client:shop", At: b.CreatedAt}}
	if state == inventory.StateConfirmed {
		b.Version = 2
		b.Payments = []inventory.Payment{{
			ID: inventory.PaymentID{UUID: uuid.MustParse(fmt.Sprintf("01990000-0000-7000-8000-0001%08x", n))}, BookingID: b.ID, Attempt: 1, Provider: "simulated",
			Amount: b.Amount, Captured: b.Amount, State: inventory.PaymentSucceeded, Standing: inventory.StandingApplied, CreatedAt: start.Add(-2 * time.Minute),
		}}
		h.journal[b.ID] = append(h.journal[b.ID], inventory.JournalEntry{BookingID: b.ID, Seq: 2, From: inventory.StateHeld, To: state, Cause: inventory.CausePaid, Actor: "provider:simulated", At: start.Add(-2 * time.Minute)})
	} else {
		b.ExpiresAt = start.Add(7 * time.Minute)
	}
	h.wall(&b, during)
	h.bookings = append(h.bookings, b)
	return b
}

// wall gives a booking its time.
func (h *hall) wall(b *inventory.Booking, during inventory.Range) {
	b.During = during
	b.LocalFrom, b.LocalTo = timezone.WallTimeOf(during.From, h.zone), timezone.WallTimeOf(during.To, h.zone)
	b.Day = b.LocalFrom.Day
}

func (h *hall) ResourceDays(_ context.Context, venue string, day date.Date) ([]inventory.ResourceDay, error) {
	if h.err != nil {
		return nil, h.err
	}
	var out []inventory.ResourceDay
	from, to := timezone.DayBounds(day, h.zone)
	for _, r := range h.resources {
		d := inventory.ResourceDay{Resource: r, Day: day, AsOf: h.now()}
		if open, ok := timezone.OpenOn(day, r.Week.For(day), h.zone); ok {
			d.Open = []inventory.Range{{From: open.From, To: open.To}}
		}
		for _, b := range h.bookings {
			if b.Resource == r.Ref && b.State.Live() && b.During.Overlaps(inventory.Range{From: from, To: to}) {
				d.Bookings = append(d.Bookings, b)
			}
		}
		slices.SortFunc(d.Bookings, func(a, b inventory.Booking) int { return a.During.From.Compare(b.During.From) })
		out = append(out, d)
	}
	return out, nil
}

func (h *hall) find(id inventory.BookingID) *inventory.Booking {
	i := slices.IndexFunc(h.bookings, func(b inventory.Booking) bool { return b.ID == id })
	if i < 0 {
		return nil
	}
	return &h.bookings[i]
}

func (h *hall) Booking(_ context.Context, id inventory.BookingID) (inventory.Booking, error) {
	b := h.find(id)
	switch {
	case h.err != nil:
		return inventory.Booking{}, h.err
	case b == nil:
		return inventory.Booking{}, inventory.ErrNotFound
	}
	return *b, nil
}

func (h *hall) Journal(_ context.Context, id inventory.BookingID) ([]inventory.JournalEntry, error) {
	return h.journal[id], h.err
}

// write notes what is asked for and says whether it is to be done.
func (h *hall) write(format string, args ...any) error {
	h.writes = append(h.writes, fmt.Sprintf(format, args...))
	if h.before != nil {
		h.before()
	}
	return h.wErr
}

func (h *hall) answer() error {
	if h.lost {
		return errors.Join(errors.New("commit"), inventory.ErrUnknownOutcome)
	}
	return nil
}

// clash is what stands in the way of a range of a resource.
func (h *hall) clash(ref inventory.ResourceRef, during inventory.Range, but inventory.BookingID) error {
	turnaround := time.Duration(0)
	for _, r := range h.resources {
		if r.Ref == ref {
			turnaround = r.Turnaround
		}
	}
	for _, b := range h.bookings {
		kept := inventory.Range{From: b.During.From.Add(-turnaround), To: b.During.To.Add(turnaround)}
		if b.Resource == ref && b.ID != but && b.State.Live() && kept.Overlaps(during) {
			return fmt.Errorf("hold range: %w", &inventory.RangeTakenError{Booking: b.ID, During: b.During, Buyer: b.Buyer})
		}
	}
	return nil
}

func (h *hall) HoldRange(_ context.Context, r inventory.RangeHoldRequest) (inventory.Booking, bool, error) {
	if err := h.write("hold %s %s..%s for %s comp=%t %q", r.Resource.Resource, r.During.From.Format(time.RFC3339), r.During.To.Format(time.RFC3339), r.Buyer, r.Comp, r.Reason); err != nil {
		return inventory.Booking{}, false, err
	}
	if err := errors.Join(r.Validate(), h.clash(r.Resource, r.During, inventory.BookingID{})); err != nil {
		return inventory.Booking{}, false, err
	}
	state := inventory.StateHeld
	if r.Comp {
		state = inventory.StateConfirmed
	}
	i := slices.IndexFunc(h.resources, func(x inventory.Resource) bool { return x.Ref == r.Resource })
	b := h.put(0x9000+len(h.bookings), int(h.resources[i].ID), r.Buyer, state, r.During)
	return b, false, h.answer()
}

// step is one transition by an actor.
func (h *hall) step(id inventory.BookingID, to inventory.BookingState, cause inventory.Cause, by inventory.Actor) *inventory.Booking {
	b := h.find(id)
	from := b.State
	b.State, b.UpdatedAt = to, h.now()
	b.Version++
	h.journal[id] = append(h.journal[id], inventory.JournalEntry{BookingID: id, Seq: b.Version, From: from, To: to, Cause: cause, Actor: by.String(), At: h.now()})
	return b
}

// stale refuses like the store: what stands is not what was decided on.
func (h *hall) stale(id inventory.BookingID, version int) error {
	if now := h.find(id).Version; version != now {
		return &inventory.StaleError{Object: "booking " + id.String(), Seen: version, Current: now}
	}
	return nil
}

func (h *hall) MoveBooking(_ context.Context, r inventory.MoveRequest) (inventory.Booking, error) {
	b := h.find(r.ID)
	during, ref := b.During, b.Resource
	if r.During != nil {
		during = *r.During
	}
	if r.Resource != nil {
		ref = *r.Resource
	}
	if err := h.write("move %s to %s %s..%s keep=%t %q v%d", r.ID.Short(), ref.Resource, during.From.Format(time.RFC3339), during.To.Format(time.RFC3339), r.KeepAmount, r.Reason, r.Version); err != nil {
		return inventory.Booking{}, err
	}
	if err := errors.Join(r.Validate(), h.stale(r.ID, r.Version), h.clash(ref, during, r.ID)); err != nil {
		return inventory.Booking{}, err
	}
	for _, x := range h.resources {
		if price := x.Price(during.Length()); x.Ref == ref && price != b.Amount && !r.KeepAmount {
			if len(b.Payments) > 0 {
				return *b, inventory.ErrPriceChanges
			}
			b.Amount = price
		}
		if x.Ref == ref {
			b.Name = x.Name
		}
	}
	b.Resource = ref
	h.wall(b, during)
	return *h.step(r.ID, b.State, "moved", r.Actor), h.answer()
}

func (h *hall) ReleaseHold(_ context.Context, id inventory.BookingID, version int, actor inventory.Actor, reason string) (inventory.Booking, error) {
	if err := h.write("release %s %q v%d", id.Short(), reason, version); err != nil {
		return inventory.Booking{}, err
	}
	if err := h.stale(id, version); err != nil {
		return inventory.Booking{}, err
	}
	return *h.step(id, inventory.StateCancelled, inventory.CauseReleased, actor), h.answer()
}

func (h *hall) CancelBooking(_ context.Context, id inventory.BookingID, actor inventory.Actor, reason string, refund bool) (inventory.Booking, error) {
	if err := h.write("cancel %s %q refund=%t v%d", id.Short(), reason, refund, h.find(id).Version); err != nil {
		return inventory.Booking{}, err
	}
	return *h.step(id, inventory.StateCancelled, inventory.CauseCancelled, actor), h.answer()
}

func wantWrites(t *testing.T, h *hall, want ...string) {
	t.Helper()
	if !slices.Equal(h.writes, want) {
		t.Errorf("the database was asked to\n%q, want\n%q", h.writes, want)
	}
}

// rest lets the cursor rest, so that what waits for that is read.
func rest(c *tuitest.Console) {
	timed := c.Timed
	c.Timed = nil
	c.Drive(timed...)
}

// goTo jumps to a day.
func goTo(c *tuitest.Console, day string) {
	c.Press("d")
	c.Type(day)
	c.Press("enter")
}

// erase empties the field in focus of so many characters.
func erase(c *tuitest.Console, n int) {
	for range n {
		c.Press("backspace")
	}
}
