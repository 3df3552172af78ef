package calendar_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/tui/tuitest"
)

// fridays are those of January 2027.
func fridays() []date.Date {
	var out []date.Date
	for _, d := range []int{1, 8, 15, 22, 29} {
		out = append(out, date.New(2027, 1, d))
	}
	return out
}

// assertFridays checks what all Fridays of January have.
func assertFridays(t *testing.T, d *desk, capacity int) {
	t.Helper()
	for _, day := range fridays() {
		if got := d.row(day).Capacity; got != capacity {
			t.Errorf("%s has capacity %d, want %d", day, got, capacity)
		}
	}
}

// The promise of the console: all Fridays of next month set to another capacity
// in at most 20 keystrokes, seen before saved, undone in 3.
const mostKeys, mostUndoKeys = 20, 3

func TestCalendar_FridaysOfNextMonth(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name string
		keys func(c *tuitest.Console)
		most int
	}{
		{"byMarkingTheWeekday", func(c *tuitest.Console) {
			c.Press("]", "left", "left", "left", "w", "e")
			c.Type("150")
		}, 12},
		{"byDayLanguage", func(c *tuitest.Console) {
			c.Press("F")
			c.Type("fri jan")
			c.Press("enter", "e")
			c.Type("150")
		}, 16},
		{"byDayLanguageWithTheYear", func(c *tuitest.Console) {
			c.Press("F")
			c.Type("fri 2027-01")
			c.Press("enter", "e")
			c.Type("150")
		}, mostKeys},
		{"byDayLanguageInAHurry", func(c *tuitest.Console) {
			c.Press("F")
			c.Type("fri jan")
			c.Press("enter", "e")
			c.Type("150")
			c.Press("enter")
		}, 17},
		{"inTheEditor", func(c *tuitest.Console) {
			c.Press("e", "up", "ctrl+u")
			c.Type("fri jan")
			c.Press("tab")
			c.Type("150")
		}, 18},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			c := d.open(t)
			before := c.Keystrokes()
			tc.keys(c)
			rest(c) // the hands are still for a moment, and the plan is there
			for _, day := range fridays() {
				c.Shows(day.Format("Mon 2006-01-02"))
			}
			c.Shows("120 -> 150", "5 days will change", "Enter goes on to save 5 days")
			c.Press("enter")
			c.Shows("SAVE 5 DAYS", "capacity 120 -> 150 on 5 days", "> [ Cancel ]")
			equal(t, "saves before the last key", len(d.saves), 0)
			assertFridays(t, d, 120)
			c.Press("tab", "enter")
			assertFridays(t, d, 150)
			if used := c.Keystrokes() - before; used > tc.most || used > mostKeys {
				t.Errorf("it took %d keys, want at most %d", used, tc.most)
			}
			c.Shows("5 days of Main floor saved; u puts back")

			before = c.Keystrokes()
			c.Press("u", "tab", "enter")
			assertFridays(t, d, 120)
			if used := c.Keystrokes() - before; used > mostUndoKeys {
				t.Errorf("undoing took %d keys, want at most %d", used, mostUndoKeys)
			}
			c.Shows("5 days put back")
		})
	}
}

