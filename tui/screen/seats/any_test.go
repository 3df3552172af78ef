package seats_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/screen/seats"
	"holdfast/tui/tuitest"
)

// nasty are names that the public sends, and that a hall may have.
var nasty = []string{
	"A", "日本武道館ホール大", "Cafe\u0301", "👨\u200d👩\u200d👧\u200d👦", "🇩🇪🇫🇷", "مسرح القاهرة", "क्षि देव", strings.Repeat("x", 200),
	"\x1b[2J\x1b]0;gone\x07", "line\nbreak\ttab", "\u202ereversed", "", "a\u0300\u0301\u0302\u0303\u0304", "\xff\xfe", "m] [ Book ]", strings.Repeat("席", 200),
}

// nastyHall has sections, rows, categories, buyers and reasons of those names.
func nastyHall() *house {
	h := empty()
	h.seats = nil
	for i, section := range nasty {
		for j, row := range nasty {
			for n := 1; n <= 6; n++ {
				if n != 4 {
					h.add(section, row, n*(1+i%3*500), nasty[(i+j)%len(nasty)], inventory.Minor(n*1e9))
				}
			}
		}
	}
	for i := range h.seats {
		switch i % 5 {
		case 0:
			h.give(i, nasty[i%len(nasty)], inventory.StateHeld, time.Duration(i)*time.Second, h.seats[i].ID)
		case 1:
			h.kill(h.seats[i].ID, nasty[i/5%len(nasty)])
		case 2:
			h.seats[i].NeedsRepair = i%35 == 2
		}
	}
	h.events[0].Name = nasty[7]
	return h
}

// The grid stays a grid whatever sections and rows are called: every seat of a
// column stands in the same cell, every line is as wide as the screen.
func TestSeats_NastyNames(t *testing.T) {
	t.Parallel()

	c, m := openModel(t, nastyHall())
	c.Frame("nasty")
	for _, size := range [][2]int{{80, 24}, {40, 12}, {160, 50}, {100, 30}, {40, 10}, {41, 11}} {
		c.Resize(size[0], size[1])
		for range nasty {
			rest(c)
			column(t, c, m)
			for _, k := range []string{"enter", "b", "o", "B", "z", "m"} {
				c.Press(k)
				c.View()
				c.Press("esc")
			}
			c.Press("tab", "]", "down")
		}
	}
}

// seatsOnly is what the cells between the names of a row may hold: a seat with or
// without the cursor, an aisle.
var seatsOnly = regexp.MustCompile(`^(?:[ >][oh#x?m]|  )*$`)

// column fails the test unless the seats of the rows on screen stand below each
// other: in the nasty hall all rows of a section have the same numbers.
func column(t *testing.T, c *tuitest.Console, m *seats.Model) {
	t.Helper()
	area := m.Cells()
	var first []int
	for y, l := range strings.Split(c.View(), "\n")[area.Y : area.Y+area.H] {
		cells := cellsOf(l)[area.X : area.X+area.W]
		text := strings.Join(cells, "")
		if len(text) != area.W || !seatsOnly.MatchString(text) {
			t.Fatalf("row %d of the grid holds %q:\n%s", y, text, c.View())
		}
		var at []int
		for x, cell := range cells {
			if cell != " " && cell != ">" {
				at = append(at, x)
			}
		}
		if y == 0 {
			first = at
		}
		if !slices.Equal(at, first) {
			t.Fatalf("the seats of row %d stand at %v, those of the first at %v:\n%s", y, at, first, c.View())
		}
	}
}

// cellsOf is a line of the screen, a string for each cell; the second cell of a
// wide character is empty.
func cellsOf(l string) []string {
	var out []string
	for char, w := range canvas.Characters(l) {
		out = append(out, char)
		for range w - 1 {
			out = append(out, "")
		}
	}
	return out
}

// titles are the dialogs that must stand before a write.
var titles = regexp.MustCompile(`BOOK (ONE|\d+) SEAT|TAKE (ONE|\d+) SEAT|PUT (ONE|\d+) SEAT|MOVE ONE SEAT`)

