package inventory_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"holdfast/inventory"
)

const seatHeader = inventory.SeatFileHeader + "\n"

func TestParseSeats(t *testing.T) {
	t.Parallel()
	parkett := inventory.Seat{
		Section: "PARKETT", Row: "D", Number: 7, Category: "A", State: inventory.SeatAvailable,
		Price: inventory.Money{Minor: 4550, Currency: "EUR"},
	}
	rang := inventory.Seat{
		Section: "RANG, LINKS", Row: `1 "hoch"`, Number: 9999, Category: "B", State: inventory.SeatAvailable,
		Price: inventory.Money{Minor: 0, Currency: "EUR"},
	}
	for _, c := range []struct{ name, file string }{
		{"plain", "section,row,number,category,price\nPARKETT,D,7,A,45.50\n\"RANG, LINKS\",\"1 \"\"hoch\"\"\",9999,B,0\n"},
		{"columns in another order", "price,number,row,category,section\n45.5,7,D,A,PARKETT\n0.00,9999,\"1 \"\"hoch\"\"\",B,\"RANG, LINKS\"\n"},
		{"byte order mark, CRLF, blank lines, no line end", "\ufeffsection,row,number,category,price\r\n\r\nPARKETT,D,07,A,45.50\r\n\"RANG, LINKS\",\"1 \"\"hoch\"\"\",9999,B,0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := inventory.ParseSeats(strings.NewReader(c.file), "EUR")
			if err != nil || !slices.Equal(got, []inventory.Seat{parkett, rang}) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestParseSeats_pricesAreOfTheCurrency(t *testing.T) {
	t.Parallel()
	for currency, want := range map[inventory.Currency]string{"JPY": "line 2 price", "EUR": "", "KWD": ""} {
		_, err := inventory.ParseSeats(strings.NewReader(seatHeader+"A,1,1,x,4.50\n"), currency)
		if got := fieldsOf(err); strings.Join(got, ",") != want {
			t.Errorf("4.50 %s: %v, want %q", currency, err, want)
		}
	}
}

// fieldsOf lists what FieldErrors name.
func fieldsOf(err error) []string {
	var fields []string
	for _, f := range inventory.FieldErrors(err) {
		fields = append(fields, f.Field)
	}
	return fields
}

func TestParseSeats_problemsNameTheirLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "file: is empty; its first line must be section,row,number,category,price"},
		{"a header alone", seatHeader, "file: has no seats below its header"},
		{"no header", "PARKETT,D,7,A,45.50\n", "line 1: column 1 is none of section,row,number,category,price, or one of them again"},
		{"semicolons", "section;row;number;category;price\n", "line 1: has no column section; the first line must be section,row,number,category,price"},
		{"a column too many", "section,row,number,category,price,state\n", "line 1: column 6 is none of section,row,number,category,price, or one of them again"},
		{"a column twice", "section,row,number,category,row\n", "line 1: has no column price; the first line must be section,row,number,category,price"},
		{"a short line", seatHeader + "A,1,1,x\n", "line 2: has 4 columns, not 5"},
		{"a long line", seatHeader + "A,1,1,x,1.00,\n", "line 2: has 6 columns, not 5"},
		{"no section", seatHeader + ",1,1,x,1.00\n", "line 2 section: is missing"},
		{"a blank around", seatHeader + "A, 1,1,x,1.00\n", "line 2 row: must not begin or end with a blank"},
		{"an escape sequence", seatHeader + "A\x1b[2J,1,1,x,1.00\n", "line 2 section: must not contain control or invisible formatting characters (U+001B)"},
		{"text turned around", seatHeader + "A,1,1,\u202ex,1.00\n", "line 2 category: must not contain control or invisible formatting characters (U+202E)"},
		{"a line break in a cell", seatHeader + "A,1,1,x,1.00\n\"A\nB\",1,2,x,1.00\n", "line 3 section: must not contain control or invisible formatting characters (U+000A)"},
		{"no UTF-8", seatHeader + "A\xff,1,1,x,1.00\n", "line 2 section: is not valid UTF-8"},
		{"longer than 200 characters", seatHeader + strings.Repeat("席", 201) + ",1,1,x,1.00\n", "line 2 section: is longer than 200 characters"},
		{"number 0", seatHeader + "A,1,0,x,1.00\n", "line 2 number: must be a whole number from 1 to 9999"},
		{"number 10000", seatHeader + "A,1,10000,x,1.00\n", "line 2 number: must be a whole number from 1 to 9999"},
		{"number -1", seatHeader + "A,1,-1,x,1.00\n", "line 2 number: must be a whole number from 1 to 9999"},
		{"number 1.5", seatHeader + "A,1,1.5,x,1.00\n", "line 2 number: must be a whole number from 1 to 9999"},
		{"no price", seatHeader + "A,1,1,x,\n", "line 2 price: must be a plain number with at most 2 digits after the point, such as 25.00"},
		{"a decimal comma", seatHeader + "A,1,1,x,\"1,00\"\n", "line 2 price: must be a plain number with at most 2 digits after the point, such as 25.00"},
		{"a negative price", seatHeader + "A,1,1,x,-1\n", "line 2 price: must be a plain number with at most 2 digits after the point, such as 25.00"},
		{"an absurd price", seatHeader + "A,1,1,x,99999999999\n", "line 2 price: must not be negative or absurdly large"},
		{"the same seat twice", seatHeader + "A,1,1,x,1.00\nA,1,2,x,1.00\nA,1,01,y,2.00\n", "line 4: is the same seat as line 2"},
		{"a stray quote", seatHeader + "A,1,1,x,1.00\nA\"B,1,2,x,1.00\nA,1,1,x,1.00\n", `line 3: has a " inside a cell that is not quoted; nothing below it was read`},
		{"a quote that does not end", seatHeader + "A,1,1,x,1.00\n\"A,1,2,x,1.00\nA,1,1,x,1.00\n", "line 4: has a quoted cell that does not end, or goes on behind its end; nothing below it was read"},
		{"every problem of a line", seatHeader + ",,0,,x\n", "line 2 section: is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			seats, err := inventory.ParseSeats(strings.NewReader(c.file), "EUR")
			if err == nil || seats != nil {
				t.Fatalf("got %d seats, %v", len(seats), err)
			}
			if inventory.Code(err) != "INVALID" {
				t.Errorf("code %s", inventory.Code(err))
			}
			if lines := strings.Split(err.Error(), "\n"); !slices.Contains(lines, c.want) {
				t.Errorf("got %q, want %q among them", lines, c.want)
			}
		})
	}
}

