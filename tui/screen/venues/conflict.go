package venues

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/dialog"
	"holdfast/tui/ui"
)

// resolved is how the person settled a conflict.
type resolved struct {
	edit *editing
	dialog.Resolution
}

// openConflict shows what was seen, what the other saved and what was typed,
// side by side. Nothing has been saved, and the form keeps the input.
func (m *Model) openConflict(d edited) tea.Cmd {
	base, theirs, mine := values(d.edit.base), values(d.theirs), values(d.wanted)
	var fields []dialog.Three
	for _, name := range editable {
		if base[name] == theirs[name] && base[name] == mine[name] {
			continue
		}
		fields = append(fields, dialog.Three{Field: labels[name], Base: base[name], Theirs: theirs[name], Yours: mine[name]})
	}
	by := who(d.err)
	other := by
	if other == "" {
		other = "someone else"
	}
	return ui.OpenDialog(dialog.NewConflict(dialog.ConflictSpec{
		Intro: []string{
			fmt.Sprintf("%s. You began at v%d; %s saved v%d.", d.edit.base.Name, d.edit.base.Version, other, d.theirs.Version),
			"Nothing of yours has been saved. Your input is kept.",
		},
		Base: fmt.Sprintf("v%d, you saw", d.edit.base.Version), Theirs: fmt.Sprintf("%s, v%d", other, d.theirs.Version), Who: by,
		Fields: fields,
		Now:    []string{"What only one of you changed is merged. A further change brings you back here."},
		Then:   func(r dialog.Resolution) tea.Msg { return resolved{d.edit, r} },
	}))
}

// resolved goes on from a conflict. The next save is against the version that
// the other made, so a further change is a new conflict.
func (m *Model) resolved(r resolved) tea.Cmd {
	e := r.edit
	merged := values(e.theirs)
	merged[inReason] = e.typed[inReason]
	for name, label := range labels {
		if v, ok := r.Values[label]; ok {
			merged[name] = v
		}
	}
	e.base = e.theirs
	switch r.Way {
	case dialog.KeepTheirs:
		o := dialog.Outcome{OK: true, Text: fmt.Sprintf("%s left as it is, v%d; nothing of yours was saved", e.theirs.Slug, e.theirs.Version)}
		return tea.Batch(ui.SettleDialog(o), m.load())
	case dialog.PutMine:
		e.typed = merged
		v, wrong := venueFrom(e.base, merged)
		if len(wrong) > 0 { // merged values can be right apart and wrong together
			return m.editAgain(e, merged, "Merged, the values do not fit together: "+firstOf(wrong)+".")
		}
		return m.saveVenue(e, v)
	case dialog.EditAgain:
	}
	return m.editAgain(e, merged, fmt.Sprintf("On top of v%d. What did not clash has been merged.", e.base.Version))
}

// editAgain puts merged values into the form, which may have been closed
// meanwhile.
func (m *Model) editAgain(e *editing, merged map[string]string, intro string) tea.Cmd {
	e.Form = e.form(merged, intro)
	if e.open {
		return nil
	}
	e.open = true
	return ui.OpenDialog(e)
}

func firstOf(wrong map[string]string) string {
	for _, name := range editable {
		if wrong[name] != "" {
			return labels[name] + " " + wrong[name]
		}
	}
	return "look at each"
}

type putBackChosen struct{ last change }

// askPutBack asks before the last edit is taken back, which is an edit itself.
func (m *Model) askPutBack() tea.Cmd {
	if m.last == nil {
		return nil
	}
	last := *m.last
	facts := []dialog.Fact{}
	for i, s := range differ(last.after, last.before) {
		label := ""
		if i == 0 {
			label = "What happens"
		}
		facts = append(facts, dialog.Fact{Label: label, Text: s})
	}
	facts = append(facts, dialog.Fact{Label: "If it has moved", Text: "edited by someone else: nothing changes, you are told"})
	return ui.OpenDialog(dialog.NewConfirm(dialog.Spec{
		Title: "PUT BACK YOUR LAST EDIT", Intro: []string{fmt.Sprintf("%s, v%d.", last.after.Name, last.after.Version)}, Facts: facts,
		Actions: []dialog.Action{{Name: "put-back", Label: "Put back"}}, Instant: true,
		Then: func(dialog.Choice) tea.Msg { return putBackChosen{last} },
	}))
}

// putBack saves the venue as it was before my last edit, against the version
// that the edit made. A conflict is shown like that of any edit.
func (m *Model) putBack(c putBackChosen) tea.Cmd {
	v := c.last.before
	v.Version = c.last.after.Version
	e := &editing{base: c.last.after, typed: values(v)}
	e.typed[inReason] = "put back"
	m.last = nil
	return m.saveVenue(e, v)
}
