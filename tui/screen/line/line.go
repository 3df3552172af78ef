// Package line is the screen of what is booked by time: the resources of a venue
// as rows, the real hours of one local day as columns. A skipped hour has no
// column, a doubled one has two; lengths are real ones.
package line

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// Name is the screen's name in routes and badges.
const Name = "line"

const (
	pollEvery = 2 * time.Second
	readLimit = 3 * time.Second
	// restBefore is how long the cursor must rest on a booking before its story
	// is read, so that moving over it asks nothing.
	restBefore = 150 * time.Millisecond
)

// reader is what the screen looks at.
type reader interface {
	ResourceDays(ctx context.Context, venue string, day date.Date) ([]inventory.ResourceDay, error)
	Booking(ctx context.Context, id inventory.BookingID) (inventory.Booking, error)
	Journal(ctx context.Context, id inventory.BookingID) ([]inventory.JournalEntry, error)
}

// writer is what the screen can do.
type writer interface {
	HoldRange(ctx context.Context, r inventory.RangeHoldRequest) (b inventory.Booking, replayed bool, err error)
	MoveBooking(ctx context.Context, r inventory.MoveRequest) (inventory.Booking, error)
	ReleaseHold(ctx context.Context, id inventory.BookingID, version int, actor inventory.Actor, reason string) (inventory.Booking, error)
	CancelBooking(ctx context.Context, id inventory.BookingID, actor inventory.Actor, reason string, refund bool) (inventory.Booking, error)
}

type store interface {
	reader
	writer
}

// Model is the screen. Make one with New.
type Model struct {
	env   *ui.Env
	store store
	actor inventory.Actor

	list ui.Query[[]inventory.ResourceDay]
	rows []inventory.ResourceDay // those that match the filter
	left string                  // what became of the resource that the cursor was on

	day    date.Date
	zone   timezone.Zone // the venue's
	step   time.Duration
	chosen bool // the step was chosen by a person, not by the width
	axis   axis
	drawn  map[int64][]byte // the cells of the rows by resource

	// The cursor is a resource and a moment, whatever rows and columns come and go.
	resource int64
	at       time.Time
	anchor   time.Time // the other end of a marked run; zero: none
	ranging  bool      // plain arrows mark, too
	top      int       // the first row on screen
	first    int       // the first column on screen

	typing typing
	field  widget.Field
	search string

	story   ui.Query[story]
	storyOf inventory.BookingID
	seen    int  // the version of it that the story was asked for
	opening bool // enter was pressed before the story had come

	saving map[inventory.BookingID]bool
	typed  map[string]map[string]string // what was typed into forms and not saved yet, by form

	width, high int
}

// typing says what is typed into the line at the top.
type typing uint8

const (
	nothing typing = iota
	aFilter
	aDay
)

// rested comes when the cursor has not moved for a while.
type rested struct {
	id      inventory.BookingID
	version int
}

// New returns the line of the venue in focus, today. It is called by the
// console's ui.Builder for routes with Name; store is a *pgstore.Store, and
// actor is who the journal and the audit name for what is done here.
func New(env *ui.Env, store store, actor inventory.Actor) *Model {
	m := &Model{
		env: env, store: store, actor: actor, step: steps[1],
		saving: map[inventory.BookingID]bool{}, typed: map[string]map[string]string{},
	}
	m.start()
	return m
}

// Init asks for the day.
func (m *Model) Init() tea.Cmd { return m.load() }

// SetSize takes the screen's size. The step follows the width until a person
// has chosen one.
func (m *Model) SetSize(w, h int) {
	m.width, m.high = w, h
	if s := stepFor(m.layout().grid.W); !m.chosen && s != m.step {
		m.step = s
		m.cut()
	}
	m.follow()
}

// Update takes one message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	if m.axis.face.Name() != m.face().Name() {
		m.cut()
	}
	if m.list.Take(msg) {
		return tea.Batch(m.listed(), ui.Report("read the line", m.list.Err()))
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
		m.resource, m.search = 0, ""
		m.unmark()
		m.start()
		return m.askAnew()
	case ui.Do:
		return m.do(msg.Verb)
	case ui.Click:
		return m.click(msg.X, msg.Y)
	case tea.KeyMsg:
		if m.typing != nothing {
			m.field.Key(msg)
		}
	case rested:
		if b, ok := m.booking(); ok && b.ID == msg.id && b.Version == msg.version {
			return m.ask(b)
		}
	}
	return m.decide(msg)
}

// decide takes the answers of the dialogs and of the database about them.
func (m *Model) decide(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case placeChosen:
		return m.place(msg)
	case placed:
		return m.placed(msg)
	case whither:
		return m.askMove(msg)
	case moveChosen:
		return m.move(msg)
	case endChosen:
		return m.end(msg)
	case done:
		return m.done(msg)
	}
	return nil
}

func (m *Model) do(v keys.Verb) tea.Cmd {
	if m.typing != nothing {
		return m.doTyping(v)
	}
	switch v {
	case keys.Filter:
		m.typing, m.field = aFilter, widget.NewField(m.search, "part of a resource's name")
	case toDay:
		m.typing, m.field = aDay, widget.NewField("", m.day.String())
	case dayBack, dayOn, keys.Today:
		return m.turn(v)
	case shorter, longer:
		m.stepBy(v)
	case keys.Open:
		return m.open()
	case place:
		return m.askPlace()
	case moveTo:
		return m.askWhither()
	case keys.Release, cancel:
		return m.askEnd()
	case keys.Back:
		return m.back()
	default:
		return m.wander(v)
	}
	return nil
}