func TestParseSeats_everyProblemOfALineAtOnce(t *testing.T) {
	t.Parallel()
	_, err := inventory.ParseSeats(strings.NewReader(seatHeader+",,0,,x\n"), "EUR")
	want := []string{"line 2 section", "line 2 row", "line 2 number", "line 2 category", "line 2 price"}
	if got := fieldsOf(err); !slices.Equal(got, want) {
		t.Errorf("fields %q, want %q", got, want)
	}
}

func TestParseSeats_twentyProblemsAndHowManyMore(t *testing.T) {
	t.Parallel()
	_, err := inventory.ParseSeats(strings.NewReader(seatHeader+strings.Repeat("A,1,0,x,1.00\n", 25)), "EUR")
	problems := inventory.FieldErrors(err)
	if len(problems) != 21 || problems[19].Field != "line 21 number" || problems[20].Error() != "file: and 5 more" {
		t.Errorf("%d problems, at the end %v", len(problems), problems[len(problems)-1])
	}
	_, err = inventory.ParseSeats(strings.NewReader(seatHeader+strings.Repeat("A,1,0,x,1.00\n", 20)), "EUR")
	if problems := inventory.FieldErrors(err); len(problems) != 20 {
		t.Errorf("%d problems, want the 20 there are and no more", len(problems))
	}
}