func TestCalendar_Enter(t *testing.T) {
	t.Parallel()

	t.Run("checksWhenTheHandsWereQuick", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := d.open(t)
		c.Press("e")
		c.Type("150")
		c.Press("enter")
		c.Shows("120 -> 150", "Not saved yet")
		c.Hides("[ Cancel ]")
	})
	t.Run("showsThePlanThatJustCameBeforeItAsks", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := d.open(t)
		c.Press("e")
		c.Type("150")
		stop(c) // the plan comes while the finger is on its way to enter
		c.Press("enter")
		c.Shows("BEFORE -> AFTER", "120 -> 150", "enter again goes on")
		c.Hides("[ Cancel ]")
		c.Press("enter")
		c.Shows("SAVE 1 DAY", "> [ Cancel ]")
	})
	t.Run("neverSavesWithoutTheButton", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := d.open(t)
		c.Press("e")
		c.Type("150")
		for range 7 {
			c.Press("enter") // check, question, Cancel, question, Cancel ...
		}
		equal(t, "saves", len(d.saves), 0)
	})
	t.Run("doesNothingWhileItIsNotAnswered", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := d.open(t)
		c.Press("e")
		c.Type("150")
		rest(c)
		c.Press("enter", "tab")
		c.Hold()
		c.Press("enter") // save
		c.Shows("it cannot be done twice")
		c.Press("enter", "enter", "ctrl+s")
		c.Release()
		equal(t, "saves", len(d.saves), 1)
		equal(t, "capacity", d.row(date.New(2026, 12, 4)).Capacity, 150)
	})
}

func TestCalendar_Editor(t *testing.T) {
	t.Parallel()

	t.Run("nothingToSave", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := d.open(t)
		c.Press("e")
		c.Type("120")
		c.Press("enter")
		c.Shows("there is nothing to save")
		c.Press("enter")
		c.Hides("[ Cancel ]")
		equal(t, "version", d.row(date.New(2026, 12, 4)).Version, 12)
	})
	t.Run("emptyFormSaysWhatIsMissing", func(t *testing.T) {
		t.Parallel()
		c := newDesk().open(t)
		c.Press("e", "enter")
		c.Shows("nothing to change yet")
	})
	t.Run("relativeAndOverbookAndState", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := d.open(t)
		c.Press("e")
		c.Type("+20")
		c.Press("tab")
		c.Type("9")
		c.Press("tab", "right", "right", "tab")
		c.Type("advent")
		c.Press("enter")
		c.Shows("120 -> 140", "6 -> 9", "7 -> closed", "closes")
		c.Press("enter", "tab", "enter")
		got := d.row(date.New(2026, 12, 4))
		if got.Capacity != 140 || got.OverbookLimit != 9 || !got.StopSell {
			t.Errorf("saved %+v, want 140+9 closed", got)
		}
		equal(t, "reason", d.sets[0].Reason, "advent")
	})
	t.Run("daysThatAreNotMadeAreMade", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := d.open(t)
		c.Press("]", "]", "]", "e")
		c.Type("80")
		c.Press("enter")
		c.Shows("new day", "1 made new")
		c.Press("enter", "tab", "enter")
		equal(t, "capacity of the new day", d.row(date.New(2027, 3, 4)).Capacity, 80)
	})
	t.Run("daysOfThePastAreNamed", func(t *testing.T) {
		t.Parallel()
		c := newDesk().open(t)
		c.Press("left", "e")
		c.Type("130")
		c.Press("enter")
		c.Shows("1 day is over already")
	})
	t.Run("badCountOfOneDayStopsAll", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := d.open(t)
		c.Press("w", "e")
		c.Type("-100")
		c.Press("enter")
		c.Shows("cannot be saved: 2026-12-25: capacity: must be from 0 to 1000000", "This cannot be saved")
		c.Press("enter", "tab", "enter")
		equal(t, "saves", len(d.saves), 0)
	})
	t.Run("aPlanForOtherInputIsNeverSaved", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := d.open(t)
		c.Press("e")
		c.Type("150")
		rest(c)
		c.Press("backspace")
		c.Shows("before your last change")
		c.Press("enter")
		c.Shows("120 -> 15 ", "ask you to type 98")
		equal(t, "saves", len(d.saves), 0)
	})
}

