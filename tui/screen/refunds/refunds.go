// Package refunds is the screen of money on its way back: what was asked for,
// what the provider has, what is done, and what failed and waits for a person.
package refunds

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// Name is the screen's name in routes and badges.
const Name = "refunds"

const (
	pollEvery = 2 * time.Second
	// storyEvery is longer, since a story is four reads; what is decided on it is
	// checked again when it is decided.
	storyEvery = 6 * time.Second
	readLimit  = 3 * time.Second
	maxRows    = 500
	// restBefore is how long the cursor must rest on a row before its story is
	// read, so that scrolling asks nothing.
	restBefore = 150 * time.Millisecond
)

// lister reads the list.
type lister interface {
	Refunds(ctx context.Context, f inventory.RefundFilter) ([]inventory.Refund, error)
	Zombies(ctx context.Context, f inventory.ZombieFilter) (inventory.ZombieList, error)
}

// teller tells the story of one payment.
type teller interface {
	Payment(ctx context.Context, id inventory.PaymentID) (inventory.Payment, error)
	Booking(ctx context.Context, id inventory.BookingID) (inventory.Booking, error)
	Journal(ctx context.Context, id inventory.BookingID) ([]inventory.JournalEntry, error)
}

// decider asks for refunds.
type decider interface {
	RetryRefund(ctx context.Context, id inventory.RefundID, actor inventory.Actor) (inventory.Refund, error)
	RefundPayment(ctx context.Context, id inventory.PaymentID, version int, amount inventory.Minor, actor inventory.Actor, reason string) (inventory.Refund, error)
}

// reader is what the list and the stories are read from.
type reader interface {
	lister
	teller
}

type store interface {
	reader
	decider
}

// Model is the screen. Make one with New.
type Model struct {
	env   *ui.Env
	store store
	actor inventory.Actor

	list       ui.Query[answer]
	table      widget.Table[row, inventory.RefundID]
	back       inventory.RefundID // where the cursor belongs when the list comes back
	left       string             // what became of the record that the cursor was on
	everywhere bool               // of all venues, money that names nothing included
	only       choice
	settled    map[inventory.RefundID]bool // failed refunds that wait for nobody any more
	badge      string
	width      int
	high       int

	story   ui.Query[story]
	storyOf inventory.PaymentID
	opening bool // enter was pressed before the story had come

	deciding map[inventory.PaymentID]bool
}

// rested comes when the cursor has not moved for a while.
type rested struct{ on inventory.RefundID }

// New returns the refunds of the venue in focus. It is called by the console's
// ui.Builder for routes with Name; store is a *pgstore.Store, and actor is who
// the journal and the audit name for what is decided here. The screen tells its
// badge itself: how many failed refunds wait for a person.
func New(env *ui.Env, store store, actor inventory.Actor) *Model {
	m := &Model{env: env, store: store, actor: actor, deciding: map[inventory.PaymentID]bool{}}
	m.table = widget.NewTable(func(r row) inventory.RefundID { return r.ID })
	m.table.Flag = flag
	return m
}

// Init asks for the list.
func (m *Model) Init() tea.Cmd { return m.load() }

// SetSize takes the screen's size.
func (m *Model) SetSize(w, h int) {
	m.width, m.high = w, h
	m.table.Columns = m.columns()
	m.table.SetHeight(m.layout().list.H)
}

// Update takes one message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	if m.list.Take(msg) {
		return tea.Batch(m.listed(), ui.Report("read the refunds", m.list.Err()))
	}
	if m.story.Take(msg) {
		return m.told()
	}
	switch msg := msg.(type) {
	case ui.Tick:
		return m.tick(msg.Now)
	case ui.Shown, ui.Refresh:
		return tea.Batch(m.load(), m.askStory())
	case ui.VenueChanged:
		cmd := m.askAnew()
		m.back = inventory.RefundID{}
		return cmd
	case ui.Do:
		return m.do(msg.Verb)
	case ui.Click:
		if r, ok := m.table.RowAt(msg.Y - m.layout().list.Y); ok && msg.X < m.layout().list.W {
			m.table.Select(r.ID)
			return m.moved()
		}
	case rested:
		if r, ok := m.table.Selected(); ok && msg.on == r.ID {
			return m.follow()
		}
	case viewChosen:
		m.only = msg.only
		return m.askAnew()
	}
	return m.decide(msg)
}

