// Package bench measures what one machine carries: the real daemon as a process
// of its own, behind its real listener, on a real PostgreSQL, beside a generator
// of load that costs as little as it can; and, for comparison, the same work by
// pgbench as the plain transaction that one would write without holdfast.
//
// Everything happens in a schema that is made for the measurement and dropped
// after it, so that it can be pointed at any database. See DESIGN.md.
package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"holdfast/inventory"
)

// Scenario names one kind of work.
type Scenario string

// The scenarios; what each does is told where it is defined.
const (
	HotDay  Scenario = "hot-day"  // one pool day, everybody gets a place
	Spread  Scenario = "spread"   // 1,000 pool days
	SoldOut Scenario = "sold-out" // one pool day, nobody gets a place
	Seats   Scenario = "seats"    // 10,000 seats, the same ones wanted by many
	SeatMap Scenario = "seat-map" // the map of 10,000 seats
	Confirm Scenario = "confirm"  // callbacks of a payment provider
	Sweep   Scenario = "sweep"    // a backlog of overdue holds, and a long history
	OnSale  Scenario = "on-sale"  // many more buyers than seats, through the waiting room
)

// Scenarios are all of them, in the order in which they run.
var Scenarios = []Scenario{HotDay, Spread, SoldOut, Seats, SeatMap, Confirm, Sweep, OnSale}

// ParseScenario reads a scenario's name.
func ParseScenario(text string) (Scenario, error) {
	s := Scenario(text)
	if !slices.Contains(Scenarios, s) {
		return "", inventory.Invalid("scenario", "must be one of %v", Scenarios)
	}
	return s, nil
}

// Config says what is measured.
type Config struct {
	DSN       string        // the database; its schema is made anew and dropped
	Clients   []int         // how many ask at once; each number is a measurement of its own
	For       time.Duration // how long each measurement takes
	Rounds    int           // how often each is made; the middle one counts
	Daemons   int           // that share the database and the load
	Scenarios []Scenario
	PGBench   bool // compare with the plain transaction

	Overdue int // holds in the backlog of the sweep
	History int // finished bookings beside it
	Buyers  int // of the on-sale

	Binary string       // holdfast itself
	Log    *slog.Logger // required
	Say    func(Figure) // gets each figure as soon as it is known
}

// Validate reports every field that is wrong.
func (c Config) Validate() error {
	var errs []error
	if len(c.Clients) == 0 {
		errs = append(errs, inventory.Invalid("clients", "is missing"))
	}
	for _, n := range c.Clients {
		if n < 1 || n > 2000 {
			errs = append(errs, inventory.Invalid("clients", "must be from 1 to 2000"))
		}
	}
	if c.For < time.Second || c.For > time.Hour {
		errs = append(errs, inventory.Invalid("for", "must be from 1s to 1h"))
	}
	for _, n := range []struct {
		name        string
		value, most int
	}{
		{"rounds", c.Rounds, 99},
		{"daemons", c.Daemons, 16},
		{"overdue", c.Overdue, 10_000_000},
		{"history", c.History, 100_000_000},
		{"buyers", c.Buyers, 5_000_000},
	} {
		if n.value < 1 || n.value > n.most {
			errs = append(errs, inventory.Invalid(n.name, "must be from 1 to %d", n.most))
		}
	}
	return errors.Join(errs...)
}

// Figure is one thing that was measured.
type Figure struct {
	Scenario string // with the number of clients behind a slash
	Metric   string
	Value    float64
	Unit     string
}

// Run measures and returns what violates an invariant afterwards. It leaves the
// database as it was.
func Run(ctx context.Context, cfg Config) ([]inventory.Violation, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	b, err := open(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	defer b.close(context.WithoutCancel(ctx))
	for _, s := range cfg.Scenarios {
		if err := b.run(ctx, s); err != nil {
			return nil, fmt.Errorf("bench: %s: %w", s, err)
		}
	}
	for i, d := range b.daemons {
		b.cfg.Say(Figure{fmt.Sprintf("daemon %d", i+1), "warnings in its log", float64(d.troubles.Load()), ""})
	}
	return b.store.Check(ctx)
}

func (b *bench) run(ctx context.Context, s Scenario) error {
	switch s {
	case HotDay:
		return b.hotDay(ctx)
	case Spread:
		return b.spread(ctx)
	case SoldOut:
		return b.soldOut(ctx)
	case Seats:
		return b.seats(ctx)
	case SeatMap:
		return b.seatMap(ctx)
	case Confirm:
		return b.confirm(ctx)
	case Sweep:
		return b.sweep(ctx)
	case OnSale:
		return b.onSale(ctx)
	}
	return fmt.Errorf("no such scenario")
}
