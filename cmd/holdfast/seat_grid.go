package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"holdfast/inventory"
	"holdfast/tui/canvas"
)

// seatLetters shows a state as one letter; a seat that contradicts itself is "?".
var seatLetters = map[inventory.SeatState]byte{
	inventory.SeatAvailable: 'o', inventory.SeatHeld: 'h', inventory.SeatBooked: '#', inventory.SeatKilled: 'x',
}

const (
	hallLegend = "o free  h held  # booked  x off sale  ? needs repair"
	widestRow  = 24 // cells of a row's name
)

func seatLetter(s inventory.Seat) byte {
	letter, known := seatLetters[s.State]
	if s.NeedsRepair || !known {
		return '?'
	}
	return letter
}

// drawHall draws a grid for each section, sections and rows in the order of the
// hall: below each other the seats of one number, with a blank column where
// numbers are left out.
func drawHall(seats []inventory.Seat) []string {
	if len(seats) == 0 {
		return []string{"There are no seats yet: see holdfast seat import."}
	}
	var lines []string
	for _, section := range groupSeats(seats, func(s inventory.Seat) string { return s.Section }) {
		lines = append(lines, drawSection(section)...)
		lines = append(lines, "")
	}
	return append(lines, hallLegend)
}

// groupSeats keeps the order in which groups first come up.
func groupSeats(seats []inventory.Seat, of func(inventory.Seat) string) [][]inventory.Seat {
	at := map[string]int{}
	var groups [][]inventory.Seat
	for _, s := range seats {
		i, known := at[of(s)]
		if !known {
			i = len(groups)
			at[of(s)], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	return groups
}

func drawSection(seats []inventory.Seat) []string {
	rows := groupSeats(seats, func(s inventory.Seat) string { return s.Row })
	column, numbers := columnsOf(seats)
	margin := 0
	for _, row := range rows {
		margin = max(margin, canvas.Width(rowName(row)))
	}
	lines := []string{sectionTitle(seats)}
	for _, heading := range headings(numbers) {
		lines = append(lines, strings.Repeat(" ", margin+2)+heading)
	}
	for _, row := range rows {
		cells := slices.Repeat([]byte{' '}, len(numbers))
		for _, s := range row {
			cells[column[s.Number]] = seatLetter(s)
		}
		name := rowName(row)
		lines = append(lines, strings.TrimRight(name+strings.Repeat(" ", margin+2-canvas.Width(name))+string(cells), " "))
	}
	return lines
}

func rowName(row []inventory.Seat) string {
	return canvas.Cut(canvas.Clean(row[0].Row), widestRow, "…")
}

func sectionTitle(seats []inventory.Seat) string {
	var parts []string
	for _, state := range []struct {
		state inventory.SeatState
		word  string
	}{
		{inventory.SeatAvailable, "free"}, {inventory.SeatHeld, "held"}, {inventory.SeatBooked, "booked"}, {inventory.SeatKilled, "off sale"},
	} {
		n := 0
		for _, s := range seats {
			if s.State == state.state {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state.word))
		}
	}
	return canvas.Clean(seats[0].Section) + "  " + strings.Join(parts, ", ")
}

// columnsOf gives every number of a section its column. numbers names the
// columns; 0 is a blank one, where numbers are left out.
func columnsOf(seats []inventory.Seat) (column map[int]int, numbers []int) {
	all := make([]int, 0, len(seats))
	for _, s := range seats {
		all = append(all, s.Number)
	}
	slices.Sort(all)
	column = map[int]int{}
	for i, n := range slices.Compact(all) {
		if i > 0 && numbers[len(numbers)-1] != n-1 {
			numbers = append(numbers, 0)
		}
		column[n], numbers = len(numbers), append(numbers, n)
	}
	return column, numbers
}

// headings writes the numbers of the columns downwards, as long as the longest.
func headings(numbers []int) []string {
	digits := len(strconv.Itoa(slices.Max(numbers)))
	lines := make([]string, digits)
	for i := range lines {
		line := slices.Repeat([]byte{' '}, len(numbers))
		for x, n := range numbers {
			if text := fmt.Sprintf("%*d", digits, n); n > 0 {
				line[x] = text[i]
			}
		}
		lines[i] = strings.TrimRight(string(line), " ")
	}
	return lines
}
