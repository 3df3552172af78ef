package refunds

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
)

const decideLimit = 12 * time.Second

// retryChosen carries the refund and its payment as they were drawn.
type retryChosen struct {
	r row
	s story
}

// askRetry opens the confirmation of asking again for a failed refund.
func (m *Model) askRetry(r row) tea.Cmd {
	if ok, why := m.retryable(r); !ok {
		return ui.Ask(ui.Say{Text: why, Bad: true})
	}
	s := m.story.Value()
	facts := []dialog.Fact{
		{Label: "What happens", Text: fmt.Sprintf("a new refund of %s is asked for, with a new key, for the same reason:%s;", r.Amount, quoted(r.Reason))},
		{Text: "it is done when the provider says so, not before"},
	}
	facts = append(facts, m.staysAs(s, r.Amount.Minor)...)
	facts = append(facts,
		dialog.Fact{Label: "What cannot happen", Text: "more going back than was captured; calling it back"},
		dialog.Fact{Label: "If it has moved", Text: "asked for again, revived or refunded by someone else: nothing changes, you are told"},
	)
	return ui.OpenDialog(dialog.NewConfirm(dialog.Spec{
		Title:   "ASK AGAIN FOR ONE REFUND",
		Intro:   append(s.about(), fmt.Sprintf("refund ..%s of %s failed at %s: %s", r.ID.Short(), r.Amount, m.at(r.DoneAt), because(r.Refund))),
		Facts:   facts,
		ReadAt:  m.story.ReadAt().In(m.env.Zone()),
		Actions: []dialog.Action{{Name: "retry", Label: "Ask again"}},
		Then:    func(dialog.Choice) tea.Msg { return retryChosen{r, s} },
	}))
}

// staysAs says what becomes of the rest of a payment when a part goes back.
func (m *Model) staysAs(s story, amount inventory.Minor) []dialog.Fact {
	_, _, left := s.sums()
	rest := s.money(left - amount)
	switch {
	case rest.Minor == 0:
		return nil
	case s.payment.Standing == inventory.StandingApplied:
		return []dialog.Fact{{Text: fmt.Sprintf("the booking stays %s; %s stays paid", s.booking.State, rest)}}
	}
	return []dialog.Fact{{Text: fmt.Sprintf("%s stays a zombie, to be decided about when this part is done", rest)}}
}

// decided is what became of one decision, and how the payment stands when the
// decision was not simply carried out.
type decided struct {
	s      story // as it was drawn
	amount inventory.Money
	refund inventory.Refund
	now    *story // nil: not looked up, or not to be had
	err    error
}

func (m *Model) retry(c retryChosen) tea.Cmd {
	store, actor := m.store, m.actor
	d := decided{s: c.s, amount: c.r.Amount}
	return m.save(d, "asking again for", func(ctx context.Context, d *decided) (err error) {
		d.refund, err = store.RetryRefund(ctx, c.r.ID, actor)
		return err
	})
}

// save carries out a decision about the payment that was drawn. Refunds of a
// part do not count in the payment's version, so that the payment is looked at
// once more, and left alone if anything came after what was on screen.
func (m *Model) save(d decided, doing string, decide func(context.Context, *decided) error) tea.Cmd {
	m.deciding[d.s.payment.ID] = true
	store := m.store
	name := doing + " " + d.amount.String() + " of .." + d.s.payment.ID.Short()
	return ui.Save(m.env, "refund.decide", name, decideLimit, func(ctx context.Context) (decided, error) {
		now, err := readStory(ctx, store, d.s.payment.ID)
		if err != nil {
			return d, err
		}
		if moved(d.s, now) {
			d.now = &now
			return d, inventory.ErrStale
		}
		err = decide(ctx, &d)
		if movedOrUnknown(err) {
			d.now = lookFor(ctx, store, d.s.payment.ID)
		}
		return d, err
	}, func(got decided, err error) tea.Msg {
		got.err = err
		return got
	})
}

// decided tells the dialog what the database answered.
func (m *Model) decided(d decided) tea.Cmd {
	delete(m.deciding, d.s.payment.ID)
	return tea.Batch(ui.SettleDialog(m.outcome(d)), m.load(), m.askStory())
}
