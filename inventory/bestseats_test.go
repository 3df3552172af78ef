package inventory_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/inventory"
)

// hall reads a picture: a line a row, a column a number. A dot is AVAILABLE, a
// comma AVAILABLE of category B, x BOOKED, # KILLED, ! in need of repair, a
// blank no seat. Before the row stands its name, with a section before a slash.
func hall(picture string) []inventory.Seat {
	var seats []inventory.Seat
	for line := range strings.Lines(picture) {
		name, row, found := strings.Cut(strings.Trim(line, "\t\n"), ":")
		if !found {
			continue
		}
		section, label, inSection := strings.Cut(name, "/")
		if !inSection {
			section, label = "HALL", name
		}
		for i, r := range row {
			s := inventory.Seat{
				ID: inventory.SeatID(len(seats) + 1), Section: section, Row: label, Number: i + 1,
				Category: "A", State: inventory.SeatAvailable,
			}
			switch r {
			case ' ':
				continue
			case ',':
				s.Category = "B"
			case 'x':
				s.State = inventory.SeatBooked
			case '#':
				s.State = inventory.SeatKilled
			case '!':
				s.NeedsRepair = true
			}
			seats = append(seats, s)
		}
	}
	return seats
}

// chosen names seats: "A 3-5", or "none".
func chosen(seats []inventory.Seat, ids []inventory.SeatID) string {
	if ids == nil {
		return "none"
	}
	byID := make(map[inventory.SeatID]inventory.Seat)
	for _, s := range seats {
		byID[s.ID] = s
	}
	first, last := byID[ids[0]], byID[ids[len(ids)-1]]
	return fmt.Sprintf("%s %d-%d", first.Row, first.Number, last.Number)
}

func TestBestSeats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name              string
		hall              string
		n                 int
		category, section string
		want              string
	}{
		{"the middle of the first row", "A:........\nB:........", 2, "", "", "A 4-5"},
		{"an odd row has a seat in the middle", "A:.......", 3, "", "", "A 3-5"},
		{"two places as near to the middle: the lower numbers", "A:.......", 2, "", "", "A 3-4"},
		{"one seat leaves none alone", "A:...", 1, "", "", "A 1-1"},
		{"a seat that stands alone already is no worse for it", "A:xx.xx..", 1, "", "", "A 3-3"},
		{"two in a stretch of three leave one alone: the next row", "A:x...x\nB:....", 2, "", "", "B 1-2"},
		{"three in a row of four likewise", "A:....\nB:...", 3, "", "", "B 1-3"},
		{"one alone is taken into account only if it is new", "A:.x..x.\nB:....", 2, "", "", "A 3-4"},
		{"no other place: then one stays alone, in the earliest row", "A:x...x\nB:...", 2, "", "", "A 2-3"},
		{"at the end of the row, not one from it", "A:xxx.....", 3, "", "", "A 4-6"},
		{"killed seats end a stretch", "A:..#..\nB:.....", 3, "", "", "B 1-3"},
		{"so does a missing number", "A:.. ..\nB:.....", 5, "", "", "B 1-5"},
		{"and a seat that needs repair", "A:..!..\nB:...", 3, "", "", "B 1-3"},
		{"of one category", "A:,,....\nB:,,,,,,", 3, "B", "", "B 1-3"},
		{"a free seat of another category is left alone too", "A:,,,.\nB:,,,,,", 3, "B", "", "B 1-3"},
		{"in one section", "LEFT/A:....\nRIGHT/A:....", 2, "", "RIGHT", "A 1-2"},
		{"rows of one name in two sections are two rows", "LEFT/A:..\nRIGHT/A:..", 3, "", "", "none"},
		{"no such category", "A:....", 2, "C", "", "none"},
		{"not so many together", "A:..x..\nB:.x.x.", 3, "", "", "none"},
		{"nothing free", "A:xx", 1, "", "", "none"},
		{"an empty hall", "", 1, "", "", "none"},
		{"none asked for", "A:....", 0, "", "", "none"},
		{"less than none asked for", "A:....", -3, "", "", "none"},
		{"more than the row has", "A:....", 5, "", "", "none"},
		{"the whole row", "A:....", 4, "", "", "A 1-4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			seats := hall(c.hall)
			got := inventory.BestSeats(seats, c.n, c.category, c.section)
			if text := chosen(seats, got); text != c.want {
				t.Errorf("best %d of\n%s\nis %s, want %s", c.n, c.hall, text, c.want)
			}
			if c.section != "" && got != nil && seats[got[0]-1].Section != c.section {
				t.Errorf("the seats are in section %s", seats[got[0]-1].Section)
			}
		})
	}
}

// Row order is that of ids, whatever the names of rows and the order of the list.
func TestBestSeats_hallOrderIsIDOrder(t *testing.T) {
	t.Parallel()
	seats := hall("ZZ:....\nAA:....")
	slices.Reverse(seats)
	if got := inventory.BestSeats(seats, 2, "", ""); !slices.Equal(got, []inventory.SeatID{1, 2}) {
		t.Errorf("best 2 = %v, want 1 and 2, of the row with the lowest ids", got)
	}
}

func idsUpTo(n int) []inventory.SeatID {
	ids := make([]inventory.SeatID, n)
	for i := range ids {
		ids[i] = inventory.SeatID(i + 1)
	}
	return ids
}

