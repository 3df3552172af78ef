package venues

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/dialog"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// The kinds of what can move, as inventory.ZoneMove names them.
const (
	kindRange = "range"
	kindEvent = "event"
	kindDay   = "pool-day"
)

// ahead is the page of what a change of zone would move, on which a person
// chooses what stays.
type ahead struct {
	match   timezone.Match
	preview inventory.ZonePreview
	keep    inventory.ZoneKeep
	table   widget.Table[inventory.ZoneMove, moveKey]
}

// moveKey is the identity of what would move.
type moveKey struct {
	kind    string
	booking inventory.BookingID
	event   inventory.EventID
	name    string
	day     string
}

func keyOf(v inventory.ZoneMove) moveKey {
	return moveKey{v.Kind, v.Booking, v.Event, v.Name, v.Day.String()}
}

// decideZone goes on from the zone that was chosen. Where the two copies of the
// zone rules disagree nothing can be saved; where bookings or events would move,
// a person has to choose what stays; else there is nothing to choose.
func (m *Model) decideZone(match timezone.Match) tea.Cmd {
	f := m.find
	p := f.counts.Value().ahead
	switch {
	case len(p.RulesDiffer) > 0:
		return ui.OpenDialog(dialog.NewMessage("THE ZONE RULES DISAGREE", disagree(p, match.Zone), nil))
	case f.same() && p.Moving == 0:
		return ui.Ask(ui.Say{Text: "that is its zone already, and its rules of today would move nothing"})
	case !choiceNeeded(p):
		return m.askZone(match)
	}
	a := &ahead{match: match, preview: p, keep: inventory.KeepLocal, table: widget.NewTable(keyOf)}
	a.table.SetRows(worstFirst(p.Moves))
	f.ahead = a
	m.fitAhead()
	return nil
}

// choiceNeeded reports that something would move that somebody has typed a time
// for. A pool day ends with its day by whatever clock.
func choiceNeeded(p inventory.ZonePreview) bool {
	return p.Moving > len(p.Moves) || slices.ContainsFunc(p.Moves, func(v inventory.ZoneMove) bool { return v.Kind != kindDay })
}

// worstFirst puts what cannot keep its local time before the rest, and days,
// which are many and all alike, at the end.
func worstFirst(moves []inventory.ZoneMove) []inventory.ZoneMove {
	rank := func(v inventory.ZoneMove) int {
		switch {
		case v.Problem != "":
			return 0
		case v.Kind == kindDay:
			return 2
		}
		return 1
	}
	out := slices.Clone(moves)
	slices.SortStableFunc(out, func(a, b inventory.ZoneMove) int { return rank(a) - rank(b) })
	return out
}

// disagree says how the two copies of the zone rules differ.
func disagree(p inventory.ZonePreview, zone timezone.Zone) []string {
	at := p.RulesDiffer[0]
	return []string{
		fmt.Sprintf("This program and the database know different rules of %s, so nothing is changed: a time would mean one thing here and another there.", zone.Name()),
		fmt.Sprintf("They first differ at %s UTC.", at.UTC().Format("2006-01-02 15:04")),
		fmt.Sprintf("Rules here: %s; in the database: %s. Update the time zone data of the one that is older, then try again.", p.GoRules, p.DatabaseRules),
	}
}

// keys is the keyboard of the page.
func (a *ahead) keys() keys.Table {
	ok, why := a.possible()
	return append(keys.Move(),
		keys.Binding{Verb: goOn, Keys: []string{"enter"}, Help: "go on...", Level: keys.Undo, Writes: true, Priority: 60}.If(ok, why),
		keys.Binding{Verb: otherKeep, Keys: []string{"tab", "space"}, Help: "keep the other", More: "keep the local times, or the moments", Priority: 62},
		keys.Binding{Verb: keys.Back, Keys: []string{"esc"}, Help: "other zone", Priority: 65},
	)
}

// possible says whether the choice can be saved; the database decides.
func (a *ahead) possible() (ok bool, why string) {
	n := a.preview.Missing + a.preview.Doubled
	return a.keep == inventory.KeepInstant || n == 0,
		counted(n, "local time falls in a gap or comes twice", "local times fall in a gap or come twice") + ": move first, or tab"
}

func (m *Model) doAhead(v keys.Verb) tea.Cmd {
	a := m.find.ahead
	if a.table.Do(v) {
		return nil
	}
	switch v {
	case otherKeep:
		if a.keep == inventory.KeepLocal {
			a.keep = inventory.KeepInstant
		} else {
			a.keep = inventory.KeepLocal
		}
		m.fitAhead()
	case keys.Back:
		m.find.ahead = nil
	case goOn:
		return m.confirmZone(a.match, a.keep, a.happens(), a.never())
	default: // keys binds no other
	}
	return nil
}

// happens says in few lines what is about to be done.
func (a *ahead) happens() []string {
	ranges, events, days := a.count()
	what := "The local times stay, the moments move"
	if a.keep == inventory.KeepInstant {
		what = "The moments stay, the wall shows something else"
	}
	lines := []string{fmt.Sprintf("%s: %s%s.", what, a.atLeast(), listed(some{ranges, "booking by time", "bookings by time"}, some{events, "event", "events"}))}
	if days > 0 {
		lines = append(lines, counted(days, "pool day ends", "pool days end")+" with the local day there; their bookings keep their dates.")
	}
	if n := a.preview.NewDay; n > 0 && a.keep == inventory.KeepInstant {
		lines = append(lines, counted(n, "booking is", "bookings are")+" on another local day then.")
	}
	return append(lines, "Every booking that is changed is told to its shop as moved.")
}

// atLeast says that not all that would move is listed, when that is so.
func (a *ahead) atLeast() string {
	if a.preview.Moving > len(a.preview.Moves) {
		return "at least "
	}
	return ""
}

func (a *ahead) never() dialog.Fact {
	return dialog.Fact{Label: "What cannot happen", Text: "half of them changed; two bookings on top of each other"}
}

// count counts what is listed, by kind.
func (a *ahead) count() (ranges, events, days int) {
	for _, v := range a.preview.Moves {
		switch v.Kind {
		case kindRange:
			ranges++
		case kindEvent:
			events++
		case kindDay:
			days++
		}
	}
	return ranges, events, days
}

// some is a number of things.
type some struct {
	n         int
	one, many string
}

// listed writes what there is any of.
func listed(all ...some) string {
	var parts []string
	for _, s := range all {
		if s.n > 0 {
			parts = append(parts, counted(s.n, s.one, s.many))
		}
	}
	return strings.Join(parts, ", ")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// example is the first move without a problem, which shows what keeping means.
func (a *ahead) example() (inventory.ZoneMove, bool) {
	for _, v := range a.table.Rows() {
		if v.Problem == "" && v.Kind != kindDay {
			return v, true
		}
	}
	return inventory.ZoneMove{}, false
}
