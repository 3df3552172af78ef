package deliveries_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/tui/app"
	"holdfast/tui/screen/deliveries"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

// post is a store in memory that answers as the real one does.
type post struct {
	now     func() time.Time
	rows    []inventory.OutboxRow
	events  []inventory.InboxEvent
	applies func(*inventory.InboxEvent) // what applying an event comes to; nil: APPLIED
	reads   int
	err     error // of reads
	wErr    error // of changes
	onWrite func()

	writes []string
}

var mira = inventory.Staff("mira")

// start is where the clock of tuitest stands.
var start = time.Date(2026, 12, 4, 11, 38, 7, 0, time.UTC)

func booking(n int) inventory.BookingID {
	return inventory.BookingID{UUID: uuid.MustParse(fmt.Sprintf("01990000-0000-7000-8000-0000%08x", n))}
}

func eur(minor inventory.Minor) inventory.Money {
	return inventory.Money{Minor: minor, Currency: "EUR"}
}

// message makes an open message about something so long ago.
func message(n, seq int, topic string, age time.Duration, change func(*inventory.OutboxRow)) inventory.OutboxRow {
	data := fmt.Sprintf(`{"pool":"harbour/main","day":"2026-12-11","quantity":2,"buyer":"u-%04x","amount":{"minor":24000,"currency":"EUR"}}`, n)
	r := inventory.OutboxRow{OutboxMessage: inventory.OutboxMessage{BookingID: booking(n), Seq: seq, Topic: topic, At: start.Add(-age), Data: []byte(data)}}
	if change != nil {
		change(&r)
	}
	return r
}

// event makes a callback that was received so long ago.
func event(id string, kind inventory.EventKind, age time.Duration, state inventory.InboxState, change func(*inventory.InboxEvent)) inventory.InboxEvent {
	e := inventory.InboxEvent{
		ProviderEvent: inventory.ProviderEvent{
			Provider: "simulated", ID: id, Kind: kind, Live: true, ProviderPayment: "pay_31", Reference: booking(7).String(), Amount: eur(1800),
		},
		State: state, ReceivedAt: start.Add(-age),
	}
	if change != nil {
		change(&e)
	}
	return e
}

// evening is a post with a record of each sort.
func evening() *post {
	s := &post{now: func() time.Time { return start }}
	s.rows = []inventory.OutboxRow{
		message(0xa1, 2, inventory.TopicConfirmed, 26*time.Minute, func(r *inventory.OutboxRow) {
			r.Attempt, r.ParkedAt, r.LastError = 12, start.Add(-4*time.Minute), "the receiver answered 500"
		}),
		message(0xa2, 4, inventory.TopicRefundFailed, 3*time.Hour, func(r *inventory.OutboxRow) {
			r.Attempt, r.ParkedAt, r.LastError = 2, start.Add(-2*time.Hour), "set aside by jan: that shop is closed"
			r.Data = []byte(`{"pool":"harbour/main","day":"2026-12-11","quantity":1,"buyer":"u-0042","money":{"minor":1500,"currency":"KWD"},"reason":"card expired"}`)
		}),
		message(0xa3, 3, inventory.TopicCancelled, 7*time.Minute, func(r *inventory.OutboxRow) {
			r.Attempt, r.NextTryAt, r.LastError = 3, start.Add(40*time.Second), "no connection"
		}),
		message(0xa3, 5, inventory.TopicRefundSucceeded, 3*time.Minute, nil),
		message(0xa4, 2, inventory.TopicExpired, 20*time.Second, func(r *inventory.OutboxRow) { r.NextTryAt = start.Add(50 * time.Second) }),
		message(0xa5, 3, inventory.TopicPaymentLate, time.Second, nil),
		message(0xa6, 2, inventory.TopicConfirmed, 40*time.Minute, func(r *inventory.OutboxRow) { r.PublishedAt = start.Add(-39 * time.Minute) }),
	}
	s.events = []inventory.InboxEvent{
		event("evt_1", inventory.EventRefundSucceeded, 40*time.Minute, inventory.InboxParked, func(e *inventory.InboxEvent) {
			e.Tries, e.Note, e.ProviderRefund = 12, "amount: the provider refunded EUR 9.00 where EUR 18.00 was asked", "re_9"
		}),
		event("evt_2", inventory.EventPaymentSucceeded, 2*time.Hour, inventory.InboxParked, func(e *inventory.InboxEvent) {
			e.Live, e.Problem = false, "it is of test mode, and live mode is configured"
			e.Note = e.Problem
		}),
		event("evt_3", inventory.EventDisputeOpened, 12*time.Minute, inventory.InboxUnmatched, func(e *inventory.InboxEvent) {
			e.Tries, e.Note, e.Amount = 4, "names no payment, booking or refund of ours", inventory.Money{}
		}),
		event("evt_4", inventory.EventPaymentSucceeded, 90*time.Second, inventory.InboxStored, func(e *inventory.InboxEvent) {
			e.Tries, e.Note = 2, "settle payment.succeeded: deadlock detected"
		}),
		event("evt_5", inventory.EventPaymentProcessing, time.Second, inventory.InboxStored, nil),
		event("evt_6", inventory.EventPaymentSucceeded, 50*time.Minute, inventory.InboxApplied, func(e *inventory.InboxEvent) {
			e.AppliedAt, e.Note = start.Add(-50*time.Minute), "confirmed"
		}),
	}
	return s
}

