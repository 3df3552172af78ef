package seats

import (
	"context"
	"errors"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
)

// moving is a booking's seat that is to become another one.
type moving struct {
	booking inventory.Booking // as it was read when the move began
	from    inventory.Seat
}

// moveChosen is a move that was decided on.
type moveChosen struct {
	moving
	to      inventory.Seat
	request inventory.MoveRequest
}

// seatMoved is what became of it, and how things stand if it was not simply done.
type seatMoved struct {
	moveChosen
	after inventory.Booking
	last  inventory.JournalEntry
	at    []inventory.Seat
	err   error
}

// beginMove waits for the booking and lets the person choose the other seat.
func (m *Model) beginMove() tea.Cmd {
	s, ok := m.under()
	if !ok {
		return nil
	}
	return m.withBooking(func(k known) tea.Cmd {
		clear(m.marks)
		m.anchor = 0
		m.moving = &moving{k.booking, s}
		return ui.Ask(ui.Say{Text: fmt.Sprintf("moving %s of %s: choose a free seat and press enter; esc leaves", full(s), k.booking.Buyer)})
	})
}

// checkMoving ends a move whose seat has changed hands.
func (m *Model) checkMoving() tea.Cmd {
	if m.moving == nil {
		return nil
	}
	s, ok := m.hall.seat(m.moving.from.ID)
	if ok && s.BookingID == m.moving.booking.ID {
		return nil
	}
	m.left = fmt.Sprintf("%s is not %s's any more: there is nothing to move", full(m.moving.from), m.moving.booking.Buyer)
	m.moving = nil
	return ui.Ask(ui.Say{Text: m.left, Bad: true})
}

// movingWords says what enter would do here.
func (m *Model) movingWords(s inventory.Seat) line {
	what := fmt.Sprintf("Moving %s of %s ", full(m.moving.from), m.moving.booking.Buyer)
	if !free(s) {
		return line{theme.Accent, what + "- this seat is " + stateWord(s) + "; tab goes to a free one."}
	}
	return line{theme.Accent, what + "here: enter asks; " + m.moving.amount(s) + "."}
}

// price is what the old seat cost when it was claimed.
func (v moving) price() inventory.Money {
	for _, s := range v.booking.Seats {
		if s.ID == v.from.ID {
			return s.Price
		}
	}
	return v.from.Price
}

// after is what the booking would cost with another seat instead.
func (v moving) after(to inventory.Seat) inventory.Money {
	a := v.booking.Amount
	a.Minor += to.Price.Minor - v.price().Minor
	return a
}

// kept reports that the price stays as it is anyway: what was given free of
// charge costs nothing anywhere.
func (v moving) kept(to inventory.Seat) bool {
	return to.Price.Minor == v.price().Minor || v.booking.State == inventory.StateConfirmed && v.booking.Amount.Minor == 0
}

func (v moving) amount(to inventory.Seat) string {
	if v.kept(to) {
		return v.booking.Amount.String() + " as before"
	}
	return fmt.Sprintf("%s -> %s", v.booking.Amount, v.after(to))
}

// askMove opens the confirmation of a move to the seat under the cursor.
func (m *Model) askMove() tea.Cmd {
	to, ok := m.under()
	if !ok || m.moving == nil {
		return nil
	}
	v, e := *m.moving, m.seatMap.Value().Event
	before := m.hall.of(v.booking.ID)
	after := slices.DeleteFunc(slices.Clone(before), func(s inventory.Seat) bool { return s.ID == v.from.ID })
	after = append(after, to)
	slices.SortFunc(after, func(a, b inventory.Seat) int { return m.hall.compare(m.hall.place[a.ID], m.hall.place[b.ID]) })
	request := inventory.MoveRequest{ID: v.booking.ID, Version: v.booking.Version, Seats: ids(after), Actor: m.actor}
	return ui.OpenDialog(dialog.NewConfirm(dialog.Spec{
		Title: "MOVE ONE SEAT",
		Intro: []string{fmt.Sprintf("Booking ..%s of %s: %s, %s. It is %s.", v.booking.ID.Short(), v.booking.Buyer, e.Name, m.start(e), v.booking.State)},
		Facts: []dialog.Fact{
			{Label: "Before", Text: names(before, 8)},
			{Label: "After", Text: names(after, 8)},
			{Label: "Price", Text: v.priceWords(to)},
			{Label: "What happens", Text: fmt.Sprintf("%s: %s -> free; %s: free -> %s", short(v.from), stateWord(v.from), short(to), stateWord(v.from))},
			{Label: "What cannot happen", Text: "only half of it: both seats change or neither"},
			{Label: "If it has moved", Text: "seat taken or booking changed meanwhile: nothing changes, you are told"},
		},
		ReadAt:  m.seatMap.ReadAt().In(m.env.Zone()),
		Reason:  "Reason",
		Reasons: true,
		Actions: v.actions(to),
		Then: func(c dialog.Choice) tea.Msg {
			request.Reason, request.KeepAmount = c.Reason, c.Action == keepPrice
			return moveChosen{v, to, request}
		},
	}))
}

// The answers of the confirmation.
const (
	keepPrice = "keep"
	newPrice  = "new"
)

