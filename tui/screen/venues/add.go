package venues

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

type addChosen struct{ venue inventory.Venue }

// added is what became of a new venue.
type added struct {
	wanted, stored, found inventory.Venue // found: when the answer was lost
	err                   error
}

// openAdd opens the form of a new venue in the zone that was found.
func (m *Model) openAdd(match timezone.Match) tea.Cmd {
	base := inventory.NewVenue("", "", match.Zone.Name(), "")
	v := values(base)
	inputs := []widget.Input{
		noted(widget.TextInput(inVenue, "Code", "", "harbour"), "fixed for good"),
		widget.TextInput(inName, "Name", "", "Harbour Hall"),
		widget.TextInput(inZone, "Zone", v[inZone], "Europe/Berlin"),
		noted(widget.TextInput(inCurrency, "Currency", "", "EUR"), "fixed for good"),
	}
	inputs = append(inputs, rules(v)...)
	return ui.OpenDialog(dialog.NewForm(dialog.FormSpec{
		Title: "NEW VENUE", Intro: []string{"It sells nothing before it has a pool."}, Inputs: inputs, Submit: "Add",
		Check: func(typed map[string]string) map[string]string {
			_, wrong := venueFrom(base, typed)
			return wrong
		},
		Then: func(typed map[string]string) tea.Msg {
			v, _ := venueFrom(base, typed) // Check let it through
			return addChosen{v}
		},
	}))
}

func (m *Model) add(c addChosen) tea.Cmd {
	store, actor, v := m.store, m.actor, c.venue
	return ui.Save(m.env, "venue.add", "adding "+v.Slug, saveLimit, func(ctx context.Context) (added, error) {
		stored, err := store.AddVenue(ctx, actor, v)
		a := added{stored: stored}
		if errors.Is(err, inventory.ErrUnknownOutcome) {
			a.found = standsNow(ctx, store, v.Slug)
		}
		return a, err
	}, func(a added, err error) tea.Msg {
		a.wanted, a.err = v, err
		return a
	})
}

func (m *Model) added(a added) tea.Cmd {
	o := addOutcome(a)
	if o.OK {
		m.want = a.wanted.Slug
	}
	return tea.Batch(ui.SettleDialog(o), m.load())
}

func addOutcome(a added) dialog.Outcome {
	const next = "; a adds a pool to it"
	switch {
	case a.err == nil:
		return dialog.Outcome{OK: true, Text: fmt.Sprintf("%s added, v%d%s", a.stored.Slug, a.stored.Version, next)}
	case errors.Is(a.err, inventory.ErrAlreadyExists):
		return dialog.Outcome{Text: "nothing was added", Problems: map[string]string{inVenue: "another venue has this code"}}
	case errors.Is(a.err, inventory.ErrUnknownOutcome) && a.found.Slug != "":
		return dialog.Outcome{OK: true, Text: "the answer was lost, but it went through: " + a.found.Slug + " is there" + next}
	case errors.Is(a.err, inventory.ErrUnknownOutcome):
		return dialog.Outcome{Text: "the answer was lost; so far it is not there. Look at the list before you repeat it"}
	}
	return dialog.Outcome{Text: "not added: " + inventory.Message(a.err), Problems: fieldProblems(a.err)}
}
