package holds

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/canvas"
	"holdfast/tui/dialog"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
)

// story is all that is known of one booking.
type story struct {
	booking inventory.Booking // with its payments
	journal []inventory.JournalEntry
	longest time.Duration // how long a hold may live at its venue
}

func readStory(ctx context.Context, r reader, id inventory.BookingID, venue string) (s story, err error) {
	if s.booking, err = r.Booking(ctx, id); err != nil {
		return s, err
	}
	if s.journal, err = r.Journal(ctx, id); err != nil {
		return s, err
	}
	v, err := r.Venue(ctx, venue)
	s.longest = v.HoldMaxLife
	return s, err
}

// storyFor is the story of a row, if it has been read.
func (m *Model) storyFor(b inventory.Booking) (story, bool) {
	s := m.story.Value()
	return s, m.story.Ready() && s.booking.ID == b.ID
}

// line is one line of the pane.
type line struct {
	style canvas.Style
	text  string
}

// about is what the list itself knows of a booking.
func (m *Model) about(b inventory.Booking) []line {
	lines := []line{{theme.Text, fmt.Sprintf("%s, %s, %s, v%d", b.Claimed(), timezone.DayLabel(b.Day), b.Amount, b.Version)}}
	if !b.ExpiresAt.IsZero() {
		lines = append(lines, line{theme.Text, fmt.Sprintf("held %s for %s, until %s", m.at(b.CreatedAt), short(b.ExpiresAt.Sub(b.CreatedAt)), m.at(b.ExpiresAt))})
	} else {
		lines = append(lines, line{theme.Text, "given by staff " + m.at(b.CreatedAt) + ", never held"})
	}
	return lines
}

// keyOf is how the shop's own log finds the request.
func keyOf(b inventory.Booking) line {
	if b.IdempotencyKey == "" {
		return line{}
	}
	key := b.IdempotencyKey
	return line{theme.Muted, "the key of its request ends in " + key[max(0, len(key)-6):]}
}

// meaning says what a state means for the place.
func (m *Model) meaning(b inventory.Booking) line {
	switch m.word(b) {
	case due:
		return line{theme.Warn, "Its time is over. It still counts as taken until the sweep frees it."}
	case "PAYING":
		s := "A payment was asked for, its end is unknown: the place is kept."
		if b.DoubtUntil.After(m.env.Now()) {
			s = "A payment was asked for. The place is kept; from " + m.at(b.DoubtUntil) + " the provider is asked how it ended."
		}
		return line{theme.Text, s}
	case string(inventory.StateExpired), string(inventory.StateCancelled):
		return line{theme.Text, fmt.Sprintf("Over since %s: the place went back on sale.", m.at(b.UpdatedAt))}
	case string(inventory.StateConfirmed):
		return line{theme.Text, "Since " + m.at(b.UpdatedAt) + " the place is theirs."}
	}
	return line{}
}

// payments are the attempts to take money, a line each.
func (m *Model) payments(s story) []line {
	var out []line
	for _, p := range s.booking.Payments {
		text := fmt.Sprintf("%s payment ..%s, try %d: %s %s", m.at(p.CreatedAt), p.ID.Short(), p.Attempt, p.Amount, p.State)
		if p.Standing != "" {
			text += ", " + string(p.Standing)
		}
		out = append(out, line{theme.Text, text + " at " + p.Provider})
	}
	return out
}

// journal is every transition, a line each.
func (m *Model) journal(s story) []line {
	var out []line
	for _, e := range s.journal {
		text := fmt.Sprintf("%s v%d %s: %s by %s", m.at(e.At), e.Seq, e.To, strings.ReplaceAll(string(e.Cause), "_", " "), e.Actor)
		if e.Reason != "" {
			text += ` "` + e.Reason + `"`
		}
		out = append(out, line{theme.Muted, text})
	}
	return out
}

// open shows everything about the selected booking, or asks for it first.
func (m *Model) open() tea.Cmd {
	row, ok := m.table.Selected()
	if !ok {
		return nil
	}
	s, known := m.storyFor(row)
	if !known {
		m.opening = true
		return m.ask(row)
	}
	facts := func(lines []line) []dialog.Fact {
		var out []dialog.Fact
		for _, l := range lines {
			if l.text != "" {
				out = append(out, dialog.Fact{Text: l.text})
			}
		}
		return out
	}
	b := s.booking
	title := "BOOKING .." + b.ID.Short() + "  " + m.word(b)
	return ui.OpenDialog(dialog.NewList(title, nil, []dialog.Group{
		{Title: "The claim", Facts: facts(append(m.about(b), m.meaning(b)))},
		{Title: "Who", Facts: []dialog.Fact{{Text: b.Buyer}}},
		{Title: "Payments", Facts: orNone(facts(m.payments(s)))},
		{Title: "Journal", Facts: orNone(facts(m.journal(s)))},
		{Title: "Id and key", Facts: append([]dialog.Fact{{Text: b.ID.String()}}, facts([]line{keyOf(b)})...)},
	}))
}

func orNone(facts []dialog.Fact) []dialog.Fact {
	if len(facts) == 0 {
		return []dialog.Fact{{Text: "none"}}
	}
	return facts
}
