package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/keys"
)

// Translate says what a key means to a screen with the given keyboard: the
// message for its Update, or the reason why the verb on the key is not possible
// now. Both are empty when the key means nothing to it. While text is typed,
// printable keys are text, and so is everything that the keyboard does not name;
// noSave is why verbs that write are refused, empty when they are not.
func Translate(table keys.Table, typing bool, k tea.KeyMsg, noSave string) (msg tea.Msg, refused string) {
	if typing && (keys.Printable(k) || k.Paste) {
		return k, ""
	}
	b, ok := table.Match(k)
	switch {
	case !ok && typing:
		return k, ""
	case !ok:
		return nil, ""
	}
	if why := Refusal(b, noSave); why != "" {
		return nil, why
	}
	return Do{b.Verb}, ""
}

// Refusal says why a binding is not possible now, and is empty when it is.
func Refusal(b keys.Binding, noSave string) string {
	switch {
	case b.Disabled != "":
		return b.Disabled
	case b.Writes:
		return noSave
	}
	return ""
}
