package demo

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/payment/simulated"
)

// tally counts what the people of the demo saw with their own eyes.
type tally struct {
	places, seats, ranges perKind
	refused, busy         atomic.Int64
	released, declined    atomic.Int64
	zombies, errors       atomic.Int64
}

// perKind counts what became of the claims of one kind.
type perKind struct {
	holds, confirmed, expired, revived, refunded atomic.Int64
}

// of is where a booking is counted.
func (t *tally) of(b booking) *perKind {
	switch b.Kind {
	case inventory.ClaimSeats:
		return &t.seats
	case inventory.ClaimRange:
		return &t.ranges
	case inventory.ClaimPool:
	}
	return &t.places
}

// all sums a count over the kinds.
func (t *tally) all(count func(*perKind) *atomic.Int64) int64 {
	return count(&t.places).Load() + count(&t.seats).Load() + count(&t.ranges).Load()
}

func holdsOf(k *perKind) *atomic.Int64     { return &k.holds }
func confirmedOf(k *perKind) *atomic.Int64 { return &k.confirmed }
func expiredOf(k *perKind) *atomic.Int64   { return &k.expired }
func revivedOf(k *perKind) *atomic.Int64   { return &k.revived }
func refundedOf(k *perKind) *atomic.Int64  { return &k.refunded }

func (k *perKind) String() string {
	return fmt.Sprintf("%d holds: confirmed %d, expired %d, revived %d, refunded %d",
		k.holds.Load(), k.confirmed.Load(), k.expired.Load(), k.revived.Load(), k.refunded.Load())
}

// report writes a status line a second.
func (d *Demo) report(ctx context.Context) {
	if d.opts.Status == nil {
		return
	}
	for pause(ctx, time.Second) == nil {
		d.opts.Status(d.tally.line())
	}
}

func (t *tally) line() string {
	return fmt.Sprintf("holds %d  refused %d  confirmed %d  expired %d  released %d  zombies %d  revived %d  refunded %d",
		t.all(holdsOf), t.refused.Load(), t.all(confirmedOf), t.all(expiredOf), t.released.Load(),
		t.zombies.Load(), t.all(revivedOf), t.all(refundedOf))
}

// Summary says what happened, a line each.
func (d *Demo) Summary() []string {
	t := &d.tally
	ledger := d.sim.Ledger()
	revived, refunded := t.all(revivedOf), t.all(refundedOf)
	lines := []string{
		fmt.Sprintf("holds          %d, refused %d (sold out, taken, closed, or no longer theirs)", t.all(holdsOf), t.refused.Load()),
		fmt.Sprintf("confirmations  %d", t.all(confirmedOf)),
		fmt.Sprintf("expiries       %d, released %d", t.all(expiredOf), t.released.Load()),
		fmt.Sprintf("zombies        %d: revived %d, refunded %d, not decided yet %d", t.zombies.Load(),
			revived, refunded, t.zombies.Load()-revived-refunded),
		fmt.Sprintf("places         %s", &t.places),
		fmt.Sprintf("seats          %s", &t.seats),
		fmt.Sprintf("times          %s", &t.ranges),
		fmt.Sprintf("refunds        %d at the provider", len(ledger.Refunds)),
		fmt.Sprintf("provider       %d payments, %d declined, each webhook sent twice", len(ledger.Payments), t.declined.Load()),
	}
	if n := t.busy.Load(); n > 0 {
		lines = append(lines, fmt.Sprintf("busy           %d requests were told to come again", n))
	}
	if n := t.errors.Load(); n > 0 {
		lines = append(lines, fmt.Sprintf("errors         %d, see the log", n))
	}
	return lines
}

// Check looks whether every invariant holds, here and in the provider's ledger.
func (d *Demo) Check(ctx context.Context) ([]inventory.Violation, error) {
	found, err := d.store.Check(ctx)
	if err != nil {
		return nil, err
	}
	return append(found, checkLedger(d.sim.Ledger())...), nil
}

// checkLedger looks at refunds from the other side: no key twice, and never
// more given back than was taken.
func checkLedger(ledger simulated.Ledger) []inventory.Violation {
	taken := map[string]inventory.Minor{}
	for _, p := range ledger.Payments {
		if p.State == simulated.StateSucceeded {
			taken[p.ID] = p.AmountMinor
		}
	}
	var found []inventory.Violation
	keys, back := map[string]bool{}, map[string]inventory.Minor{}
	for _, r := range ledger.Refunds {
		if r.State == simulated.StateFailed {
			continue
		}
		if keys[r.Key] {
			found = append(found, inventory.Violation{
				Invariant: "X2_refunded_twice", Object: "refund " + r.ID, Detail: "its key was used before",
			})
		}
		keys[r.Key] = true
		if back[r.Payment] += r.AmountMinor; back[r.Payment] > taken[r.Payment] {
			found = append(found, inventory.Violation{
				Invariant: "X2_refunded_too_much", Object: "payment " + r.Payment,
				Detail: fmt.Sprintf("%d given back of %d", back[r.Payment], taken[r.Payment]),
			})
		}
	}
	return found
}
