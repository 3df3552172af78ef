package calendar

import (
	"testing"
	"time"

	"github.com/rickb777/date"
	"pgregory.net/rapid"

	"holdfast/inventory"
	"holdfast/tui/canvas"
)

func dayWith(capacity, overbook, taken, held int) inventory.PoolDay {
	return inventory.PoolDay{
		PoolID: 1, Day: date.New(2027, 1, 8), Capacity: capacity, OverbookLimit: overbook, Taken: taken, Held: held,
		Version: 1, SalesUntil: time.Date(2027, 1, 8, 23, 0, 0, 0, time.UTC),
	}
}

var beforeSales = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

func TestB29_OversoldDaysAreNeverSubtracted(t *testing.T) {
	t.Parallel()

	over, free := dayWith(5, 0, 8, 0), dayWith(10, 0, 0, 0)
	s := sumOf([]inventory.PoolDay{over, free}, beforeSales)
	if s.left != 10 || s.oversold != 1 || s.over != 3 {
		t.Errorf("left %d, oversold %d by %d; want 10, 1 by 3", s.left, s.oversold, s.over)
	}
	if got := leftWords(over)[0]; got != "0 (over by 3)" {
		t.Errorf("an oversold day has %q left, want 0 (over by 3)", got)
	}
	if got := leftWords(free)[0]; got != "10" {
		t.Errorf("a free day has %q left, want 10", got)
	}
}

func TestSumOf_LeavesOutWhatIsNotSold(t *testing.T) {
	t.Parallel()

	closed := dayWith(10, 0, 2, 0)
	closed.StopSell = true
	past := dayWith(10, 0, 2, 0)
	past.SalesUntil = beforeSales
	s := sumOf([]inventory.PoolDay{closed, past, dayWith(10, 2, 4, 1)}, beforeSales)
	if s.left != 8 || s.closed != 1 || s.taken != 8 || s.held != 1 {
		t.Errorf("sums = %+v, want left 8 of one open day, 1 closed, taken 8, held 1", s)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name     string
		day      inventory.PoolDay
		want     int
		wantNone bool
	}{
		{"noPlaces", dayWith(0, 0, 0, 0), 0, true},
		{"empty", dayWith(120, 6, 0, 0), 0, false},
		{"half", dayWith(100, 0, 50, 0), 50, false},
		{"oneLeftIsNotFull", dayWith(1000, 0, 999, 0), 99, false},
		{"full", dayWith(120, 6, 126, 0), 100, false},
		{"oversoldByOneIsMoreThanFull", dayWith(1000, 0, 1001, 0), 101, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, ok := load(tc.day)
			if got != tc.want || ok == tc.wantNone {
				t.Errorf("load = %d, %v; want %d, %v", got, ok, tc.want, !tc.wantNone)
			}
		})
	}
}

func TestNumbersFitAndAreNeverNegative(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		n := func(name string) int { return rapid.IntRange(0, inventory.MaxCapacity).Draw(t, name) }
		d := dayWith(n("capacity"), n("overbook"), n("taken"), 0)
		d.Held = rapid.IntRange(0, d.Taken).Draw(t, "held")
		v := dayView{row: d, made: true, read: true}
		for w := 3; w <= 30; w++ {
			for lines := 1; lines <= 4; lines++ {
				for _, l := range v.lines(w, lines, 4) {
					for _, r := range l.text {
						if r == '-' {
							t.Fatalf("%+v: %q has a number below zero", d, l.text)
						}
					}
				}
			}
		}
		for _, w := range []int{9, 10, 13} {
			for _, texts := range [][]string{leftWords(d), takenWords(d)} {
				if got := fitting(w, texts...); canvas.Width(got) > w {
					t.Fatalf("%q does not fit into %d cells", got, w)
				}
			}
		}
	})
}

func TestShort(t *testing.T) {
	t.Parallel()

	for n, want := range map[int]string{0: "0", 9999: "9999", 10_000: "10k", 19_999: "19k", 1_000_000: "1M"} {
		if got := short(n); got != want {
			t.Errorf("short(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1_234_567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestShortMoney(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		price inventory.Money
		n     int
		want  string
	}{
		{inventory.Money{Minor: 2550, Currency: "EUR"}, 2, "51"},
		{inventory.Money{Minor: 500, Currency: "JPY"}, 3, "1500"},
		{inventory.Money{Minor: 1_000_000_000_000, Currency: "EUR"}, 10_000, "100000000M"},
	} {
		if got := shortMoney(tc.price, tc.n); got != tc.want {
			t.Errorf("%d x %s = %q, want %q", tc.n, tc.price, got, tc.want)
		}
	}
}
