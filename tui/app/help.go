package app

import (
	"strings"

	"holdfast/tui/dialog"
	"holdfast/tui/keys"
)

// newHelp is the page of the ? key: what the screen is for and every key that
// works on it, made from the same tables that route the keys.
func (a *App) newHelp() dialog.Dialog {
	title, lines := "KEYS", []string(nil)
	var own keys.Table
	if p := a.front(); p != nil {
		st := p.screen.Status()
		title = strings.ToUpper(st.Title) + " - KEYS"
		lines = append(lines, st.About...)
		own = a.keysOf(p)
	}
	return dialog.NewList(title, lines, []dialog.Group{
		{Title: "On this screen", Facts: describe(own)},
		{Title: "Everywhere", Facts: describe(append(a.globals(), keys.Fallback()...))},
		{Title: "Moving", Facts: movements(own)},
	})
}

// movements is all keys that move the cursor as one fact: nobody looks these up,
// so they must not stand before what one does.
func movements(t keys.Table) []dialog.Fact {
	var names []string
	for _, b := range t {
		if moves(b.Verb) {
			names = append(names, strings.Join(b.Keys, "/"))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []dialog.Fact{{Text: strings.Join(names, ", ")}}
}

// describe says what the verbs do, those that move left out.
func describe(t keys.Table) []dialog.Fact {
	var out []dialog.Fact
	for _, b := range t {
		if len(b.Keys) == 0 || moves(b.Verb) {
			continue
		}
		text := b.Help
		if b.More != "" {
			text += ": " + b.More
		}
		if b.Disabled != "" {
			text += " (not now: " + b.Disabled + ")"
		}
		out = append(out, dialog.Fact{Label: strings.Join(b.Keys, " "), Text: text})
	}
	return out
}
