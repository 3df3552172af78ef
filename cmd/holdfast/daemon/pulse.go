package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
)

const (
	pulseEvery = 2 * time.Second
	// idleEvery is how often a daemon that sells nothing says that it is there.
	idleEvery = 30 * time.Second
	// pulseLimit is shorter than pulseEvery: a pulse is late or it is not.
	pulseLimit = time.Second
	// oldestReading bounds the while that one pulse tells of, when none could be
	// written before.
	oldestReading = time.Minute
)

// pulser writes how this daemon's sales go, for the console, which asks the
// database only. It is a courtesy: nothing waits for it, and nothing ends with it.
type pulser struct {
	instance string
	read     func() (reading, error)
	write    func(context.Context, inventory.Pulse) error
	clock    timezone.Clock
	log      *slog.Logger

	last    reading
	at      time.Time // of last; zero: none yet
	written time.Time
	busy    bool // the last pulse told of something
	failing bool
}

// run writes until ctx ends.
func (p *pulser) run(ctx context.Context) error {
	p.beat(ctx) // says that this daemon is there
	ticker := time.NewTicker(pulseEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			p.beat(ctx)
		}
	}
}

// beat takes a reading and writes what happened since the one before, unless
// nothing did and that was said lately.
func (p *pulser) beat(ctx context.Context) {
	now := p.clock.Now()
	r, err := p.read()
	if err != nil {
		p.failed(ctx, fmt.Errorf("read the metrics: %w", err))
		return
	}
	span := now.Sub(p.at)
	if p.at.IsZero() || span < time.Millisecond || span > oldestReading {
		p.last, span = r, pulseEvery // there is nothing to compare with, or it is too old
	}
	pulse := pulseOf(p.last, r, span)
	pulse.Instance = p.instance
	if pulse.Idle() && !p.busy && now.Sub(p.written) < idleEvery && !now.Before(p.written) {
		p.last, p.at = r, now
		return
	}
	limited, cancel := context.WithTimeoutCause(ctx, pulseLimit, fmt.Errorf("pulse.write took over %s", pulseLimit))
	defer cancel()
	if err := p.write(limited, pulse); err != nil {
		p.failed(ctx, err) // the next one tells of this while, too
		return
	}
	p.last, p.at, p.written, p.busy, p.failing = r, now, now, !pulse.Idle(), false
}

// failed is logged once, until it works again.
func (p *pulser) failed(ctx context.Context, err error) {
	if p.failing || ctx.Err() != nil { // the daemon ends: nothing is wrong
		return
	}
	p.failing = true
	p.log.LogAttrs(ctx, slog.LevelWarn, "the pulse of sales could not be written; the console shows older numbers until it can",
		slog.String("error", err.Error()))
}
