// Package output writes what a command found: as a table for people, as one
// JSON document or as CSV for programs. Each command declares its columns once
// and hands over values that know their own JSON.
//
// Everything foreign in a table or CSV passes canvas.Clean, so nothing a
// customer typed can steer a terminal, and no escape byte is ever written.
package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"holdfast/tui/canvas"
)

// Format is a way to write.
type Format string

// The formats.
const (
	Table Format = "table" // for people: aligned, headings in capitals
	JSON  Format = "json"  // one document
	CSV   Format = "csv"   // RFC 4180 with a heading line, guarded against formulas
)

// ParseFormat accepts table, json and csv.
func ParseFormat(s string) (Format, error) {
	switch f := Format(s); f {
	case Table, JSON, CSV:
		return f, nil
	}
	return "", fmt.Errorf("must be table, json or csv")
}

// Column is one column of a table or CSV.
type Column[T any] struct {
	Name   string // lower case with underscores, as in CSV; capitals in a table
	Title  string // instead of Name for people, "" for Name
	Number bool   // right-aligned in a table, unquoted in CSV
	Detail bool   // left out of a table of several
	Value  func(T) string
}

func (c Column[T]) title() string {
	if c.Title != "" {
		return c.Title
	}
	return strings.ReplaceAll(c.Name, "_", " ")
}

// Printer writes to one place in one format.
type Printer struct {
	w      io.Writer
	format Format
	raw    bool
}

// New returns a printer; raw leaves the guard against formulas out of CSV.
func New(w io.Writer, format Format, raw bool) *Printer { return &Printer{w, format, raw} }

// Format is the format that the printer writes.
func (p *Printer) Format() Format { return p.format }

// Rows writes a list.
func Rows[T any](p *Printer, columns []Column[T], rows []T) error {
	switch p.format {
	case JSON:
		if rows == nil {
			rows = []T{}
		}
		return p.Document(rows)
	case CSV:
		return writeCSV(p, columns, rows)
	case Table:
	}
	shown := slices.DeleteFunc(slices.Clone(columns), func(c Column[T]) bool { return c.Detail })
	return writeTable(p.w, shown, rows)
}

// One writes a single thing: in a table one line for each column.
func One[T any](p *Printer, columns []Column[T], row T) error {
	switch p.format {
	case JSON:
		return p.Document(row)
	case CSV:
		return writeCSV(p, columns, []T{row})
	case Table:
	}
	width := 0
	for _, c := range columns {
		width = max(width, len(c.title()))
	}
	var b strings.Builder
	for _, c := range columns {
		if v := canvas.Clean(c.Value(row)); v != "" {
			fmt.Fprintf(&b, "%-*s  %s\n", width, c.title(), v)
		}
	}
	_, err := io.WriteString(p.w, b.String())
	return err
}

// Document writes v as the one JSON document, whatever the format.
func (p *Printer) Document(v any) error {
	b, err := marshal(v, "  ")
	if err != nil {
		return fmt.Errorf("write json: %w", err)
	}
	_, err = p.w.Write(b)
	return err
}

// Line writes one line for people; programs that asked for JSON or CSV do not
// get it.
func (p *Printer) Line(format string, args ...any) error {
	if p.format != Table {
		return nil
	}
	_, err := fmt.Fprintln(p.w, canvas.Clean(fmt.Sprintf(format, args...)))
	return err
}

// marshal is JSON that a terminal can be shown: characters that a terminal
// could obey, which encoding/json leaves as they are, become \u escapes. That
// changes no value, since outside of strings they cannot occur.
func marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return escapeControls(b.Bytes()), nil
}

// MarshalLine is one JSON document on one line, safe to show on a terminal.
func MarshalLine(v any) ([]byte, error) { return marshal(v, "") }
