package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"holdfast/inventory"
)

const (
	// relayFirstClaim is small: if the sink turns out to be down, what was claimed
	// waits for its lease to end.
	relayFirstClaim = 16
	relayClaim      = 100
	relayRounds     = 20

	// relayCalls bounds how many deliveries are under way at once.
	relayCalls = 8

	// relayDown is how many deliveries in a row without an answer mean that the
	// sink is down, and not that each of these messages is bad.
	relayDown = 8

	// relayLease keeps a claimed message from other relays. No delivery starts so
	// late that it, and the note about it, could outlast the lease: another relay
	// could by then have sent this message and the next one.
	relayLease     = time.Minute
	relayCallLimit = 20 * time.Second

	// relayNoteLimit bounds writing down what became of one delivery, which
	// happens even if the run has been told to stop.
	relayNoteLimit = 5 * time.Second
)

// relayStore keeps the messages. ClaimOutbox returns heads of line: for each
// booking the first message that is neither delivered nor parked, unless it is
// leased or waits for its next try. A claim of which nothing is heard before
// the lease ends counts as no try. OutboxFailed counts one, parks the message
// after the last, and else keeps it back for retryAfter, or for the store's
// own growing delay where that is longer.
type relayStore interface {
	ClaimOutbox(ctx context.Context, limit int, lease time.Duration) ([]inventory.OutboxMessage, error)
	OutboxDelivered(ctx context.Context, bookingID inventory.BookingID, seq int) error
	OutboxFailed(ctx context.Context, bookingID inventory.BookingID, seq int, cause string, retryAfter time.Duration) error
}

// OutboxSink takes messages. nil means that the other side has it for good. An
// error with a method SinkDown that returns true says nothing about the
// message; one with a method RetryAfter says how long not to try again.
type OutboxSink interface {
	Deliver(ctx context.Context, m inventory.OutboxMessage) error
}

// Relay publishes the journal.
type Relay struct {
	store relayStore
	sink  OutboxSink
	log   *slog.Logger
}

// NewRelay returns the relay job, which moves messages from store to sink.
func NewRelay(store relayStore, sink OutboxSink, log *slog.Logger) *Relay {
	return &Relay{store, sink, log}
}

// Name is "relay".
func (*Relay) Name() inventory.JobName { return inventory.JobRelay }

// Run claims heads of line and delivers them, a few at a time and outside any
// transaction, until nothing is due. Messages of one booking go out in order:
// the next one only after the sink took the one before, or the store parked
// it. A message that fails does not hold up other bookings.
//
// Run ends early, and fails, when the sink is down. What could not be
// delivered then is not held against the messages; their leases bring them
// back. Done counts deliveries.
func (j *Relay) Run(ctx context.Context) (Result, error) {
	p := &relayPass{Relay: j}
	limit := relayFirstClaim
	for range relayRounds {
		messages, err := j.store.ClaimOutbox(ctx, limit, relayLease)
		if err != nil {
			p.end(ctx)
			return p.result(), errors.Join(err, p.problem())
		}
		if len(messages) == 0 {
			break
		}
		p.round(ctx, messages)
		if ctx.Err() != nil || p.sinkIsDown() {
			break
		}
		limit = relayClaim
	}
	p.end(ctx)
	return p.result(), p.problem()
}

// relayPass is what one run of the relay knows.
type relayPass struct {
	*Relay

	mu        sync.Mutex
	delivered int
	failed    int
	unwritten int
	writing   error        // the first reason for unwritten
	answered  bool         // the sink spoke about some message in this pass
	silent    []undelivery // since it last did
}

// undelivery is a message about which the sink said nothing.
type undelivery struct {
	message inventory.OutboxMessage
	err     error
}

// round delivers what one claim brought: bookings beside each other, messages
// of one booking one after the other.
func (p *relayPass) round(ctx context.Context, messages []inventory.OutboxMessage) {
	starts, cancel := context.WithTimeout(ctx, relayLease-relayCallLimit-relayNoteLimit)
	defer cancel()
	var calls errgroup.Group
	calls.SetLimit(relayCalls)
	for _, line := range byBooking(messages) {
		calls.Go(func() error {
			for _, m := range line {
				if starts.Err() != nil || p.sinkIsDown() || !p.send(ctx, m) {
					break
				}
			}
			return nil //nolint:nilerr // the time for new deliveries being over is no failure; each line notes its own errors
		})
	}
	_ = calls.Wait()
}

// byBooking returns one line for each booking, in the order in which bookings
// come first, each by seq.
func byBooking(messages []inventory.OutboxMessage) [][]inventory.OutboxMessage {
	var lines [][]inventory.OutboxMessage
	place := map[inventory.BookingID]int{}
	for _, m := range messages {
		i, seen := place[m.BookingID]
		if !seen {
			i = len(lines)
			place[m.BookingID] = i
			lines = append(lines, nil)
		}
		lines[i] = append(lines[i], m)
	}
	for _, line := range lines {
		slices.SortFunc(line, func(a, b inventory.OutboxMessage) int { return cmp.Compare(a.Seq, b.Seq) })
	}
	return lines
}

