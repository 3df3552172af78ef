package output

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"holdfast/tui/canvas"
)

type row struct {
	Name string `json:"name"`
	N    string `json:"n"`
}

var columns = []Column[row]{
	{Name: "free_places", Number: true, Value: func(r row) string { return r.N }},
	{Name: "name", Value: func(r row) string { return r.Name }},
}

func render(t interface{ Fatal(...any) }, f Format, raw bool, rows ...row) string {
	var b bytes.Buffer
	if err := Rows(New(&b, f, raw), columns, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRows(t *testing.T) {
	t.Parallel()
	rows := []row{{"Zürich", "7"}, {"日本武道館", "1200"}}

	t.Run("table", func(t *testing.T) {
		t.Parallel()
		want := "FREE PLACES  NAME\n          7  Zürich\n       1200  日本武道館\n"
		if got := render(t, Table, false, rows...); got != want {
			t.Errorf("table:\n%swant:\n%s", got, want)
		}
	})
	t.Run("json", func(t *testing.T) {
		t.Parallel()
		var back []row
		if err := json.Unmarshal([]byte(render(t, JSON, false, rows...)), &back); err != nil || len(back) != 2 || back[1] != rows[1] {
			t.Errorf("read back %v, %v", back, err)
		}
		if got := render(t, JSON, false); got != "[]\n" {
			t.Errorf("no rows = %q, want an empty list", got)
		}
	})
	t.Run("csv", func(t *testing.T) {
		t.Parallel()
		want := "free_places,name\r\n7,\"Zürich\"\r\n1200,\"日本武道館\"\r\n"
		if got := render(t, CSV, false, rows...); got != want {
			t.Errorf("csv %q, want %q", got, want)
		}
	})
	t.Run("oneIsALinePerColumnWithoutEmptyOnes", func(t *testing.T) {
		t.Parallel()
		var b bytes.Buffer
		if err := One(New(&b, Table, false), columns, row{"Main", ""}); err != nil || b.String() != "name         Main\n" {
			t.Errorf("One = %q, %v", b.String(), err)
		}
	})
}

func TestCSV_formulaGuard(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"=cmd|'/C calc'!A0", "+1", "-2", "@x", " =1", "\"=1", "'=1", "\uff1d1", "|x", "%x"} {
		if got := csvCell(s, false, false); !strings.HasPrefix(got, `"'`) {
			t.Errorf("csvCell(%q) = %s, want an apostrophe in front", s, got)
		}
		if got := csvCell(s, false, true); strings.HasPrefix(got, `"'`) && !strings.HasPrefix(s, "'") {
			t.Errorf("raw csvCell(%q) = %s, want it unguarded", s, got)
		}
	}
	for _, s := range []string{"", "Main", "2026-12-04", "a=b"} {
		if got := csvCell(s, false, false); got != `"`+s+`"` {
			t.Errorf("csvCell(%q) = %s, want it as it is", s, got)
		}
	}
	// Text does not get out of the guard by being in a column of numbers.
	if got := csvCell("-cmd", true, false); got != `"'-cmd"` {
		t.Errorf("text in a number column = %s", got)
	}
	if got := csvCell("-12.50", true, false); got != "-12.50" {
		t.Errorf("number = %s", got)
	}
}

// Whatever a customer typed: no control byte is written, the JSON keeps the
// value, and the CSV has the right number of cells.
func TestRows_hostileText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"\x1b[2J", "\x1b]52;c;aGk=\a", "a\u009b31mb", "\u202egnp.exe", "a\r\nb", "\x00", "\U000e0041tag", "\x7f", "a\u200bb", "\u2028",
		})).Draw(t, "name")
		for _, f := range []Format{Table, CSV, JSON} {
			out := render(t, f, false, row{name, "1"})
			for _, r := range strings.ReplaceAll(out, "\r\n", "\n") {
				if steers(r) {
					t.Fatalf("%s holds %U: %q", f, r, out)
				}
			}
		}
		var back []row
		if err := json.Unmarshal([]byte(render(t, JSON, false, row{name, "1"})), &back); err != nil {
			t.Fatalf("json: %v", err)
		}
		if want := strings.ToValidUTF8(name, "\ufffd"); strings.ToValidUTF8(back[0].Name, "\ufffd") != want && !strings.Contains(name, "\ufffd") {
			t.Fatalf("json gave %q back, want %q", back[0].Name, want)
		}
		records, err := csv.NewReader(strings.NewReader(render(t, CSV, false, row{name, "1"}))).ReadAll()
		if err != nil || len(records) != 2 || len(records[1]) != 2 {
			t.Fatalf("csv: %v, %v", records, err)
		}
		// One apostrophe may be in front of what a spreadsheet would run; the text
		// may well begin with one of its own.
		clean := canvas.Clean(name)
		if got := records[1][1]; got != clean && got != "'"+clean {
			t.Fatalf("csv cell %q, want %q", got, clean)
		}
	})
}

func TestParseFormat(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"table", "json", "csv"} {
		if f, err := ParseFormat(s); err != nil || string(f) != s {
			t.Errorf("ParseFormat(%q) = %q, %v", s, f, err)
		}
	}
	for _, s := range []string{"", "JSON", "yaml"} {
		if _, err := ParseFormat(s); err == nil {
			t.Errorf("ParseFormat(%q) was accepted", s)
		}
	}
}
