package calendar_test

import (
	"errors"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/tui/app"
	"holdfast/tui/keys"
	"holdfast/tui/screen/calendar"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

func TestCalendar_Browse(t *testing.T) {
	t.Parallel()

	t.Run("arrowsAndMonths", func(t *testing.T) {
		t.Parallel()
		c := newDesk().open(t)
		c.Press("right", "down", "up", "left", "down")
		c.Shows(">11")
		c.Press("]")
		c.Shows("January 2027", ">11")
		c.Press("[", "[")
		c.Shows("November 2026", ">11")
		c.Press("t")
		c.Shows("December 2026", ">04<")
		c.Press("end", "right")
		c.Shows("January 2027", ">01")
	})
	t.Run("anotherMonthIsNotKnownUntilItIsRead", func(t *testing.T) {
		t.Parallel()
		c := newDesk().open(t)
		c.Hold()
		c.Press("]")
		c.Shows("January 2027", "loading")
		c.Hides("not set up", "left 1")
		c.Press("[")
		c.Release() // what was asked for January comes too late
		c.Shows("December 2026", "119/120+6")
	})
	t.Run("whatIsTakenAndLeftMakesTheSellLimit", func(t *testing.T) {
		t.Parallel()
		c := newDesk().open(t)
		c.Shows("119/120+6") // 112 confirmed and 7 held; 7 are left
		c.Resize(160, 50)
		c.Shows("119/120+6", "held 7 left 7")
	})
	t.Run("aDayThatNeverWasIsBlankOnceItIsOver", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		for _, day := range []int{1, 2, 3} {
			delete(d.days[mainFloor], date.New(2026, 12, day))
		}
		c := d.open(t)
		c.Hides("not set up")
		c.Press("left")
		c.Shows("Thu 2026-12-03: it was never set up, so nothing was sold")
	})
	t.Run("measure", func(t *testing.T) {
		t.Parallel()
		c := newDesk().open(t)
		c.Shows("M: load %", " 94%")
		c.Press("M")
		c.Shows("M: held", "   7*")
		c.Press("M")
		c.Shows("M: left", "05    14")
		c.Press("M")
		c.Shows("held x EUR 25.00", " 175*")
		c.Press("M")
		c.Shows("M: load %")
	})
	t.Run("marks", func(t *testing.T) {
		t.Parallel()
		c := newDesk().open(t)
		c.Press("space", "right", "right", "v", "right", "right", "v")
		c.Shows("4 days marked: 2026-12-04; 2026-12-06..2026-12-08")
		c.Press("esc", "w")
		c.Shows("4 days marked: 2026-12-08..2026-12-29 tue")
		c.Press("w")
		c.Hides("marked")
		c.Press("*")
		c.Shows("28 days marked: 2026-12-04..2026-12-31")
		c.Press("esc")
		c.Hides("marked")
		c.Press("v", "right", "esc")
		c.Hides("marked", "a range has begun")
	})
	t.Run("weekdaysThatAreOverAreNotMarked", func(t *testing.T) {
		t.Parallel()
		c := newDesk().open(t)
		c.Press("left", "w")
		c.Shows("4 days marked: 2026-12-10..2026-12-31 thu")
	})
	t.Run("aRangeIsEditedAsItLooks", func(t *testing.T) {
		t.Parallel()
		c := newDesk().open(t)
		c.Press("v", "right", "right")
		c.Shows("a range has begun")
		c.Press("e")
		c.Shows("[ 2026-12-04..2026-12-06", "3 days")
	})
	t.Run("find", func(t *testing.T) {
		t.Parallel()
		c := newDesk().open(t)
		c.Press("F", "enter")
		c.Shows("type which days")
		c.Type("fri jan not 2027-01-08")
		c.Shows("4 days between Fri 2027-01-01 and Fri 2027-01-29")
		c.Press("enter")
		c.Shows("January 2027", ">01m", "4 days marked: 2027-01 fri not 2027-01-08")
		c.Press("F")
		c.Type("2026-02-30")
		c.Shows("February 2026 has 28 days")
		c.Press("enter")
		c.Shows("Find days")
		c.Press("esc")
		c.Shows("4 days marked")
	})
	t.Run("dayInFull", func(t *testing.T) {
		t.Parallel()
		c := newDesk().open(t)
		c.Press("enter")
		c.Shows("sell limit 126", "119: confirmed 112, held 7", "2026-11-20 09:12 +01 by jan")
		c.Press("down")
		c.Shows("Sat 2026-12-05")
		c.Press("esc")
		c.Shows("w49")
	})
	t.Run("click", func(t *testing.T) {
		t.Parallel()
		o := newDesk().options()
		o.Config = func(cfg *app.Config) { cfg.Mouse = true }
		c := tuitest.Open(t, o)
		c.Drive(tea.MouseMsg{X: 3 + 4*11 + 2, Y: 2 + 1 + 1 + 3, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
		c.Shows(">11")
		c.Resize(40, 12)
		c.Drive(tea.MouseMsg{X: 3, Y: 3, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
		c.Shows("Wed 09")
	})
}

func TestCalendar_RefreshKeepsTheDayAndTheMarks(t *testing.T) {
	t.Parallel()

	d := newDesk()
	c := d.open(t)
	c.Press("down", "space")
	for _, day := range []int{1, 2, 3, 12} {
		delete(d.days[mainFloor], date.New(2026, 12, day))
	}
	c.Press("r")
	c.Shows(">11m", "not set up")
	delete(d.days[mainFloor], friday11)
	c.Tick()
	c.Tick()
	c.Shows(">11m", "Fri 2026-12-11: not set up", "1 day marked")
}

func TestCalendar_Draft(t *testing.T) {
	t.Parallel()

	typed := func(t *testing.T, d *desk) *tuitest.Console {
		t.Helper()
		c := d.open(t)
		c.Press("down", "e")
		c.Type("140")
		c.Press("tab", "tab", "tab")
		c.Type("winter layout")
		return c
	}
	kept := []string{"[ 140 ", "[ winter layout", "[ 2026-12-11"}

	t.Run("survivesEverySize", func(t *testing.T) {
		t.Parallel()
		c := typed(t, newDesk())
		for _, s := range [][2]int{{160, 50}, {40, 12}, {20, 5}, {0, 0}, {1, 1}, {300, 100}, {80, 24}} {
			c.Resize(s[0], s[1])
			c.View()
		}
		c.Shows(kept...)
	})
	t.Run("survivesRefreshAndFailure", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := typed(t, d)
		d.readErr = inventory.ErrUnavailable
		for range 10 {
			c.Tick()
		}
		d.readErr = nil
		c.Tick()
		c.Tick()
		c.Shows(kept...)
	})
	t.Run("survivesLeavingTheEditor", func(t *testing.T) {
		t.Parallel()
		c := typed(t, newDesk())
		c.Press("esc")
		c.Shows("draft, not saved: an edit of 1 day", "e go on editing")
		c.Press("right", "e")
		c.Shows(kept...)
	})
	t.Run("takesTheDaysMarkedMeanwhile", func(t *testing.T) {
		t.Parallel()
		c := typed(t, newDesk())
		c.Press("esc", "right", "space", "right", "space", "e")
		c.Shows("[ 140 ", "[ winter layout", "[ 2026-12-12..2026-12-13")
	})
	t.Run("keepsDaysThatWereTyped", func(t *testing.T) {
		t.Parallel()
		c := newDesk().open(t)
		c.Press("e")
		c.Type("140")
		c.Press("up", "ctrl+u")
		c.Type("sat jan")
		c.Press("esc", "space", "e")
		c.Shows("[ sat jan", "5 days", "[ 140 ")
	})
	t.Run("isDroppedOnlyWhenAsked", func(t *testing.T) {
		t.Parallel()
		c := typed(t, newDesk())
		c.Press("esc", "X")
		c.Shows("DROP THE DRAFT", "> [ Cancel ]")
		c.Press("enter")
		c.Shows("draft, not saved")
		c.Press("X", "tab", "enter")
		c.Shows("the draft was dropped; nothing was saved")
		c.Hides("draft, not saved")
	})
	t.Run("ofNothingIsNone", func(t *testing.T) {
		t.Parallel()
		c := newDesk().open(t)
		c.Press("e", "esc")
		c.Hides("draft")
	})
	t.Run("leavingTheConsoleAsks", func(t *testing.T) {
		t.Parallel()
		c := typed(t, newDesk())
		c.Press("esc", "q")
		c.Shows("LEAVE THE CONSOLE", "an edit of 1 day")
		equal(t, "the console has ended", c.Quit, false)
	})
	t.Run("keepsItsPoolWhenTheVenueChanges", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		d.addSecondVenue()
		screens := map[*ui.Env]ui.Screen{}
		o := d.options()
		o.Build = func(env *ui.Env, r ui.Route) (ui.Screen, error) {
			if r.Screen == "focus" {
				return &focuser{}, nil
			}
			screens[env] = calendar.New(env, d, mira)
			return screens[env], nil
		}
		o.Tabs = []app.Tab{{Title: "Calendar", Route: ui.Route{Screen: "calendar"}}, {Title: "Focus", Route: ui.Route{Screen: "focus"}}}
		c := tuitest.Open(t, o)
		c.Press("e")
		c.Type("140")
		c.Press("esc", "2", "f", "1")
		c.Shows("Alfama", "Main floor", "119/120+6", "draft, not saved")
		c.Hides("Fado walk")
		c.Press("e")
		c.Shows("Main floor", "[ 140 ")
		c.Press("ctrl+s", "enter", "tab", "enter")
		equal(t, "capacity", d.row(date.New(2026, 12, 4)).Capacity, 140)
		c.Shows("Fado walk") // now the calendar follows
	})
}

// focuser is a screen that puts another venue into focus.
type focuser struct{ calendar.Model }

func (f *focuser) Init() tea.Cmd { return nil }

func (f *focuser) Update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(ui.Do); ok {
		return ui.Ask(ui.Focus{Venue: ui.Venue{Slug: "alfama", Name: "Alfama"}})
	}
	return nil
}

func (f *focuser) Keys() keys.Table {
	return keys.Table{{Verb: "focus", Keys: []string{"f"}, Help: "focus"}}
}

func (f *focuser) Status() ui.Status { return ui.Status{Title: "Focus"} }

func TestCalendar_Pools(t *testing.T) {
	t.Parallel()

	open := func(t *testing.T) (*desk, *tuitest.Console) {
		t.Helper()
		d := newDesk()
		d.addPool(3, inventory.PoolRef{Venue: "harbour", Pool: "stage"}, "Stage", inventory.DayTemplate{Capacity: 30})
		d.addSecondVenue()
		return d, d.open(t)
	}
	t.Run("ofTheSameVenue", func(t *testing.T) {
		t.Parallel()
		_, c := open(t)
		c.Press("space", "o")
		c.Type("stage")
		c.Press("enter")
		c.Shows("Stage", "not set up")
		c.Hides("marked")
	})
	t.Run("ofAnotherVenueTakesTheConsoleThere", func(t *testing.T) {
		t.Parallel()
		_, c := open(t)
		c.Press("o")
		c.Type("fado")
		c.Press("enter")
		c.Shows("Alfama", "Fado walk", "11:38:0") // Lisbon's clock
		c.Press("o")
		c.Type("stage")
		c.Press("enter")
		c.Shows("Harbour Hall", "Stage")
	})
	t.Run("thatIsGone", func(t *testing.T) {
		t.Parallel()
		d, c := open(t)
		d.pools = d.pools[1:]
		for range 31 {
			c.Tick()
		}
		c.Shows("the pool is not there any more", "Stage")
	})
	t.Run("notWhileADraftIsOpen", func(t *testing.T) {
		t.Parallel()
		_, c := open(t)
		c.Press("e")
		c.Type("1")
		c.Press("esc", "o")
		c.Shows("your edit is not saved: go on with e, or drop it with X")
	})
	t.Run("theZoneOfTheVenueIsReadAgain", func(t *testing.T) {
		t.Parallel()
		d, c := open(t)
		d.venues[0].Zone = "Asia/Tokyo"
		c.Clock.Advance(5 * 3600e9) // 17:38 in Berlin, 01:38 of the next day in Tokyo
		c.Press("r")
		c.Shows(" 05<")
	})
}

func TestCalendar_SavingIsOff(t *testing.T) {
	t.Parallel()

	t.Run("readOnly", func(t *testing.T) {
		t.Parallel()
		o := newDesk().options()
		o.ReadOnly = "you may look, not change (role: front desk)"
		c := tuitest.Open(t, o)
		c.Press("e")
		c.Shows("you may look, not change")
		c.Hides("EDIT DAYS")
	})
	t.Run("stale", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := d.open(t)
		c.Press("e")
		c.Type("150")
		rest(c)
		d.readErr = inventory.ErrUnavailable
		for range 8 {
			c.Tick()
		}
		c.Shows("STALE")
		c.Press("enter", "tab", "enter")
		equal(t, "saves", len(d.saves), 0)
		c.Shows("stale")
	})
	t.Run("offline", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		o := d.options()
		o.Config = func(cfg *app.Config) {
			cfg.Offline = func(err error) bool { return errors.Is(err, inventory.ErrUnavailable) }
		}
		c := tuitest.Open(t, o)
		d.readErr = inventory.ErrUnavailable
		c.Tick()
		c.Tick()
		c.Shows("OFFLINE", "~94%", "numbers marked ~ are from")
		c.Press("e")
		c.Hides("EDIT DAYS")
	})
}

