package demo

import (
	"testing"
	"time"

	"holdfast/inventory/payment/simulated"
	"holdfast/timezone"
)

func TestCheckLedger(t *testing.T) {
	t.Parallel()
	paid := []simulated.Payment{
		{ID: "pay_1", AmountMinor: 2500, State: simulated.StateSucceeded},
		{ID: "pay_2", AmountMinor: 2500, State: simulated.StateFailed},
	}
	cases := map[string]struct {
		refunds []simulated.Refund
		want    []string
	}{
		"none":        {nil, nil},
		"inParts":     {[]simulated.Refund{{ID: "r1", Payment: "pay_1", Key: "a", AmountMinor: 1000}, {ID: "r2", Payment: "pay_1", Key: "b", AmountMinor: 1500}}, nil},
		"failedOnce":  {[]simulated.Refund{{ID: "r1", Payment: "pay_1", Key: "a", AmountMinor: 2500, State: simulated.StateFailed}, {ID: "r2", Payment: "pay_1", Key: "b", AmountMinor: 2500}}, nil},
		"twice":       {[]simulated.Refund{{ID: "r1", Payment: "pay_1", Key: "a", AmountMinor: 1000}, {ID: "r2", Payment: "pay_1", Key: "a", AmountMinor: 1000}}, []string{"X2_refunded_twice"}},
		"tooMuch":     {[]simulated.Refund{{ID: "r1", Payment: "pay_1", Key: "a", AmountMinor: 2500}, {ID: "r2", Payment: "pay_1", Key: "b", AmountMinor: 1}}, []string{"X2_refunded_too_much"}},
		"notCaptured": {[]simulated.Refund{{ID: "r1", Payment: "pay_2", Key: "a", AmountMinor: 1}}, []string{"X2_refunded_too_much"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := checkLedger(simulated.Ledger{Payments: paid, Refunds: c.refunds})
			if len(found) != len(c.want) {
				t.Fatalf("found %v, want %v", found, c.want)
			}
			for i, v := range found {
				if v.Invariant != c.want[i] {
					t.Errorf("found %v, want %v", found, c.want)
				}
			}
		})
	}
}

// Whatever the day, there is a venue whose clocks change within a year.
func TestSoonest(t *testing.T) {
	t.Parallel()
	for month := time.January; month <= time.December; month++ {
		now := time.Date(2027, month, 3, 12, 0, 0, 0, time.UTC)
		best := soonest(now)
		zone, err := timezone.ParseZone(best.zone)
		if err != nil {
			t.Fatal(err)
		}
		mine := timezone.NextChanges(zone, now, 1)[0].At
		for _, c := range candidates {
			other, err := timezone.ParseZone(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			if next := timezone.NextChanges(other, now, 1)[0].At; next.Before(mine) {
				t.Errorf("%s: %s changes at %v, %s already at %v", now, best.zone, mine, c.zone, next)
			}
		}
	}
}
