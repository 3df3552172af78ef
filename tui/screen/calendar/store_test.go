package calendar_test

import (
	"context"
	"testing"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
	"holdfast/tui/app"
	"holdfast/tui/screen/calendar"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

// shifted is a test's clock that shows the database's time.
type shifted struct {
	ui.Clock
	by time.Duration
}

func (s shifted) Now() time.Time { return s.Clock.Now().Add(s.by) }

// openAt opens a console of actor with a store of its own, as another process
// has, on the shop's database.
func openAt(t *testing.T, s pgtest.Shop, actor inventory.Actor) (*tuitest.Console, *pgstore.Store) {
	t.Helper()
	store := s.DB.Store(t, 2)
	now := s.Now(t)
	c := tuitest.Open(t, tuitest.Options{
		Screen: func(env *ui.Env) ui.Screen { return calendar.New(env, store, actor) },
		Config: func(cfg *app.Config) { cfg.Clock = shifted{cfg.Clock, now.Sub(cfg.Clock.Now())} },
	})
	return c, store
}

// goTo puts the cursor on the shop's day, a week from today.
func goTo(t *testing.T, c *tuitest.Console, s pgtest.Shop) {
	t.Helper()
	c.Press("down")
	c.Shows(timezone.DayLabel(s.Day) + ": capacity 10+2")
}

func TestB31_TwoConsolesOnOneDatabase(t *testing.T) {
	t.Parallel()

	t.Run("theSecondSeesTheFirstAndMerges", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		one, _ := openAt(t, s, mira)
		two, _ := openAt(t, s, jan)
		goTo(t, one, s)
		goTo(t, two, s)
		first := s.PoolDay(t).Version

		one.Press("e")
		one.Type("20")
		one.Press("enter")
		two.Press("e", "tab")
		two.Type("5")
		two.Press("enter")

		one.Press("enter", "tab", "enter")
		one.Shows("1 day of Main floor saved")
		two.Press("enter", "tab", "enter")
		two.Shows("SOMEONE ELSE SAVED FIRST", "mira saved", "20 *", "merged")
		assertDay(t, s.PoolDay(t), 20, 2, first+1)

		two.Press("tab", "tab", "enter")
		two.Shows("1 day of Main floor saved")
		assertDay(t, s.PoolDay(t), 20, 5, first+2)
		one.Press("r")
		one.Shows("capacity 20+5")
	})
	t.Run("manyDays", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		one, _ := openAt(t, s, mira)
		two, _ := openAt(t, s, jan)
		goTo(t, one, s)
		one.Press("v", "right", "right", "e")
		one.Type("30")
		one.Press("enter")

		goTo(t, two, s)
		two.Press("e")
		two.Type("40")
		two.Press("enter", "enter", "tab", "enter")

		one.Press("enter", "tab", "enter")
		one.Shows("SOMEONE ELSE SAVED FIRST", "1 of 3 days", "jan saved")
		one.Press("tab", "tab", "enter")
		one.Shows("2 days of Main floor saved")
		equal(t, "capacity of the day that moved", s.PoolDay(t).Capacity, 40)
		rows, err := s.Store.Days(t.Context(), s.Pool.Ref, inventory.DayRange{From: s.Day.Add(1), To: s.Day.Add(2)})
		if err != nil || len(rows) != 2 || rows[0].Capacity != 30 || rows[1].Capacity != 30 {
			t.Errorf("the rest is %+v, %v; want twice 30", rows, err)
		}
	})
	t.Run("undoDoesNotOverwrite", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		one, _ := openAt(t, s, mira)
		two, _ := openAt(t, s, jan)
		goTo(t, one, s)
		one.Press("e")
		one.Type("30")
		one.Press("enter", "enter", "tab", "enter", "u")
		one.Shows("PUT BACK 1 DAY", "capacity 30 -> 10")

		two.Press("down", "e")
		two.Type("40")
		two.Press("enter", "enter", "tab", "enter")

		one.Press("tab", "enter")
		one.Shows("Nothing was put back", "jan saved")
		equal(t, "capacity", s.PoolDay(t).Capacity, 40)
	})
}

func TestB27_OnOneDatabase(t *testing.T) {
	t.Parallel()

	s := pgtest.OpenShop(t, pgtest.PerBuyer(0))
	s.Hold(t, "u-1", 9)
	c, store := openAt(t, s, mira)
	goTo(t, c, s)
	c.Press("e")
	c.Type("5")
	c.Press("tab")
	c.Type("0")
	c.Press("enter")
	c.Shows("oversold by 4: it sells nothing until taken is below")
	c.Press("enter", "shift+tab")
	c.Type("4")
	c.Press("tab", "tab", "enter")
	c.Shows("left 0 (over by 4)", "taken 9 (held 9)")
	if _, _, err := store.PlaceHold(t.Context(), s.Request("u-2", 1)); inventory.Code(err) != "SOLD_OUT" {
		t.Errorf("a hold on an oversold day = %v, want sold out", err)
	}
	equal(t, "taken", s.Taken(t), 9)

	c.Press("u", "tab", "enter")
	c.Shows("1 day put back", "left 3")
}

func TestCalendar_WholeMonthOnOneDatabase(t *testing.T) {
	t.Parallel()

	s := pgtest.OpenShop(t)
	c, store := openAt(t, s, mira)
	c.Press("]", "w", "e")
	c.Type("150")
	c.Press("enter")
	c.Shows("10 -> 150")
	c.Press("enter", "tab", "enter")
	c.Shows("of Main floor saved; u puts back")
	sets, err := store.ChangeSets(t.Context(), s.Pool.Ref, 10)
	if err != nil || len(sets) != 1 || sets[0].Actor != mira.String() || len(sets[0].Changes) < 4 {
		t.Fatalf("change sets = %+v, %v; want one of mira with a month of weekdays", sets, err)
	}
	c.Press("u", "tab", "enter")
	c.Shows("put back as before your edit")
	for _, change := range sets[0].Changes {
		equal(t, "capacity", dayOf(t, store, s.Pool.Ref, change.After.Day).Capacity, 10)
	}
}

func dayOf(t *testing.T, store *pgstore.Store, ref inventory.PoolRef, day date.Date) inventory.PoolDay {
	t.Helper()
	days, err := store.Days(context.Background(), ref, inventory.DayRange{From: day, To: day})
	if err != nil || len(days) != 1 {
		t.Fatalf("day %s = %v, %v", day, days, err)
	}
	return days[0]
}
