package inventory

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// SeatFileHeader names the columns of a seat file, as ParseSeats wants them.
const SeatFileHeader = "section,row,number,category,price"

const maxSeatFile = 64 << 20 // bytes; a hall of MaxSeatsPerEvent with long names is far smaller

// ParseSeats reads a seat file: CSV as in RFC 4180, UTF-8, with the columns of
// SeatFileHeader in any order. Prices are plain decimals of the currency. The
// seats come back in the order of the file, which is the order of the hall.
//
// It is all or nothing. Problems are FieldErrors that name line and column
// ("line 17 price"), up to 20 of them and then how many more there are. An
// error that is none comes from r.
func ParseSeats(r io.Reader, currency Currency) ([]Seat, error) {
	limited := &io.LimitedReader{R: r, N: maxSeatFile + 1}
	text := bufio.NewReader(limited)
	if mark, err := text.Peek(3); err == nil && bytes.Equal(mark, []byte("\ufeff")) {
		_, _ = text.Discard(len(mark)) // spreadsheets put it there
	}
	f := seatFile{csv: csv.NewReader(text), currency: currency}
	err := f.read()
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the seat file: %w", err)
	case limited.N == 0:
		return nil, Invalid("file", "is larger than %d MiB", maxSeatFile>>20)
	case f.problems.err() != nil:
		return nil, f.problems.err()
	case len(f.seats) == 0:
		return nil, Invalid("file", "has no seats below its header")
	}
	return f.seats, nil
}

// seatFile is a seat file that is being read.
type seatFile struct {
	csv      *csv.Reader
	currency Currency
	columns  [5]int // where section, row, number, category, price stand
	seats    []Seat
	known    knownSeats
	problems seatProblems
}

// read reads to the end, or to where reading on makes no sense. The error is
// the reader's own.
func (f *seatFile) read() error {
	header, err := f.csv.Read()
	if errors.Is(err, io.EOF) {
		f.problems.add("file", "is empty; its first line must be %s", SeatFileHeader)
		return nil
	}
	if err != nil {
		return f.broken(err)
	}
	if !f.readHeader(header) {
		return nil
	}
	for {
		record, err := f.csv.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		wrongWidth := errors.Is(err, csv.ErrFieldCount)
		if err != nil && !wrongWidth {
			return f.broken(err)
		}
		line, _ := f.csv.FieldPos(0)
		switch {
		case wrongWidth:
			f.problems.add(lineField(line), "has %d columns, not %d", len(record), len(f.columns))
		case len(f.seats) == MaxSeatsPerEvent:
			f.problems.add(lineField(line), "is one too many: an event has at most %d seats", MaxSeatsPerEvent)
			return nil
		default:
			f.readSeat(line, record)
		}
	}
}

// broken notes a problem with quotes, and hands back what is none. What follows
// a stray quote may be read as one long cell, so reading ends there.
func (f *seatFile) broken(err error) error {
	parse, ok := errors.AsType[*csv.ParseError](err)
	switch {
	case !ok:
		return err
	case errors.Is(parse, csv.ErrBareQuote):
		f.problems.add(lineField(parse.Line), `has a " inside a cell that is not quoted; nothing below it was read`)
	default:
		f.problems.add(lineField(parse.Line), "has a quoted cell that does not end, or goes on behind its end; nothing below it was read")
	}
	return nil
}

// readHeader finds the columns and reports whether all are there.
func (f *seatFile) readHeader(header []string) bool {
	line, _ := f.csv.FieldPos(0)
	names := strings.Split(SeatFileHeader, ",")
	seen := make(map[string]bool, len(names))
	for at, name := range header {
		i := slices.Index(names, name)
		if i < 0 || seen[name] {
			f.problems.add(lineField(line), "column %d is none of %s, or one of them again", at+1, SeatFileHeader)
			continue
		}
		f.columns[i], seen[name] = at, true
	}
	for _, name := range names {
		if !seen[name] {
			f.problems.add(lineField(line), "has no column %s; the first line must be %s", name, SeatFileHeader)
		}
	}
	return f.problems.count == 0
}

func (f *seatFile) readSeat(line int, record []string) {
	cell := func(i int) string { return record[f.columns[i]] }
	s := Seat{Section: cell(0), Row: cell(1), Category: cell(3), State: SeatAvailable, Price: Money{Currency: f.currency}}
	before := f.problems.count
	field := lineField(line)
	number := cell(2)
	if digits(number) && len(number) <= 4 {
		s.Number, _ = strconv.Atoi(number) // what is left to be wrong is 0, which check reports
	}
	price, priceErr := ParseMinor(cell(4), f.currency)
	if priceErr == nil {
		s.Price.Minor = price
	}
	f.problems.check(field, s)
	if priceErr != nil {
		f.problems.add(field+" price", "%s", priceErr.Error())
	}
	if f.problems.count == before {
		if first, twice := f.known.line(s, line); twice {
			f.problems.add(field, "is the same seat as line %d", first)
		}
	}
	f.seats = append(f.seats, s)
}

func lineField(line int) string { return "line " + strconv.Itoa(line) }