// A conflict that comes while another screen is in front waits until this one
// is shown again.
func TestCalendar_ConflictWaitsForItsScreen(t *testing.T) {
	t.Parallel()

	d := newDesk()
	o := d.options()
	o.Tabs = []app.Tab{{Title: "Calendar", Route: ui.Route{Screen: "calendar"}}, {Title: "Other", Route: ui.Route{Screen: "other"}}}
	c := tuitest.Open(t, o)
	c.Press("down", "e")
	c.Type("140")
	rest(c)
	d.edit(t, jan, friday11, capacity(130))
	c.Press("enter", "tab")
	c.Hold()
	c.Press("enter", "esc", "2")
	c.Release()
	c.Shows("somebody else was first; look there")
	c.Hides("SOMEONE ELSE")
	c.Press("1")
	c.Shows("SOMEONE ELSE SAVED FIRST", "You saw v9")
}

func TestCalendar_KeysDoNotClash(t *testing.T) {
	t.Parallel()

	d := newDesk()
	d.edit(t, mira, date.New(2026, 12, 12), capacity(150))
	var m *calendar.Model
	o := d.options()
	o.Screen = func(env *ui.Env) ui.Screen { m = calendar.New(env, d, mira); return m }
	c := tuitest.Open(t, o)
	check := func(state string) {
		t.Helper()
		for _, fault := range keys.Faults(m.Keys(), keys.Global()) {
			t.Errorf("%s: %s", state, fault)
		}
	}
	check("browse")
	c.Press("space")
	check("marked")
	c.Press("F")
	check("find")
	c.Press("esc", "e")
	check("editor")
	c.Type("1")
	c.Press("esc")
	check("draft")
	c.Press("enter")
	check("day")
}

