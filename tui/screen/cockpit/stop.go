package cockpit

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
)

const (
	saveLimit = 12 * time.Second
	lookLimit = 3 * time.Second
)

// stopChosen carries the row as it was drawn.
type stopChosen struct {
	row    inventory.Selling
	reason string
}

// stopped is what became of it, and where it stands if it was not simply done.
type stopped struct {
	row   inventory.Selling
	done  edit
	stand standing
	err   error
}

// standing is how a day or event stands after a change whose answer is not
// simple.
type standing struct {
	known   bool
	version int
	stop    bool
	by      string // who edited it last; "": not known
}

// askStop asks before sales are stopped or opened.
func (m *Model) askStop() tea.Cmd {
	row, _, ok := m.selected()
	if !ok {
		return nil
	}
	kept := "nobody holds any"
	if row.Holds+row.Paying > 0 {
		kept = fmt.Sprintf("the %s held now stay held, and may be paid", places(row, row.Held))
	}
	spec := dialog.Spec{
		Title: "STOP SALES", Intro: []string{what(row) + "."},
		Facts: []dialog.Fact{
			{Label: "What happens", Text: fmt.Sprintf("no new holds from now on; the %s left are not sold", places(row, row.Left()))},
			{Label: "What stays", Text: kept},
			{Label: "", Text: fmt.Sprintf("the %s sold stay sold", places(row, row.Taken-row.Held))},
			{Label: "If it has moved", Text: "someone edited it since: nothing changes, and you are told"},
			{Label: "Back", Text: "u opens them again"},
		},
		ReadAt: m.now.ReadAt().In(m.env.Zone()), Reason: "Reason (may be empty)",
		Actions: []dialog.Action{{Name: "stop", Label: "Stop sales"}},
		Then:    func(c dialog.Choice) tea.Msg { return stopChosen{row, c.Reason} },
	}
	if row.StopSell {
		spec.Title = "OPEN SALES"
		spec.Facts = []dialog.Fact{
			{Label: "What happens", Text: fmt.Sprintf("buyers can hold and buy again; %s left", places(row, row.Left()))},
			{Label: "If it has moved", Text: "someone edited it since: nothing changes, and you are told"},
			{Label: "Back", Text: "u stops them again"},
		}
		spec.Actions = []dialog.Action{{Name: "open", Label: "Open sales"}}
	}
	return ui.OpenDialog(dialog.NewConfirm(spec))
}

// stop makes the change, which the store refuses if the row does not stand as it
// was drawn.
func (m *Model) stop(c stopChosen) tea.Cmd {
	m.saving = "the last change of sales"
	store, actor, row := m.store, m.actor, c.row
	wanted := !row.StopSell
	return ui.Save(m.env, "on-sale.stop", stopping(wanted)+" of "+row.Name, saveLimit, func(ctx context.Context) (stopped, error) {
		s := stopped{row: row}
		var err error
		if row.Kind == inventory.ClaimSeats {
			s.done, err = stopEvent(ctx, store, actor, row.Event, row.Version, wanted, c.reason)
		} else {
			s.done, err = stopDay(ctx, store, actor, row, wanted, c.reason)
		}
		if err != nil {
			s.stand = standsNow(ctx, store, row)
		}
		return s, err
	}, func(s stopped, err error) tea.Msg {
		s.row, s.err = row, err
		return s
	})
}

// stopDay stops or opens one pool day by a change set of its own.
func stopDay(ctx context.Context, store store, actor inventory.Actor, row inventory.Selling, wanted bool, reason string) (edit, error) {
	plan, err := store.PlanDays(ctx, row.Pool, []date.Date{row.Day}, inventory.DayEdit{StopSell: &wanted})
	if err != nil {
		return edit{}, err
	}
	if err := errors.Join(plan.Problems...); err != nil {
		return edit{}, err
	}
	for _, c := range plan.Changes { // planned on what stands now, decided on what was drawn
		if c.Missing || c.Before.Version != row.Version {
			return edit{}, &inventory.StaleError{Object: "day " + row.Day.String(), Seen: row.Version, Current: c.Before.Version, By: c.Before.EditedBy}
		}
	}
	set, err := store.SaveDays(ctx, actor, plan, reason)
	return edit{set: set.ID}, err
}

