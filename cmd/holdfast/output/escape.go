package output

import (
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// escapeControls writes C1 controls, DEL and format characters (bidirectional
// overrides, tags, zero-width characters) of a JSON text as \u escapes.
func escapeControls(text []byte) []byte {
	clean := true
	for _, r := range string(text) {
		if steers(r) {
			clean = false
			break
		}
	}
	if clean {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for _, r := range string(text) {
		switch {
		case !steers(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// steers reports characters that move a cursor, hide text or reorder it. Line
// feeds are the document's own: inside strings encoding/json has escaped them.
func steers(r rune) bool {
	return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
}
