package calendar

import (
	"strings"
	"testing"

	"github.com/rickb777/date"

	"holdfast/inventory"
)

func number(n int) *inventory.Adjust { return &inventory.Adjust{N: n} }

// planOf is what an edit would make of days, as the store plans it.
func planOf(t *testing.T, edit inventory.DayEdit, days ...inventory.PoolDay) inventory.DayPlan {
	t.Helper()
	plan := inventory.DayPlan{Edit: edit, AsOf: beforeSales}
	for i, d := range days {
		d.Day = date.New(2027, 1, 8+i)
		c, err := edit.Plan(d)
		if err != nil {
			t.Fatal(err)
		}
		plan.Changes = append(plan.Changes, c)
	}
	return plan
}

func textOf(lines []styled) string {
	var all []string
	for _, l := range lines {
		all = append(all, l.text)
	}
	return strings.Join(all, "\n")
}

func TestReview(t *testing.T) {
	t.Parallel()

	closed := dayWith(10, 0, 0, 0)
	closed.StopSell = true
	yes, no := true, false
	for _, tc := range []struct {
		name    string
		edit    inventory.DayEdit
		days    []inventory.PoolDay
		result  string // of the first day
		summary string // part of it
	}{
		{"more", inventory.DayEdit{Capacity: number(20)}, []inventory.PoolDay{dayWith(10, 2, 4, 0)}, "ok", "1 day will change. Left to sell 8 -> 18."},
		{"same", inventory.DayEdit{Capacity: number(10)}, []inventory.PoolDay{dayWith(10, 2, 4, 0)}, "same", "Nothing would change."},
		{"someTheSame", inventory.DayEdit{Capacity: number(20)}, []inventory.PoolDay{dayWith(10, 2, 4, 0), dayWith(20, 2, 4, 0)}, "ok", "1 day will change (1 more like that already)"},
		{"B27/belowWhatIsTaken", inventory.DayEdit{Capacity: number(5), OverbookLimit: number(0)}, []inventory.PoolDay{dayWith(10, 2, 9, 0)}, "over by 4", "oversold by 4: it sells nothing until taken is below 5"},
		{"B27/stillOversoldButLess", inventory.DayEdit{Capacity: number(6)}, []inventory.PoolDay{dayWith(5, 0, 9, 0)}, "over by 3 (was 4)", "Left to sell stays 0."},
		{"B27/cured", inventory.DayEdit{Capacity: number(9)}, []inventory.PoolDay{dayWith(5, 0, 9, 0)}, "ok, cured", "Left to sell stays 0."},
		{"closes", inventory.DayEdit{StopSell: &yes}, []inventory.PoolDay{dayWith(10, 0, 4, 0)}, "closes", "Left to sell 6 -> 0."},
		{"opens", inventory.DayEdit{StopSell: &no}, []inventory.PoolDay{closed}, "opens", "Left to sell 0 -> 10."},
		{"staysClosed", inventory.DayEdit{Capacity: number(20)}, []inventory.PoolDay{closed}, "closed", "1 of them closed, and left closed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			plan := planOf(t, tc.edit, tc.days...)
			r := reviewOf(plan, date.New(2027, 1, 1))
			if got := result(plan.Changes[0]).text; got != tc.result {
				t.Errorf("result = %q, want %q", got, tc.result)
			}
			if got := textOf(r.summary()); !strings.Contains(got, tc.summary) {
				t.Errorf("summary = %q, want %q in it", got, tc.summary)
			}
		})
	}
}

func TestHappenings(t *testing.T) {
	t.Parallel()

	yes := true
	plan := planOf(t, inventory.DayEdit{Capacity: number(20), StopSell: &yes}, dayWith(10, 0, 0, 0), dayWith(12, 0, 0, 0), dayWith(20, 0, 0, 0))
	got := strings.Join(happenings(plan), "; ")
	if want := "capacity 10..12 -> 20 on 2 days; 3 days sell nothing any more"; got != want {
		t.Errorf("happenings = %q, want %q", got, want)
	}
}

func TestOutcomeOf(t *testing.T) {
	t.Parallel()

	actor := inventory.Staff("mira")
	sent := saveChosen{plan: planOf(t, inventory.DayEdit{Capacity: number(20)}, dayWith(10, 0, 0, 0), dayWith(20, 0, 0, 0)), reason: "winter"}
	stored := func(change func(*inventory.ChangeSet)) inventory.ChangeSet {
		c := sent.plan.Changes[0]
		c.After.Version = 2
		set := inventory.ChangeSet{ID: 7, Actor: actor.String(), Reason: "winter", Changes: []inventory.DayChange{c}}
		change(&set)
		return set
	}
	for _, tc := range []struct {
		name   string
		change func(*inventory.ChangeSet)
		want   bool
	}{
		{"mine", func(*inventory.ChangeSet) {}, true},
		{"somebodyElse", func(s *inventory.ChangeSet) { s.Actor = "staff:jan" }, false},
		{"anotherReason", func(s *inventory.ChangeSet) { s.Reason = "" }, false},
		{"anUndo", func(s *inventory.ChangeSet) { s.Undoes = 6 }, false},
		{"anotherVersion", func(s *inventory.ChangeSet) { s.Changes[0].After.Version = 3 }, false},
		{"anotherNumber", func(s *inventory.ChangeSet) { s.Changes[0].After.Capacity = 21 }, false},
		{"anotherDay", func(s *inventory.ChangeSet) { s.Changes[0].After.Day = date.New(2027, 1, 9) }, false},
		{"fewerDays", func(s *inventory.ChangeSet) { s.Changes = nil }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := outcomeOf(sent, actor, stored(tc.change)); got != tc.want {
				t.Errorf("outcomeOf = %v, want %v", got, tc.want)
			}
		})
	}
}

func TestLastOf(t *testing.T) {
	t.Parallel()

	set := func(id int64, actor string, undoes, undoneBy int64) inventory.ChangeSet {
		return inventory.ChangeSet{ID: id, Actor: actor, Undoes: undoes, UndoneBy: undoneBy}
	}
	const me = "staff:mira"
	for _, tc := range []struct {
		name   string
		latest inventory.ChangeSet
		sets   []inventory.ChangeSet
		want   int64
	}{
		{"none", inventory.ChangeSet{}, nil, 0},
		{"newestOfMine", inventory.ChangeSet{}, []inventory.ChangeSet{set(9, "staff:jan", 0, 0), set(8, me, 0, 0), set(7, me, 0, 0)}, 8},
		{"notWhatIsUndone", inventory.ChangeSet{}, []inventory.ChangeSet{set(9, me, 8, 0), set(8, me, 0, 9), set(7, me, 0, 0)}, 7},
		{"justSaved", set(10, me, 0, 0), []inventory.ChangeSet{set(8, me, 0, 0)}, 10},
		{"justUndone", set(10, me, 8, 0), []inventory.ChangeSet{set(8, me, 0, 0), set(7, me, 0, 0)}, 7},
		{"savedThenUndoneElsewhere", set(8, me, 0, 0), []inventory.ChangeSet{set(9, me, 8, 0), set(8, me, 0, 9)}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := lastOf(me, tc.latest, tc.sets).ID; got != tc.want {
				t.Errorf("lastOf = %d, want %d", got, tc.want)
			}
		})
	}
}
