package demo

import (
	"slices"
	"testing"

	"holdfast/inventory"
)

func TestPick(t *testing.T) {
	t.Parallel()
	row := func(states string) []seat {
		var out []seat
		for i, c := range states {
			s := seat{ID: string(rune('a' + i)), Section: "S", Row: "A", Number: i + 1, State: inventory.SeatBooked}
			if c == 'o' {
				s.State = inventory.SeatAvailable
			}
			out = append(out, s)
		}
		return out
	}
	aisle := row("oo")
	aisle[1].Row = "B"
	cases := map[string]struct {
		seats       []seat
		from, party int
		want        []string
	}{
		"neighbours":        {row("oooo"), 1, 2, []string{"b", "c"}},
		"upToATakenOne":     {row("oo#o"), 0, 3, []string{"a", "b"}},
		"overTakenOnes":     {row("##oo"), 0, 2, []string{"c", "d"}},
		"roundTheEnd":       {row("o###"), 2, 1, []string{"a"}},
		"notIntoTheNextRow": {aisle, 0, 2, []string{"a"}},
		"nothingLeft":       {row("##"), 1, 2, nil},
		"noSeats":           {nil, 0, 2, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := pick(c.seats, c.from, c.party); !slices.Equal(got, c.want) {
				t.Errorf("pick = %v, want %v", got, c.want)
			}
		})
	}
}

func TestHallSeats(t *testing.T) {
	t.Parallel()
	seats := hallSeats("EUR")
	if err := inventory.CheckNewSeats(seats, "EUR"); err != nil || len(seats) != 300 {
		t.Errorf("%d seats, %v; want 300", len(seats), err)
	}
}
