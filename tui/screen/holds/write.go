package holds

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

const (
	saveLimit = 12 * time.Second
	lookLimit = 3 * time.Second
)

// The answers of the dialogs. They carry the booking as it was drawn.
type (
	extendChosen struct {
		row    inventory.Booking
		by     time.Duration
		reason string
	}
	releaseChosen struct {
		row    inventory.Booking
		reason string
	}
)

// done is what became of a change, and where the booking stands if it was not
// simply done.
type done struct {
	row   inventory.Booking
	cause inventory.Cause
	after inventory.Booking
	last  inventory.JournalEntry
	most  time.Duration // how long a hold may live there, when that was the refusal
	err   error
}

// askExtend opens the form for more time. It is level 1: it harms nobody and is
// bounded by the venue's longest hold.
func (m *Model) askExtend() tea.Cmd {
	row, ok := m.table.Selected()
	if !ok {
		return nil
	}
	intro := []string{
		fmt.Sprintf("%s, %s, for %s.", row.Claimed(), timezone.DayLabel(row.Day), row.Buyer),
		fmt.Sprintf("It ends at %s (in %s); more time is added to that.", m.at(row.ExpiresAt), widget.Left(row.ExpiresAt.Sub(m.env.Now()))),
	}
	if m.word(row) == due {
		intro[1] = "Its time was over at " + m.at(row.ExpiresAt) + "; more time counts from now."
	}
	if s, known := m.storyFor(row); known && s.longest > 0 {
		intro = append(intro, m.capOf(row, s.longest))
	}
	by := widget.TextInput("by", "More time", "5m", "5m")
	by.Note = "such as 5m or 90s"
	reason := widget.TextInput("reason", "Reason", "", "goes to the journal; may be empty")
	return ui.OpenDialog(dialog.NewForm(dialog.FormSpec{
		Title: "EXTEND HOLD .." + row.ID.Short(), Intro: intro, Inputs: []widget.Input{by, reason}, Submit: "Extend",
		Check: checkExtend,
		Then: func(v map[string]string) tea.Msg {
			by, _ := parseBy(v["by"]) // Check let it through
			return extendChosen{row, by, v["reason"]}
		},
	}))
}

func (m *Model) capOf(row inventory.Booking, longest time.Duration) string {
	return fmt.Sprintf("At most until %s: a hold of this venue lives %s at the longest.", m.at(row.CreatedAt.Add(longest)), short(longest))
}

func checkExtend(v map[string]string) map[string]string {
	wrong := map[string]string{}
	if _, err := parseBy(v["by"]); err != nil {
		wrong["by"] = err.Error()
	}
	if err := checkReason(v["reason"]); err != nil {
		wrong["reason"] = inventory.Message(err)
	}
	return wrong
}

// checkReason lets an empty reason pass: neither verb needs one.
func checkReason(s string) error {
	if s == "" {
		return nil
	}
	return inventory.CheckReason(s)
}

func parseBy(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		return 0, errors.New("write a length of time with its unit, such as 5m or 90s")
	case d < time.Second:
		return 0, errors.New("must be at least 1s")
	}
	return d, nil
}

// askRelease opens the confirmation of a release.
func (m *Model) askRelease() tea.Cmd {
	row, ok := m.table.Selected()
	if !ok {
		return nil
	}
	never := "money is moved; a second release"
	if row.State == inventory.StatePaymentPending {
		never = "money is lost: if the payment under way still succeeds, it waits among the zombies"
	}
	return ui.OpenDialog(dialog.NewConfirm(dialog.Spec{
		Title: "RELEASE ONE HOLD",
		Intro: []string{fmt.Sprintf("%s, %s, for %s. %s.", row.Claimed(), timezone.DayLabel(row.Day), row.Buyer, row.Amount)},
		Facts: []dialog.Fact{
			{Label: "What happens", Text: freed(row) + " back on sale at once"},
			{Text: fmt.Sprintf("the hold is CANCELLED, v%d -> v%d", row.Version, row.Version+1)},
			{Label: "What cannot happen", Text: never},
			{Label: "If it has moved", Text: "paid, expired or changed meanwhile: nothing changes, and you are told"},
		},
		ReadAt: m.list.ReadAt().In(m.env.Zone()),
		Reason: "Reason",
		Actions: []dialog.Action{
			{Name: "release", Label: "Release"},
		},
		Then: func(c dialog.Choice) tea.Msg { return releaseChosen{row, c.Reason} },
	}))
}

func (m *Model) extend(c extendChosen) tea.Cmd {
	store, actor := m.store, m.actor
	return m.save(c.row, inventory.CauseExtended, "extending", func(ctx context.Context) (inventory.Booking, error) {
		return store.ExtendHold(ctx, c.row.ID, c.row.Version, c.by, actor, c.reason)
	})
}

func (m *Model) release(c releaseChosen) tea.Cmd {
	store, actor := m.store, m.actor
	return m.save(c.row, inventory.CauseReleased, "releasing", func(ctx context.Context) (inventory.Booking, error) {
		return store.ReleaseHold(ctx, c.row.ID, c.row.Version, actor, c.reason)
	})
}

