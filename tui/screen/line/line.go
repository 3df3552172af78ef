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

// start goes to the present of the venue in focus.
func (m *Model) start() {
	m.zone = venueZone(m.env)
	m.day = timezone.DayOf(m.env.Now(), m.zone)
	m.at = m.env.Now()
	m.cut()
}

// venueZone is the zone of the venue in focus, and UTC for one without.
func venueZone(env *ui.Env) timezone.Zone {
	loc := env.Venue().Zone
	if loc == nil {
		return timezone.UTC()
	}
	zone, err := timezone.ParseZone(loc.String())
	if err != nil {
		return timezone.UTC()
	}
	return zone
}

// face is the zone whose clock the hours are labelled with.
func (m *Model) face() timezone.Zone {
	if m.env.Zone() == time.UTC {
		return timezone.UTC()
	}
	return m.zone
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

func (m *Model) load() tea.Cmd {
	store, venue, day := m.store, m.env.Venue().Slug, m.day
	return m.list.Ask(m.env, "line.day", readLimit, func(ctx context.Context) ([]inventory.ResourceDay, error) {
		return store.ResourceDays(ctx, venue, day)
	})
}

// askAnew asks after the question has become another one: the old answer says
// nothing about it, and no verb may reach what is not on screen.
func (m *Model) askAnew() tea.Cmd {
	m.list.Forget()
	m.rows, m.left = nil, ""
	return m.load()
}

// listed takes over a new answer. The cursor stays on its resource and moment;
// when the resource is gone, the pane says so.
func (m *Model) listed() tea.Cmd {
	if m.list.Err() != nil {
		return nil
	}
	return m.arrange()
}

// arrange lays out what was read last: by the filter, the day and the step.
func (m *Model) arrange() tea.Cmd {
	if all := m.list.Value(); len(all) > 0 {
		if zone, err := timezone.ParseZone(all[0].Resource.Zone); err == nil && zone.Name() != m.zone.Name() {
			m.zone = zone // the venue has moved to another zone meanwhile
		}
	}
	before, had := m.selected()
	index := m.row()
	m.filterRows()
	m.cut()
	if _, has := m.selected(); !has && len(m.rows) > 0 {
		m.unmark()
		m.resource = m.rows[min(max(index, 0), len(m.rows)-1)].Resource.ID
		if had && !m.matches(before) {
			had = false // the filter hides it, which is no news
		}
		if had {
			m.left = before.Resource.Name + " has left the list; this is the next one"
		}
	}
	m.follow()
	if b, ok := m.booking(); ok {
		return m.ask(b)
	}
	return nil
}

// cut cuts the day into columns and paints the rows anew.
func (m *Model) cut() {
	m.axis = newAxis(m.day, m.zone, m.face(), m.step)
	if n := len(m.axis.columns); n > 0 && m.axis.at(m.at) < 0 {
		m.at = m.axis.columns[0].from
	}
	m.drawn = make(map[int64][]byte, len(m.rows))
	for _, r := range m.rows {
		m.drawn[r.Resource.ID] = cells(r, m.axis)
	}
}

// labelled is the axis with the clock that times are shown by now, which can have
// been switched since the day was cut.
func (m *Model) labelled() axis {
	if m.axis.face.Name() == m.face().Name() {
		return m.axis
	}
	return newAxis(m.day, m.zone, m.face(), m.step)
}

// ask reads the story of a booking unless that very version has been read.
func (m *Model) ask(b inventory.Booking) tea.Cmd {
	_, running := m.story.Running()
	if m.storyOf == b.ID && m.seen == b.Version && (running || m.story.Err() == nil) {
		return nil
	}
	m.story.Forget()
	m.storyOf, m.seen = b.ID, b.Version
	store := m.store
	return m.story.Ask(m.env, "line.story", readLimit, func(ctx context.Context) (story, error) {
		return readStory(ctx, store, b.ID)
	})
}

// told opens the story if somebody waits for it.
func (m *Model) told() tea.Cmd {
	if !m.opening {
		return nil
	}
	m.opening = false
	if err := m.story.Err(); err != nil {
		return ui.Report("read the booking", err)
	}
	return m.open()
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
