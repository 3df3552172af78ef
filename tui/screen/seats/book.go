package seats

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

const (
	saveLimit = 12 * time.Second
	lookLimit = 3 * time.Second
)

// The ways to book seats, as the form names them.
const (
	asHold = "hold"
	asComp = "comp"
)

// bookChosen is a form to book seats, filled in. It carries the seats as they
// were drawn.
type bookChosen struct {
	seats   []inventory.Seat
	request inventory.SeatHoldRequest
}

// booked is what became of it; at is what the seats turned out to be when it
// was not simply done.
type booked struct {
	bookChosen
	booking inventory.Booking
	at      []inventory.Seat
	err     error
}

// askBook opens the form. One form is one request, however often it is sent:
// its key sees to that.
func (m *Model) askBook() tea.Cmd {
	s, ok := m.under()
	if !ok {
		return nil
	}
	seats, e := m.chosen(s), m.seatMap.Value().Event
	chosen := bookChosen{seats: seats, request: inventory.SeatHoldRequest{
		Event: m.event, Seats: ids(seats), IdempotencyKey: "console-" + uuid.NewString(), Actor: m.actor,
	}}
	as := widget.ChoiceInput("as", "As", asHold, asHold, asComp)
	as.Note = "left and right choose"
	return ui.OpenDialog(dialog.NewForm(dialog.FormSpec{
		Title: "BOOK " + upperSeats(len(seats)),
		Intro: []string{
			fmt.Sprintf("%s of %s, %s. %s.", names(seats, 8), e.Name, m.start(e), price(seats)),
			fmt.Sprintf("hold: kept for %s, then free again unless it is paid. comp: given free of charge, booked at once; it needs a reason.", span(e.HoldTTL)),
		},
		Inputs: []widget.Input{
			widget.TextInput("buyer", "Buyer", "", "who it is for, as the shop calls them"), as,
			widget.TextInput("reason", "Reason", "", "goes to the journal; a hold needs none"),
		},
		Submit: "Book",
		Check:  func(v map[string]string) map[string]string { return wrongIn(chosen.with(v).request) },
		Then:   func(v map[string]string) tea.Msg { return chosen.with(v) },
	}))
}

// with is the request with the values of the form.
func (c bookChosen) with(v map[string]string) bookChosen {
	c.request.Buyer, c.request.Comp, c.request.Reason = v["buyer"], v["as"] == asComp, v["reason"]
	return c
}

// wrongIn says what is wrong with a request, by input of the form.
func wrongIn(r inventory.SeatHoldRequest) map[string]string {
	err := r.Validate()
	if r.Reason != "" && !r.Comp {
		err = errors.Join(err, inventory.CheckReason(r.Reason))
	}
	wrong := map[string]string{}
	for _, f := range inventory.FieldErrors(err) {
		name := f.Field
		if name != "buyer" && name != "reason" {
			name = ""
		}
		wrong[name] = f.Problem
	}
	return wrong
}

func (m *Model) book(c bookChosen) tea.Cmd {
	m.saving++
	store := m.store
	doing := fmt.Sprintf("booking %s for %s", seatsInWords(len(c.seats)), c.request.Buyer)
	return ui.Save(m.env, "seats.hold", doing, saveLimit, func(ctx context.Context) (booked, error) {
		d := booked{bookChosen: c}
		var err error
		d.booking, _, err = store.HoldSeats(ctx, c.request)
		if err == nil {
			return d, nil
		}
		d.at = standing(ctx, store, c.request.Event, c.request.Seats)
		if errors.Is(err, inventory.ErrUnknownOutcome) {
			d.booking = byKey(ctx, store, d.at, c.request.IdempotencyKey)
		}
		return d, err
	}, func(d booked, err error) tea.Msg {
		d.bookChosen, d.err = c, err
		return d
	})
}

// standing is how some seats stand now, nil if that cannot be read. The limit
// of the change may be used up, so it has its own.
func standing(ctx context.Context, r reader, event inventory.EventID, wanted []inventory.SeatID) []inventory.Seat {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	sm, err := r.SeatMap(ctx, event)
	if err != nil {
		return nil
	}
	is := make(map[inventory.SeatID]bool, len(wanted))
	for _, id := range wanted {
		is[id] = true
	}
	var out []inventory.Seat
	for _, s := range sm.Seats {
		if is[s.ID] {
			out = append(out, s)
		}
	}
	return out
}

