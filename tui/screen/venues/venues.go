// Package venues is the screen of the venues: where each is and what time it is
// there, its rules for holds and late money, its pools; adding and editing them,
// and moving one to another time zone.
package venues

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// Name is the screen's name in routes and badges.
const Name = "venues"

const (
	pollEvery = 2 * time.Second
	readLimit = 3 * time.Second
	saveLimit = 12 * time.Second
)

// lister reads what is there.
type lister interface {
	Venues(ctx context.Context) ([]inventory.Venue, error)
	Venue(ctx context.Context, slug string) (inventory.Venue, error)
	Pools(ctx context.Context, venue string) ([]inventory.Pool, error)
}

// counter reads what a change of zone would touch.
type counter interface {
	Days(ctx context.Context, ref inventory.PoolRef, r inventory.DayRange) ([]inventory.PoolDay, error)
	Bookings(ctx context.Context, f inventory.BookingFilter) (inventory.BookingList, error)
	PreviewZone(ctx context.Context, venue, zone string) (inventory.ZonePreview, error)
}

// editor saves.
type editor interface {
	AddVenue(ctx context.Context, actor inventory.Actor, v inventory.Venue) (inventory.Venue, error)
	SetVenue(ctx context.Context, actor inventory.Actor, v inventory.Venue, reason string) (inventory.Venue, error)
	ChangeZone(ctx context.Context, actor inventory.Actor, venue string, version int, zone string, keep inventory.ZoneKeep, reason string) (inventory.Venue, error)
	AddPool(ctx context.Context, actor inventory.Actor, p inventory.Pool) (inventory.Pool, error)
}

type store interface {
	lister
	counter
	editor
}

// Model is the screen. Make one with New.
type Model struct {
	env   *ui.Env
	store store
	actor inventory.Actor

	list  ui.Query[answer]
	table widget.Table[inventory.Venue, string]
	want  string // the venue that the cursor is to go to when it has come
	width int
	high  int

	zones *timezone.Directory // nil until it has been read
	find  *finder             // the zone page is open
	last  *change             // my last edit, which can be put back
}

// answer is one reading of the list.
type answer struct {
	venues []inventory.Venue
	pools  map[string][]inventory.Pool // by venue
}

// change is a saved edit.
type change struct{ before, after inventory.Venue }

// New returns the venues. It is called by the console's ui.Builder for routes
// with Name; store is a *pgstore.Store, and actor is who the audit names for
// what is edited here.
func New(env *ui.Env, store store, actor inventory.Actor) *Model {
	m := &Model{env: env, store: store, actor: actor}
	m.table = widget.NewTable(func(v inventory.Venue) string { return v.Slug })
	m.table.Flag = m.flag
	m.want = env.Venue().Slug
	return m
}

// Init asks for the list.
func (m *Model) Init() tea.Cmd { return m.load() }

// SetSize takes the screen's size.
func (m *Model) SetSize(w, h int) {
	m.width, m.high = w, h
	m.fitAhead()
	m.table.Columns = m.columns()
	m.table.SetHeight(m.layout().list.H)
}

// Update takes one message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	if m.list.Take(msg) {
		m.listed()
		return ui.Report("read the venues", m.list.Err())
	}
	if m.find != nil && m.find.counts.Take(msg) {
		return m.counted()
	}
	switch msg := msg.(type) {
	case ui.Tick:
		if m.list.Due(msg.Now, pollEvery) {
			return m.load()
		}
	case ui.Shown, ui.Refresh:
		return m.load()
	case ui.Do:
		if m.find != nil {
			return m.doFind(msg.Verb)
		}
		return m.do(msg.Verb)
	case ui.Click:
		if row, ok := m.table.RowAt(msg.Y - m.layout().list.Y); ok && m.find == nil && msg.X < m.layout().list.W {
			m.table.Select(row.Slug)
		}
	case tea.KeyMsg:
		if m.find != nil && m.find.ahead == nil {
			m.typed(msg)
		}
	case zonesRead:
		return m.zonesRead(msg)
	}
	return m.saved(msg)
}

// saved takes the answers of the dialogs and of the database about them.
func (m *Model) saved(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case addChosen:
		return m.add(msg)
	case added:
		return m.added(msg)
	case editChosen:
		return m.save(msg)
	case edited:
		return m.edited(msg)
	case resolved:
		return m.resolved(msg)
	case putBackChosen:
		return m.putBack(msg)
	case zoneChosen:
		return m.setZone(msg)
	case zoneSet:
		return m.zoneSet(msg)
	case poolChosen:
		return m.addPool(msg)
	case poolAdded:
		return m.poolAdded(msg)
	}
	return nil
}

func (m *Model) load() tea.Cmd {
	store := m.store
	return m.list.Ask(m.env, "venues.list", readLimit, func(ctx context.Context) (answer, error) {
		venues, err := store.Venues(ctx)
		if err != nil {
			return answer{}, err
		}
		pools, err := store.Pools(ctx, "")
		a := answer{venues: venues, pools: map[string][]inventory.Pool{}}
		for _, p := range pools {
			a.pools[p.Ref.Venue] = append(a.pools[p.Ref.Venue], p)
		}
		return a, err
	})
}

func (m *Model) listed() {
	if m.list.Err() != nil {
		return
	}
	m.table.SetRows(m.list.Value().venues)
	m.table.Columns = m.columns()
	if m.want != "" && m.table.Select(m.want) {
		m.want = ""
	}
}

func (m *Model) do(v keys.Verb) tea.Cmd {
	if m.table.Do(v) {
		m.want = ""
		return nil
	}
	if v == addVenue {
		return m.openFinder(nil)
	}
	row, ok := m.table.Selected()
	if !ok {
		return nil
	}
	switch v {
	case keys.Open:
		return m.focus(row)
	case keys.Edit:
		return m.openEdit(row)
	case keys.PutBack:
		return m.askPutBack()
	case changeZone:
		return m.openFinder(&row)
	case addPool:
		return m.openAddPool(row)
	default: // Keys binds no other
	}
	return nil
}

// focus puts a venue into the header and before every screen.
func (m *Model) focus(v inventory.Venue) tea.Cmd {
	zone, err := timezone.ParseZone(v.Zone)
	if err != nil {
		return ui.Ask(ui.Say{Text: "its zone is unknown, so no time can be shown there; z chooses one", Bad: true})
	}
	return tea.Batch(
		ui.Ask(ui.Focus{Venue: ui.Venue{Slug: v.Slug, Name: v.Name, Zone: zone.Location()}}),
		ui.Ask(ui.Say{Text: v.Name + " is in focus on all screens"}),
	)
}

// refocus keeps the header right after the venue in focus was edited.
func (m *Model) refocus(v inventory.Venue) tea.Cmd {
	zone, err := timezone.ParseZone(v.Zone)
	now := m.env.Venue()
	if err != nil || v.Slug != now.Slug || now.Zone != nil && v.Name == now.Name && v.Zone == now.Zone.String() {
		return nil
	}
	return ui.Ask(ui.Focus{Venue: ui.Venue{Slug: v.Slug, Name: v.Name, Zone: zone.Location()}})
}
