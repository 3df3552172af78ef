package inventory

import (
	"errors"
	"strconv"
)

const (
	maxSeatProblems = 20
	maxPrice        = 1_000_000_000_000
)

// CheckNewSeats reports what is wrong with seats that are to be added to an
// event whose money is currency, by their place in the list ("seat 3 price");
// at most 20 problems, and then how many more there are.
func CheckNewSeats(seats []Seat, currency Currency) error {
	switch {
	case len(seats) == 0:
		return Invalid("seats", "is missing")
	case len(seats) > MaxSeatsPerEvent:
		return Invalid("seats", "must be at most %d", MaxSeatsPerEvent)
	}
	var problems seatProblems
	var known knownSeats
	for i, s := range seats {
		field := "seat " + strconv.Itoa(i+1)
		problems.check(field, s)
		if s.Price.Currency != currency {
			problems.add(field+" price", "must be in the venue's currency, %s", currency)
		}
		if first, twice := known.line(s, i+1); twice {
			problems.add(field, "is the same seat as seat %d", first)
		}
	}
	return problems.err()
}

// seatProblems gathers what is wrong with many seats, without drowning whoever
// has to read it.
type seatProblems struct {
	kept  []error
	count int
}

func (p *seatProblems) add(field, format string, args ...any) {
	p.note(Invalid(field, format, args...))
}

func (p *seatProblems) note(err error) {
	if err == nil {
		return
	}
	if p.count++; len(p.kept) < maxSeatProblems {
		p.kept = append(p.kept, err)
	}
}

// check notes what is wrong with the seat itself; field is what leads to it.
func (p *seatProblems) check(field string, s Seat) {
	p.note(CheckText(field+" section", s.Section, maxName))
	p.note(CheckText(field+" row", s.Row, maxName))
	if s.Number < 1 || s.Number > maxSeatNumber {
		p.add(field+" number", "must be a whole number from 1 to %d", maxSeatNumber)
	}
	p.note(CheckText(field+" category", s.Category, maxName))
	if s.Price.Minor < 0 || s.Price.Minor > maxPrice {
		p.add(field+" price", "must not be negative or absurdly large")
	}
}

// err is nil if nothing was wrong.
func (p *seatProblems) err() error {
	if p.count > len(p.kept) {
		return errors.Join(append(p.kept[:len(p.kept):len(p.kept)], Invalid("file", "and %d more", p.count-len(p.kept)))...)
	}
	return errors.Join(p.kept...)
}

// knownSeats remembers where each seat was named first.
type knownSeats map[seatPlace]int

type seatPlace struct {
	section, row string
	number       int
}

// line returns where the seat was named before; if it was not, it is from now
// on known to stand at this line.
func (k *knownSeats) line(s Seat, at int) (first int, twice bool) {
	if *k == nil {
		*k = make(knownSeats)
	}
	place := seatPlace{s.Section, s.Row, s.Number}
	if first, twice = (*k)[place]; !twice {
		(*k)[place] = at
	}
	return first, twice
}
