package stripe

import (
	"fmt"
	"math"
	"strings"

	"holdfast/inventory"
)

// unitsPer is how many of Stripe's units make one major unit of a currency,
// where that is not 100. From the list of zero-decimal and three-decimal
// currencies and the special cases in docs.stripe.com/currencies. ISK and UGX
// have no decimals in ISO 4217 and two there.
var unitsPer = map[inventory.Currency]int64{
	"BIF": 1, "CLP": 1, "DJF": 1, "GNF": 1, "JPY": 1, "KMF": 1, "KRW": 1, "MGA": 1,
	"PYG": 1, "RWF": 1, "VND": 1, "VUV": 1, "XAF": 1, "XOF": 1, "XPF": 1,
	"BHD": 1000, "JOD": 1000, "KWD": 1000, "OMR": 1000, "TND": 1000,
}

// unknownUnits are currencies that have other than two decimals and are not in
// Stripe's lists: a guess could be wrong by a factor of ten.
var unknownUnits = map[inventory.Currency]bool{"IQD": true, "LYD": true, "UYI": true}

// scale returns the units of one major unit at Stripe and here.
func scale(c inventory.Currency) (theirs, ours int64, err error) {
	if unknownUnits[c] {
		return 0, 0, fmt.Errorf("amounts in %s are not defined at Stripe", c)
	}
	theirs, ok := unitsPer[c]
	if !ok {
		theirs = 100
	}
	ours = 1
	for range c.Decimals() {
		ours *= 10
	}
	return theirs, ours, nil
}

// units is an amount in Stripe's smallest unit. It fails for one that Stripe
// cannot express, such as a third decimal in KWD.
func units(m inventory.Money) (int64, error) {
	theirs, ours, err := scale(m.Currency)
	if err != nil {
		return 0, err
	}
	n, err := convert(int64(m.Minor), ours, theirs)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", m, err)
	}
	if theirs == 1000 && n%10 != 0 {
		return 0, fmt.Errorf("%s: Stripe wants the last digit to be 0", m)
	}
	return n, nil
}

// lower is a currency as Stripe writes it.
func lower(c inventory.Currency) string { return strings.ToLower(string(c)) }

// money is an amount of Stripe's in our minor units. currency may be in
// lower case, as Stripe writes it.
func money(amount int64, currency string) (inventory.Money, error) {
	c, err := inventory.ParseCurrency(strings.ToUpper(currency))
	if err != nil {
		return inventory.Money{}, err
	}
	theirs, ours, err := scale(c)
	if err != nil {
		return inventory.Money{}, err
	}
	n, err := convert(amount, theirs, ours)
	if err != nil {
		return inventory.Money{}, fmt.Errorf("%d %s: %w", amount, c, err)
	}
	return inventory.Money{Minor: inventory.Minor(n), Currency: c}, nil
}

// convert expresses n, of which from make a major unit, in units of which to
// make one. It never rounds.
func convert(n, from, to int64) (int64, error) {
	switch {
	case n < 0 || n > math.MaxInt64/1000:
		return 0, fmt.Errorf("is out of range")
	case n*to%from != 0:
		return 0, fmt.Errorf("has a fraction that Stripe and ISO 4217 do not share")
	}
	return n * to / from, nil
}
