package venues

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

const (
	maxZones   = 100
	zonesLimit = 20 * time.Second // some 400 small files, on a slow disk
	// daysAhead is how far ahead pool days can have been made.
	daysAhead = inventory.MaxHorizonDays
)

// finder is the zone page: a search, what matches, and what a change would do.
type finder struct {
	venue   *inventory.Venue // as it was drawn; nil when the zone of a new venue is looked for
	search  widget.Field
	matches []timezone.Match
	cursor  string // the name of the zone under the cursor
	counts  ui.Query[counts]
	asking  *timezone.Match // enter was pressed: the question comes with fresh counts
	ahead   *ahead          // what would move is on screen, to be decided on
}

// zonesRead brings the rules of all zones.
type zonesRead struct {
	zones *timezone.Directory
	err   error
}

// openFinder opens the zone page of a venue, or of a new one.
func (m *Model) openFinder(v *inventory.Venue) tea.Cmd {
	f := &finder{venue: v, search: widget.NewField("", "")}
	if v != nil {
		f.cursor = v.Zone
	}
	m.find = f
	m.match()
	cmd := m.count(nil)
	if m.zones != nil {
		return cmd
	}
	return tea.Batch(cmd, ui.Run(m.env, "venues.zones", zonesLimit,
		func(context.Context) (*timezone.Directory, error) { return timezone.LoadDirectory() },
		func(d *timezone.Directory, err error) tea.Msg { return zonesRead{d, err} }))
}

func (m *Model) zonesRead(msg zonesRead) tea.Cmd {
	m.zones = msg.zones
	if m.find != nil {
		m.match()
	}
	return ui.Report("read the zone rules", msg.err)
}

// count asks how much a change of zone would touch, and what it would move if the
// zone has been chosen.
func (m *Model) count(chosen *timezone.Match) tea.Cmd {
	if m.find.venue == nil {
		return nil
	}
	v, pools, store, now := *m.find.venue, m.list.Value().pools[m.find.venue.Slug], m.store, m.env.Now()
	zone, known := presentZone(v)
	if !known {
		zone = timezone.UTC() // only to have a first day to count from; nothing is decided by it
	}
	today := timezone.DayOf(now, zone)
	return m.find.counts.Ask(m.env, "venues.counts", readLimit, func(ctx context.Context) (counts, error) {
		var n counts
		for _, p := range pools {
			days, err := store.Days(ctx, p.Ref, inventory.DayRange{From: today, To: today.Add(date.PeriodOfDays(daysAhead))})
			if err != nil {
				return n, err
			}
			n.days += len(days)
			for _, d := range days {
				n.taken += d.Taken
			}
		}
		l, err := store.Bookings(ctx, inventory.BookingFilter{Venue: v.Slug, Limit: 1})
		n.holds = l.Counts.Held + l.Counts.Paying
		if err != nil || chosen == nil {
			return n, err
		}
		n.ahead, err = store.PreviewZone(ctx, v.Slug, chosen.Zone.Name())
		return n, err
	})
}

// counted goes on to the question if somebody waits for it.
func (m *Model) counted() tea.Cmd {
	f := m.find
	if err := f.counts.Err(); err != nil {
		f.asking = nil
		return ui.Report("see what a change would touch", err)
	}
	if f.asking == nil {
		return nil
	}
	match := *f.asking
	f.asking = nil
	return m.decideZone(match)
}

func (f *finder) selected() (timezone.Match, bool) {
	for _, match := range f.matches {
		if match.Zone.Name() == f.cursor {
			return match, true
		}
	}
	return timezone.Match{}, false
}

// match looks for what is typed. The cursor stays on its zone while that
// matches; with nothing typed it is on the venue's own.
func (m *Model) match() {
	f := m.find
	if m.zones == nil {
		return
	}
	limit := maxZones
	if f.search.Value() == "" {
		limit = 1000 // all of them, so that the venue's own is among them
	}
	f.matches = m.zones.Search(f.search.Value(), m.env.Now(), limit)
	if _, there := f.selected(); !there && len(f.matches) > 0 {
		f.cursor = f.matches[0].Zone.Name()
	}
}

func (m *Model) typed(k tea.KeyMsg) {
	if !m.find.search.Key(k) {
		return
	}
	m.find.cursor = "" // the best match is what one looks for
	m.match()
}

func (m *Model) doFind(v keys.Verb) tea.Cmd {
	f := m.find
	if f.ahead != nil {
		return m.doAhead(v)
	}
	const page = 8
	switch v {
	case keys.Up:
		f.move(-1)
	case keys.Down:
		f.move(1)
	case keys.PageUp:
		f.move(-page)
	case keys.PageDown:
		f.move(page)
	case keys.Back:
		m.find = nil
	case goOn:
		match, ok := f.selected()
		if !ok {
			return nil
		}
		if f.venue == nil {
			m.find = nil
			return m.openAdd(match)
		}
		f.asking = &match
		return m.count(&match)
	default: // keys binds no other
	}
	return nil
}

func (f *finder) move(by int) {
	if len(f.matches) == 0 {
		return
	}
	at := 0
	for i, match := range f.matches {
		if match.Zone.Name() == f.cursor {
			at = i
		}
	}
	f.cursor = f.matches[min(max(at+by, 0), len(f.matches)-1)].Zone.Name()
}
