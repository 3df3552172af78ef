package line

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// The inputs of the forms, named as inventory names the fields in its errors.
const (
	inFrom     = "from"
	inTo       = "to"
	inBuyer    = "buyer"
	inAs       = "as"
	inReason   = "reason"
	inResource = "resource"
)

// What a new booking can be.
const (
	asHold = "hold"
	asComp = "comp"
)

// placing stands in saving for the booking that has no id yet.
var placing = inventory.BookingID{}

// placeChosen carries what the form asked for. Day and zone are those that the
// times were typed in.
type placeChosen struct {
	resource inventory.Resource
	day      date.Date
	zone     timezone.Zone
	typed    map[string]string
}

// placed is what became of a new booking; found is one that stands there when
// the answer was lost.
type placed struct {
	chosen  placeChosen
	request inventory.RangeHoldRequest
	booking inventory.Booking
	found   inventory.Booking
	looked  bool
	err     error
}

// askPlace opens the form of a new booking at the cursor or of the marked run.
func (m *Model) askPlace() tea.Cmd {
	d, ok := m.selected()
	run, there := m.run()
	if !ok || !there {
		return nil
	}
	if m.anchor.IsZero() {
		run.To = run.From.Add(max(m.step, d.Resource.Slot, d.Resource.MinStay))
	}
	day, zone, r := m.day, m.zone, d.Resource
	v := m.typed[r.Ref.String()]
	values := map[string]string{inFrom: timeTyped(run.From, zone, day), inTo: timeTyped(run.To, zone, day), inBuyer: v[inBuyer], inAs: v[inAs], inReason: v[inReason]}
	from := widget.TextInput(inFrom, "From", values[inFrom], "10:00")
	from.Note = "local time"
	to := widget.TextInput(inTo, "To", values[inTo], "12:00")
	to.Note = "or a length: 2h, 90m"
	return ui.OpenDialog(dialog.NewForm(dialog.FormSpec{
		Title: "NEW BOOKING OF " + r.Name,
		Intro: []string{timezone.DayLabel(day) + " in " + zone.Name() + ". " + rules(r)},
		Inputs: []widget.Input{
			from, to,
			widget.TextInput(inBuyer, "For", values[inBuyer], "u-1029"),
			widget.ChoiceInput(inAs, "As a", values[inAs], asHold, asComp),
			widget.TextInput(inReason, "Reason", values[inReason], "needed for a comp, which is given without payment"),
		},
		Submit: "Book",
		Check: func(typed map[string]string) map[string]string {
			m.typed[r.Ref.String()] = typed
			_, wrong := placeRequest(placeChosen{r, day, zone, typed}, m.actor)
			return wrong
		},
		Then: func(typed map[string]string) tea.Msg { return placeChosen{r, day, zone, typed} },
	}))
}

// placeRequest reads the form and says what is wrong with it, by input.
func placeRequest(c placeChosen, actor inventory.Actor) (inventory.RangeHoldRequest, map[string]string) {
	during, wrong := readRange(c.typed, c.zone, c.day)
	r := inventory.RangeHoldRequest{
		Resource: c.resource.Ref, During: during, Buyer: c.typed[inBuyer], Comp: c.typed[inAs] == asComp, Reason: c.typed[inReason], Actor: actor,
	}
	problems(r.Validate(), wrong)
	if !r.Comp && r.Reason != "" {
		problems(inventory.CheckReason(r.Reason), wrong)
	}
	return r, wrong
}

// readRange reads the two times of a form.
func readRange(typed map[string]string, zone timezone.Zone, day date.Date) (inventory.Range, map[string]string) {
	var r inventory.Range
	wrong := map[string]string{}
	var err error
	if r.From, err = readTime(typed[inFrom], zone, day); err != nil {
		wrong[inFrom] = err.Error()
		return r, wrong
	}
	if r.To, err = readEnd(typed[inTo], r.From, zone, day); err != nil {
		wrong[inTo] = err.Error()
	}
	return r, wrong
}

// problems adds the field errors inside err to wrong; what is there already is
// more to the point.
func problems(err error, wrong map[string]string) {
	for _, f := range inventory.FieldErrors(err) {
		if wrong[f.Field] == "" && (len(wrong) == 0 || f.Field != inFrom && f.Field != inTo) {
			wrong[f.Field] = f.Problem
		}
	}
}

