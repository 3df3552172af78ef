package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"holdfast/inventory"
)

// maxPartial bounds what a FanOut remembers.
const maxPartial = 4096

// NamedSink is one sink of a FanOut.
type NamedSink struct {
	Name string // for errors and the log
	Sink interface {
		Deliver(ctx context.Context, m inventory.OutboxMessage) error
	}
}

// FanOut delivers each message to several sinks. A message is delivered when
// all of them have it, so the slowest sets the pace and one that is down holds
// up the others: the journal keeps one state for each message, not one for
// each sink. The exception is a receiver that answered 410, which is passed
// over.
//
// On the next attempt a FanOut spares the sinks that have the message already,
// as far as it remembers; after a restart, or from another process, they get
// it again.
type FanOut struct {
	sinks []NamedSink
	log   *slog.Logger

	mu      sync.Mutex
	partial map[string]map[string]bool // message id -> names of sinks that have it
	gone    map[string]bool            // names of sinks that are passed over, said once
}

// NewFanOut returns a sink over sinks, which must have different names. It
// fails if there are none.
func NewFanOut(log *slog.Logger, sinks ...NamedSink) (*FanOut, error) {
	names := map[string]bool{}
	for _, s := range sinks {
		if s.Name == "" || s.Sink == nil || names[s.Name] {
			return nil, fmt.Errorf("sink %q has no name of its own, or is none", s.Name)
		}
		names[s.Name] = true
	}
	if len(sinks) == 0 {
		return nil, errors.New("no sink")
	}
	return &FanOut{sinks: sinks, log: log, partial: map[string]map[string]bool{}, gone: map[string]bool{}}, nil
}

// Deliver gives m to every sink at once and waits for all. It fails with a
// DownError if any of them is down, even if others refused m: while one is
// down nothing should be held against a message. It fails with all refusals
// otherwise, and with ErrGone if no sink is left that wants anything.
func (f *FanOut) Deliver(ctx context.Context, m inventory.OutboxMessage) error {
	answers := make([]error, len(f.sinks))
	var calls sync.WaitGroup
	for i, s := range f.sinks {
		if !f.has(m, s.Name) {
			calls.Go(func() { answers[i] = f.deliver(ctx, s, m) })
		}
	}
	calls.Wait()

	var refused []error
	var down *DownError
	wanted := 0
	for i, s := range f.sinks {
		err := answers[i]
		var d *DownError
		switch {
		case errors.Is(err, ErrGone):
			f.passOver(ctx, s.Name)
			continue
		case err == nil:
			f.note(m, s.Name)
		case errors.As(err, &d):
			down = worse(down, s.Name, d)
		default:
			refused = append(refused, fmt.Errorf("%s: %w", s.Name, err))
		}
		wanted++
	}
	switch {
	case wanted == 0:
		return &DownError{problem: "no sink wants anything any more", cause: ErrGone}
	case down != nil:
		return down
	case len(refused) > 0:
		return errors.Join(refused...)
	}
	f.forget(m)
	return nil
}

// deliver turns a panic into a refusal: in a goroutine of its own it would end
// the process.
func (f *FanOut) deliver(ctx context.Context, s NamedSink, m inventory.OutboxMessage) (err error) {
	defer func() {
		if p := recover(); p != nil {
			f.log.LogAttrs(ctx, slog.LevelError, "a sink panicked", slog.String("sink", s.Name),
				slog.String("message_id", m.ID()), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return s.Sink.Deliver(ctx, m)
}

// worse returns one DownError for both: the words of the first, the longer
// wait.
func worse(have *DownError, name string, d *DownError) *DownError {
	if have == nil {
		return &DownError{problem: name + ": " + d.problem, after: d.after, cause: d.cause}
	}
	have.after = max(have.after, d.after)
	return have
}

func (f *FanOut) has(m inventory.OutboxMessage, name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.partial[m.ID()][name]
}

func (f *FanOut) note(m inventory.OutboxMessage, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.partial[m.ID()] == nil {
		if len(f.partial) >= maxPartial {
			clear(f.partial) // forgetting costs a repetition, never a message
		}
		f.partial[m.ID()] = map[string]bool{}
	}
	f.partial[m.ID()][name] = true
}

func (f *FanOut) forget(m inventory.OutboxMessage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.partial, m.ID())
}

func (f *FanOut) passOver(ctx context.Context, name string) {
	f.mu.Lock()
	said := f.gone[name]
	f.gone[name] = true
	f.mu.Unlock()
	if !said {
		f.log.LogAttrs(ctx, slog.LevelError, "a receiver wants nothing more and is passed over until the next start",
			slog.String("sink", name))
	}
}

// Close closes the sinks that can be closed.
func (f *FanOut) Close() {
	for _, s := range f.sinks {
		if c, ok := s.Sink.(interface{ Close() }); ok {
			c.Close()
		}
	}
}
