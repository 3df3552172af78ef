package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/keys"
)

// Translate says what a key means to a screen: the message to give to Update,
// or the reason why the verb on it is not possible now. Both are empty when the
// key means nothing to it. While text is typed, printable keys are text; noSave
// is why verbs that write are refused, empty when they are not.
func Translate(s Screen, k tea.KeyMsg, noSave string) (msg tea.Msg, refused string) {
	typing := s.Status().Typing
	if typing && (keys.Printable(k) || k.Paste) {
		return k, ""
	}
	b, ok := s.Keys().Match(k)
	if !ok {
		if typing {
			return k, ""
		}
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
