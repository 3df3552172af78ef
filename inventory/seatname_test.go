package inventory_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"holdfast/inventory"
)

func TestFindSeats(t *testing.T) {
	t.Parallel()
	seats := []inventory.Seat{
		{ID: 11, Section: "PARKETT", Row: "D", Number: 7},
		{ID: 12, Section: "PARKETT", Row: "D", Number: 8},
		{ID: 13, Section: "RANG", Row: "D", Number: 8},
		{ID: 14, Section: "RANG", Row: "K-1", Number: 123},
		{ID: 15, Section: "LOGE 1", Row: "A", Number: 1},
		{ID: 16, Section: "LOGE", Row: "1 A", Number: 1},
		{ID: 17, Section: "X", Row: "PARKETT D", Number: 7},
		{ID: 18, Section: "桟敷席", Row: "は", Number: 3},
	}
	for _, c := range []struct {
		names string // with / between
		want  []inventory.SeatID
		err   string
	}{
		{"PARKETT D-07", []inventory.SeatID{11}, ""},
		{"PARKETT D-7", []inventory.SeatID{11}, ""},
		{"RANG D-08/PARKETT D-08", []inventory.SeatID{13, 12}, ""}, // in the order of the names
		{"D-07", []inventory.SeatID{11}, ""},
		{"K-1-123", []inventory.SeatID{14}, ""},
		{"RANG K-1-123", []inventory.SeatID{14}, ""},
		{"12", []inventory.SeatID{12}, ""},
		{"X PARKETT D-07", []inventory.SeatID{17}, ""},
		{"は-03/桟敷席 は-03", nil, "seats: 桟敷席 は-03 is named twice"},
		{"D-08", nil, `seats: "D-08" can be PARKETT D-08 (12) or RANG D-08 (13): add the section, or use the id`},
		{"LOGE 1 A-01", nil, `seats: "LOGE 1 A-01" can be LOGE 1 A-01 (15) or LOGE 1 A-01 (16): add the section, or use the id`},
		{"E-01", nil, `seats: there is no seat "E-01"`},
		{"parkett D-07", nil, `seats: there is no seat "parkett D-07"`},
		{"99", nil, `seats: there is no seat "99"`},
		{"012", nil, `seats: there is no seat "012"`},
		{"", nil, `seats: there is no seat ""`},
		{"-", nil, `seats: there is no seat "-"`},
		{"D-99999999999999999999", nil, `seats: there is no seat "D-99999999999999999999"`},
		{"\x1b[2J\u202eD-07", nil, `seats: there is no seat "\x1b[2J\u202eD-07"`},
		{strings.Repeat("席", 100), nil, `seats: there is no seat "` + strings.Repeat("席", 80) + `..."`},
		{"E-01/D-08", nil, "seats: there is no seat \"E-01\"\nseats: \"D-08\" can be PARKETT D-08 (12) or RANG D-08 (13): add the section, or use the id"},
	} {
		found, err := inventory.FindSeats(seats, strings.Split(c.names, "/"))
		var got []inventory.SeatID
		for _, s := range found {
			got = append(got, s.ID)
		}
		text := ""
		if err != nil {
			text = err.Error()
		}
		if !slices.Equal(got, c.want) || text != c.err {
			t.Errorf("%q: %v, %q, want %v, %q", c.names, got, text, c.want, c.err)
		}
	}
}

// Every seat can be named: by its name, or, where that is not enough, by the id
// that the error offers.
func TestFindSeats_everySeatCanBeNamed(t *testing.T) {
	t.Parallel()
	word := rapid.StringOfN(rapid.RuneFrom([]rune("AB-1 席")), 1, 3, -1)
	rapid.Check(t, func(t *rapid.T) {
		var seats []inventory.Seat
		known := make(map[place]bool)
		for i := range rapid.IntRange(1, 12).Draw(t, "seats") {
			s := inventory.Seat{
				ID: inventory.SeatID(i + 1), Section: word.Draw(t, "section"), Row: word.Draw(t, "row"),
				Number: rapid.SampledFrom([]int{1, 2, 10, 9999}).Draw(t, "number"),
			}
			if p := (place{s.Section, s.Row, s.Number}); !known[p] {
				known[p], seats = true, append(seats, s)
			}
		}
		for _, s := range seats {
			found, err := inventory.FindSeats(seats, []string{s.Name()})
			if err == nil && found[0].ID != s.ID || err != nil && !strings.Contains(err.Error(), " can be ") {
				t.Fatalf("%q finds %v, %v, want seat %s", s.Name(), found, err, s.ID)
			}
			if found, err := inventory.FindSeats(seats, []string{s.ID.String()}); err != nil || found[0].ID != s.ID {
				t.Fatalf("id %s finds %v, %v", s.ID, found, err)
			}
		}
	})
}
