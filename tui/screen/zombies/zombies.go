// Package zombies is the screen of captured money that belongs to no live
// booking: how it came about, whether there is room for it now, and the two
// ways in which a person ends it, revive and refund.
package zombies

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
const Name = "zombies"

const (
	pollEvery = 2 * time.Second
	readLimit = 3 * time.Second
	maxRows   = 500
	// restBefore is how long the cursor must rest on a row before its story is
	// read, so that scrolling asks nothing.
	restBefore = 150 * time.Millisecond
)

// lister reads the list.
type lister interface {
	Zombies(ctx context.Context, f inventory.ZombieFilter) (inventory.ZombieList, error)
	Refunds(ctx context.Context, f inventory.RefundFilter) ([]inventory.Refund, error)
}

// teller tells the story of one zombie and where it stands now.
type teller interface {
	Zombie(ctx context.Context, id inventory.PaymentID) (inventory.Zombie, error)
	Booking(ctx context.Context, id inventory.BookingID) (inventory.Booking, error)
	Journal(ctx context.Context, id inventory.BookingID) ([]inventory.JournalEntry, error)
}

// decider ends a zombie.
type decider interface {
	ReviveZombie(ctx context.Context, id inventory.PaymentID, version int, actor inventory.Actor, reason string) (inventory.Booking, error)
	RefundPayment(ctx context.Context, id inventory.PaymentID, version int, amount inventory.Minor, actor inventory.Actor, reason string) (inventory.Refund, error)
}

type store interface {
	lister
	teller
	decider
}

// Model is the screen. Make one with New.
type Model struct {
	env   *ui.Env
	store store
	actor inventory.Actor

	list       ui.Query[answer]
	table      widget.Table[inventory.Zombie, inventory.PaymentID]
	back       inventory.PaymentID // where the cursor belongs when the list comes back
	left       string              // what became of the record that the cursor was on
	everywhere bool                // of all venues, money that names nothing included
	badge      string
	width      int
	high       int

	story   ui.Query[story]
	storyOf drawn
	opening bool // enter was pressed before the story had come

	deciding map[inventory.PaymentID]bool
}

// answer is one reading of the list.
type answer struct {
	inventory.ZombieList
	all    int               // zombies of all venues, unmatched money included
	refund *inventory.Refund // the newest refund, read when there are no zombies
}

// drawn is a payment as it was on screen.
type drawn struct {
	id      inventory.PaymentID
	version int
}

// rested comes when the cursor has not moved for a while.
type rested struct{ of drawn }

// New returns the zombies of the venue in focus. It is called by the console's
// ui.Builder for routes with Name; store is a *pgstore.Store, and actor is who
// the journal and the audit name for what is decided here.
func New(env *ui.Env, store store, actor inventory.Actor) *Model {
	m := &Model{env: env, store: store, actor: actor, deciding: map[inventory.PaymentID]bool{}}
	m.table = widget.NewTable(func(z inventory.Zombie) inventory.PaymentID { return z.Payment.ID })
	m.table.Flag, m.table.Sorted, m.table.Down = m.flag, "age", true
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
		return tea.Batch(m.listed(), ui.Report("read the zombies", m.list.Err()))
	}
	if m.story.Take(msg) {
		return m.told()
	}
	switch msg := msg.(type) {
	case ui.Tick:
		if m.list.Due(msg.Now, pollEvery) {
			return m.load()
		}
	case ui.Shown, ui.Refresh:
		return m.load()
	case ui.VenueChanged:
		cmd := m.askAnew()
		m.back = inventory.PaymentID{}
		return cmd
	case ui.Do:
		return m.do(msg.Verb)
	case ui.Click:
		if row, ok := m.table.RowAt(msg.Y - m.layout().list.Y); ok && msg.X < m.layout().list.W {
			m.table.Select(row.Payment.ID)
			return m.moved()
		}
	case rested:
		if row, ok := m.table.Selected(); ok && msg.of == drawnOf(row) {
			return m.ask(row)
		}
	}
	return m.decide(msg)
}

