package calendar_test

import (
	"testing"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/tui/app"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

func overbook(n int) inventory.DayEdit {
	return inventory.DayEdit{OverbookLimit: &inventory.Adjust{N: n}}
}

// late is a console whose edit of Friday 11 comes second: capacity 140 is typed,
// confirmed and refused, since jan saved other first.
func late(t *testing.T, d *desk, first inventory.DayEdit) *tuitest.Console {
	t.Helper()
	c := d.open(t)
	c.Press("down", "e")
	c.Type("140")
	rest(c)
	d.edit(t, jan, friday11, first)
	c.Press("enter", "tab", "enter")
	c.Shows("SOMEONE ELSE SAVED FIRST", "You saw v9", "jan saved v10", "Your input is kept")
	equal(t, "tries to save", len(d.saves), 1)
	return c
}

var friday11 = date.New(2026, 12, 11)

func assertDay(t *testing.T, got inventory.PoolDay, capacity, overbook, version int) {
	t.Helper()
	if got.Capacity != capacity || got.OverbookLimit != overbook || got.Version != version {
		t.Errorf("%s is %d+%d v%d, want %d+%d v%d", got.Day, got.Capacity, got.OverbookLimit, got.Version, capacity, overbook, version)
	}
}

func TestB31_TwoStaffEditsOneDay(t *testing.T) {
	t.Parallel()

	t.Run("bothValuesAreShown", func(t *testing.T) {
		t.Parallel()
		c := late(t, newDesk(), capacity(130))
		c.Shows("120           130 *         140 *         CLASH: yours", "With yours on v10: left 19")
	})
	t.Run("keepTheirs", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := late(t, d, capacity(130))
		c.Press("tab", "enter")
		c.Shows("kept what jan saved; nothing of yours was saved")
		equal(t, "tries to save", len(d.saves), 1)
		assertDay(t, d.row(friday11), 130, 3, 10)
	})
	t.Run("putMineOnTop", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := late(t, d, capacity(130))
		c.Press("tab", "tab", "enter")
		c.Shows("1 day of Main floor saved")
		equal(t, "version that the second try was made from", d.saves[1].Changes[0].Before.Version, 10)
		assertDay(t, d.row(friday11), 140, 3, 11)
	})
	t.Run("fieldsThatDoNotClashAreMerged", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := late(t, d, overbook(8))
		c.Shows("merged")
		c.Hides("CLASH")
		c.Press("tab", "tab", "enter")
		assertDay(t, d.row(friday11), 140, 8, 11)
	})
	t.Run("theirsIsChosenForAClash", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := late(t, d, capacity(130))
		c.Press("space")
		c.Shows("CLASH: theirs")
		c.Press("tab", "tab", "enter")
		c.Shows("nothing had to be saved")
		assertDay(t, d.row(friday11), 130, 3, 10)
	})
	t.Run("editAgainKeepsTheInput", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := late(t, d, capacity(130))
		c.Press("enter")
		c.Shows("[ 140 ", "130 -> 140", "changed since you began: jan saved v10")
		c.Press("enter", "tab", "enter")
		assertDay(t, d.row(friday11), 140, 3, 11)
	})
	t.Run("aFurtherChangeComesBack", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := late(t, d, capacity(130))
		d.edit(t, jan, friday11, capacity(135))
		c.Press("tab", "tab", "enter")
		c.Shows("SOMEONE ELSE SAVED FIRST", "You saw v10", "jan saved v11", "135 *")
		assertDay(t, d.row(friday11), 135, 3, 11)
		c.Press("tab", "tab", "enter")
		assertDay(t, d.row(friday11), 140, 3, 12)
	})
	t.Run("mineOnTopThatOversellsIsTyped", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := late(t, d, capacity(130))
		d.put(friday11, func(p *inventory.PoolDay) { p.Taken = 133 })
		c.Press("esc") // edit again: 133 are taken now, 140+3 is room enough
		c.Shows("left", "10")
		c.Press("ctrl+u")
		c.Type("125")
		rest(c)
		d.edit(t, jan, friday11, overbook(0))
		c.Press("enter", "shift+tab")
		c.Type("5")
		c.Press("tab", "tab", "enter")
		c.Shows("SOMEONE ELSE SAVED FIRST", "left 0 (over by 8)")
		c.Press("tab", "tab", "enter")
		c.Shows("OVERSELL 1 DAY", "Type 8 to go on")
		equal(t, "tries to save", len(d.saves), 2)
	})
	t.Run("savingWithoutChangesDoesNotRaiseTheVersion", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := d.open(t)
		c.Press("down", "e")
		c.Type("120")
		c.Press("enter", "enter", "tab", "enter")
		assertDay(t, d.row(friday11), 120, 3, 9)
	})
	t.Run("aDayMadeMeanwhile", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := d.open(t)
		day := date.New(2027, 3, 4)
		c.Press("]", "]", "]", "e")
		c.Type("80")
		rest(c)
		d.edit(t, jan, day, capacity(90))
		c.Press("enter", "tab", "enter")
		c.Shows("You saw it not set up; jan saved v1", "the template")
		c.Press("tab", "tab", "enter")
		assertDay(t, d.row(day), 80, 6, 2)
	})
}

