package deliveries

import (
	"encoding/json"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

func (m *messages) columns() []widget.Column[message] {
	const never = widget.Always
	plain := func(f func(message) string) func(message) widget.Cell {
		return func(r message) widget.Cell { return widget.Cell{Text: f(r)} }
	}
	cols := []widget.Column[message]{
		{Title: "age", Width: 7, Right: true, Priority: never, Cell: plain(func(r message) string { return m.mark() + since(m.env.Now().Sub(r.At)) })},
		{Title: "message", Width: len(inventory.TopicConfirmed), Priority: never, Cell: plain(func(r message) string { return r.Topic })},
		{Title: "state", Width: len("published"), Priority: never, Cell: messageState},
		{Title: "tries", Width: len("tries"), Right: true, Priority: 30, Cell: plain(func(r message) string { return fmt.Sprint(r.Attempt) })},
		{Title: "next", Width: 6, Right: true, Priority: 40, Cell: plain(m.next)},
	}
	if m.width >= wide {
		cols = append(cols,
			widget.Column[message]{Title: "booking", Width: 10, Priority: 25, Cell: plain(func(r message) string { return ".." + r.BookingID.Short() })},
			widget.Column[message]{Title: "#", Width: 3, Right: true, Priority: 24, Cell: plain(func(r message) string { return fmt.Sprint(r.Seq) })},
		)
	}
	return append(cols, widget.Column[message]{Title: "how it stands", Priority: 50, Cell: func(r message) widget.Cell {
		return widget.Cell{Text: m.stands(r), Style: theme.Quote}
	}})
}

func messageState(r message) widget.Cell {
	c := widget.Cell{Text: r.state()}
	switch {
	case r.waits():
		c.Style = theme.Bad
	case c.Text == "published":
		c.Style = theme.OK
	case r.Attempt > 0:
		c.Style = theme.Warn
	}
	return c
}

// next is when the relay looks at a message again.
func (m *messages) next(r message) string {
	if r.state() != "open" || r.behind > 0 {
		return "-"
	}
	left := r.NextTryAt.Sub(m.env.Now())
	if r.NextTryAt.IsZero() || left <= 0 {
		return "now"
	}
	return since(left)
}

// stands says in few words how the delivery stands.
func (m *messages) stands(r message) string {
	switch {
	case r.state() == "published":
		return "taken at " + m.at(r.PublishedAt)
	case r.state() == "parked":
		return r.LastError
	case r.behind > 0:
		return fmt.Sprintf("waits for #%d of its booking", r.behind)
	case r.Attempt > 0:
		return fmt.Sprintf("not taken %s: %s", times(r.Attempt), r.LastError)
	case r.NextTryAt.After(m.env.Now()):
		return "being sent"
	}
	return "not sent yet"
}

// page is what the side says of itself and of the message under the cursor.
func (m *messages) page() page {
	p := page{health: m.health(), nothing: m.nothing()}
	if r, ok := m.table.Selected(); ok {
		p.title, p.remark = r.name(), r.state()
		p.lines = []line{{theme.Text, m.meaning(r)}, {theme.Warn, guestLine(forGuests(r))}, {theme.Quote, "It says: " + says(r.Data)}}
	}
	return p
}

// health says in one sentence what all of it means for guests.
func (m *messages) health() line {
	s := m.list.Value().sum
	late := m.env.Now().Sub(s.Oldest)
	hour := fmt.Sprintf("%d published in the last hour", s.Published)
	switch {
	case s.waiting > 0:
		return line{theme.Bad, fmt.Sprintf("Waiting for you: %s%d that nobody would take. Shops do not know what happened.", m.mark(), s.waiting)}
	case s.Open > 0 && late > lateAfter:
		return line{theme.Warn, fmt.Sprintf("Shops are behind: they wait since %s%s. %s.", m.mark(), m.at(s.Oldest), hour)}
	case s.Open > 0:
		return line{theme.Text, fmt.Sprintf("On their way to the shops, as usual. %s%s.", m.mark(), hour)}
	}
	return line{theme.OK, fmt.Sprintf("Shops have been told all that happened. %s%s.", m.mark(), hour)}
}

func (m *messages) nothing() []string {
	text := []string{
		"No message waits: all that happened to bookings and their money is published.",
		"A message comes here when a booking is confirmed, expires, is cancelled or moved, when money comes too late, and when a refund ends.",
	}
	if !m.history {
		return append(text, "a shows those that are published too.")
	}
	return text
}

// meaning says how the delivery stands and what can be done.
func (m *messages) meaning(r message) string {
	more := ""
	switch {
	case r.state() == "published":
		return "It was taken at " + m.at(r.PublishedAt) + "."
	case r.state() == "parked" && r.waits():
		return fmt.Sprintf("Parked at %s, after %s: %s. Nobody gets it until ! sends it again; the next message of its booking goes on without it.", m.at(r.ParkedAt), count(r.Attempt, "failure"), r.LastError)
	case r.state() == "parked":
		return fmt.Sprintf("Parked at %s, %s. Nobody gets it; ! sends it after all.", m.at(r.ParkedAt), r.LastError)
	case r.behind > 0:
		return fmt.Sprintf("It waits for #%d of its booking: shops get them in order.", r.behind)
	case r.Attempt == 0 && r.NextTryAt.After(m.env.Now()):
		return "The relay is sending it, or has stopped while it did; then it is sent again at " + m.at(r.NextTryAt) + "."
	case r.NextTryAt.After(m.env.Now()):
		more = " It is sent again at " + m.at(r.NextTryAt) + "."
	default:
		more = " It is due now."
	}
	if r.Attempt == 0 {
		return "It has not been sent yet." + more
	}
	return fmt.Sprintf("Not taken %s: %s.%s If nobody will ever take it, P sets it aside.", times(r.Attempt), r.LastError, more)
}

// forGuests says what it means for the guest that the shop has not heard it.
func forGuests(r message) string {
	if r.state() == "published" {
		return ""
	}
	text, known := map[string]string{
		inventory.TopicConfirmed:       "the guest may have no confirmation yet, though the place is theirs.",
		inventory.TopicExpired:         "the guest may still see a hold that is over.",
		inventory.TopicCancelled:       "the guest may still think that they have the place.",
		inventory.TopicMoved:           "the guest may still go by the old day or place.",
		inventory.TopicPaymentLate:     "the guest may think that money which came too late has bought the place.",
		inventory.TopicRefundSucceeded: "the guest may not know that the money went back.",
		inventory.TopicRefundFailed:    "the guest may wait for money that did not go back.",
	}[r.Topic]
	if !known {
		text = "the shop does not know it yet."
	}
	return text
}

// guestLine marks what is said for guests, if anything is.
func guestLine(text string) string {
	if text == "" {
		return ""
	}
	return "For guests: " + text
}

// said is what the console understands of a message.
type said struct {
	Pool      string           `json:"pool"`
	Day       string           `json:"day"`
	Name      string           `json:"name"` // of an event
	SeatNames []string         `json:"seatNames"`
	Resource  string           `json:"resource"`
	FromLocal string           `json:"fromLocal"` // as the wall showed it when the message was written
	ToLocal   string           `json:"toLocal"`
	Quantity  int              `json:"quantity"`
	Buyer     string           `json:"buyer"`
	Amount    *inventory.Money `json:"amount"`
	Money     *inventory.Money `json:"money"` // of a note about money
	Reason    string           `json:"reason"`
}

// says puts the content of a message into words; what is not understood is
// shown as it is.
func says(data []byte) string {
	var d said
	if err := json.Unmarshal(data, &d); err != nil {
		return string(data)
	}
	var words []string
	switch {
	case d.Pool != "":
		words = []string{fmt.Sprintf("%s of %s", count(d.Quantity, "place"), d.Pool), d.Day}
	case d.Name != "" && len(d.SeatNames) > 0:
		words = []string{fmt.Sprintf("%s of %s", strings.Join(d.SeatNames, ", "), d.Name)}
	case d.Resource != "" && d.FromLocal != "":
		words = []string{d.Resource, fmt.Sprintf("%s to %s", strings.ReplaceAll(d.FromLocal, "T", " "), strings.ReplaceAll(d.ToLocal, "T", " "))}
	default:
		return string(data)
	}
	words = append(words, "for "+d.Buyer)
	money := d.Amount
	if d.Money != nil {
		money = d.Money
	}
	if money != nil {
		words = append(words, money.String())
	}
	if d.Reason != "" {
		words = append(words, d.Reason)
	}
	return strings.Join(words, ", ")
}

// open shows all of one message.
func (m *messages) open(r message) tea.Cmd {
	facts := []dialog.Fact{
		{Label: "happened", Text: m.at(r.At)},
		{Label: "booking", Text: r.BookingID.String()},
		{Label: "number", Text: fmt.Sprintf("#%d of its booking", r.Seq)},
		{Label: "id", Text: r.ID()},
	}
	stands := []dialog.Fact{{Text: m.meaning(r)}}
	if text := forGuests(r); text != "" {
		stands = append(stands, dialog.Fact{Label: "for guests", Text: text})
	}
	return ui.OpenDialog(dialog.NewList(strings.ToUpper(r.Topic), []string{says(r.Data)}, []dialog.Group{
		{Title: "How it stands", Facts: stands},
		{Title: "Which it is", Facts: facts},
		{Title: "All that it says", Facts: []dialog.Fact{{Text: string(r.Data)}}},
	}))
}