func TestB54_NamesAndStates(t *testing.T) {
	t.Parallel()

	for _, name := range []string{
		"日本武道館ホール大", "Cafe\u0301", "👨\u200d👩\u200d👧\u200d👦", "🇩🇪🇫🇷", "مسرح القاهرة", "क्षि देव", strings.Repeat("x", 200),
		"\x1b[31mred\x1b[0m", "two\nlines\ttab", "\u202egnissot\u202c", "bad \xff bytes", "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			d.pools[0].Name = name
			d.venues[0].Name = name
			d.put(friday11, func(p *inventory.PoolDay) { p.EditedBy = "staff:" + name })
			o := d.options()
			o.Venue = tuitest.Venue(t)
			o.Venue.Name = name
			c := tuitest.Open(t, o)
			c.Press("down")
			for _, s := range [][2]int{{80, 24}, {40, 12}, {60, 20}, {100, 30}, {160, 50}} {
				c.Resize(s[0], s[1])
				c.View() // exactly as wide as the screen, and without a control character
				for _, k := range []string{"enter", "esc", "o", "esc", "e"} {
					c.Press(k)
					c.View()
				}
				c.Paste(name)
				c.View()
				c.Press("up", "down", "esc")
				c.View()
			}
		})
	}
	t.Run("statesAreToldWithoutColour", func(t *testing.T) {
		t.Parallel()
		c := newDesk().open(t) // the test theme has no colour at all
		c.Shows("04<", "101%!", "x closed", "49%*", "0 (over 1)")
	})
}

