package line

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/dialog"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
)

// endChosen carries the booking as it was drawn.
type endChosen struct {
	row    inventory.Booking
	refund bool
	reason string
}

// done is what became of a change of a booking, and where it stands if it was
// not simply done.
type done struct {
	row   inventory.Booking
	verb  keys.Verb // keys.Release, cancel or moveTo
	to    whither   // of a move
	after inventory.Booking
	now   inventory.Booking // read when it was not simply done; zero: not to be had
	last  inventory.JournalEntry
	next  inventory.JournalEntry // the transition that came right after what was drawn
	err   error
}

// claim says what a booking takes, with its day, for people.
func (m *Model) claim(b inventory.Booking) string {
	return fmt.Sprintf("%s, %s, for %s. %s.", b.Claimed(), timezone.DayLabel(b.Day), b.Buyer, b.Amount)
}

// askEnd opens the confirmation that a hold is released or a booking cancelled.
func (m *Model) askEnd() tea.Cmd {
	b, ok := m.booking()
	switch {
	case !ok:
		return nil
	case b.State.Hold():
		return m.askRelease(b)
	}
	return m.askCancel(b)
}

func (m *Model) askRelease(b inventory.Booking) tea.Cmd {
	never := "money is moved; a second release"
	if b.State == inventory.StatePaymentPending {
		never = "money is lost: if the payment under way still succeeds, it waits among the zombies"
	}
	return ui.OpenDialog(dialog.NewConfirm(dialog.Spec{
		Title: "RELEASE ONE HOLD",
		Intro: []string{m.claim(b)},
		Facts: []dialog.Fact{
			{Label: "What happens", Text: "the time goes back on sale at once"},
			{Text: fmt.Sprintf("the hold is CANCELLED, v%d -> v%d", b.Version, b.Version+1)},
			{Label: "What cannot happen", Text: never},
			{Label: "If it has moved", Text: "paid, expired or changed meanwhile: nothing changes, and you are told"},
		},
		ReadAt:  m.drawnAt(),
		Reason:  "Reason",
		Actions: []dialog.Action{{Name: "release", Label: "Release"}},
		Then:    func(c dialog.Choice) tea.Msg { return endChosen{b, false, c.Reason} },
	}))
}

func (m *Model) askCancel(b inventory.Booking) tea.Cmd {
	facts := []dialog.Fact{
		{Label: "What happens", Text: "the time goes back on sale at once"},
		{Text: fmt.Sprintf("the booking is CANCELLED, v%d -> v%d", b.Version, b.Version+1)},
	}
	actions := []dialog.Action{{Name: "keep", Label: "End it, no refund"}, {Name: "refund", Label: "End it and refund"}}
	s, known := m.storyFor(b)
	switch {
	case known && !paid(s.booking):
		facts = append(facts, dialog.Fact{Text: "nothing was paid for it, so no money moves"})
		actions = []dialog.Action{{Name: "keep", Label: "End it"}}
	default:
		facts = append(facts,
			dialog.Fact{Label: "Its money", Text: "with a refund it goes back to whoever paid, once;"},
			dialog.Fact{Text: "without, it waits among the zombies for you"},
		)
	}
	return ui.OpenDialog(dialog.NewConfirm(dialog.Spec{
		Title: "CANCEL ONE BOOKING",
		Intro: []string{m.claim(b)},
		Facts: append(facts,
			dialog.Fact{Label: "What cannot happen", Text: "money forgotten; calling it back"},
			dialog.Fact{Label: "If it has moved", Text: "changed meanwhile: nothing changes, and you are told"},
		),
		ReadAt:  m.drawnAt(),
		Reason:  "Reason",
		Reasons: true,
		Actions: actions,
		Then:    func(c dialog.Choice) tea.Msg { return endChosen{b, c.Action == "refund", c.Reason} },
	}))
}

func (m *Model) end(c endChosen) tea.Cmd {
	store, actor := m.store, m.actor
	if c.row.State.Hold() {
		return m.save(done{row: c.row, verb: keys.Release}, "releasing", func(ctx context.Context) (inventory.Booking, error) {
			return store.ReleaseHold(ctx, c.row.ID, c.row.Version, actor, c.reason)
		})
	}
	if err := inventory.CheckReason(c.reason); err != nil {
		return ui.SettleDialog(dialog.Outcome{Again: true, Text: inventory.Message(err)})
	}
	return m.save(done{row: c.row, verb: cancel}, "cancelling", func(ctx context.Context) (inventory.Booking, error) {
		// The store takes no version here, so what was drawn is compared first.
		now, err := store.Booking(ctx, c.row.ID)
		if err != nil {
			return now, err
		}
		if now.Version != c.row.Version {
			return now, &inventory.StaleError{Object: "booking " + c.row.ID.String(), Seen: c.row.Version, Current: now.Version}
		}
		return store.CancelBooking(ctx, c.row.ID, actor, c.reason, c.refund)
	})
}