// decide takes the answers of the dialogs and of the database about them.
func (m *Model) decide(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case reviveChosen:
		return m.revive(msg)
	case refundChosen:
		return m.refund(msg)
	case refundInstead:
		return m.askRefund(msg.z)
	case refundAllChosen:
		return m.refundAll(msg)
	case decided:
		return m.decidedOne(msg)
	case decidedAll:
		return m.decidedAll(msg)
	}
	return nil
}

func (m *Model) load() tea.Cmd {
	f, store := inventory.ZombieFilter{Venue: m.env.Venue().Slug, Limit: maxRows}, m.store
	if m.everywhere {
		f.Venue = ""
	}
	return m.list.Ask(m.env, "zombies.list", readLimit, func(ctx context.Context) (answer, error) {
		l, err := store.Zombies(ctx, f)
		a := answer{ZombieList: l, all: l.Total}
		if err == nil && f.Venue != "" {
			var all inventory.ZombieList
			all, err = store.Zombies(ctx, inventory.ZombieFilter{Limit: 1})
			a.all = all.Total
		}
		if err != nil || len(l.Zombies) > 0 {
			return a, err
		}
		newest, err := store.Refunds(ctx, inventory.RefundFilter{Venue: f.Venue, Limit: 1})
		if len(newest) > 0 {
			a.refund = &newest[0]
		}
		return a, err
	})
}

// askAnew asks after the question has become another one: the old answer says
// nothing about it, and no verb may reach a row that is not on screen.
func (m *Model) askAnew() tea.Cmd {
	if row, ok := m.table.Selected(); ok {
		m.back = row.Payment.ID
	}
	m.table.SetRows(nil)
	m.list.Forget()
	m.left = ""
	return m.load()
}

// listed takes over a new list. The cursor stays on its record; when somebody
// has decided about that, the pane says so, since the cursor is now on another.
func (m *Model) listed() tea.Cmd {
	if m.list.Err() != nil {
		return nil
	}
	before, had := m.table.Selected()
	gone := m.table.SetRows(m.list.Value().Zombies)
	m.table.Columns = m.columns()
	if gone && had {
		m.left = ".." + before.Payment.ID.Short() + " is no zombie any more; this is the next one"
	}
	if m.table.Select(m.back) {
		m.back = inventory.PaymentID{}
	}
	badge := m.tellBadge()
	if row, ok := m.table.Selected(); ok {
		return tea.Batch(badge, m.ask(row))
	}
	return badge
}

// tellBadge shows beside the screen's name how many zombies wait for a person,
// of whatever venue: money that names nothing has none.
func (m *Model) tellBadge() tea.Cmd {
	text := ""
	if n := m.list.Value().all; n > 0 {
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
	row, ok := m.table.Selected()
	if !ok || m.storyOf == drawnOf(row) {
		return nil
	}
	return ui.Ask(ui.Later{After: restBefore, Msg: rested{drawnOf(row)}})
}

// ask reads the story of a row unless that very version has been read.
func (m *Model) ask(row inventory.Zombie) tea.Cmd {
	_, running := m.story.Running()
	if m.storyOf == drawnOf(row) && (running || m.story.Err() == nil) {
		return nil
	}
	m.story.Forget()
	m.storyOf = drawnOf(row)
	store := m.store
	return m.story.Ask(m.env, "zombies.story", readLimit, func(ctx context.Context) (story, error) {
		return readStory(ctx, store, row)
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
	row, some := m.table.Selected()
	switch v {
	case keys.Back:
		m.table.Unmark()
	case allVenues:
		m.everywhere = !m.everywhere
		return m.askAnew()
	case keys.Open:
		return m.open()
	case keys.Revive:
		if some {
			return m.askRevive(row)
		}
	case keys.Refund:
		switch marked := m.table.Marked(); {
		case len(marked) > 1:
			return m.askRefundAll(marked)
		case len(marked) == 1:
			return m.askRefund(marked[0])
		case some:
			return m.askRefund(row)
		}
	default: // Keys binds no other
	}
	return nil
}

func drawnOf(z inventory.Zombie) drawn { return drawn{z.Payment.ID, z.Payment.Version} }
