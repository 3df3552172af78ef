package deliveries

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
)

// applyChosen carries the callback as it was drawn.
type applyChosen struct{ r callback }

// askApply opens the confirmation of applying a callback again.
func (m *callbacks) askApply(r callback) tea.Cmd {
	return ui.OpenDialog(dialog.NewConfirm(dialog.Spec{
		Title: "APPLY ONE CALLBACK AGAIN",
		Intro: []string{r.says() + ".", fmt.Sprintf("Tried %s: %s.", times(r.Tries), r.stands())},
		Facts: []dialog.Fact{
			{Label: "What happens", Text: "it is applied now, by how its payment stands at that moment; if that fails it is tried again by itself"},
			{Label: "What cannot happen", Text: "anything twice; money being taken that does not match"},
			{Label: "If it has moved", Text: "applied meanwhile: nothing changes, you are told"},
		},
		ReadAt:  m.list.ReadAt().In(m.env.Zone()),
		Actions: []dialog.Action{{Name: "apply", Label: "Apply again"}},
		Then:    func(dialog.Choice) tea.Msg { return applyChosen{r} },
	}))
}

// callbackDone is what became of applying a callback again, and how it stands
// after that; nil if that is not known.
type callbackDone struct {
	r     callback
	taken bool // it was brought back, whatever applying it came to
	now   *callback
	err   error
}

func (m *callbacks) apply(c applyChosen) tea.Cmd {
	m.saving[keyOfCallback(c.r)] = true
	store, actor, d := m.store, m.actor, callbackDone{r: c.r}
	return ui.Save(m.env, "deliveries.callback", "applying "+d.r.name(), writeLimit, func(ctx context.Context) (callbackDone, error) {
		err := store.RetryEvent(ctx, actor, d.r.Provider, d.r.ID)
		if err == nil {
			d.taken = true
			err = store.ApplyEvent(ctx, d.r.Provider, d.r.ID)
		}
		if d.taken || errors.Is(err, inventory.ErrNotAllowed) || errors.Is(err, inventory.ErrUnknownOutcome) {
			d.now = findCallback(ctx, store, keyOfCallback(d.r))
		}
		return d, err
	}, func(got callbackDone, err error) tea.Msg {
		got.err = err
		return got
	})
}

// findCallback looks for one callback where it can be. The limit of the change
// may be used up, so it has its own. What cannot be read or found stays unknown.
func findCallback(ctx context.Context, r inboxReader, k callbackKey) *callback {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	for _, state := range order {
		events, err := r.Inbox(ctx, inventory.InboxFilter{State: state, Limit: lookRows})
		if err != nil {
			return nil
		}
		for _, e := range events {
			if found := (callback{e}); keyOfCallback(found) == k {
				return &found
			}
		}
	}
	return nil
}

// done tells the dialog what the database answered.
func (m *callbacks) done(d callbackDone) tea.Cmd {
	delete(m.saving, keyOfCallback(d.r))
	return tea.Batch(ui.SettleDialog(m.outcome(d)), m.load())
}

func (m *callbacks) outcome(d callbackDone) dialog.Outcome {
	const again = "It is tried again by itself."
	lost := errors.Is(d.err, inventory.ErrUnknownOutcome)
	switch {
	case !d.taken && !lost && !errors.Is(d.err, inventory.ErrNotAllowed):
		return dialog.Outcome{Again: true, Text: "not done: " + inventory.Message(d.err)}
	case d.now == nil && d.taken:
		return dialog.Outcome{Text: "It is due now; what came of it could not be read.", Lines: []string{again}}
	case d.now == nil:
		return dialog.Outcome{Text: "The answer is not known.", Lines: []string{"Look at the callback again when the database is back."}}
	case !d.taken && d.now.State == d.r.State && lost:
		return dialog.Outcome{Text: "The answer was lost. So far nothing has changed.", Lines: []string{"Close this, wait for fresh numbers and look again before you repeat it."}}
	case !d.taken && !lost:
		return dialog.Outcome{Text: "Nothing was changed by you.", Lines: []string{m.meaning(*d.now)}}
	case d.now.State == inventory.InboxApplied:
		return dialog.Outcome{OK: true, Text: fmt.Sprintf("applied: %s: %s", d.r.Kind, d.now.Note)}
	case d.now.State == inventory.InboxUnmatched:
		return dialog.Outcome{Text: "Looked at: it still names nothing we know.", Lines: []string{again}}
	}
	return dialog.Outcome{Text: "It could not be applied: " + d.now.stands() + ".", Lines: []string{again}}
}
