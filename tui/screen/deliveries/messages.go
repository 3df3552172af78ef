package deliveries

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/keys"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// outbox reads the messages and moves them.
type outbox interface {
	outboxReader
	RetryMessage(ctx context.Context, actor inventory.Actor, id inventory.BookingID, seq int) error
	ParkMessage(ctx context.Context, actor inventory.Actor, id inventory.BookingID, seq int, reason string) error
}

type outboxReader interface {
	OutboxStatus(ctx context.Context) (inventory.OutboxStatus, error)
	Outbox(ctx context.Context, f inventory.OutboxFilter) ([]inventory.OutboxRow, error)
}

// lateAfter is how old a message may get before guests are likely to feel it.
const lateAfter = 5 * time.Minute

// setAside begins the note of a message that a person has parked; it waits for
// nobody any more.
const setAside = "set aside by "

// message is one message and what it waits for.
type message struct {
	inventory.OutboxRow
	behind int // the message of its booking that goes before it; 0: none
}

// messageKey is a message's identity.
type messageKey struct {
	booking inventory.BookingID
	seq     int
}

// outgoing sums the messages up.
type outgoing struct {
	inventory.OutboxStatus
	waiting int // parked, and not by a person
}

// messages is the side of the messages to shops.
type messages struct {
	half[message, messageKey, outgoing]
	store outbox
}

func newMessages(env *ui.Env, store outbox, actor inventory.Actor) *messages {
	m := &messages{newHalf[message, messageKey, outgoing](env, actor, "messages", keyOfMessage, func(r message) string { return r.name() }), store}
	m.table.Flag = func(r message) widget.Cell {
		if r.waits() {
			return widget.Cell{Text: "!", Style: theme.Bad}
		}
		return widget.Cell{}
	}
	return m
}

func keyOfMessage(r message) messageKey { return messageKey{r.BookingID, r.Seq} }

// name is the message in a few words.
func (r message) name() string {
	return fmt.Sprintf("%s #%d of ..%s", r.Topic, r.Seq, r.BookingID.Short())
}

// state is the word for how its delivery stands, as in the command line.
func (r message) state() string {
	switch {
	case !r.PublishedAt.IsZero():
		return "published"
	case !r.ParkedAt.IsZero():
		return "parked"
	}
	return "open"
}

// waits reports that a person has to look at it.
func (r message) waits() bool {
	return r.state() == "parked" && !strings.HasPrefix(r.LastError, setAside)
}

func (m *messages) Init() tea.Cmd { return m.load() }

func (m *messages) SetSize(w, h int) {
	m.width = w
	m.size(w, h, m.columns())
}

func (m *messages) Draw(c canvas.Canvas) { m.draw(c, m.page()) }

// Update takes one message of the event loop.
func (m *messages) Update(msg tea.Msg) tea.Cmd {
	if m.list.Take(msg) {
		return m.listed()
	}
	switch msg := msg.(type) {
	case ui.Shown, ui.Refresh:
		return m.load()
	case ui.Do:
		return m.do(msg.Verb)
	case ui.Click:
		m.click(msg)
	case sendChosen:
		return m.send(msg)
	case parkChosen:
		return m.park(msg)
	case messageDone:
		return m.done(msg)
	}
	return nil
}

func (m *messages) poll(now time.Time, every time.Duration) tea.Cmd {
	if !m.list.Due(now, every) {
		return nil
	}
	return m.load()
}

func (m *messages) load() tea.Cmd {
	store, history := m.store, m.history
	return m.list.Ask(m.env, "deliveries.messages", readLimit, func(ctx context.Context) (answer[message, outgoing], error) {
		return readMessages(ctx, store, history)
	})
}

// readMessages lists what waits for a person first, then what is to be published,
// the oldest first, then what is set aside or done.
func readMessages(ctx context.Context, r outboxReader, history bool) (a answer[message, outgoing], err error) {
	if a.sum.OutboxStatus, err = r.OutboxStatus(ctx); err != nil {
		return a, err
	}
	filters := []inventory.OutboxFilter{{Parked: true, Limit: maxRows}, {Open: true, Limit: maxRows}}
	if history {
		filters = append(filters, inventory.OutboxFilter{Limit: maxRows})
	}
	seen := map[messageKey]bool{} // a message may move while the lists are read
	line := map[inventory.BookingID][]int{}
	for _, f := range filters {
		rows, err := r.Outbox(ctx, f)
		if err != nil {
			return a, err
		}
		for _, row := range rows {
			msg := message{OutboxRow: row}
			if k := keyOfMessage(msg); seen[k] {
				continue
			}
			seen[keyOfMessage(msg)] = true
			if msg.state() == "open" {
				line[row.BookingID] = append(line[row.BookingID], row.Seq)
			}
			if msg.waits() {
				a.sum.waiting++
			}
			a.rows = append(a.rows, msg)
		}
	}
	for i, msg := range a.rows {
		for _, seq := range line[msg.BookingID] {
			if msg.state() == "open" && seq < msg.Seq {
				a.rows[i].behind = max(a.rows[i].behind, seq)
			}
		}
	}
	slices.SortStableFunc(a.rows, inOrder)
	return a, nil
}

