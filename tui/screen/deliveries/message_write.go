package deliveries

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
)

const (
	writeLimit = 8 * time.Second
	// lookLimit bounds looking for a record whose change did not simply succeed.
	lookLimit = 4 * time.Second
	// lookRows is how many records one question to the database can bring.
	lookRows = 1000
)

// The answers of the dialogs about one message. They carry it as it was drawn.
type (
	sendChosen struct{ r message }
	parkChosen struct {
		r      message
		reason string
	}
)

// askSend opens the confirmation of publishing a parked message after all.
func (m *messages) askSend(r message) tea.Cmd {
	return ui.OpenDialog(dialog.NewConfirm(dialog.Spec{
		Title: "SEND ONE MESSAGE AGAIN",
		Intro: []string{r.name() + ": " + says(r.Data) + ".", fmt.Sprintf("Parked at %s: %s", m.at(r.ParkedAt), r.LastError)},
		Facts: []dialog.Fact{
			{Label: "What happens", Text: "it is due now; the relay sends it next"},
			{Label: "What cannot happen", Text: "a place or money moving: only the news is sent"},
			{Label: "Mind", Text: fmt.Sprintf("shops may have later news of the booking: they go by its number, #%d", r.Seq)},
			{Label: "If it has moved", Text: "sent again by someone else: nothing changes, you are told"},
		},
		ReadAt:  m.list.ReadAt().In(m.env.Zone()),
		Actions: []dialog.Action{{Name: "send", Label: "Send again"}},
		Then:    func(dialog.Choice) tea.Msg { return sendChosen{r} },
	}))
}

// askPark opens the confirmation of setting a message aside.
func (m *messages) askPark(r message) tea.Cmd {
	return ui.OpenDialog(dialog.NewConfirm(dialog.Spec{
		Title: "SET ONE MESSAGE ASIDE",
		Intro: []string{r.name() + ": " + says(r.Data) + "."},
		Facts: []dialog.Fact{
			{Label: "What happens", Text: "nobody gets it, until it is sent again from here; the next message of its booking goes on"},
			{Label: "For guests", Text: forGuests(r)},
			{Label: "What cannot happen", Text: "a place or money moving; the message getting lost: it stays here, parked"},
			{Label: "If it has moved", Text: "taken meanwhile: nothing changes, you are told"},
		},
		ReadAt: m.list.ReadAt().In(m.env.Zone()), Reason: "Reason", Reasons: true,
		Actions: []dialog.Action{{Name: "park", Label: "Set aside"}},
		Then:    func(c dialog.Choice) tea.Msg { return parkChosen{r, c.Reason} },
	}))
}

// messageDone is what became of one change, and where the message stands after
// it; nil if that is not known.
type messageDone struct {
	r    message
	note string // of what was to be parked; empty when it was to be sent
	now  *message
	err  error
}

func (m *messages) send(c sendChosen) tea.Cmd {
	store, actor := m.store, m.actor
	return m.save(messageDone{r: c.r}, "sending again", func(ctx context.Context) error {
		return store.RetryMessage(ctx, actor, c.r.BookingID, c.r.Seq)
	})
}

func (m *messages) park(c parkChosen) tea.Cmd {
	if err := inventory.CheckReason(c.reason); err != nil {
		return ui.SettleDialog(dialog.Outcome{Again: true, Text: inventory.Message(err)})
	}
	store, actor, note := m.store, m.actor, setAside+m.actor.Name+": "+c.reason
	return m.save(messageDone{r: c.r, note: note}, "setting aside", func(ctx context.Context) error {
		return store.ParkMessage(ctx, actor, c.r.BookingID, c.r.Seq, c.reason)
	})
}

// save makes a change and looks where the message stands then.
func (m *messages) save(d messageDone, doing string, change func(context.Context) error) tea.Cmd {
	m.saving[keyOfMessage(d.r)] = true
	store := m.store
	return ui.Save(m.env, "deliveries.message", doing+" "+d.r.name(), writeLimit, func(ctx context.Context) (messageDone, error) {
		err := change(ctx)
		if err == nil || errors.Is(err, inventory.ErrNotFound) || errors.Is(err, inventory.ErrUnknownOutcome) {
			d.now = findMessage(ctx, store, keyOfMessage(d.r))
		}
		return d, err
	}, func(got messageDone, err error) tea.Msg {
		got.err = err
		return got
	})
}

// findMessage looks for one message where it can be. The limit of the change may
// be used up, so it has its own. What cannot be read or found stays unknown.
func findMessage(ctx context.Context, r outboxReader, k messageKey) *message {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	for _, f := range []inventory.OutboxFilter{{Parked: true, Limit: lookRows}, {Open: true, Limit: lookRows}, {Limit: lookRows}} {
		rows, err := r.Outbox(ctx, f)
		if err != nil {
			return nil
		}
		for _, row := range rows {
			if found := (message{OutboxRow: row}); keyOfMessage(found) == k {
				return &found
			}
		}
	}
	return nil
}

// done tells the dialog what the database answered.
func (m *messages) done(d messageDone) tea.Cmd {
	delete(m.saving, keyOfMessage(d.r))
	return tea.Batch(ui.SettleDialog(m.outcome(d)), m.load())
}

func (m *messages) outcome(d messageDone) dialog.Outcome {
	lost := errors.Is(d.err, inventory.ErrUnknownOutcome)
	switch {
	case d.err != nil && !lost && !errors.Is(d.err, inventory.ErrNotFound):
		return dialog.Outcome{Again: true, Text: "not done: " + inventory.Message(d.err)}
	case d.note == "" && d.err == nil:
		return dialog.Outcome{OK: true, Text: "due now: " + d.r.name()}
	case d.now == nil:
		return dialog.Outcome{Text: "The answer is not known.", Lines: []string{"Look at the message again when the database is back. Do not repeat it blindly."}}
	case d.reached():
		text := "set aside: " + d.r.name()
		if d.note == "" {
			text = "due now: " + d.r.name()
		}
		if lost {
			text = "the answer was lost, but it went through; " + text
		}
		return dialog.Outcome{OK: true, Text: text}
	}
	where := m.whereItStands(*d.now)
	if lost {
		return dialog.Outcome{Text: "The answer was lost. So far nothing has changed.", Lines: []string{where, "Close this, wait for fresh numbers and look again before you repeat it."}}
	}
	return dialog.Outcome{Text: "Nothing was changed by you.", Lines: []string{where}}
}

// reached reports that the message stands as it was to stand: parked with this
// note, of which the database keeps the beginning, or, when its own answer was
// lost, parked no more.
func (d messageDone) reached() bool {
	if d.note != "" {
		return d.now.state() == "parked" && d.now.LastError != "" && strings.HasPrefix(d.note, d.now.LastError)
	}
	return errors.Is(d.err, inventory.ErrUnknownOutcome) && d.now.state() != "parked"
}

func (m *messages) whereItStands(r message) string {
	switch r.state() {
	case "published":
		return "It was published at " + m.at(r.PublishedAt) + "."
	case "parked":
		return fmt.Sprintf("It was parked at %s: %s", m.at(r.ParkedAt), r.LastError)
	}
	return "It is open: someone else has sent it again, or it was never parked."
}
