package line

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
)

// story is all that is known of one booking.
type story struct {
	booking inventory.Booking // with its payments
	journal []inventory.JournalEntry
}

func readStory(ctx context.Context, r reader, id inventory.BookingID) (s story, err error) {
	if s.booking, err = r.Booking(ctx, id); err != nil {
		return s, err
	}
	s.journal, err = r.Journal(ctx, id)
	return s, err
}

// storyFor is the story of a booking, if it has been read.
func (m *Model) storyFor(b inventory.Booking) (story, bool) {
	s := m.story.Value()
	return s, m.story.Ready() && s.booking.ID == b.ID
}

// payments are the attempts to take money, a line each.
func (m *Model) payments(s story) []textLine {
	var out []textLine
	for _, p := range s.booking.Payments {
		text := fmt.Sprintf("%s payment ..%s, try %d: %s %s", m.moment(p.CreatedAt), p.ID.Short(), p.Attempt, p.Amount, p.State)
		if p.Standing != "" {
			text += ", " + string(p.Standing)
		}
		out = append(out, textLine{theme.Text, text + " at " + p.Provider})
	}
	return out
}

// journal is every transition, a line each.
func (m *Model) journal(s story) []textLine {
	var out []textLine
	for _, e := range s.journal {
		text := fmt.Sprintf("%s v%d %s: %s by %s", m.moment(e.At), e.Seq, e.To, strings.ReplaceAll(string(e.Cause), "_", " "), e.Actor)
		if e.Reason != "" {
			text += ` "` + e.Reason + `"`
		}
		out = append(out, textLine{theme.Muted, text})
	}
	return out
}

// open shows everything about the booking under the cursor, or asks for it first.
func (m *Model) open() tea.Cmd {
	b, ok := m.booking()
	if !ok {
		return nil
	}
	s, known := m.storyFor(b)
	if !known {
		m.opening = true
		return m.ask(b)
	}
	facts := func(lines []textLine) []dialog.Fact {
		var out []dialog.Fact
		for _, l := range lines {
			out = append(out, dialog.Fact{Text: l.text})
		}
		if len(out) == 0 {
			out = []dialog.Fact{{Text: "none"}}
		}
		return out
	}
	return ui.OpenDialog(dialog.NewList("BOOKING .."+b.ID.Short()+"  "+m.word(b), nil, []dialog.Group{
		{Title: "The claim", Facts: append([]dialog.Fact{{Text: m.claim(b)}}, facts(m.about(b))...)},
		{Title: "Payments", Facts: facts(m.payments(s))},
		{Title: "Journal", Facts: facts(m.journal(s))},
		{Title: "Id", Facts: []dialog.Fact{{Text: b.ID.String()}}},
	}))
}