// save makes a change to a hold, which the store refuses if it does not stand
// as it was drawn. When it is not
// simply done, it looks where the hold stands now.
func (m *Model) save(row inventory.Booking, cause inventory.Cause, doing string, change func(context.Context) (inventory.Booking, error)) tea.Cmd {
	m.saving[row.ID] = true
	r := m.store
	return ui.Save(m.env, "hold."+string(cause), doing+" .."+row.ID.Short(), saveLimit, func(ctx context.Context) (done, error) {
		d := done{row: row, cause: cause}
		var err error
		d.after, err = change(ctx)
		switch {
		case errors.Is(err, inventory.ErrLimitOfHold):
			d.most = longestHold(ctx, r, venueOf(row))
		case err != nil:
			d.last = lastEntry(ctx, r, row.ID)
		}
		return d, err
	}, func(d done, err error) tea.Msg {
		d.row, d.cause, d.err = row, cause, err
		return d
	})
}

// lastEntry is the newest transition of a booking, zero if it cannot be read.
// The limit of the change may be used up, so it has its own.
func lastEntry(ctx context.Context, r reader, id inventory.BookingID) inventory.JournalEntry {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	entries, err := r.Journal(ctx, id)
	if err != nil || len(entries) == 0 {
		return inventory.JournalEntry{}
	}
	return entries[len(entries)-1]
}

// longestHold is how long a hold may live at a venue, zero if that cannot be read.
func longestHold(ctx context.Context, r reader, venue string) time.Duration {
	v, err := r.Venue(ctx, venue)
	if err != nil {
		return 0
	}
	return v.HoldMaxLife
}

// done tells the dialog what the database answered.
func (m *Model) done(d done) tea.Cmd {
	delete(m.saving, d.row.ID)
	return tea.Batch(ui.SettleDialog(m.outcome(d)), m.load())
}

func (m *Model) outcome(d done) dialog.Outcome {
	what := d.row.Claimed() + " for " + d.row.Buyer
	switch {
	case d.err == nil && d.cause == inventory.CauseExtended:
		return dialog.Outcome{OK: true, Text: fmt.Sprintf("extended until %s, v%d: %s", m.at(d.after.ExpiresAt), d.after.Version, what)}
	case d.err == nil:
		return dialog.Outcome{OK: true, Text: fmt.Sprintf("released, v%d: %s", d.after.Version, what)}
	case errors.Is(d.err, inventory.ErrLimitOfHold):
		text := "nothing changed: that is longer than a hold may live here"
		if d.most > 0 {
			text = "nothing changed: at most until " + m.at(d.row.CreatedAt.Add(d.most)) + " here"
		}
		return dialog.Outcome{Again: true, Text: text, Problems: map[string]string{"by": "past the longest hold of this venue"}}
	case errors.Is(d.err, inventory.ErrUnknownOutcome):
		return m.lookedUp(d, what)
	case errors.Is(d.err, inventory.ErrStale), errors.Is(d.err, inventory.ErrNotAllowed), errors.Is(d.err, inventory.ErrHoldExpired):
		if d.cause == inventory.CauseExtended { // a form shows one line
			return dialog.Outcome{Text: "not extended. " + strings.Join(m.whoWas(d), " ")}
		}
		return dialog.Outcome{Text: "Nothing changed: someone else was faster.", Lines: m.whoWas(d)}
	}
	return dialog.Outcome{Again: true, Text: "not done: " + inventory.Message(d.err)}
}

// whoWas says who moved the booking last.
func (m *Model) whoWas(d done) []string {
	if d.last.Seq == 0 {
		return []string{"Close this and look at the list."}
	}
	return []string{fmt.Sprintf("It is %s now (v%d): %s by %s at %s.", d.last.To, d.last.Seq, d.last.Cause, d.last.Actor, m.at(d.last.At))}
}

// lookedUp answers for a change whose own answer was lost. What is not there
// yet may still come, so a no is never more than "so far".
func (m *Model) lookedUp(d done, what string) dialog.Outcome {
	l := d.last
	switch {
	case l.Seq == d.row.Version+1 && l.Cause == d.cause && l.Actor == m.actor.String():
		return dialog.Outcome{OK: true, Text: fmt.Sprintf("the answer was lost, but it went through: v%d, %s", l.Seq, what)}
	case l.Seq > d.row.Version:
		return dialog.Outcome{Text: "The answer was lost. Someone else was faster.", Lines: m.whoWas(d)}
	case l.Seq == d.row.Version:
		return dialog.Outcome{Text: "The answer was lost. So far nothing has changed.", Lines: []string{"Close this, wait for fresh numbers and look again before you repeat it."}}
	}
	return dialog.Outcome{Text: "The answer was lost, and the hold cannot be read.", Lines: []string{"Look at the hold again when the database is back. Do not repeat it blindly."}}
}