// Whatever is pressed and whatever happens meanwhile: the picture is exact,
// nothing is written without its dialog, no refresh moves the cursor to another
// seat, and what is marked can be booked or put back on sale.
func TestSeats_AnyKeysAndEvents(t *testing.T) {
	t.Parallel()

	pressed := []string{
		"up", "down", "left", "right", "home", "end", "pgup", "pgdown", "tab", "tab", "[", "]", "z", "enter", "esc", "space", "v", "*",
		"shift+right", "shift+left", "shift+down", "shift+up", "b", "b", "B", "o", "o", "m", "m", "/", "g", "u", "-", "1", "2", "F",
		"ctrl+s", "ctrl+s", "enter", "tab", "shift+tab", "backspace", "r", "p", "Z", "?", ":", "x",
	}
	rapid.Check(t, func(rt *rapid.T) {
		h := rapid.SampledFrom([]func() *house{small, festivalSmall}).Draw(rt, "hall")()
		c, m := openModel(t, h)
		for range rapid.IntRange(0, 60).Draw(rt, "steps") {
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0: // below 40x10 the frame shows no screen at all
				c.Resize(rapid.IntRange(40, 170).Draw(rt, "w"), rapid.IntRange(10, 50).Draw(rt, "h"))
			case 1:
				h.err = rapid.SampledFrom([]error{nil, nil, inventory.ErrUnavailable, inventory.ErrBusy}).Draw(rt, "err")
				h.writeErr = rapid.SampledFrom([]error{nil, inventory.ErrUnknownOutcome, inventory.ErrBusy, inventory.ErrPriceChanges}).Draw(rt, "writeErr")
				h.lost = rapid.Bool().Draw(rt, "lost")
			case 2, 3:
				happens(rt, h)
				before, had := m.Cursor()
				c.Tick()
				rest(c)
				if after, has := m.Cursor(); had && has && after != before && h.at(before) != nil {
					rt.Fatalf("a refresh moved the cursor from %v to %v", before, after)
				}
			default:
				press(rt, c, h, rapid.SampledFrom(pressed).Draw(rt, "key"))
			}
			c.View()
			if t.Failed() {
				rt.FailNow()
			}
		}
	})
}

// small is a hall with nasty names that is quick to draw.
func small() *house {
	h := empty()
	h.seats = nil
	for i, section := range []string{"PARKETT", nasty[7], nasty[1]} {
		for _, row := range []string{"A", nasty[15], nasty[3]} {
			for n := 1; n <= 5+3*i; n++ {
				if n != 3 {
					h.add(section, row, n, "2", 1000)
				}
			}
		}
	}
	h.give(1, nasty[5], inventory.StateHeld, time.Minute, h.seats[1].ID, h.seats[2].ID)
	h.give(2, "u-2", inventory.StateConfirmed, 0, h.seats[7].ID)
	h.kill(h.seats[5].ID, nasty[4])
	return h
}

func festivalSmall() *house {
	h := small()
	h.events = festival().events
	return h
}

// happens is one thing that buyers, the sweep or other staff do.
func happens(rt *rapid.T, h *house) {
	s := &h.seats[rapid.IntRange(0, len(h.seats)-1).Draw(rt, "seat")]
	switch rapid.IntRange(0, 5).Draw(rt, "event") {
	case 0:
		if s.State == inventory.SeatAvailable {
			h.give(rapid.IntRange(100, 1<<20).Draw(rt, "id"), rapid.SampledFrom(nasty).Draw(rt, "buyer"),
				rapid.SampledFrom([]inventory.BookingState{inventory.StateHeld, inventory.StatePaymentPending, inventory.StateConfirmed}).Draw(rt, "state"), time.Minute, s.ID)
		}
	case 1:
		if (s.BookingID != inventory.BookingID{}) {
			h.drop(s.BookingID)
		}
	case 2:
		if s.State == inventory.SeatAvailable {
			h.kill(s.ID, rapid.SampledFrom(nasty).Draw(rt, "why"))
		}
	case 3:
		s.NeedsRepair = !s.NeedsRepair
	case 4:
		if b, ok := h.bookings[s.BookingID]; ok {
			b.Version++
			h.bookings[s.BookingID] = b
		}
	case 5:
		if len(h.seats) > 3 && rapid.IntRange(0, 9).Draw(rt, "gone") == 0 {
			h.drop(s.BookingID)
			h.seats = h.seats[:len(h.seats)/2]
		}
	}
}

func press(rt *rapid.T, c *tuitest.Console, h *house, key string) {
	before, writes := c.View(), len(h.writes)
	seen := map[string]bool{}
	for id, b := range h.bookings {
		seen[id.Short()+fmt.Sprint(" v", b.Version)] = true
	}
	c.Press(key)
	for _, w := range h.writes[writes:] {
		if !titles.MatchString(before) {
			rt.Fatalf("%q was written by %q without its dialog:\n%s", w, key, before)
		}
		if strings.HasPrefix(w, "move") {
			var id, to, seats, version string
			if _, err := fmt.Sscan(strings.TrimPrefix(w, "move "), &id, &to, &seats, &version); err == nil && strings.HasPrefix(version, "v") && !seen[id+" "+version] {
				rt.Fatalf("%q was written for a version that does not stand", w)
			}
		}
	}
}
