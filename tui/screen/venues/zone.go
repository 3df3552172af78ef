package venues

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
)

// previewFresh is how old the preview of a change of zone may be.
const previewFresh = 30 * time.Second

// zoneChosen carries the venue as it was drawn.
type zoneChosen struct {
	venue  inventory.Venue
	zone   timezone.Zone
	keep   inventory.ZoneKeep
	reason string
}

// zoneSet is what became of a change of zone; theirs is the venue as it stands
// when the change was not simply made.
type zoneSet struct {
	chosen zoneChosen
	stored inventory.Venue
	theirs inventory.Venue
	err    error
}

// askZone opens the typed confirmation of a change of zone that moves no booking
// and no event: then local times and moments are the same thing.
func (m *Model) askZone(match timezone.Match) tea.Cmd {
	return m.confirmZone(match, inventory.KeepLocal, m.preview(match), dialog.Fact{Label: "What cannot happen", Text: "a place lost; a booking on another date"})
}

func (m *Model) confirmZone(match timezone.Match, keep inventory.ZoneKeep, happens []string, facts ...dialog.Fact) tea.Cmd {
	f := m.find
	v := *f.venue
	return ui.OpenDialog(dialog.NewConfirm(dialog.Spec{
		Title:  "CHANGE THE ZONE OF " + v.Name,
		Intro:  append([]string{v.Zone + " -> " + match.Zone.Name() + ". What happens:"}, happens...),
		Facts:  append(facts, dialog.Fact{Label: "If it has moved", Text: "nothing changes, and you are told"}),
		ReadAt: f.counts.ReadAt().In(m.env.Zone()), MaxAge: previewFresh,
		Reason: "Reason", Reasons: true, Type: v.Slug,
		Actions: []dialog.Action{{Name: "change", Label: "Change"}},
		Then:    func(c dialog.Choice) tea.Msg { return zoneChosen{v, match.Zone, keep, c.Reason} },
	}))
}

func (m *Model) setZone(c zoneChosen) tea.Cmd {
	if err := inventory.CheckReason(c.reason); err != nil {
		return ui.SettleDialog(dialog.Outcome{Again: true, Text: inventory.Message(err)})
	}
	v, zone := c.venue, c.zone.Name()
	store, actor := m.store, m.actor
	return ui.Save(m.env, "venue.zone", "changing the zone of "+v.Slug, saveLimit, func(ctx context.Context) (zoneSet, error) {
		s := zoneSet{chosen: c}
		var err error
		if s.stored, err = store.ChangeZone(ctx, actor, v.Slug, v.Version, zone, c.keep, c.reason); movedOrUnknown(err) {
			s.theirs = standsNow(ctx, store, v.Slug)
		}
		return s, err
	}, func(s zoneSet, err error) tea.Msg {
		s.chosen, s.err = c, err
		return s
	})
}

func (m *Model) zoneSet(s zoneSet) tea.Cmd {
	o := zoneOutcome(s)
	var cmds []tea.Cmd
	switch {
	case o.OK:
		m.find, m.last = nil, nil // an edit before it is no longer the last thing that was done
		stored := s.stored
		if stored.Slug == "" {
			stored = s.theirs
		}
		cmds = append(cmds, m.refocus(stored))
	case s.theirs.Slug != "" && m.find != nil && m.find.venue != nil:
		now := s.theirs
		m.find.venue, m.find.ahead = &now, nil // what is chosen next is about what stands now
	}
	return tea.Batch(append(cmds, ui.SettleDialog(o), m.load())...)
}

func zoneOutcome(s zoneSet) dialog.Outcome {
	was, to := s.chosen.venue, s.chosen.zone.Name()
	switch {
	case s.err == nil:
		return dialog.Outcome{OK: true, Text: fmt.Sprintf("%s is in %s now, v%d", s.stored.Slug, to, s.stored.Version)}
	case errors.Is(s.err, inventory.ErrUnknownOutcome) && s.theirs.Zone == to && s.theirs.Version == was.Version+1:
		return dialog.Outcome{OK: true, Text: fmt.Sprintf("answer lost, but done: %s is in %s, v%d", was.Slug, to, s.theirs.Version)}
	case errors.Is(s.err, inventory.ErrUnknownOutcome) && s.theirs.Version == was.Version:
		return dialog.Outcome{Text: "The answer was lost. So far nothing has changed.", Lines: []string{"Close this and look again before you repeat it."}}
	case errors.Is(s.err, inventory.ErrUnknownOutcome):
		return dialog.Outcome{Text: "The answer was lost.", Lines: []string{"Look at the venue again when the database is back. Do not repeat it blindly."}}
	case errors.Is(s.err, inventory.ErrStale):
		return dialog.Outcome{Text: "Someone else saved first: nothing of yours was saved.", Lines: []string{
			inventory.Message(s.err) + ".",
			fmt.Sprintf("Zone: you saw %s, it is %s now, you wanted %s.", was.Zone, s.theirs.Zone, to),
			"Close this and look at the preview again.",
		}}
	case len(inventory.FieldErrors(s.err)) > 0:
		return dialog.Outcome{Text: "Nothing was saved: " + inventory.Message(s.err)}
	}
	return dialog.Outcome{Again: true, Text: "not saved: " + inventory.Message(s.err)}
}

// movedOrUnknown reports errors after which one has to look how a venue stands.
func movedOrUnknown(err error) bool {
	return errors.Is(err, inventory.ErrStale) || errors.Is(err, inventory.ErrUnknownOutcome)
}

// standsNow is a venue as it stands, zero if it cannot be read. The limit of the
// save may be used up, so it has its own.
func standsNow(ctx context.Context, l lister, slug string) inventory.Venue {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readLimit)
	defer cancel()
	v, err := l.Venue(ctx, slug)
	if err != nil {
		return inventory.Venue{}
	}
	return v
}
