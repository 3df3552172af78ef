package inventory

import (
	"errors"
	"strconv"
	"strings"
)

// FindSeats looks up seats as people write them, in the order of names:
// "PARKETT D-07", "D-07" if only one section has it, or the id. A name that
// fits no seat, or several, is a FieldError, and so is a seat named twice.
func FindSeats(seats []Seat, names []string) ([]Seat, error) {
	byID := make(map[SeatID]*Seat, len(seats))
	full, bare := make(map[seatLabel][]*Seat, len(seats)), make(map[seatLabel][]*Seat, len(seats))
	for i := range seats {
		s := &seats[i]
		byID[s.ID] = s
		full[seatLabel{s.Section + " " + s.Row, s.Number}] = append(full[seatLabel{s.Section + " " + s.Row, s.Number}], s)
		bare[seatLabel{s.Row, s.Number}] = append(bare[seatLabel{s.Row, s.Number}], s)
	}
	var errs []error
	out := make([]Seat, 0, len(names))
	taken := make(map[SeatID]bool, len(names))
	for _, name := range names {
		var found []*Seat
		if id, err := ParseSeatID("seat", name); err == nil && byID[id] != nil {
			found = []*Seat{byID[id]}
		} else if label, ok := parseLabel(name); ok {
			// With its section a seat is named in full: a row elsewhere that
			// happens to be called so must not make it unnameable.
			if found = full[label]; len(found) == 0 {
				found = bare[label]
			}
		}
		switch {
		case len(found) == 0:
			errs = append(errs, Invalid("seats", "there is no seat %s", echo(name)))
		case len(found) > 1:
			errs = append(errs, Invalid("seats", "%s can be %s or %s: add the section, or use the id", echo(name), found[0].named(), found[1].named()))
		case taken[found[0].ID]:
			errs = append(errs, Invalid("seats", "%s is named twice", found[0].Name()))
		default:
			taken[found[0].ID] = true
			out = append(out, *found[0])
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return out, nil
}

// seatLabel is what stands before the last hyphen of a seat's name, and the
// number behind it.
type seatLabel struct {
	row    string
	number int
}

func parseLabel(name string) (seatLabel, bool) {
	at := strings.LastIndexByte(name, '-')
	if at < 0 || !digits(name[at+1:]) || len(name)-at > 5 {
		return seatLabel{}, false
	}
	n, err := strconv.Atoi(name[at+1:])
	return seatLabel{name[:at], n}, err == nil
}

// named is the name with the id, where names alone do not tell seats apart.
func (s *Seat) named() string { return s.Name() + " (" + s.ID.String() + ")" }

// echo repeats what somebody typed, in a form that is safe to print.
func echo(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "..."
	}
	return strconv.Quote(text)
}
