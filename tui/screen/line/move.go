package line

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// The answers of the two dialogs of a move: where to, and whether. They carry
// the booking as it was drawn.
type (
	whither struct {
		booking  inventory.Booking
		from     inventory.Resource // whose it is
		to       inventory.Resource
		day      date.Date
		zone     timezone.Zone
		during   inventory.Range
		readings map[string]string
	}
	moveChosen struct {
		whither
		keepAmount bool
		reason     string
	}
)

// whitherForm asks where to. It decides nothing, so it is over when that is said.
type whitherForm struct{ *dialog.Form }

// Key closes the form with its answer: what it leads to asks for itself.
func (d whitherForm) Key(k tea.KeyMsg, at dialog.Moment) dialog.Reply {
	r := d.Form.Key(k, at)
	if r.Msg != nil {
		r.Close = true
	}
	return r
}

// askWhither asks for the new time and resource of the booking under the cursor.
// What was typed for it before, and not done, is there again.
func (m *Model) askWhither() tea.Cmd {
	d, _ := m.selected()
	b, ok := m.booking()
	if !ok {
		return nil
	}
	day, zone, all := m.day, m.zone, m.list.Value()
	v := map[string]string{inResource: d.Resource.Ref.Resource, inFrom: timeTyped(b.During.From, zone, day), inTo: timeTyped(b.During.To, zone, day)}
	if typed, before := m.typed[b.ID.String()]; before {
		v = typed
	}
	from := widget.TextInput(inFrom, "From", v[inFrom], "10:00")
	from.Note = "or 2027-03-29T10:00"
	to := widget.TextInput(inTo, "To", v[inTo], "12:00")
	to.Note = "or a length: 2h, 90m"
	resource := widget.TextInput(inResource, "Resource", v[inResource], d.Resource.Ref.Resource)
	resource.Note = "code, or part of the name"
	read := func(typed map[string]string) (whither, map[string]string) {
		w := whither{booking: b, from: d.Resource, day: day, zone: zone, readings: typed}
		var wrong map[string]string
		w.during, wrong = readRange(typed, zone, day)
		var err error
		if w.to, err = resourceNamed(typed[inResource], all); err != nil {
			wrong[inResource] = err.Error()
		}
		return w, wrong
	}
	return ui.OpenDialog(whitherForm{dialog.NewForm(dialog.FormSpec{
		Title: "MOVE .." + b.ID.Short() + " OF " + b.Buyer,
		Intro: []string{
			"Now: " + d.Resource.Name + " " + fromTo(b.During, zone, day) + ", " + lasts(b.During, zone) + ".",
			"Times are those of " + timezone.DayLabel(day) + " in " + zone.Name() + ".",
		},
		Inputs: []widget.Input{from, to, resource},
		Submit: "Go on",
		Reads:  true,
		Check: func(typed map[string]string) map[string]string {
			m.typed[b.ID.String()] = typed
			w, wrong := read(typed)
			if len(wrong) == 0 && w.to.ID == d.Resource.ID && w.during.From.Equal(b.During.From) && w.during.To.Equal(b.During.To) {
				wrong[""] = "that is where it is already"
			}
			return wrong
		},
		Then: func(typed map[string]string) tea.Msg {
			w, _ := read(typed)
			return w
		},
	})})
}

// resourceNamed is the resource that a person means: by its code, its name, or a
// part of it that only one has.
func resourceNamed(text string, all []inventory.ResourceDay) (inventory.Resource, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	var like []inventory.Resource
	for _, d := range all {
		code, name := d.Resource.Ref.Resource, strings.ToLower(d.Resource.Name)
		if text == code || text == name {
			return d.Resource, nil
		}
		if text != "" && (strings.Contains(code, text) || strings.Contains(name, text)) {
			like = append(like, d.Resource)
		}
	}
	switch {
	case text == "":
		return inventory.Resource{}, errors.New("is missing")
	case len(like) == 0:
		return inventory.Resource{}, errors.New("no resource here is called so")
	case len(like) > 1:
		return inventory.Resource{}, fmt.Errorf("could be %s or %s", like[0].Ref.Resource, like[1].Ref.Resource)
	}
	return like[0], nil
}

// askMove shows before and after, and asks whether.
func (m *Model) askMove(w whither) tea.Cmd {
	b := w.booking
	price := w.to.Price(w.during.Length())
	facts := []dialog.Fact{
		{Label: "Before", Text: w.from.Name + " " + fromTo(b.During, w.zone, w.day)},
		{Text: lasts(b.During, w.zone)},
		{Label: "After", Text: w.to.Name + " " + fromTo(w.during, w.zone, w.day)},
		{Text: lasts(w.during, w.zone)},
		{Text: "in the database: " + stored(w.during)},
	}
	actions := []dialog.Action{{Name: "keep", Label: "Move"}}
	if price != b.Amount {
		facts = append(facts, dialog.Fact{Label: "Price", Text: fmt.Sprintf("%s now; there it would be %s", b.Amount, price)})
		actions = []dialog.Action{{Name: "keep", Label: "Move, keep " + b.Amount.String()}, {Name: "new", Label: "Move, " + price.String()}}
		if b.State == inventory.StatePaymentPending {
			actions[1].Dead = "a payment of the old price is under way: it can only be kept"
		} else if s, known := m.storyFor(b); known && paid(s.booking) {
			actions[1].Dead = "it is paid: the price can only be kept"
		}
	}
	facts = append(facts,
		dialog.Fact{Label: "What cannot happen", Text: "the old time lost without the new one; an overlap"},
		dialog.Fact{Label: "If it has moved", Text: "changed by someone else, or taken meanwhile: nothing changes, and you are told"},
	)
	return ui.OpenDialog(dialog.NewConfirm(dialog.Spec{
		Title: fmt.Sprintf("MOVE ONE BOOKING, v%d -> v%d", b.Version, b.Version+1),
		Intro: []string{".." + b.ID.Short() + " for " + b.Buyer + "."},
		Facts: facts, ReadAt: m.drawnAt(), Reason: "Reason",
		Actions: actions,
		Then: func(c dialog.Choice) tea.Msg {
			return moveChosen{w, c.Action == "keep" && price != b.Amount, c.Reason}
		},
	}))
}

// paid reports that money stands or may come for a booking.
func paid(b inventory.Booking) bool {
	for _, p := range b.Payments {
		if p.Standing == inventory.StandingApplied {
			return true
		}
	}
	return false
}

func (m *Model) move(c moveChosen) tea.Cmd {
	request := inventory.MoveRequest{
		ID: c.booking.ID, Version: c.booking.Version, KeepAmount: c.keepAmount, Actor: m.actor, Reason: c.reason,
	}
	if !c.during.From.Equal(c.booking.During.From) || !c.during.To.Equal(c.booking.During.To) {
		request.During = &c.during
	}
	if c.to.ID != c.from.ID {
		request.Resource = &c.to.Ref
	}
	if err := request.Validate(); err != nil {
		return ui.SettleDialog(dialog.Outcome{Again: true, Text: inventory.Message(err)})
	}
	store := m.store
	return m.save(done{row: c.booking, verb: moveTo, to: c.whither}, "moving", func(ctx context.Context) (inventory.Booking, error) {
		return store.MoveBooking(ctx, request)
	})
}
