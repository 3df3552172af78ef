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
	holds, refused, busy         atomic.Int64
	confirmed, expired, released atomic.Int64
	declined                     atomic.Int64
	zombies, revived, refunded   atomic.Int64
	errors                       atomic.Int64
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
		t.holds.Load(), t.refused.Load(), t.confirmed.Load(), t.expired.Load(), t.released.Load(),
		t.zombies.Load(), t.revived.Load(), t.refunded.Load())
}

// Summary says what happened, a line each.
func (d *Demo) Summary() []string {
	t := &d.tally
	ledger := d.sim.Ledger()
	lines := []string{
		fmt.Sprintf("holds          %d, refused %d (sold out, closed, or no longer theirs)", t.holds.Load(), t.refused.Load()),
		fmt.Sprintf("confirmations  %d", t.confirmed.Load()),
		fmt.Sprintf("expiries       %d, released %d", t.expired.Load(), t.released.Load()),
		fmt.Sprintf("zombies        %d: revived %d, refunded %d, not decided yet %d", t.zombies.Load(),
			t.revived.Load(), t.refunded.Load(), t.zombies.Load()-t.revived.Load()-t.refunded.Load()),
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