func (m *Model) place(c placeChosen) tea.Cmd {
	request, _ := placeRequest(c, m.actor) // the form's Check let it through
	m.saving[placing] = true
	store, venue := m.store, m.env.Venue().Slug
	return ui.Save(m.env, "range.hold", "booking "+c.resource.Ref.Resource, saveLimit, func(ctx context.Context) (placed, error) {
		p := placed{}
		var err error
		p.booking, _, err = store.HoldRange(ctx, request)
		if errors.Is(err, inventory.ErrUnknownOutcome) {
			p.found, p.looked = lookAt(ctx, store, venue, c, request)
		}
		return p, err
	}, func(p placed, err error) tea.Msg {
		p.chosen, p.request, p.err = c, request, err
		return p
	})
}

// lookAt looks for a booking whose own answer was lost: of one resource and one
// moment there is one live booking at most.
func lookAt(ctx context.Context, r reader, venue string, c placeChosen, request inventory.RangeHoldRequest) (inventory.Booking, bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	all, err := r.ResourceDays(ctx, venue, timezone.DayOf(request.During.From, c.zone))
	if err != nil {
		return inventory.Booking{}, false
	}
	for _, d := range all {
		for _, b := range d.Bookings {
			if d.Resource.ID == c.resource.ID && b.During.Overlaps(request.During) {
				return b, true
			}
		}
	}
	return inventory.Booking{}, true
}

func (m *Model) placed(p placed) tea.Cmd {
	delete(m.saving, placing)
	o := m.placeOutcome(p)
	if o.OK {
		delete(m.typed, p.chosen.resource.Ref.String())
		m.unmark()
	}
	return tea.Batch(ui.SettleDialog(o), m.load())
}

func (m *Model) placeOutcome(p placed) dialog.Outcome {
	zone, day := p.chosen.zone, p.chosen.day
	what := func(b inventory.Booking) string {
		word := "held"
		if b.State == inventory.StateConfirmed {
			word = "given"
		}
		return fmt.Sprintf("%s: %s %s, %s, for %s", word, p.chosen.resource.Name, fromTo(b.During, zone, day), lasts(b.During, zone), b.Buyer)
	}
	switch b := p.found; {
	case p.err == nil:
		return dialog.Outcome{OK: true, Text: what(p.booking)}
	case errors.Is(p.err, inventory.ErrUnknownOutcome) && b.Buyer == p.request.Buyer && b.During.From.Equal(p.request.During.From) && b.During.To.Equal(p.request.During.To):
		return dialog.Outcome{OK: true, Text: "the answer was lost, but it went through: " + what(b)}
	case errors.Is(p.err, inventory.ErrUnknownOutcome) && b.ID != placing:
		return dialog.Outcome{Text: "the answer was lost; now .." + b.ID.Short() + " of " + b.Buyer + " stands there"}
	case errors.Is(p.err, inventory.ErrUnknownOutcome) && p.looked:
		return dialog.Outcome{Text: "the answer was lost; so far nothing stands there. Look again first"}
	case errors.Is(p.err, inventory.ErrUnknownOutcome):
		return dialog.Outcome{Text: "the answer was lost. Look at the line before you repeat it"}
	}
	if text := m.clash(p.err, zone, day); text != "" {
		return dialog.Outcome{Text: text}
	}
	wrong := map[string]string{}
	problems(p.err, wrong)
	if len(wrong) > 0 { // each stands beside its field
		return dialog.Outcome{Text: "not booked", Problems: wrong}
	}
	return dialog.Outcome{Text: "not booked: " + inventory.Message(p.err)}
}

// clash names what stands in the way, which staff may know.
func (m *Model) clash(err error, zone timezone.Zone, day date.Date) string {
	if c, ok := errors.AsType[*inventory.RangeTakenError](err); ok && !c.During.From.IsZero() {
		return fmt.Sprintf("taken %s by ..%s, %s", fromTo(c.During, zone, day), c.Booking.Short(), c.Buyer)
	}
	if errors.Is(err, inventory.ErrRangeTaken) {
		return "taken: another booking or its turnaround is in the way"
	}
	return ""
}

const (
	saveLimit = 12 * time.Second
	lookLimit = 3 * time.Second
)