func TestParseSeats_aSeatTooMany(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	file.WriteString(seatHeader)
	for i := range inventory.MaxSeatsPerEvent {
		fmt.Fprintf(&file, "A,%d,%d,x,1\n", i/1000, i%1000+1)
	}
	file.WriteString("B,1,1,x,1\n")
	if _, err := inventory.ParseSeats(strings.NewReader(file.String()), "EUR"); !slices.Equal(fieldsOf(err), []string{"line 100002"}) {
		t.Errorf("got %v", err)
	}
}

// endless is a file that never ends, in long lines.
type endless struct{ line []byte }

func (e endless) Read(p []byte) (int, error) { return copy(p, e.line), nil }

func TestParseSeats_aFileWithoutEndIsRefused(t *testing.T) {
	t.Parallel()
	file := io.MultiReader(strings.NewReader(seatHeader), endless{[]byte(strings.Repeat("a", 4000) + "\n")})
	if _, err := inventory.ParseSeats(file, "EUR"); err == nil || err.Error() != "file: is larger than 64 MiB" {
		t.Errorf("got %v", err)
	}
}

func TestParseSeats_brokenReader(t *testing.T) {
	t.Parallel()
	broken := io.MultiReader(strings.NewReader(seatHeader+"A,1,1,x,1.00\n"), iotest.ErrReader(io.ErrClosedPipe))
	if seats, err := inventory.ParseSeats(broken, "EUR"); !errors.Is(err, io.ErrClosedPipe) || seats != nil {
		t.Errorf("got %v, %v: half a file is not a file", seats, err)
	}
}

// Whatever words a hall uses, writing and reading a seat file changes nothing.
func TestParseSeats_roundTrip(t *testing.T) {
	t.Parallel()
	word := rapid.String().Filter(func(s string) bool { return inventory.CheckText("word", s, 200) == nil })
	rapid.Check(t, func(t *rapid.T) {
		var want []inventory.Seat
		var file strings.Builder
		w := csv.NewWriter(&file)
		_ = w.Write(strings.Split(inventory.SeatFileHeader, ","))
		for i := range rapid.IntRange(1, 8).Draw(t, "seats") {
			price := rapid.Int64Range(0, 1_000_000).Draw(t, "price")
			s := inventory.Seat{
				Section: word.Draw(t, "section"), Row: word.Draw(t, "row"), Number: i + 1, Category: word.Draw(t, "category"),
				Price: inventory.Money{Minor: inventory.Minor(price), Currency: "EUR"}, State: inventory.SeatAvailable,
			}
			want = append(want, s)
			_ = w.Write([]string{s.Section, s.Row, fmt.Sprint(s.Number), s.Category, s.Price.Plain()})
		}
		w.Flush()
		got, err := inventory.ParseSeats(strings.NewReader(file.String()), "EUR")
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q\nreads as %+v, %v", file.String(), got, err)
		}
	})
}

func FuzzParseSeats(f *testing.F) {
	f.Add(seatHeader + "PARKETT,D,7,A,45.50\n\"R\"\"1\",1,2,B,0\n")
	f.Add("\ufeffprice,number,row,category,section\r\n1,1,A,A,A\r\n")
	f.Add(seatHeader + "A,1,1,x\n\"")
	f.Fuzz(func(t *testing.T, file string) {
		seats, err := inventory.ParseSeats(strings.NewReader(file), "EUR")
		if err != nil {
			if seats != nil || len(inventory.FieldErrors(err)) == 0 || len(inventory.FieldErrors(err)) > 21 {
				t.Errorf("%q: %d seats, %v", file, len(seats), err)
			}
			return
		}
		if err := inventory.CheckNewSeats(seats, "EUR"); err != nil {
			t.Errorf("%q was accepted with %v", file, err)
		}
	})
}