// send delivers m and notes what came of it. It returns true if the next
// message of the same booking may follow.
func (p *relayPass) send(ctx context.Context, m inventory.OutboxMessage) bool {
	err := p.deliver(ctx, m)
	var down interface{ SinkDown() bool }
	switch {
	case err == nil:
		silent := p.heard() // at once: writing it down takes time, in which the sink may go down
		written := p.note(ctx, m, func(ctx context.Context) error { return p.store.OutboxDelivered(ctx, m.BookingID, m.Seq) })
		p.add(&p.delivered, written)
		p.blame(ctx, silent)
		return written
	case ctx.Err() != nil: // the run was told to stop, which says nothing about m
	case errors.As(err, &down) && down.SinkDown():
		p.mu.Lock()
		p.silent = append(p.silent, undelivery{m, err})
		p.mu.Unlock()
	default:
		silent := p.heard()
		p.fail(ctx, m, err)
		p.blame(ctx, silent)
	}
	return false
}

// deliver calls the sink, with a limit, and turns a panic into an error so that
// it belongs to this message only.
func (p *relayPass) deliver(ctx context.Context, m inventory.OutboxMessage) (err error) {
	defer func() {
		if r := recover(); r != nil {
			p.log.LogAttrs(ctx, slog.LevelError, "a delivery panicked",
				slog.String("message_id", m.ID()), slog.Any("panic", r), slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	ctx, cancel := context.WithTimeoutCause(ctx, relayCallLimit, errors.New("relay.deliver took over "+relayCallLimit.String()))
	defer cancel()
	return p.sink.Deliver(ctx, m)
}

// fail holds err against m.
func (p *relayPass) fail(ctx context.Context, m inventory.OutboxMessage, err error) {
	var asks interface{ RetryAfter() time.Duration }
	var wait time.Duration
	if errors.As(err, &asks) {
		wait = asks.RetryAfter()
	}
	p.log.LogAttrs(ctx, slog.LevelWarn, "a message was not delivered and is sent again later",
		slog.String("message_id", m.ID()), slog.String("topic", m.Topic), slog.Int("attempt", m.Attempt), slog.Any("error", err))
	written := p.note(ctx, m, func(ctx context.Context) error {
		return p.store.OutboxFailed(ctx, m.BookingID, m.Seq, err.Error(), wait)
	})
	p.add(&p.failed, written)
}

// heard takes in that the sink is there: messages about which it has said
// nothing before were then at fault themselves. They are for blame.
func (p *relayPass) heard() []undelivery {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answered = true
	silent := p.silent
	p.silent = nil
	return silent
}

// blame holds it against messages that the sink said nothing about them.
func (p *relayPass) blame(ctx context.Context, silent []undelivery) {
	for _, u := range silent {
		p.fail(ctx, u.message, u.err)
	}
}

// sinkIsDown reports whether so many deliveries in a row had no answer that no
// more are started. One that is still under way may prove it wrong.
func (p *relayPass) sinkIsDown() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.silent) >= relayDown
}

// end judges the messages that are left without an answer: fewer than relayDown
// at the end of a pass that heard answers are at fault themselves, all others
// are the sink's.
func (p *relayPass) end(ctx context.Context) {
	p.mu.Lock()
	theirs := p.answered && len(p.silent) < relayDown
	p.mu.Unlock()
	if theirs {
		p.blame(ctx, p.heard())
	}
}

// note writes down what became of m, even if the run has been told to stop
// during the call.
func (p *relayPass) note(ctx context.Context, m inventory.OutboxMessage, write func(context.Context) error) (written bool) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), relayNoteLimit,
		errors.New("relay.note took over "+relayNoteLimit.String()))
	defer cancel()
	if err := write(ctx); err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.unwritten++
		if p.writing == nil {
			p.writing = fmt.Errorf("message %s: %w", m.ID(), err)
		}
		return false
	}
	return true
}

func (p *relayPass) add(counter *int, written bool) {
	if written {
		p.mu.Lock()
		defer p.mu.Unlock()
		*counter++
	}
}

func (p *relayPass) result() Result {
	return Result{Done: p.delivered, Detail: words(count{p.delivered, "messages delivered"},
		count{p.failed, "failed"}, count{len(p.silent), "wait for the sink"}, count{p.unwritten, "not written down"})}
}

// problem is the error of the pass: a sink that is down, outcomes that could
// not be written, or both.
func (p *relayPass) problem() error {
	var problems []error
	if len(p.silent) > 0 {
		problems = append(problems, fmt.Errorf("the sink is down: %w", p.silent[0].err))
	}
	if p.unwritten > 0 {
		problems = append(problems, fmt.Errorf("%d outcomes could not be written down, the first: %w", p.unwritten, p.writing))
	}
	return errors.Join(problems...)
}