// save makes a change to a booking, which is refused if it does not stand as it
// was drawn. When it is not simply done, it looks where the booking stands now.
func (m *Model) save(d done, doing string, change func(context.Context) (inventory.Booking, error)) tea.Cmd {
	m.saving[d.row.ID] = true
	r := m.store
	return ui.Save(m.env, "range."+string(d.verb), doing+" .."+d.row.ID.Short(), saveLimit, func(ctx context.Context) (done, error) {
		got := d
		var err error
		if got.after, err = change(ctx); err != nil {
			got.standsNow(ctx, r)
		}
		return got, err
	}, func(got done, err error) tea.Msg {
		if got.row.ID != d.row.ID { // the session ended before anything was asked
			got = d
		}
		got.err = err
		return got
	})
}

// standsNow reads how the booking stands and what happened to it since it was
// drawn. The limit of the change may be used up, so it has its own. What cannot
// be read stays zero.
func (d *done) standsNow(ctx context.Context, r reader) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	entries, err := r.Journal(ctx, d.row.ID)
	if err != nil {
		return
	}
	if d.now, err = r.Booking(ctx, d.row.ID); err != nil {
		return
	}
	for _, e := range entries {
		if d.last = e; e.Seq == d.row.Version+1 {
			d.next = e
		}
	}
}

// done tells the dialog what the database answered.
func (m *Model) done(d done) tea.Cmd {
	delete(m.saving, d.row.ID)
	o := m.outcome(d)
	if o.OK {
		delete(m.typed, d.row.ID.String())
		m.left = ""
	}
	return tea.Batch(ui.SettleDialog(o), m.load())
}

func (m *Model) outcome(d done) dialog.Outcome {
	what := d.row.Claimed() + " for " + d.row.Buyer
	switch {
	case d.err == nil:
		return dialog.Outcome{OK: true, Text: m.didIt(d, d.after.Version, what)}
	case errors.Is(d.err, inventory.ErrUnknownOutcome):
		return m.lookedUp(d, what)
	case errors.Is(d.err, inventory.ErrPriceChanges):
		return dialog.Outcome{Again: true, Text: "not moved: it is paid or being paid, so only the price it has can be kept"}
	case errors.Is(d.err, inventory.ErrStale), errors.Is(d.err, inventory.ErrNotAllowed), errors.Is(d.err, inventory.ErrHoldExpired):
		return dialog.Outcome{Text: "Nothing changed: someone else was faster.", Lines: m.whoWas(d)}
	}
	if d.verb == moveTo {
		const again = "Close this; m asks again with what you typed."
		if text := m.clash(d.err, d.to.zone, d.to.day); text != "" {
			return dialog.Outcome{Text: "Nothing changed: that time is " + text + ".", Lines: []string{again}}
		}
		if len(inventory.FieldErrors(d.err)) > 0 { // it is in the times, which this dialog does not ask for
			return dialog.Outcome{Text: "Nothing changed: " + inventory.Message(d.err) + ".", Lines: []string{again}}
		}
	}
	return dialog.Outcome{Again: true, Text: "not done: " + inventory.Message(d.err)}
}

// didIt says what was done.
func (m *Model) didIt(d done, version int, what string) string {
	switch d.verb {
	case moveTo:
		return fmt.Sprintf("moved, v%d: %s to %s %s", version, what, d.to.to.Name, fromTo(d.to.during, d.to.zone, d.to.day))
	case keys.Release:
		return fmt.Sprintf("released, v%d: %s", version, what)
	default:
		return fmt.Sprintf("cancelled, v%d: %s", version, what)
	}
}

// whoWas says who changed the booking last.
func (m *Model) whoWas(d done) []string {
	if d.last.Seq == 0 {
		return []string{"Close this and look at the line."}
	}
	return []string{fmt.Sprintf("It is %s now (v%d): %s by %s at %s.", d.last.To, d.last.Seq, d.last.Cause, d.last.Actor, m.moment(d.last.At))}
}

// lookedUp answers for a change whose own answer was lost. What is not there
// yet may still come, so a no is never more than "so far".
func (m *Model) lookedUp(d done, what string) dialog.Outcome {
	l := d.last
	switch {
	case d.next.Actor == m.actor.String() && d.stands():
		return dialog.Outcome{OK: true, Text: "the answer was lost, but it went through: " + m.didIt(d, d.next.Seq, what)}
	case l.Seq > d.row.Version:
		return dialog.Outcome{Text: "The answer was lost. The booking has changed.", Lines: m.whoWas(d)}
	case l.Seq == d.row.Version:
		return dialog.Outcome{Text: "The answer was lost. So far nothing has changed.", Lines: []string{"Close this, wait for fresh numbers and look again before you repeat it."}}
	}
	return dialog.Outcome{Text: "The answer was lost, and the booking cannot be read.", Lines: []string{"Look at the booking again when the database is back. Do not repeat it blindly."}}
}

// stands reports that the booking stands as the change would have left it.
func (d done) stands() bool {
	if d.verb != moveTo {
		return d.now.State == inventory.StateCancelled
	}
	return d.now.During.From.Equal(d.to.during.From) && d.now.During.To.Equal(d.to.during.To) && d.now.Resource == d.to.to.Ref
}
