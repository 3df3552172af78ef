package app

import (
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/dialog"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
)

// paletteChosen is what was picked: a tab, or a verb of the screen or the frame.
type paletteChosen struct {
	tab    int // -1: a verb
	verb   keys.Verb
	global bool
}

// newPalette is the list of the : key: every place and every verb by its name,
// those that are not possible now with the reason.
func (a *App) newPalette() dialog.Dialog {
	var items []dialog.Item
	if p := a.front(); p != nil {
		for _, b := range a.keysOf(p) {
			if moves(b.Verb) {
				continue
			}
			items = append(items, item(b, ui.Refusal(b, a.noSave()), paletteChosen{tab: -1, verb: b.Verb}))
		}
	}
	for i, t := range a.tabs {
		items = append(items, dialog.Item{
			Label: "Go to " + t.Title, Remark: strconv.Itoa(i + 1), Answer: paletteChosen{tab: i},
		})
	}
	for _, b := range a.globals() {
		if b.Verb != keys.Palette {
			items = append(items, item(b, "", paletteChosen{tab: -1, verb: b.Verb, global: true}))
		}
	}
	return dialog.NewPick("GO TO / DO", items)
}

func item(b keys.Binding, dead string, answer paletteChosen) dialog.Item {
	label := b.Help
	if b.More != "" {
		label += ": " + b.More
	}
	return dialog.Item{Label: label, Remark: b.Label(), Dead: dead, Answer: answer}
}

// moves reports verbs that nobody looks for by name.
func moves(v keys.Verb) bool {
	for _, t := range []keys.Table{keys.Move(), keys.Sideways()} {
		if _, ok := t.Find(v); ok {
			return true
		}
	}
	return false
}

// palette does what was picked, by the same way as its key.
func (a *App) palette(m paletteChosen) tea.Cmd {
	switch {
	case m.tab >= 0:
		return a.show(m.tab)
	case m.global:
		return a.do(m.verb)
	}
	p := a.front()
	if p == nil {
		return nil
	}
	b, ok := a.keysOf(p).Find(m.verb)
	if !ok {
		return nil
	}
	if why := ui.Refusal(b, a.noSave()); why != "" {
		a.task.say(why, true, a.session.Now())
		return nil
	}
	return a.to(p, ui.Do{Verb: b.Verb})
}
