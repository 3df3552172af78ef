package seats

import (
	"fmt"
	"strings"
	"time"

	"holdfast/inventory"
	"holdfast/tui/canvas"
)

// longestName is how much of a section's or row's name stands in a sentence
// with other seats; the pane has the whole of it.
const longestName = 24

// short is a seat as on its ticket, "F-12", its row's name cut.
func short(s inventory.Seat) string {
	return fmt.Sprintf("%s-%02d", canvas.Cut(s.Row, longestName, "..."), s.Number)
}

// full is short with the section.
func full(s inventory.Seat) string {
	return canvas.Cut(s.Section, longestName, "...") + " " + short(s)
}

// names lists seats, "PARKETT F-12..F-15, G-01 and 3 more": neighbours as one,
// the section where it changes, and at most so many pieces.
func names(seats []inventory.Seat, most int) string {
	var b strings.Builder
	pieces := 0
	for i := 0; i < len(seats); pieces++ {
		if pieces == most {
			fmt.Fprintf(&b, " and %d more", len(seats)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		if i == 0 || seats[i].Section != seats[i-1].Section {
			b.WriteString(full(seats[i]))
		} else {
			b.WriteString(short(seats[i]))
		}
		run := 1
		for i+run < len(seats) && neighbours(seats[i+run-1], seats[i+run]) {
			run++
		}
		if run < 3 {
			i++
			continue
		}
		b.WriteString(".." + short(seats[i+run-1]))
		i += run
	}
	return b.String()
}

func neighbours(a, b inventory.Seat) bool {
	return a.Section == b.Section && a.Row == b.Row && b.Number == a.Number+1
}

// seatsInWords is a number of seats in words.
func seatsInWords(n int) string {
	if n == 1 {
		return "1 seat"
	}
	return fmt.Sprintf("%d seats", n)
}

// is is the verb of so many.
func is(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// stateWord is how a seat stands, in the words of the legend.
func stateWord(s inventory.Seat) string {
	switch letter(s) {
	case "o":
		return "free"
	case "h":
		return "held"
	case "#":
		return "booked"
	case "x":
		return "off sale"
	}
	return "needs repair"
}

// price is the sum of the seats' prices.
func price(seats []inventory.Seat) inventory.Money {
	var sum inventory.Money
	for _, s := range seats {
		sum.Minor += s.Price.Minor
		sum.Currency = s.Price.Currency
	}
	return sum
}

// category is how a price is called: "cat. 2", or a name as it is.
func category(s inventory.Seat) string {
	name := canvas.Cut(s.Category, longestName, "...")
	if name != "" && name[0] >= '0' && name[0] <= '9' {
		return "cat. " + name
	}
	return name
}

// span writes a length of time without the parts that are zero: 5m, not 5m0s.
func span(d time.Duration) string {
	s := d.Round(time.Second).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