// place finds the free seats of a hall for the oracle below, which looks at
// neighbours one by one and so shares nothing with the code it judges.
type place struct {
	section, row string
	number       int
}

func freePlaces(seats []inventory.Seat) map[place]inventory.Seat {
	free := make(map[place]inventory.Seat)
	for _, s := range seats {
		if s.State == inventory.SeatAvailable && !s.NeedsRepair {
			free[place{s.Section, s.Row, s.Number}] = s
		}
	}
	return free
}

// leavesOneAlone reports whether taking n seats from first on leaves a free
// neighbour without any free neighbour.
func leavesOneAlone(free map[place]inventory.Seat, first place, n int) bool {
	alone := func(seat, beyond int) bool {
		_, isFree := free[place{first.section, first.row, seat}]
		_, hasCompany := free[place{first.section, first.row, beyond}]
		return isFree && !hasCompany
	}
	return alone(first.number-1, first.number-2) || alone(first.number+n, first.number+n+1)
}

func TestBestSeats_properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.StringOfN(rapid.RuneFrom([]rune("......,,x#! ")), 0, 12, -1)
		var picture strings.Builder
		for i := range rapid.IntRange(1, 5).Draw(t, "rows") {
			fmt.Fprintf(&picture, "%s/%c:%s\n", rapid.SampledFrom([]string{"LEFT", "RIGHT"}).Draw(t, "section"), 'A'+i, row.Draw(t, "row"))
		}
		seats := hall(picture.String())
		rank := make(map[string]inventory.SeatID) // by row: its lowest id, also where ids are all mixed up
		for i, id := range rapid.Permutation(idsUpTo(len(seats))).Draw(t, "ids") {
			seats[i].ID = id
			if lowest, known := rank[seats[i].Row]; !known || id < lowest {
				rank[seats[i].Row] = id
			}
		}
		n := rapid.IntRange(1, 6).Draw(t, "n")
		category := rapid.SampledFrom([]string{"", "A", "B"}).Draw(t, "category")
		section := rapid.SampledFrom([]string{"", "LEFT"}).Draw(t, "in")

		free := freePlaces(seats)
		wanted := func(p place) bool {
			s, ok := free[p]
			return ok && (category == "" || s.Category == category) && (section == "" || s.Section == section)
		}
		choices, clean := 0, 0
		earliest, earliestClean := inventory.SeatID(math.MaxInt64), inventory.SeatID(math.MaxInt64)
		for p := range free {
			all := true
			for i := range n {
				all = all && wanted(place{p.section, p.row, p.number + i})
			}
			if !all {
				continue
			}
			choices++
			earliest = min(earliest, rank[p.row])
			if !leavesOneAlone(free, p, n) {
				clean++
				earliestClean = min(earliestClean, rank[p.row])
			}
		}

		shuffled := rapid.Permutation(seats).Draw(t, "order")
		got := inventory.BestSeats(shuffled, n, category, section)
		if again := inventory.BestSeats(seats, n, category, section); !slices.Equal(got, again) {
			t.Fatalf("in another order the same seats give %v and %v", got, again)
		}
		if (got == nil) != (choices == 0) {
			t.Fatalf("%d choices of %d, chosen: %v\n%s", choices, n, got, &picture)
		}
		if got == nil {
			return
		}
		if len(got) != n {
			t.Fatalf("chose %v, want %d seats", got, n)
		}
		byID := make(map[inventory.SeatID]place)
		for p, s := range free {
			byID[s.ID] = p
		}
		first, ok := byID[got[0]]
		for i, id := range got {
			if p, isFree := byID[id]; !ok || !isFree || p != (place{first.section, first.row, first.number + i}) || !wanted(p) {
				t.Fatalf("seat %d of %v is not a free neighbour as asked for\n%s", i, got, &picture)
			}
		}
		alone := leavesOneAlone(free, first, n)
		if alone && clean > 0 {
			t.Fatalf("%v leaves a seat alone, %d choices do not\n%s", got, clean, &picture)
		}
		if clean > 0 && rank[first.row] != earliestClean || clean == 0 && rank[first.row] != earliest {
			t.Fatalf("%v is not in the earliest row there is\n%s", got, &picture)
		}
	})
}

func TestBestSeats_tenThousandSeatsUnder5ms(t *testing.T) {
	t.Parallel()
	seats := bigHall()
	best := time.Hour
	for range 10 { // the fastest of a few: other tests run beside this one
		begin := time.Now()
		if got := inventory.BestSeats(seats, 2, "", ""); got == nil {
			t.Fatal("nothing found")
		}
		best = min(best, time.Since(begin))
	}
	limit := 5 * time.Millisecond
	if testing.Short() { // the race detector's run: about ten times as slow
		limit = 100 * time.Millisecond
	}
	if best > limit {
		t.Errorf("took %s, want under %s", best, limit)
	}
}

// bigHall has 100 rows of 100 seats, two together in the last row only: the
// worst case.
func bigHall() []inventory.Seat {
	var picture strings.Builder
	for i := range 99 {
		fmt.Fprintf(&picture, "%d:%s\n", i, strings.Repeat(".x", 50))
	}
	return hall(picture.String() + "Z:" + strings.Repeat(".", 100))
}

func BenchmarkBestSeats(b *testing.B) {
	seats := bigHall()
	for b.Loop() {
		inventory.BestSeats(seats, 2, "", "")
	}
}
