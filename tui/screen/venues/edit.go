package venues

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// editing is the form of a venue that exists. It keeps the version that the
// values were typed on, and lives on through conflicts: the person's input is in
// it until it has been saved or dropped.
type editing struct {
	*dialog.Form
	base   inventory.Venue // what the values were typed on
	theirs inventory.Venue // what somebody else saved meanwhile
	typed  map[string]string
	open   bool
}

// Key remembers that the form was closed.
func (e *editing) Key(k tea.KeyMsg, at dialog.Moment) dialog.Reply {
	r := e.Form.Key(k, at)
	e.open = e.open && !r.Close
	return r
}

// Settle remembers that the form was closed.
func (e *editing) Settle(o dialog.Outcome) bool {
	closed := e.Form.Settle(o)
	e.open = e.open && !closed
	return closed
}

type editChosen struct{ edit *editing }

// edited is what became of an edit; theirs is the venue as it stands when the
// edit was not simply saved.
type edited struct {
	edit   *editing
	wanted inventory.Venue
	stored inventory.Venue
	theirs inventory.Venue
	err    error
}

// openEdit opens the form of a venue.
func (m *Model) openEdit(v inventory.Venue) tea.Cmd {
	e := &editing{base: v, open: true}
	e.Form = e.form(values(v), "What you change counts for holds and money from now on; what runs already stays as it is.")
	return ui.OpenDialog(e)
}

func (e *editing) form(v map[string]string, intro string) *dialog.Form {
	inputs := append([]widget.Input{widget.TextInput(inName, "Name", v[inName], "Harbour Hall")}, rules(v)...)
	inputs = append(inputs, widget.TextInput(inReason, "Reason", v[inReason], "goes to the audit; may be empty"))
	base := e.base
	return dialog.NewForm(dialog.FormSpec{
		Title: "EDIT " + base.Slug + ", v" + fmt.Sprint(base.Version), Intro: []string{intro}, Inputs: inputs, Submit: "Save",
		Check: func(typed map[string]string) map[string]string {
			_, wrong := venueFrom(base, typed)
			if r := typed[inReason]; r != "" {
				problems(inventory.CheckReason(r), wrong)
			}
			return wrong
		},
		Then: func(typed map[string]string) tea.Msg {
			e.typed = typed
			return editChosen{e}
		},
	})
}

func (m *Model) save(c editChosen) tea.Cmd {
	e := c.edit
	v, _ := venueFrom(e.base, e.typed) // the form's Check let it through
	return m.saveVenue(e, v)
}

// saveVenue saves v against the version that it carries.
func (m *Model) saveVenue(e *editing, v inventory.Venue) tea.Cmd {
	store, actor, reason := m.store, m.actor, e.typed[inReason]
	return ui.Save(m.env, "venue.set", "saving "+v.Slug, saveLimit, func(ctx context.Context) (edited, error) {
		stored, err := store.SetVenue(ctx, actor, v, reason)
		d := edited{stored: stored}
		if movedOrUnknown(err) {
			d.theirs = standsNow(ctx, store, v.Slug)
		}
		return d, err
	}, func(d edited, err error) tea.Msg {
		d.edit, d.wanted, d.err = e, v, err
		return d
	})
}

func (m *Model) edited(d edited) tea.Cmd {
	lost := errors.Is(d.err, inventory.ErrUnknownOutcome)
	switch {
	case d.err == nil && d.stored.Version == d.wanted.Version:
		return m.done(d.stored, dialog.Outcome{OK: true, Text: "nothing had changed, so nothing was saved"})
	case d.err == nil:
		m.last = &change{d.edit.base, d.stored}
		return m.done(d.stored, dialog.Outcome{OK: true, Text: fmt.Sprintf("%s saved, v%d; u puts it back", d.stored.Slug, d.stored.Version)})
	case lost && same(d.theirs, d.wanted):
		m.last = &change{d.edit.base, d.theirs}
		return m.done(d.theirs, dialog.Outcome{OK: true, Text: fmt.Sprintf("the answer was lost, but it went through: %s, v%d", d.theirs.Slug, d.theirs.Version)})
	case lost:
		return ui.SettleDialog(dialog.Outcome{Text: "the answer was lost; so far nothing has changed. Look again before you repeat it"})
	case errors.Is(d.err, inventory.ErrStale) && d.theirs.Slug != "":
		d.edit.theirs = d.theirs
		return tea.Batch(m.openConflict(d), m.load())
	}
	return ui.SettleDialog(dialog.Outcome{Text: "not saved: " + inventory.Message(d.err), Problems: fieldProblems(d.err)})
}

// done closes the form after a save.
func (m *Model) done(v inventory.Venue, o dialog.Outcome) tea.Cmd {
	return tea.Batch(ui.SettleDialog(o), m.refocus(v), m.load())
}

// same reports that a stored venue is what was wanted, one version on.
func same(stored, wanted inventory.Venue) bool {
	return stored.Version == wanted.Version+1 && len(differ(stored, wanted)) == 0
}

// who names the one who saved first, for a heading.
func who(err error) string {
	var stale *inventory.StaleError
	if !errors.As(err, &stale) || stale.By == "" {
		return ""
	}
	return strings.TrimPrefix(stale.By, "staff:")
}
