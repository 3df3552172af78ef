package calendar

import (
	"slices"
	"testing"

	"github.com/rickb777/date"
	"pgregory.net/rapid"

	"holdfast/timezone"
)

var inDecember = date.New(2026, 12, 4)

func TestRuleOf(t *testing.T) {
	t.Parallel()

	fridays := func(days ...int) (out []date.Date) {
		for _, d := range days {
			out = append(out, date.New(2027, 1, d))
		}
		return out
	}
	for _, tc := range []struct {
		name string
		days []date.Date
		want string
	}{
		{"oneDay", fridays(8), "2027-01-08"},
		{"aPeriod", fridays(4, 5, 6), "2027-01-04..2027-01-06"},
		{"allFridays", fridays(1, 8, 15, 22, 29), "2027-01 fri"},
		{"twoFridays", fridays(8, 15), "2027-01-08; 2027-01-15"},
		{"fridaysFromTheSecondOn", fridays(8, 15, 22, 29), "2027-01-08..2027-01-29 fri"},
		{"notAllFridaysBetween", fridays(1, 8, 22), "2027-01-01; 2027-01-08; 2027-01-22"},
		{"aPeriodAndADay", fridays(4, 5, 9), "2027-01-04..2027-01-05; 2027-01-09"},
		{"tooMany", fridays(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21), "11 marked days"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := ruleOf(tc.days); got != tc.want {
				t.Errorf("ruleOf = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestRuleOf_MeansTheSameDays(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		n, step := rapid.IntRange(1, 12).Draw(t, "n"), rapid.SampledFrom([]int{1, 7}).Draw(t, "step")
		var days []date.Date
		for range n {
			d := date.New(2026, 12, 1).Add(date.PeriodOfDays(step * rapid.IntRange(0, 60).Draw(t, "day")))
			if !slices.Contains(days, d) {
				days = append(days, d)
			}
		}
		slices.SortFunc(days, func(a, b date.Date) int { return int(a.Sub(b)) })
		text := ruleOf(days)
		if text == count(len(days), "marked day") {
			return // a count, which nobody is asked to read back
		}
		rule, err := timezone.ParseDays(text, inDecember)
		if err != nil || !slices.Equal(rule.Expand(), days) {
			t.Fatalf("%q means %v, %v; want %v", text, rule.Expand(), err, days)
		}
	})
}