// lateMany is a console whose edit of the Fridays of December comes second: jan
// has saved Friday 11.
func lateMany(t *testing.T, d *desk) *tuitest.Console {
	t.Helper()
	c := d.open(t)
	c.Press("w", "e")
	c.Type("145")
	rest(c)
	d.edit(t, jan, friday11, capacity(130))
	c.Press("enter", "tab", "enter")
	c.Shows("SOMEONE ELSE SAVED FIRST", "1 of 4 days", "Fri 2026-12-11", "you saw v9: 120+3 open", "130+3")
	return c
}

func TestB31_TwoStaffEditManyDays(t *testing.T) {
	t.Parallel()

	t.Run("nothingIsSavedAndTheInputIsKept", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := lateMany(t, d)
		c.Press("esc")
		c.Shows("[ 145 ", "nothing was saved", "not true any more")
		assertDay(t, d.row(date.New(2026, 12, 4)), 120, 6, 12)
	})
	t.Run("afterCancelEnterChecksAgain", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := lateMany(t, d)
		c.Press("esc", "enter")
		c.Shows("130 -> 145")
		c.Hides("[ Cancel ]")
		c.Press("enter", "tab", "enter")
		assertDay(t, d.row(friday11), 145, 3, 11)
	})
	t.Run("takeTheseOutAndSaveTheRest", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := lateMany(t, d)
		c.Shows("[ Save the other 3 ]")
		c.Press("tab", "tab", "enter")
		c.Shows("3 days of Main floor saved")
		assertDay(t, d.row(date.New(2026, 12, 4)), 145, 6, 13)
		assertDay(t, d.row(friday11), 130, 3, 10)
	})
	t.Run("theRestIsConditionalToo", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := lateMany(t, d)
		d.edit(t, jan, date.New(2026, 12, 18), capacity(99))
		c.Press("tab", "tab", "enter")
		c.Shows("SOMEONE ELSE SAVED FIRST", "1 of 3 days", "Fri 2026-12-18")
		assertDay(t, d.row(date.New(2026, 12, 4)), 120, 6, 12)
		c.Press("tab", "tab", "enter")
		c.Shows("2 days of Main floor saved")
	})
	t.Run("startAgainFromNow", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := lateMany(t, d)
		c.Press("tab", "enter")
		c.Shows("130 -> 145", "changed since you began: jan", "Not saved yet")
		equal(t, "tries to save", len(d.saves), 1)
		c.Press("enter", "tab", "enter")
		c.Shows("4 days of Main floor saved")
		assertDay(t, d.row(friday11), 145, 3, 11)
	})
	t.Run("allOfThemMoved", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := d.open(t)
		c.Press("space", "down", "space", "e")
		c.Type("145")
		rest(c)
		for _, day := range []date.Date{date.New(2026, 12, 4), friday11} {
			d.edit(t, jan, day, capacity(130))
		}
		c.Press("enter", "tab", "enter")
		c.Shows("2 of 2 days")
		c.Press("tab", "tab", "enter") // the button is dead
		equal(t, "tries to save", len(d.saves), 1)
		c.Shows("no other day would change")
	})
	t.Run("theScreenTellsOfAMoveBeforeItIsTried", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := d.open(t)
		c.Press("w", "e")
		c.Type("145")
		rest(c)
		d.edit(t, jan, friday11, capacity(130))
		c.Tick()
		c.Tick()
		c.Shows("Somebody just changed Fri 2026-12-11: ctrl+s checks again")
		c.Press("ctrl+s")
		c.Shows("130 -> 145", "Not saved yet")
	})
}

