package cockpit

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
)

// refusal says in plain words why holds were refused. ours is a refusal that no
// rule asked for: the system could not answer.
func refusal(code string) (words string, ours bool) {
	switch code {
	case "SOLD_OUT":
		return "sold out", false
	case "SEAT_TAKEN":
		return "seat taken", false
	case "RANGE_TAKEN":
		return "time taken", false
	case "STOP_SELL":
		return "sales stopped", false
	case "NOT_ON_SALE":
		return "not on sale yet", false
	case "CUTOFF_PASSED":
		return "sales are over", false
	case "HOLD_EXISTS":
		return "has a hold already", false
	case "LIMIT_PER_BUYER":
		return "buyer's limit", false
	case "IDEMPOTENCY_CONFLICT", "IN_PROGRESS", "INVALID", "NOT_FOUND", "NOT_ALLOWED":
		return "asked wrongly", false
	case "BUSY":
		return "too busy", true
	case "UNAVAILABLE":
		return "database away", true
	case "UNKNOWN_OUTCOME":
		return "answer lost", true
	case "INTERNAL":
		return "failed", true
	}
	return strings.ToLower(strings.ReplaceAll(code, "_", " ")), false
}

// trouble is how many a second get no answer that a rule asked for.
func trouble(p inventory.Pace) float64 {
	sum := 0.0
	for _, r := range p.Refused {
		if _, ours := refusal(r.Code); ours {
			sum += r.Second
		}
	}
	return sum
}

// refusals are the reasons with their numbers, most first; reasons that are told
// by the same words are one.
func refusals(p inventory.Pace) string {
	var order []string
	sums := map[string]float64{}
	for _, r := range p.Refused {
		words, _ := refusal(r.Code)
		if _, seen := sums[words]; !seen {
			order = append(order, words)
		}
		sums[words] += r.Second
	}
	parts := make([]string, len(order))
	for i, words := range order {
		parts[i] = words + " " + perSecond(sums[words])
	}
	return strings.Join(parts, ", ")
}

// perSecond writes a pace: with a decimal where that still says something.
func perSecond(x float64) string {
	switch {
	case x <= 0:
		return "0"
	case x < 0.05:
		return "<0.1"
	case x < 9.95:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case x > 1e9:
		return ">1,000,000,000"
	}
	return thousands(int64(x + 0.5))
}

// thousands writes n with a comma every three digits.
func thousands(n int64) string {
	if n < 0 {
		return "-" + thousands(-n)
	}
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count writes a number of things.
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(int64(n)) + " " + one + "s"
}

// most writes a count that was not counted to its end.
func most(n int) string {
	if n >= inventory.SellingMost {
		return thousands(inventory.SellingMost) + "+"
	}
	return thousands(int64(n))
}

// took writes how long an answer took.
func took(d time.Duration) string {
	switch {
	case d <= 0:
		return "-"
	case d < time.Millisecond:
		return "<1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// short writes a duration without the parts that are zero: 10m, not 10m0s.
func short(d time.Duration) string {
	s := d.Round(time.Second).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// at writes a moment in the zone of the screen: what is today's goes without
// saying.
func (m *Model) at(t time.Time) string {
	zone := m.env.Zone()
	t = t.In(zone)
	now := m.env.Now().In(zone)
	switch {
	case t.Format(time.DateOnly) == now.Format(time.DateOnly):
		return t.Format(time.TimeOnly)
	case t.Year() == now.Year():
		return t.Format("01-02 15:04")
	}
	return t.Format(time.DateOnly + " 15:04")
}

// what names a row in full.
func what(s inventory.Selling) string { return s.Name + ", " + timezone.DayLabel(s.Day) }

// places is what a row is counted in.
func places(s inventory.Selling, n int) string {
	if s.Kind == inventory.ClaimSeats {
		return count(n, "seat")
	}
	return count(n, "place")
}

// onSale is whether a row can be bought now, in a word.
func (m *Model) onSale(s inventory.Selling) string {
	now := m.env.Now()
	switch {
	case s.StopSell:
		return "STOPPED"
	case s.Oversold() > 0:
		return "OVERSOLD"
	case !s.SalesUntil.IsZero() && !now.Before(s.SalesUntil):
		return "over"
	case s.Left() == 0:
		return "SOLD OUT"
	case !s.SalesFrom.IsZero() && now.Before(s.SalesFrom):
		return "not yet"
	}
	return "on sale"
}
