// Package keys is the console's keyboard as data: every verb with its keys, its
// help text and, when it is not possible now, the reason. Routing, footer, help
// and palette are all made from these tables, so none of them can lie.
package keys

import (
	"slices"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// Verb names what a key does, the same in help, palette and log.
type Verb string

// Level is how much it takes to undo a verb, and so how much it takes to do it.
type Level uint8

// The levels of harm.
const (
	Look    Level = iota // looking, filters, copy: nothing
	Undo                 // can be put back: light
	Confirm              // opens a dialog with the focus on Cancel
	Typed                // the dialog wants a word or number typed
)

// Binding is one verb on the keyboard.
type Binding struct {
	Verb     Verb
	Keys     []string // as Name spells them; the first is shown
	Help     string   // two or three plain words, as they stand in the footer
	More     string   // a sentence for the help page; Help alone when empty
	Level    Level
	Writes   bool   // changes data: refused while the numbers on screen are stale, and in read-only sessions
	Priority int    // higher stays longer in a narrow footer
	Hidden   bool   // works and stands in the help, but never in the footer
	Disabled string // why not now; shown when pressed. Empty: possible
}

// If returns b, possible only when ok; otherwise reason says why not.
func (b Binding) If(ok bool, reason string) Binding {
	if !ok && b.Disabled == "" {
		b.Disabled = reason
	}
	return b
}

// As returns b with another help text, for a screen where the verb has an object.
func (b Binding) As(help string) Binding {
	b.Help = help
	return b
}

// At returns b with another place in the footer.
func (b Binding) At(priority int) Binding {
	b.Priority = priority
	return b
}

// WhileTyping returns b with those of its keys that are not text.
func (b Binding) WhileTyping() Binding {
	b.Keys = slices.DeleteFunc(slices.Clone(b.Keys), isRune)
	return b
}

// Label is the key as footer and help show it.
func (b Binding) Label() string {
	if len(b.Keys) == 0 {
		return ""
	}
	return label(b.Keys[0])
}

// Table is the bindings of one place, in the order in which help shows them.
type Table []Binding

// Match returns the binding of the pressed key, and false when there is none.
// Pasted text never matches.
func (t Table) Match(k tea.KeyMsg) (Binding, bool) {
	if k.Paste {
		return Binding{}, false
	}
	name := Name(k)
	for _, b := range t {
		if slices.Contains(b.Keys, name) {
			return b, true
		}
	}
	return Binding{}, false
}

// Find returns the binding of a verb.
func (t Table) Find(v Verb) (Binding, bool) {
	i := slices.IndexFunc(t, func(b Binding) bool { return b.Verb == v })
	if i < 0 {
		return Binding{}, false
	}
	return t[i], true
}

// Remap returns t with other keys for some verbs; verbs that t does not have
// are ignored. Check the result with Faults.
func (t Table) Remap(custom map[Verb][]string) Table {
	out := slices.Clone(t)
	for i, b := range out {
		if ks, ok := custom[b.Verb]; ok {
			out[i].Keys = slices.Clone(ks)
		}
	}
	return out
}

// Name spells a key: "a", "R", "enter", "esc", "space", "shift+tab", "ctrl+s".
func Name(k tea.KeyMsg) string {
	if k.Type == tea.KeySpace {
		return "space"
	}
	return k.String()
}

// Printable reports that the key is text when a field has the focus.
func Printable(k tea.KeyMsg) bool {
	return (k.Type == tea.KeyRunes || k.Type == tea.KeySpace) && !k.Alt
}

func label(name string) string {
	switch name {
	case "left":
		return "<-"
	case "right":
		return "->"
	case "pgdown":
		return "pgdn"
	}
	return name
}

// isRune reports that a key name is one printable character.
func isRune(name string) bool { return utf8.RuneCountInString(name) == 1 }