// byKey is the booking that has the seats, if it is the one that was asked for
// under the key; otherwise the zero booking.
func byKey(ctx context.Context, r reader, at []inventory.Seat, key string) inventory.Booking {
	if len(at) == 0 || !taken(at[0]) {
		return inventory.Booking{}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	b, err := r.Booking(ctx, at[0].BookingID)
	if err != nil || b.IdempotencyKey != key {
		return inventory.Booking{}
	}
	return b
}

// booked tells the form what the database answered.
func (m *Model) booked(d booked) tea.Cmd {
	m.saving--
	o := m.bookOutcome(d)
	if o.OK {
		for _, s := range d.seats {
			delete(m.marks, s.ID)
		}
	}
	return tea.Batch(ui.SettleDialog(o), m.loadAll())
}

func (m *Model) bookOutcome(d booked) dialog.Outcome {
	switch {
	case d.err == nil:
		return dialog.Outcome{OK: true, Text: m.bookedWords(d)}
	case errors.Is(d.err, inventory.ErrUnknownOutcome):
		return m.bookLookedUp(d)
	case errors.Is(d.err, inventory.ErrSeatTaken):
		return dialog.Outcome{Text: "nothing was booked: " + takenWords(d.err, d.seats, d.at)}
	}
	problems := map[string]string{}
	for _, f := range inventory.FieldErrors(d.err) {
		problems[f.Field] = f.Problem
	}
	return dialog.Outcome{Text: "nothing was booked: " + inventory.Message(d.err), Problems: problems}
}

func (m *Model) bookedWords(d booked) string {
	b := d.booking
	if d.request.Comp {
		return fmt.Sprintf("given to %s as a comp: %s", b.Buyer, names(d.seats, 4))
	}
	return fmt.Sprintf("held for %s until %s: %s, %s", b.Buyer, m.at(b.ExpiresAt), names(d.seats, 4), b.Amount)
}

// bookLookedUp answers for a request whose own answer was lost. What is not
// there yet may still come, so a no is never more than "so far".
func (m *Model) bookLookedUp(d booked) dialog.Outcome {
	switch {
	case d.booking.ID != inventory.BookingID{}:
		return dialog.Outcome{OK: true, Text: "the answer was lost, but it went through: " + m.bookedWords(d)}
	case d.at == nil:
		return dialog.Outcome{Text: "the answer was lost and the seats cannot be read: look again before you repeat it"}
	case len(notFree(d.at)) > 0:
		return dialog.Outcome{Text: "the answer was lost, and others have seats of it now: " + names(notFree(d.at), 4)}
	}
	return dialog.Outcome{Text: "the answer was lost; so far nothing is booked. To send it again cannot book twice"}
}

// takenWords names the seats that stood in the way, as the refusal or, if it
// does not say, as the map has them.
func takenWords(err error, wanted, at []inventory.Seat) string {
	var refused *inventory.SeatTakenError
	var out []inventory.Seat
	if errors.As(err, &refused) {
		for _, s := range wanted {
			for _, id := range refused.Seats {
				if s.ID == id {
					out = append(out, s)
				}
			}
		}
	}
	if len(out) == 0 {
		out = notFree(at)
	}
	if len(out) == 0 {
		return inventory.Message(err)
	}
	return fmt.Sprintf("%s %s not free any more", names(out, 4), is(len(out)))
}

func notFree(seats []inventory.Seat) []inventory.Seat {
	var out []inventory.Seat
	for _, s := range seats {
		if !free(s) {
			out = append(out, s)
		}
	}
	return out
}

func ids(seats []inventory.Seat) []inventory.SeatID {
	out := make([]inventory.SeatID, len(seats))
	for i, s := range seats {
		out[i] = s.ID
	}
	return out
}

// upperSeats is a number of seats in a dialog's title.
func upperSeats(n int) string {
	if n == 1 {
		return "ONE SEAT"
	}
	return fmt.Sprintf("%d SEATS", n)
}