func TestUndo(t *testing.T) {
	t.Parallel()

	t.Run("nothingToPutBack", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := d.open(t)
		c.Press("u")
		c.Shows("you have no edit here to put back")
	})
	t.Run("saysWhatItDoes", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		d.edit(t, mira, friday11, capacity(150))
		c := d.open(t)
		c.Press("u")
		c.Shows("PUT BACK 1 DAY", "Your edit of 2026-12-04 12:38:07 +01", "It was made for: stage moved", "capacity 150 -> 120")
		equal(t, "undos", len(d.undos), 0)
	})
	t.Run("notTheEditOfAnother", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		d.edit(t, mira, friday11, capacity(150))
		d.edit(t, jan, date.New(2026, 12, 12), capacity(150))
		c := d.open(t)
		c.Press("u")
		c.Shows("Fri 2026-12-11")
	})
	t.Run("dayThatMovedSince", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		d.edit(t, mira, friday11, capacity(150))
		d.edit(t, jan, friday11, capacity(160))
		c := d.open(t)
		c.Press("u")
		c.Shows("cannot be put back as a whole", "Main floor: Fri 2026-12-11.", "you left 150+3 open; now it is 160+3 open, by jan")
		c.Press("tab", "enter")
		equal(t, "undos", len(d.undos), 0)
		assertDay(t, d.row(friday11), 160, 3, 11)
	})
	t.Run("undoAfterUndoWalksBack", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		d.edit(t, mira, date.New(2026, 12, 12), capacity(150))
		d.edit(t, mira, date.New(2026, 12, 12), capacity(160))
		c := d.open(t)
		c.Press("u")
		c.Shows("PUT BACK 1 DAY", "capacity 160 -> 150")
		c.Press("tab", "enter", "u")
		c.Shows("PUT BACK 1 DAY", "capacity 150 -> 120")
		c.Press("tab", "enter")
		assertDay(t, d.row(date.New(2026, 12, 12)), 120, 6, 5)
		c.Press("u")
		c.Shows("you have no edit here to put back")
	})
	t.Run("whoMovedItIsNotWhoPutBackLast", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		d.edit(t, mira, friday11, capacity(150))
		d.edit(t, jan, friday11, capacity(160))
		d.edit(t, mira, friday11, capacity(170))
		c := d.open(t)
		c.Press("u", "tab", "enter")
		assertDay(t, d.row(friday11), 160, 3, 13)
		c.Press("u")
		c.Shows("Main floor: Fri 2026-12-11.", "you left 150+3 open; now it is 160+3 open, by jan")
		c.Hides("mira saved")
	})
	t.Run("dayThatMovesWhileAsked", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		d.edit(t, mira, date.New(2026, 12, 12), capacity(150))
		c := d.open(t)
		c.Press("u")
		d.edit(t, jan, date.New(2026, 12, 12), capacity(160))
		c.Press("tab", "enter")
		c.Shows("Nothing was put back", "Sat 2026-12-12", "jan saved v3")
		equal(t, "capacity", d.row(date.New(2026, 12, 12)).Capacity, 160)
	})
	t.Run("thatOversellsIsTyped", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		d.edit(t, mira, date.New(2026, 12, 12), capacity(150))
		d.put(date.New(2026, 12, 12), func(p *inventory.PoolDay) { p.Taken = 140 })
		c := d.open(t)
		c.Press("u")
		c.Shows("will be oversold by 14", "Type 14 to go on")
		c.Press("tab", "enter")
		equal(t, "undos", len(d.undos), 0)
	})
	t.Run("alreadyPutBackElsewhere", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		set := d.edit(t, mira, date.New(2026, 12, 12), capacity(150))
		c := d.open(t)
		c.Press("u")
		if _, err := d.UndoDays(t.Context(), mira, set.ID, ""); err != nil {
			t.Fatal(err)
		}
		c.Press("tab", "enter")
		c.Shows("could not put back your edit")
	})
	t.Run("keysTypedAheadDoNothingElse", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		d.edit(t, mira, date.New(2026, 12, 12), capacity(150))
		o := d.options()
		o.Tabs = []app.Tab{{Title: "Calendar", Route: ui.Route{Screen: "calendar"}}, {Title: "Other", Route: ui.Route{Screen: "other"}}}
		c := tuitest.Open(t, o)
		c.Hold()
		c.Press("u", "tab", "enter")
		c.Release()
		c.Shows("PUT BACK 1 DAY")
		equal(t, "undos", len(d.undos), 0)
	})
}