func stopEvent(ctx context.Context, store store, actor inventory.Actor, ref inventory.EventRef, version int, wanted bool, reason string) (edit, error) {
	e, err := store.EditEvent(ctx, actor, ref, version, inventory.EventEdit{StopSell: &wanted}, reason)
	return edit{event: ref, version: e.Version, stop: !wanted}, err
}

// standsNow reads how a row stands. The limit of the change may be used up, so
// it has its own.
func standsNow(ctx context.Context, store store, row inventory.Selling) standing {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	if row.Kind == inventory.ClaimSeats {
		e, err := store.Event(ctx, row.Event)
		return standing{known: err == nil, version: e.Version, stop: e.StopSell}
	}
	plan, err := store.PlanDays(ctx, row.Pool, []date.Date{row.Day}, inventory.DayEdit{})
	if err != nil || len(plan.Changes) != 1 {
		return standing{}
	}
	d := plan.Changes[0].Before
	return standing{true, d.Version, d.StopSell, d.EditedBy}
}

// stopped tells the dialog what the database answered.
func (m *Model) stopped(s stopped) tea.Cmd {
	m.saving = ""
	wanted := !s.row.StopSell
	if s.err == nil {
		m.last = s.done
		m.last.what = salesOf(wanted) + " of " + what(s.row)
		m.last.words = []string{"You " + didStop(wanted) + " the sales of " + what(s.row) + " at " + m.at(m.env.Now()) + "."}
		m.last.doing = "Put back"
	}
	return tea.Batch(ui.SettleDialog(m.stopOutcome(s)), m.load())
}

func (m *Model) stopOutcome(s stopped) dialog.Outcome {
	wanted := !s.row.StopSell
	name := what(s.row)
	switch {
	case s.err == nil:
		return dialog.Outcome{OK: true, Text: salesOf(wanted) + ": " + name + "; u puts back"}
	case unknown(s.err):
		return lostStop(s, wanted, m.actor)
	case errors.Is(s.err, inventory.ErrStale):
		return dialog.Outcome{Text: "Nothing changed: someone else edited it first.", Lines: []string{standsWords(s.stand)}}
	}
	return dialog.Outcome{Again: true, Text: "not done: " + inventory.Message(s.err)}
}

// lostStop answers for a change whose own answer was lost. What is not there yet
// may still come, so a no is never more than "so far".
func lostStop(s stopped, wanted bool, actor inventory.Actor) dialog.Outcome {
	stand := s.stand
	mine := stand.by == "" || stand.by == actor.String()
	switch {
	case !stand.known:
		return dialog.Outcome{Text: "The answer was lost, and how it stands cannot be read.", Lines: []string{"Look again when the database is back. Do not repeat it blindly."}}
	case stand.version == s.row.Version+1 && stand.stop == wanted && mine:
		return dialog.Outcome{OK: true, Text: "the answer was lost, but it went through: " + salesOf(wanted) + ", " + what(s.row)}
	case stand.version == s.row.Version:
		return dialog.Outcome{Text: "The answer was lost. So far nothing has changed.", Lines: []string{"Close this, wait for fresh numbers and look again before you repeat it."}}
	}
	return dialog.Outcome{Text: "The answer was lost. Someone else edited it.", Lines: []string{standsWords(stand)}}
}

func standsWords(s standing) string {
	if !s.known {
		return "Close this and look at the list."
	}
	text := fmt.Sprintf("Its sales are %s now (v%d)", map[bool]string{true: "stopped", false: "open"}[s.stop], s.version)
	if s.by != "" {
		text += ", last edited by " + s.by
	}
	return text + "."
}

func salesOf(stop bool) string {
	if stop {
		return "sales stopped"
	}
	return "sales opened"
}

func didStop(stop bool) string {
	if stop {
		return "stopped"
	}
	return "opened"
}

func stopping(stop bool) string {
	if stop {
		return "stopping sales"
	}
	return "opening sales"
}

// unknown reports that nobody knows yet whether a change was made. The store
// marks a lost answer; a limit that passed without the store's word is one too.
func unknown(err error) bool {
	if errors.Is(err, inventory.ErrUnknownOutcome) {
		return true
	}
	timedOut := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	return timedOut && inventory.Code(err) == "INTERNAL"
}
