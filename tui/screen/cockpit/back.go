package cockpit

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
)

// edit is the last change made here, and how it is put back: by the change set
// of a day, the version of an event, or that of a waiting room.
type edit struct {
	what  string // "sales stopped of Gala, Fri 2026-12-04"; empty: there is none
	words []string
	doing string // the button

	set     int64
	event   inventory.EventRef
	version int
	stop    bool
	room    *inventory.WaitingRoomChange
}

// backChosen says that it is to be put back.
type backChosen struct {
	edit   edit
	reason string
}

// back is the answer.
type back struct {
	edit edit
	err  error
}

// askBack asks whether the last change is to be put back.
func (m *Model) askBack() tea.Cmd {
	e := m.last
	if e.what == "" {
		return nil
	}
	return ui.OpenDialog(dialog.NewConfirm(dialog.Spec{
		Title: "PUT BACK", Intro: e.words,
		Facts: []dialog.Fact{
			{Label: "What happens", Text: "it becomes as it was before"},
			{Label: "If it has moved", Text: "someone edited it since: nothing changes, and you are told"},
		},
		Reason:  "Reason (may be empty)",
		Actions: []dialog.Action{{Name: "back", Label: e.doing}},
		Then:    func(c dialog.Choice) tea.Msg { return backChosen{e, c.Reason} },
	}))
}

func (m *Model) putBack(c backChosen) tea.Cmd {
	m.saving = "what you put back"
	store, actor, e := m.store, m.actor, c.edit
	return ui.Save(m.env, "on-sale.back", "putting back", saveLimit, func(ctx context.Context) (back, error) {
		var err error
		switch {
		case e.room != nil:
			change := *e.room
			change.Reason = c.reason
			_, err = store.SetWaitingRoom(ctx, change, actor)
		case e.set != 0:
			_, err = store.UndoDays(ctx, actor, e.set, c.reason)
		default:
			_, err = stopEvent(ctx, store, actor, e.event, e.version, e.stop, c.reason)
		}
		return back{}, err
	}, func(b back, err error) tea.Msg { return back{e, err} })
}

func (m *Model) back(b back) tea.Cmd {
	m.saving = ""
	o := dialog.Outcome{OK: true, Text: "put back: " + b.edit.what}
	switch {
	case b.err == nil:
		m.last = edit{}
	case unknown(b.err):
		m.last = edit{} // it must not be tried again unseen
		o = dialog.Outcome{Text: "The answer was lost: nobody knows yet whether it was put back.", Lines: []string{"Close this, wait for fresh numbers and look."}}
	case errors.Is(b.err, inventory.ErrStale), errors.Is(b.err, inventory.ErrNotAllowed):
		m.last = edit{}
		o = dialog.Outcome{Text: "Nothing changed: someone else edited it since.", Lines: []string{inventory.Message(b.err) + "."}}
	default:
		o = dialog.Outcome{Again: true, Text: "not done: " + inventory.Message(b.err)}
	}
	return tea.Batch(ui.SettleDialog(o), m.load())
}
