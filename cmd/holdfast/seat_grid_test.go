package main

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"holdfast/inventory"
	"holdfast/tui/canvas"
)

func hallSeat(section, row string, number int, state inventory.SeatState) inventory.Seat {
	return inventory.Seat{Section: section, Row: row, Number: number, State: state}
}

func TestDrawHall(t *testing.T) {
	t.Parallel()
	seats := []inventory.Seat{
		hallSeat("PARKETT", "A", 9, inventory.SeatAvailable),
		hallSeat("PARKETT", "A", 10, inventory.SeatHeld),
		hallSeat("PARKETT", "A", 21, inventory.SeatBooked),
		hallSeat("PARKETT", "日本", 10, inventory.SeatKilled),
		{Section: "PARKETT", Row: "日本", Number: 11, State: inventory.SeatAvailable, NeedsRepair: true},
		hallSeat("RANG", "A", 1, inventory.SeatAvailable),
	}
	want := []string{
		"PARKETT  2 free, 1 held, 1 booked, 1 off sale",
		"       11 2",
		"      901 1",
		"A     oh  #",
		"日本   x?",
		"",
		"RANG  1 free",
		"   1",
		"A  o",
		"",
		hallLegend,
	}
	got := drawHall(seats)
	// Rows are aligned by cells, not by bytes or characters.
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("drawn\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := drawHall(nil); len(got) != 1 || !strings.Contains(got[0], "no seats yet") {
		t.Errorf("an empty hall is drawn as %q", got)
	}
}

// Whatever sections and rows are called, every seat of a row stands below its
// number, and no line holds what could steer a terminal.
func TestDrawHall_anyNamesStayAGrid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"日本武道館ホール大", "Cafe\u0301", "👩‍👩‍👧‍👦", "🇩🇪🇯🇵", "مسرح القاهرة", "क्षि देव", strings.Repeat("x", 200), "\x1b[2J", "\u202egnp",
		}))
		rows := rapid.SliceOfNDistinct(names, 1, 5, rapid.ID).Draw(t, "rows")
		numbers := rapid.SliceOfNDistinct(rapid.IntRange(1, 9999), 1, 20, rapid.ID).Draw(t, "numbers")
		var seats []inventory.Seat
		for _, row := range rows {
			for _, n := range numbers {
				seats = append(seats, hallSeat("HALL", row, n, inventory.SeatBooked))
			}
		}
		lines := drawSection(seats)
		column, columns := columnsOf(seats)
		grid := lines[len(lines)-len(rows):]
		margin := -1
		for _, line := range grid {
			// All that is drawn of a seat is one cell wide and the row ends with one.
			at := canvas.Width(line) - len(columns)
			if margin >= 0 && at != margin {
				t.Fatalf("a row begins at %d, another at %d:\n%s", margin, at, strings.Join(lines, "\n"))
			}
			margin = at
			if canvas.Clean(line) != line {
				t.Fatalf("a line could steer a terminal: %q", line)
			}
			cells := line[len(line)-len(columns):]
			for n, x := range column {
				if cells[x] != '#' {
					t.Fatalf("seat %d is not at column %d of %q", n, x, cells)
				}
			}
		}
		if margin > widestRow+2 {
			t.Fatalf("rows begin at %d", margin)
		}
		for n, x := range column {
			if got := numberAt(lines[1:len(lines)-len(rows)], margin+x); got != fmt.Sprint(n) {
				t.Fatalf("the heading above seat %d reads %q", n, got)
			}
		}
	})
}

// numberAt reads a column of the headings downwards.
func numberAt(headings []string, x int) string {
	var b strings.Builder
	for _, h := range headings {
		if x < len(h) {
			b.WriteByte(h[x])
		}
	}
	return strings.TrimSpace(b.String())
}