func (v moving) priceWords(to inventory.Seat) string {
	switch {
	case v.kept(to):
		return v.booking.Amount.String() + ", as before"
	case v.booking.State != inventory.StateHeld:
		return fmt.Sprintf("%s is kept; these seats cost %s", v.booking.Amount, v.after(to))
	}
	return fmt.Sprintf("%s now; these seats cost %s", v.booking.Amount, v.after(to))
}

// actions are the ways to move: what is paid or being paid keeps its price.
func (v moving) actions(to inventory.Seat) []dialog.Action {
	keep := dialog.Action{Name: keepPrice, Label: "Move, keep " + v.booking.Amount.String()}
	switch {
	case v.kept(to):
		return []dialog.Action{{Name: keepPrice, Label: "Move"}}
	case v.booking.State != inventory.StateHeld:
		return []dialog.Action{keep}
	}
	return []dialog.Action{keep, {Name: newPrice, Label: "Move, " + v.after(to).String()}}
}

func (m *Model) move(c moveChosen) tea.Cmd {
	if err := inventory.CheckReason(c.request.Reason); err != nil {
		return ui.SettleDialog(dialog.Outcome{Again: true, Text: inventory.Message(err)})
	}
	m.saving++
	store, event := m.store, m.event
	return ui.Save(m.env, "seats.move", fmt.Sprintf("moving %s to %s", short(c.from), short(c.to)), saveLimit, func(ctx context.Context) (seatMoved, error) {
		d := seatMoved{moveChosen: c}
		var err error
		if d.after, err = store.MoveBooking(ctx, c.request); err != nil {
			d.last = lastEntry(ctx, store, c.booking.ID)
			d.at = standing(ctx, store, event, []inventory.SeatID{c.to.ID})
		}
		return d, err
	}, func(d seatMoved, err error) tea.Msg {
		d.moveChosen, d.err = c, err
		return d
	})
}

// lastEntry is the newest transition of a booking, zero if it cannot be read.
func lastEntry(ctx context.Context, r reader, id inventory.BookingID) inventory.JournalEntry {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	entries, err := r.Journal(ctx, id)
	if err != nil || len(entries) == 0 {
		return inventory.JournalEntry{}
	}
	return entries[len(entries)-1]
}

// seatMoved tells the dialog what the database answered. A move that was made,
// or that can no longer be made, is over.
func (m *Model) seatMoved(d seatMoved) tea.Cmd {
	m.saving--
	o := m.moveOutcome(d)
	if !o.Again {
		m.moving = nil
	}
	return tea.Batch(ui.SettleDialog(o), m.loadAll())
}

func (m *Model) moveOutcome(d seatMoved) dialog.Outcome {
	what := fmt.Sprintf("%s -> %s for %s", full(d.from), full(d.to), d.booking.Buyer)
	switch {
	case d.err == nil:
		return dialog.Outcome{OK: true, Text: fmt.Sprintf("moved, v%d: %s, %s", d.after.Version, what, d.after.Amount)}
	case errors.Is(d.err, inventory.ErrUnknownOutcome):
		return m.moveLookedUp(d, what)
	case errors.Is(d.err, inventory.ErrSeatTaken):
		return dialog.Outcome{Text: "Nothing changed.", Lines: []string{takenWords(d.err, []inventory.Seat{d.to}, d.at) + "."}}
	case errors.Is(d.err, inventory.ErrPriceChanges):
		return dialog.Outcome{Text: "Nothing changed: " + inventory.Message(d.err) + ".", Lines: []string{"Begin again; it can be moved with its price kept."}}
	case errors.Is(d.err, inventory.ErrStale), errors.Is(d.err, inventory.ErrNotAllowed), errors.Is(d.err, inventory.ErrHoldExpired):
		return dialog.Outcome{Text: "Nothing changed: someone else was faster.", Lines: m.whoWas(d.last)}
	}
	return dialog.Outcome{Again: true, Text: "not done: " + inventory.Message(d.err)}
}

// whoWas says who changed the booking last.
func (m *Model) whoWas(last inventory.JournalEntry) []string {
	if last.Seq == 0 {
		return []string{"Close this and look at the seat."}
	}
	return []string{fmt.Sprintf("It is %s now (v%d): %s by %s at %s.", last.To, last.Seq, last.Cause, last.Actor, m.at(last.At))}
}

// moveLookedUp answers for a move whose own answer was lost.
func (m *Model) moveLookedUp(d seatMoved, what string) dialog.Outcome {
	arrived := len(d.at) == 1 && d.at[0].BookingID == d.booking.ID
	switch {
	case arrived && d.last.Actor == m.actor.String():
		return dialog.Outcome{OK: true, Text: fmt.Sprintf("the answer was lost, but it went through: v%d, %s", d.last.Seq, what)}
	case d.last.Seq == 0 || len(d.at) == 0:
		return dialog.Outcome{Text: "The answer was lost, and the booking cannot be read.", Lines: []string{"Look at it again when the database is back. Do not repeat it blindly."}}
	case d.last.Seq > d.booking.Version:
		return dialog.Outcome{Text: "The answer was lost. Someone else was faster.", Lines: m.whoWas(d.last)}
	}
	return dialog.Outcome{Text: "The answer was lost. So far nothing has changed.", Lines: []string{"Close this, wait for fresh numbers and look again before you repeat it."}}
}