func inOrder(a, b message) int {
	age := b.At.Compare(a.At)
	if a.state() == "open" {
		age = -age
	}
	return cmp.Or(cmp.Compare(a.rank(), b.rank()), age, strings.Compare(a.BookingID.String(), b.BookingID.String()), cmp.Compare(a.Seq, b.Seq))
}

// rank is its place among the states; what waits for a person comes first.
func (r message) rank() int {
	if r.waits() {
		return -1
	}
	return slices.Index([]string{"open", "parked", "published"}, r.state())
}

func (m *messages) do(v keys.Verb) tea.Cmd {
	if m.move(v) {
		return nil
	}
	r, some := m.table.Selected()
	switch {
	case v == alsoDone:
		m.history = !m.history
		return m.load()
	case v == keys.Open && some:
		return m.open(r)
	case v == keys.RunNow && some:
		return m.askSend(r)
	case v == park && some:
		return m.askPark(r)
	}
	return nil
}

// waiting is how many messages wait for a person.
func (m *messages) waiting() int { return m.list.Value().sum.waiting }

func (m *messages) note() (text string, warning bool) {
	s, open, parked := m.list.Value().sum, 0, 0
	for _, r := range m.table.Rows() {
		switch r.state() {
		case "open":
			open++
		case "parked":
			parked++
		}
	}
	return m.noted(open >= s.Open && parked >= s.Parked || max(open, parked) < maxRows)
}

func (m *messages) heading(long bool) string {
	s := m.list.Value().sum
	switch {
	case !m.list.Ready():
		return "MESSAGES"
	case s.Open+s.Parked == 0 && long:
		return "MESSAGES all published"
	case !long:
		return fmt.Sprintf("MESSAGES %s%d", m.mark(), s.Open+s.Parked)
	}
	var words []string
	if s.Open > 0 {
		words = append(words, fmt.Sprintf("%s%d open, oldest %s", m.mark(), s.Open, since(m.env.Now().Sub(s.Oldest))))
	}
	if s.Parked > 0 {
		words = append(words, fmt.Sprintf("%s%d parked", m.mark(), s.Parked))
	}
	return "MESSAGES " + strings.Join(words, ", ")
}

func (m *messages) Keys() keys.Table {
	r, some := m.table.Selected()
	const none = "there is no message under the cursor"
	send := keys.Standard(keys.RunNow).As("send again...")
	send.More = "publish a parked message after all"
	return append(keys.Move(),
		keys.Standard(keys.Open).As("detail").If(some, none),
		send.If(some, none).If(m.busy(r)).If(sendable(r)),
		keys.Binding{Verb: park, Keys: []string{"P"}, Help: "park...", More: "set a message aside that nobody will ever take", Level: keys.Confirm, Writes: true, Priority: 48}.
			If(some, none).If(m.busy(r)).If(parkable(r)),
		m.historyKey("published"),
	)
}

func sendable(r message) (ok bool, why string) {
	switch r.state() {
	case "open":
		return false, "it is open: the relay publishes it by itself"
	case "published":
		return false, "it was published already"
	}
	return true, ""
}

func parkable(r message) (ok bool, why string) {
	switch r.state() {
	case "parked":
		return false, "it is parked already"
	case "published":
		return false, "it was published already"
	}
	return true, ""
}

func (m *messages) Status() ui.Status {
	return ui.Status{
		Title: "Deliveries: messages",
		About: []string{
			"What happened to bookings and their money is published to shops, at least once and for each booking in order. This is what they have not taken yet, of all venues; the places and the money are right all the while.",
			"open: to be published, now or again. parked: it failed too often, or a person has set it aside; the next message of its booking goes on without it. published: taken.",
			"The other side, with tab, is callbacks: what payment providers told us.",
		},
		ReadAt: m.list.ReadAt(),
	}
}