func TestB50_SizesAndEmptyMonths(t *testing.T) {
	t.Parallel()

	sizes := [][2]int{{80, 24}, {40, 10}, {20, 5}, {10, 3}, {1, 1}, {0, 0}, {300, 100}, {40, 12}, {59, 20}, {60, 20}, {114, 30}, {160, 50}}
	for state, press := range map[string][]string{
		"month": nil, "end": {"end"}, "day": {"enter"}, "find": {"F"}, "editor": {"e"}, "plan": {"e", "1", "enter"}, "dialog": {"*", "e", "1", "5", "0", "enter", "enter"}, "pools": {"o"},
	} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			c := newDesk().open(t)
			c.Press(press...)
			for _, s := range append(sizes, sizes...) {
				c.Resize(s[0], s[1])
				c.View()
			}
		})
	}
	t.Run("allDaysGoAndOneComes", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		c := d.open(t)
		c.Press("end")
		days := d.days[mainFloor]
		d.days[mainFloor] = map[date.Date]inventory.PoolDay{}
		c.Press("r", "enter", "esc", "up", "down", "home", "end", "u")
		c.Shows(">31", "not set up")
		d.days[mainFloor] = days
		c.Press("r")
		c.Shows(">31", "Thu 2026-12-31: capacity 120+6")
	})
}