func open(t *testing.T, s *post) *tuitest.Console {
	t.Helper()
	return tuitest.Open(t, options(s))
}

func options(s *post) tuitest.Options {
	return tuitest.Options{
		Tabs: []app.Tab{{Title: "Deliveries", Route: ui.Route{Screen: deliveries.Name}}},
		Screen: func(env *ui.Env) ui.Screen {
			s.now = env.Now
			return deliveries.New(env, s, mira)
		},
		Config: func(c *app.Config) {
			c.Offline = func(err error) bool { return errors.Is(err, inventory.ErrUnavailable) }
			c.Explain = inventory.Message
		},
	}
}

func isOpen(r inventory.OutboxRow) bool   { return r.PublishedAt.IsZero() && r.ParkedAt.IsZero() }
func isParked(r inventory.OutboxRow) bool { return !r.ParkedAt.IsZero() }

func (s *post) OutboxStatus(context.Context) (inventory.OutboxStatus, error) {
	s.reads++
	var o inventory.OutboxStatus
	for _, r := range s.rows {
		switch {
		case isOpen(r):
			if o.Open++; o.Oldest.IsZero() || r.At.Before(o.Oldest) {
				o.Oldest = r.At
			}
		case isParked(r):
			o.Parked++
		case r.PublishedAt.After(s.now().Add(-time.Hour)):
			o.Published++
		}
	}
	return o, s.err
}

func (s *post) Outbox(_ context.Context, f inventory.OutboxFilter) ([]inventory.OutboxRow, error) {
	s.reads++
	var out []inventory.OutboxRow
	for _, r := range s.rows {
		if (!f.Parked || isParked(r)) && (!f.Open || isOpen(r)) {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b inventory.OutboxRow) int { return b.At.Compare(a.At) })
	return out[:min(len(out), cmp.Or(f.Limit, 100))], s.err
}

func (s *post) Inbox(_ context.Context, f inventory.InboxFilter) ([]inventory.InboxEvent, error) {
	s.reads++
	var out []inventory.InboxEvent
	for _, e := range s.events {
		if f.State == "" || e.State == f.State {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b inventory.InboxEvent) int { return b.ReceivedAt.Compare(a.ReceivedAt) })
	return out[:min(len(out), cmp.Or(f.Limit, 100))], s.err
}

// row is the stored message, which is nil when there is none.
func (s *post) row(id inventory.BookingID, seq int) *inventory.OutboxRow {
	for i := range s.rows {
		if s.rows[i].BookingID == id && s.rows[i].Seq == seq {
			return &s.rows[i]
		}
	}
	return nil
}

func (s *post) event(id string) *inventory.InboxEvent {
	for i := range s.events {
		if s.events[i].ID == id {
			return &s.events[i]
		}
	}
	return nil
}

func (s *post) wrote(format string, args ...any) error {
	s.writes = append(s.writes, fmt.Sprintf(format, args...))
	if s.onWrite != nil {
		s.onWrite()
	}
	return s.wErr
}

func (s *post) RetryMessage(_ context.Context, _ inventory.Actor, id inventory.BookingID, seq int) error {
	if err := s.wrote("send %s:%d", id.Short(), seq); err != nil {
		return err
	}
	r := s.row(id, seq)
	if r == nil || !isParked(*r) {
		return inventory.ErrNotFound
	}
	r.ParkedAt, r.Attempt, r.NextTryAt = time.Time{}, 0, time.Time{}
	return nil
}

func (s *post) ParkMessage(_ context.Context, actor inventory.Actor, id inventory.BookingID, seq int, reason string) error {
	cause := "set aside by " + actor.Name + ": " + reason
	if err := s.wrote("park %s:%d %q", id.Short(), seq, cause); err != nil {
		return err
	}
	r := s.row(id, seq)
	if r == nil || !isOpen(*r) {
		return inventory.ErrNotFound
	}
	r.ParkedAt, r.LastError = s.now(), cause[:min(len(cause), 500)]
	return nil
}

func (s *post) RetryEvent(_ context.Context, _ inventory.Actor, provider, id string) error {
	if err := s.wrote("apply %s %s", provider, id); err != nil {
		return err
	}
	e := s.event(id)
	if e == nil || e.State != inventory.InboxParked && e.State != inventory.InboxUnmatched || e.Problem != "" {
		return inventory.ErrNotAllowed
	}
	e.State, e.Tries = inventory.InboxStored, 0
	return nil
}

func (s *post) ApplyEvent(_ context.Context, _, id string) error {
	e := s.event(id)
	e.State, e.Note, e.AppliedAt = inventory.InboxApplied, "refund SUCCEEDED", s.now()
	if s.applies != nil {
		s.applies(e)
	}
	return nil
}
