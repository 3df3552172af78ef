package stripe

import (
	"testing"

	"pgregory.net/rapid"

	"holdfast/inventory"
)

func TestUnits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		minor    inventory.Minor
		currency inventory.Currency
		want     int64
		ok       bool
	}{
		{2500, "EUR", 2500, true},
		{500, "JPY", 500, true},
		{5, "ISK", 500, true}, // two decimals there
		{5, "UGX", 500, true},
		{500, "MGA", 5, true},  // none there
		{550, "MGA", 0, false}, // half an ariary
		{5120, "KWD", 5120, true},
		{5124, "KWD", 0, false}, // the last digit must be 0
		{5000, "IQD", 0, false}, // not in Stripe's lists
		{-1, "EUR", 0, false},
	} {
		got, err := units(inventory.Money{Minor: c.minor, Currency: c.currency})
		if (err == nil) != c.ok || got != c.want {
			t.Errorf("units(%d %s) = %d, %v; want %d, ok = %t", c.minor, c.currency, got, err, c.want, c.ok)
		}
	}
}

// What can be sent comes back as the same money, in every currency.
func TestUnits_roundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := inventory.Money{
			Minor:    inventory.Minor(rapid.Int64Range(0, 1<<40).Draw(t, "minor")),
			Currency: inventory.Currency(rapid.StringMatching(`EUR|JPY|ISK|UGX|MGA|KWD|BHD|TND|XOF|HUF|CHF|CLP|[A-Z]{3}`).Draw(t, "currency")),
		}
		sent, err := units(m)
		if err != nil {
			return
		}
		back, err := money(sent, lower(m.Currency))
		if err != nil || back != m {
			t.Fatalf("%s is %d at Stripe and comes back as %s, %v", m, sent, back, err)
		}
	})
}