func TestB27_CapacityBelowWhatIsTaken(t *testing.T) {
	t.Parallel()

	// nine is a desk where 9 of 10+2 are taken today.
	today := date.New(2026, 12, 4)
	nine := func() *desk {
		d := newDesk()
		d.put(today, func(p *inventory.PoolDay) {
			p.Capacity, p.OverbookLimit, p.Taken, p.Held, p.Version = 10, 2, 9, 0, 7
		})
		return d
	}
	lower := func(c *tuitest.Console) {
		c.Press("e")
		c.Type("5")
		c.Press("tab")
		c.Type("0")
		c.Press("enter")
		c.Shows("10 -> 5", "over by 4", "will be oversold by 4: it sells nothing until taken is below")
		c.Press("enter")
		c.Shows("OVERSELL 1 DAY", "Type 4 to go on")
	}
	t.Run("wantsTheNumberTyped", func(t *testing.T) {
		t.Parallel()
		d := nine()
		c := d.open(t)
		lower(c)
		c.Press("tab", "enter", "enter") // the button is dead
		c.Shows("Save 1 day: not yet")
		equal(t, "saves", len(d.saves), 0)
		c.Press("shift+tab", "shift+tab")
		c.Type("3")
		c.Press("tab", "tab", "enter")
		equal(t, "saves after a wrong number", len(d.saves), 0)
	})
	t.Run("storedAsLeftZeroAndOverByN", func(t *testing.T) {
		t.Parallel()
		d := nine()
		c := d.open(t)
		lower(c)
		c.Press("shift+tab")
		c.Type("4")
		c.Press("tab", "tab", "enter")
		equal(t, "saves", len(d.saves), 1)
		equal(t, "taken", d.row(today).Taken, 9)
		c.Shows("left 0 (over by 4)", "! 2 days oversold", "!")
		c.Hides("left -")
	})
	t.Run("oldNumbersAreCheckedAgain", func(t *testing.T) {
		t.Parallel()
		d := nine()
		c := d.open(t)
		lower(c)
		c.Press("shift+tab")
		c.Type("4")
		c.Press("tab", "tab")
		for range 31 {
			c.Tick() // the screen stays fresh, the plan does not
		}
		c.Press("enter")
		equal(t, "saves with old numbers", len(d.saves), 0)
		c.Shows("older than 30s")
		d.now = d.now.Add(31 * time.Second)
		c.Press("esc", "enter")
		c.Hides("OVERSELL")
		c.Press("enter")
		c.Shows("OVERSELL 1 DAY")
	})
	for value, want := range map[string]string{
		"0": "10 -> 0", "-1": "10 -> 9", "10.5": "must be a whole number", "": "nothing to change yet",
		"99999999999": "must be a whole number", "1000001": "must be from 0 to 1000000", "-11": "must be from 0 to 1000000",
	} {
		t.Run("value="+value, func(t *testing.T) {
			t.Parallel()
			d := nine()
			c := d.open(t)
			c.Press("e")
			c.Type(value)
			c.Press("enter")
			c.Shows(want)
			if strings.Contains(want, "->") {
				return
			}
			c.Press("enter", "tab", "enter")
			equal(t, "saves", len(d.saves), 0)
		})
	}
}

func TestB29_TheMonthNeverSubtractsOversoldDays(t *testing.T) {
	t.Parallel()

	d := newDesk()
	for day := range d.days[mainFloor] {
		delete(d.days[mainFloor], day)
	}
	d.fill(mainFloor, date.New(2026, 12, 7), date.New(2026, 12, 8))
	d.put(date.New(2026, 12, 7), func(p *inventory.PoolDay) { p.Capacity, p.OverbookLimit, p.Taken, p.Held = 5, 0, 8, 0 })
	d.put(date.New(2026, 12, 8), func(p *inventory.PoolDay) { p.Capacity, p.OverbookLimit, p.Taken, p.Held = 10, 0, 0, 0 })
	c := d.open(t)
	c.Press("right", "right", "right")
	c.Shows("December 2026  left 10  ", "! 1 day oversold, by 3", "0 (over 3)", "left 0 (over by 3)")
	c.Hides("left 7", "-3")
	c.Resize(160, 50)
	c.Tick()
	c.Shows("0 (over by 3)", "left to sell 10")
	c.Press("right")
	c.Shows("left        10")
}