// decide takes the answers of the dialogs and of the database about them.
func (m *Model) decide(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case retryChosen:
		return m.retry(msg)
	case partGiven:
		return m.askPart(msg)
	case partChosen:
		return m.refundPart(msg)
	case decided:
		return m.decided(msg)
	}
	return nil
}

func (m *Model) tick(now time.Time) tea.Cmd {
	var cmds []tea.Cmd
	if m.list.Due(now, pollEvery) {
		cmds = append(cmds, m.load())
	}
	if _, ok := m.table.Selected(); ok && m.story.Due(now, storyEvery) {
		cmds = append(cmds, m.askStory())
	}
	return tea.Batch(cmds...)
}

func (m *Model) load() tea.Cmd {
	q, store := m.question(), m.store
	return m.list.Ask(m.env, "refunds.list", readLimit, func(ctx context.Context) (answer, error) {
		return readList(ctx, store, q)
	})
}

// askAnew asks after the question has become another one: the old answer says
// nothing about it, and no verb may reach a row that is not on screen.
func (m *Model) askAnew() tea.Cmd {
	if r, ok := m.table.Selected(); ok {
		m.back = r.ID
	}
	m.table.SetRows(nil)
	m.list.Forget()
	m.left = ""
	return m.load()
}

// listed takes over a new list. The cursor stays on its record; when that has
// left the list, the pane says so, since the cursor is now on another one.
func (m *Model) listed() tea.Cmd {
	if m.list.Err() != nil {
		return nil
	}
	a := m.list.Value()
	m.settled = a.settled
	before, had := m.table.Selected()
	gone := m.table.SetRows(a.rows)
	m.table.Columns = m.columns()
	if gone && had {
		m.left = ".." + before.ID.Short() + " has left the list; this is the next one"
	}
	if m.table.Select(m.back) {
		m.back = inventory.RefundID{}
	}
	return tea.Batch(m.tellBadge(a.waiting), m.follow())
}

// tellBadge shows beside the screen's name how many failed refunds wait for a
// person, of whatever venue: money that names nothing has none.
func (m *Model) tellBadge(n int) tea.Cmd {
	text := ""
	if n > 0 {
		text = fmt.Sprintf("%d!", n)
	}
	if text == m.badge {
		return nil
	}
	m.badge = text
	return ui.Ask(ui.Badge{Screen: Name, Text: text})
}

// moved follows the cursor: the story of its row is read once it rests.
func (m *Model) moved() tea.Cmd {
	m.left = ""
	r, ok := m.table.Selected()
	if !ok || m.storyOf == r.PaymentID {
		return nil
	}
	return ui.Ask(ui.Later{After: restBefore, Msg: rested{r.ID}})
}

// follow reads the story of the row under the cursor, unless it is there
// already and has heard of how that refund stands.
func (m *Model) follow() tea.Cmd {
	r, ok := m.table.Selected()
	if !ok {
		return nil
	}
	_, running := m.story.Running()
	if m.storyOf == r.PaymentID && (running || m.story.Err() == nil && m.story.Value().knows(r.Refund)) {
		return nil
	}
	return m.askStory()
}

// askStory reads the story of the row under the cursor, fresh.
func (m *Model) askStory() tea.Cmd {
	r, ok := m.table.Selected()
	if !ok {
		return nil
	}
	if m.storyOf != r.PaymentID {
		m.story.Forget()
	}
	m.storyOf = r.PaymentID
	store, id := m.store, r.PaymentID
	return m.story.Ask(m.env, "refunds.story", readLimit, func(ctx context.Context) (story, error) {
		return readStory(ctx, store, id)
	})
}

// told opens the story if somebody waits for it.
func (m *Model) told() tea.Cmd {
	if !m.opening {
		return nil
	}
	m.opening = false
	if err := m.story.Err(); err != nil {
		return ui.Report("read the story", err)
	}
	return m.open()
}

func (m *Model) do(v keys.Verb) tea.Cmd {
	if m.table.Do(v) {
		return m.moved()
	}
	r, some := m.table.Selected()
	switch {
	case v == keys.Filter:
		return m.askView()
	case v == keys.Back:
		m.only = choice{}
		return m.askAnew()
	case v == allVenues:
		m.everywhere = !m.everywhere
		return m.askAnew()
	case v == keys.Open && some:
		return m.open()
	case v == keys.RunNow && some:
		return m.askRetry(r)
	case v == keys.Refund && some:
		return m.askAmount(r)
	}
	return nil
}
