package inventory

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Minor is an amount of money in minor units of its currency: cents for EUR,
// yen for JPY, fils for KWD.
type Minor int64

// Currency is an ISO 4217 code of three capital letters.
type Currency string

// Money is an amount with its currency.
type Money struct {
	Minor    Minor    `json:"minor"`
	Currency Currency `json:"currency"`
}

// Decimals other than two, from ISO 4217 (the list of active codes).
var currencyDecimals = map[Currency]int{
	"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0,
	"PYG": 0, "RWF": 0, "UGX": 0, "UYI": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
	"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
}

// ParseCurrency accepts three ASCII capital letters.
func ParseCurrency(s string) (Currency, error) {
	if len(s) != 3 {
		return "", Invalid("currency", "must be an ISO 4217 code such as EUR")
	}
	for _, r := range s {
		if r < 'A' || r > 'Z' {
			return "", Invalid("currency", "must be an ISO 4217 code such as EUR")
		}
	}
	return Currency(s), nil
}

// Decimals is how many digits the currency has after the point: 0, 2 or 3.
func (c Currency) Decimals() int {
	if d, ok := currencyDecimals[c]; ok {
		return d
	}
	return 2
}

// ParseMinor reads a plain decimal number such as "25", "25.5" or "25.00" into
// minor units of c. Signs, separators and more digits than the currency has
// are refused.
func ParseMinor(s string, c Currency) (Minor, error) {
	whole, frac, point := strings.Cut(strings.TrimSpace(s), ".")
	if point && frac == "" || len(frac) > c.Decimals() || !digits(whole) || !digits(frac) && frac != "" {
		return 0, fmt.Errorf("must be a plain number with at most %d digits after the point, such as %s",
			c.Decimals(), Minor(2500).plain(c))
	}
	n, err := strconv.ParseInt(whole+frac+strings.Repeat("0", c.Decimals()-len(frac)), 10, 64)
	if err != nil || n > math.MaxInt64/1000 {
		return 0, fmt.Errorf("is too large")
	}
	return Minor(n), nil
}

func digits(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}

// plain writes the amount without currency or separators: "25.00".
func (m Minor) plain(c Currency) string {
	sign, n := "", int64(m)
	if n < 0 {
		sign, n = "-", -n
	}
	d := c.Decimals()
	if d == 0 {
		return sign + strconv.FormatInt(n, 10)
	}
	s := fmt.Sprintf("%0*d", d+1, n)
	return sign + s[:len(s)-d] + "." + s[len(s)-d:]
}

// Plain writes the amount alone, as a script wants it: "18204.00".
func (m Money) Plain() string { return m.Minor.plain(m.Currency) }

// String writes the amount for people: "EUR 18,204.00".
func (m Money) String() string {
	plain := m.Minor.plain(m.Currency)
	sign := ""
	if strings.HasPrefix(plain, "-") {
		sign, plain = "-", plain[1:]
	}
	whole, frac, _ := strings.Cut(plain, ".")
	var b strings.Builder
	for i, r := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	if frac != "" {
		b.WriteString("." + frac)
	}
	return string(m.Currency) + " " + sign + b.String()
}
