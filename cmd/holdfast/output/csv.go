package output

import (
	"io"
	"strings"

	"holdfast/tui/canvas"
)

// writeCSV quotes every text and leaves numbers bare, with CRLF as RFC 4180
// says. encoding/csv would write =cmd|... as it is.
func writeCSV[T any](p *Printer, columns []Column[T], rows []T) error {
	var b strings.Builder
	for i, c := range columns {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(c.Name)
	}
	b.WriteString("\r\n")
	for _, row := range rows {
		for i, c := range columns {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(csvCell(c.Value(row), c.Number, p.raw))
		}
		b.WriteString("\r\n")
	}
	_, err := io.WriteString(p.w, b.String())
	return err
}

// csvCell quotes text. A spreadsheet runs what begins like a formula, so such
// text gets an apostrophe in front, unless raw.
func csvCell(s string, number, raw bool) string {
	if number && plainNumber(s) {
		return s
	}
	s = canvas.Clean(s)
	if !raw && formula(s) {
		s = "'" + s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// formula reports text that a spreadsheet may evaluate. Some strip blanks and
// quotes before they look.
func formula(s string) bool {
	s = strings.TrimLeft(s, " '\"\u00a0\u3000")
	if s == "" {
		return false
	}
	// Full-width forms are folded to ASCII by some.
	return strings.ContainsRune("=+-@|%\uff1d\uff0b\uff0d\uff20", []rune(s)[0])
}

// plainNumber accepts digits with at most a sign and a point, or nothing.
func plainNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole, frac, point := strings.Cut(s, ".")
	return onlyDigits(whole) && onlyDigits(frac) && (!point || frac != "")
}

func onlyDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }
