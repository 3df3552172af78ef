package calendar_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/tui/tuitest"
)

// send types an edit of today and confirms it.
func send(c *tuitest.Console) {
	c.Press("e")
	c.Type("150")
	rest(c)
	c.Press("enter", "tab", "enter")
}

func TestSave_LostAnswer(t *testing.T) {
	t.Parallel()

	today := date.New(2026, 12, 4)
	t.Run("wasSaved", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		d.loseAnswer = true
		c := d.open(t)
		send(c)
		c.Shows("1 day of Main floor saved")
		equal(t, "tries to save", len(d.saves), 1)
		assertDay(t, d.row(today), 150, 6, 13)
	})
	t.Run("wasNotSaved", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		d.edit(t, jan, date.New(2026, 12, 5), capacity(150)) // no edit of ours
		d.saveErr = inventory.ErrUnknownOutcome
		c := d.open(t)
		send(c)
		c.Shows("looked: nothing was changed", "[ 150 ")
		equal(t, "tries to save", len(d.saves), 1)
		d.saveErr = nil
		c.Press("enter", "tab", "enter")
		assertDay(t, d.row(today), 150, 6, 13)
	})
	t.Run("isLookedForUntilTheDatabaseAnswers", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		d.loseAnswer = true
		c := d.open(t)
		c.Press("e")
		c.Type("150")
		rest(c)
		c.Press("enter", "tab")
		d.setsErr = inventory.ErrUnavailable
		c.Press("enter")
		c.Shows("looking whether it went through")
		c.Press("enter", "ctrl+s") // it cannot be sent again meanwhile
		c.Press("esc")
		c.Shows("looking whether it went through")
		c.Press("e")
		d.setsErr = nil
		c.Tick()
		c.Tick()
		c.Shows("1 day of Main floor saved")
		equal(t, "tries to save", len(d.saves), 1)
	})
	t.Run("aLimitThatPassedIsUnknownToo", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		d.saveErr = fmt.Errorf("save: %w", context.DeadlineExceeded)
		c := d.open(t)
		send(c)
		c.Shows("looked: nothing was changed")
	})
	t.Run("undoWasDone", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		d.edit(t, mira, friday11, capacity(150))
		d.put(friday11, func(p *inventory.PoolDay) { p.Taken = 100 })
		c := d.open(t)
		c.Press("u")
		d.loseAnswer = true
		c.Press("tab", "enter")
		c.Shows("1 day put back")
		equal(t, "undos", len(d.undos), 1)
	})
	t.Run("undoWasNotDone", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		d.edit(t, mira, friday11, capacity(150))
		d.put(friday11, func(p *inventory.PoolDay) { p.Taken = 100 })
		c := d.open(t)
		c.Press("u")
		d.undoErr = inventory.ErrUnknownOutcome
		c.Press("tab", "enter")
		c.Shows("looked: nothing was put back")
		d.undoErr = nil
		c.Press("u", "tab", "enter")
		c.Shows("1 day put back")
		equal(t, "capacity", d.row(friday11).Capacity, 120)
	})
}

func TestSave_Refused(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name  string
		err   error
		shows string
	}{
		{"busy", inventory.ErrBusy, "nothing was saved: busy, try again shortly"},
		{"unavailable", inventory.ErrUnavailable, "nothing was saved: database not reachable"},
		{"poolIsGone", inventory.ErrNotFound, "nothing was saved: not found"},
		{"badReason", inventory.Invalid("reason", "is missing"), "! is missing"},
		{"somethingElse", inventory.Invalid("zone", "of the venue is not known"), "nothing was saved: zone: of the venue is not known"},
		{"dayMadeMeanwhile", inventory.ErrStale, "a day was made or changed meanwhile"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			d.saveErr = tc.err
			c := d.open(t)
			send(c)
			c.Shows(tc.shows, "[ 150 ")
			d.saveErr = nil
			c.Press("enter", "tab", "enter")
			c.Shows("1 day of Main floor saved")
		})
	}
	t.Run("whatIsTypedMeanwhileIsNotTaken", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		d.saveErr = inventory.ErrBusy
		c := d.open(t)
		c.Press("e")
		c.Type("150")
		rest(c)
		c.Press("enter", "tab")
		c.Hold()
		c.Press("enter")
		c.Type("9")
		c.Release()
		c.Shows("[ 150 ", "nothing was saved: busy")
	})
	t.Run("aPlanThatCannotBeMade", func(t *testing.T) {
		t.Parallel()
		d := newDesk()
		d.planErr = inventory.ErrBusy
		c := d.open(t)
		c.Press("e")
		c.Type("150")
		c.Press("enter")
		c.Shows("busy, try again shortly", "[ 150 ")
		d.planErr = nil
		c.Press("enter")
		c.Shows("120 -> 150")
	})
}
