package seats

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
)

// offChosen is the decision about seats off sale, as they were drawn: to take
// them out, or to put them back.
type offChosen struct {
	event  inventory.EventID
	seats  []inventory.Seat
	back   bool
	reason string
}

// offSet is what became of it; at is how the seats stand when it was not simply
// done.
type offSet struct {
	offChosen
	at  []inventory.Seat
	err error
}

// askOff opens the confirmation for the chosen seats. Both ways can be undone
// by the other.
func (m *Model) askOff() tea.Cmd {
	s, ok := m.under()
	if !ok {
		return nil
	}
	seats, e := m.chosen(s), m.seatMap.Value().Event
	c := offChosen{event: m.event, seats: seats, back: off(seats[0])}
	spec := dialog.Spec{
		Title: "TAKE " + upperSeats(len(seats)) + " OFF SALE",
		Intro: []string{fmt.Sprintf("%s of %s, %s. %s.", names(seats, 8), e.Name, m.start(e), price(seats))},
		Facts: []dialog.Fact{
			{Label: "What happens", Text: fmt.Sprintf("%s: free -> off sale; nobody can hold or buy until put back (o)", seatsInWords(len(seats)))},
			{Text: fmt.Sprintf("free in the hall: %d -> %d", m.hall.all().free, m.hall.all().free-len(seats))},
			{Label: "What cannot happen", Text: "somebody loses a seat: held and booked ones are left alone"},
			{Label: "If one is gone", Text: "taken by somebody meanwhile: nothing changes, you are told which"},
		},
		ReadAt:  m.seatMap.ReadAt().In(m.env.Zone()),
		Reason:  "Reason",
		Reasons: true,
		Actions: []dialog.Action{{Name: "off", Label: "Take off sale"}},
	}
	if c.back {
		spec.Title = "PUT " + upperSeats(len(seats)) + " BACK ON SALE"
		spec.Facts = []dialog.Fact{
			{Label: "What happens", Text: fmt.Sprintf("%s: off sale -> free; anybody can buy at once", seatsInWords(len(seats)))},
			{Text: fmt.Sprintf("free in the hall: %d -> %d", m.hall.all().free, m.hall.all().free+len(seats))},
			{Label: "Off sale because", Text: reasons(seats)},
			{Label: "If one has changed", Text: "put back by somebody meanwhile: nothing changes, you are told"},
		}
		spec.Actions = []dialog.Action{{Name: "back", Label: "Put back on sale"}}
	}
	spec.Then = func(choice dialog.Choice) tea.Msg {
		c.reason = choice.Reason
		return c
	}
	return ui.OpenDialog(dialog.NewConfirm(spec))
}

// reasons is why seats are off sale, each reason once.
func reasons(seats []inventory.Seat) string {
	text, seen := "", map[string]bool{}
	for _, s := range seats {
		if seen[s.KillReason] {
			continue
		}
		seen[s.KillReason] = true
		if text != "" {
			text += "; "
		}
		text += s.KillReason
	}
	return text
}

func (m *Model) setOff(c offChosen) tea.Cmd {
	if err := inventory.CheckReason(c.reason); err != nil {
		return ui.SettleDialog(dialog.Outcome{Again: true, Text: inventory.Message(err)})
	}
	m.saving++
	store, actor := m.store, m.actor
	change, doing := store.KillSeats, "taking %s off sale"
	if c.back {
		change, doing = store.UnkillSeats, "putting %s back on sale"
	}
	return ui.Save(m.env, "seats.off", fmt.Sprintf(doing, seatsInWords(len(c.seats))), saveLimit, func(ctx context.Context) (offSet, error) {
		d := offSet{offChosen: c}
		_, err := change(ctx, actor, c.event, ids(c.seats), c.reason)
		if err != nil {
			d.at = standing(ctx, store, c.event, ids(c.seats))
		}
		return d, err
	}, func(d offSet, err error) tea.Msg {
		d.offChosen, d.err = c, err
		return d
	})
}

// offSet tells the dialog what the database answered.
func (m *Model) offSet(d offSet) tea.Cmd {
	m.saving--
	o := d.outcome()
	if o.OK {
		for _, s := range d.seats {
			delete(m.marks, s.ID)
		}
	}
	return tea.Batch(ui.SettleDialog(o), m.loadAll())
}

func (d offSet) outcome() dialog.Outcome {
	what := "off sale: "
	if d.back {
		what = "back on sale: "
	}
	what += names(d.seats, 6)
	switch {
	case d.err == nil:
		return dialog.Outcome{OK: true, Text: what}
	case errors.Is(d.err, inventory.ErrUnknownOutcome):
		return d.lookedUp(what)
	case d.back && errors.Is(d.err, inventory.ErrNotAllowed):
		return dialog.Outcome{Text: "Nothing changed.", Lines: []string{"Not off sale any more: " + orElse(names(d.others(), 6), "some of them") + "."}}
	case errors.Is(d.err, inventory.ErrSeatTaken):
		return dialog.Outcome{Text: "Nothing changed.", Lines: []string{takenWords(d.err, d.seats, d.at) + "."}}
	}
	return dialog.Outcome{Again: true, Text: "not done: " + inventory.Message(d.err)}
}

// others is the seats that do not stand as they were drawn.
func (d offSet) others() []inventory.Seat {
	var out []inventory.Seat
	for _, s := range d.at {
		if off(s) != d.back {
			out = append(out, s)
		}
	}
	return out
}

// lookedUp answers for a change whose own answer was lost.
func (d offSet) lookedUp(what string) dialog.Outcome {
	switch {
	case d.at == nil:
		return dialog.Outcome{Text: "The answer was lost, and the seats cannot be read.", Lines: []string{"Look at them again when the database is back."}}
	case len(d.others()) == len(d.at) && (d.back || d.killedByUs()):
		return dialog.Outcome{OK: true, Text: "the answer was lost, but it went through: " + what}
	case len(d.others()) == 0:
		return dialog.Outcome{Text: "The answer was lost. So far nothing has changed.", Lines: []string{"Close this, wait for fresh numbers and look again before you repeat it."}}
	}
	return dialog.Outcome{Text: "The answer was lost, and somebody has changed seats of it meanwhile.", Lines: []string{"Close this and look at them."}}
}

func (d offSet) killedByUs() bool {
	for _, s := range d.at {
		if s.KillReason != d.reason {
			return false
		}
	}
	return true
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
