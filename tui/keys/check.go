package keys

import (
	"fmt"
	"slices"
	"unicode"
)

// Faults returns what is wrong with tables that are in force together: a key
// with two verbs, a key that terminals cannot tell from another, a harmful verb
// on a small letter or on a key that erases text. Tests of every screen call it.
func Faults(tables ...Table) []string {
	var faults []string
	owner := map[string]Verb{}
	for _, t := range tables {
		for _, b := range t {
			if b.Verb == "" || b.Help == "" || len(b.Keys) == 0 {
				faults = append(faults, fmt.Sprintf("%q: a binding needs a verb, a key and a help text", b.Verb))
			}
			for _, k := range b.Keys {
				if first, taken := owner[k]; taken {
					faults = append(faults, fmt.Sprintf("key %q is both %q and %q", k, first, b.Verb))
				}
				owner[k] = b.Verb
				if why := unusable(b, k); why != "" {
					faults = append(faults, fmt.Sprintf("key %q of %q: %s", k, b.Verb, why))
				}
			}
		}
	}
	return faults
}

func unusable(b Binding, k string) string {
	switch {
	case slices.Contains([]string{"ctrl+i", "ctrl+m", "shift+enter", "ctrl+enter", "ctrl+["}, k):
		return "terminals send the same as for another key"
	case slices.Contains([]string{"delete", "backspace"}, k):
		return "erasing text is never a verb"
	case b.Level >= Confirm && isRune(k) && unicode.IsLower([]rune(k)[0]):
		return "a harmful verb is a capital letter"
	case b.Level >= Confirm && (k == "enter" || k == "space"):
		return "a harmful verb is never on a common key"
	}
	return ""
}
