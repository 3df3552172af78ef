package refunds

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// The answers of the two dialogs about giving back a part: how much, and
// whether. They carry the payment as it was drawn.
type (
	partGiven struct {
		s      story
		amount inventory.Minor
	}
	partChosen struct {
		s      story
		amount inventory.Minor
		reason string
	}
)

// amountForm asks how much. It decides nothing, so it is over when that is said.
type amountForm struct{ *dialog.Form }

// Key closes the form with its answer: what it leads to asks for itself.
func (d amountForm) Key(k tea.KeyMsg, at dialog.Moment) dialog.Reply {
	r := d.Form.Key(k, at)
	if r.Msg != nil {
		r.Close = true
	}
	return r
}

// askAmount asks how much of the payment of a refund is to go back.
func (m *Model) askAmount(r row) tea.Cmd {
	if ok, why := m.partable(r); !ok {
		return ui.Ask(ui.Say{Text: why, Bad: true})
	}
	s := m.story.Value()
	_, _, left := s.sums()
	input := widget.TextInput("amount", "Amount", "", s.money(left).Plain())
	input.Note = "of " + s.money(left).String()
	return ui.OpenDialog(amountForm{dialog.NewForm(dialog.FormSpec{
		Title:  "GIVE BACK HOW MUCH",
		Intro:  append(s.about(), s.account()),
		Inputs: []widget.Input{input},
		Submit: "Go on",
		Reads:  true,
		Check: func(v map[string]string) map[string]string {
			if _, problem := amountOf(v["amount"], s); problem != "" {
				return map[string]string{"amount": problem}
			}
			return nil
		},
		Then: func(v map[string]string) tea.Msg {
			amount, _ := amountOf(v["amount"], s)
			return partGiven{s, amount}
		},
	})})
}

// amountOf reads an amount in the payment's currency, or says what is wrong
// with it.
func amountOf(text string, s story) (inventory.Minor, string) {
	_, _, left := s.sums()
	amount, err := inventory.ParseMinor(text, s.payment.Captured.Currency)
	switch {
	case text == "":
		return 0, "is missing"
	case err != nil:
		return 0, err.Error()
	case amount == 0:
		return 0, "must be more than nothing"
	case amount > left:
		return 0, fmt.Sprintf("is more than what is left, %s", s.money(left))
	}
	return amount, ""
}

// askPart opens the confirmation of giving that much back.
func (m *Model) askPart(g partGiven) tea.Cmd {
	s, amount := g.s, g.s.money(g.amount)
	facts := []dialog.Fact{
		{Label: "What happens", Text: fmt.Sprintf("%s goes back to whoever paid, once;", amount)},
		{Text: "it is done when the provider says so, not before"},
	}
	facts = append(facts, m.staysAs(s, g.amount)...)
	if s.cancels(g.amount) {
		b := s.booking
		facts = append(facts, dialog.Fact{Text: fmt.Sprintf("nothing stays paid, so the booking is CANCELLED, v%d -> v%d: %s on %s back on sale",
			b.Version, b.Version+1, b.Claimed(), timezone.DayLabel(b.Day))})
	}
	return ui.OpenDialog(dialog.NewConfirm(dialog.Spec{
		Title: "REFUND " + amount.String(),
		Intro: s.about(),
		Facts: append(facts,
			dialog.Fact{Label: "What cannot happen", Text: "more going back than was captured; calling it back"},
			dialog.Fact{Label: "If it has moved", Text: "nothing changes, you are told"},
		),
		ReadAt: m.story.ReadAt().In(m.env.Zone()), Reason: "Reason", Reasons: true,
		Actions: []dialog.Action{{Name: "refund", Label: "Refund"}},
		Then:    func(c dialog.Choice) tea.Msg { return partChosen{s, g.amount, c.Reason} },
	}))
}

// cancels reports that giving so much back leaves nothing of what a booking
// stands on.
func (s story) cancels(amount inventory.Minor) bool {
	_, _, left := s.sums()
	return s.payment.Standing == inventory.StandingApplied && amount == left
}

// refundPart asks for the refund. All that is left is asked for as such, so that
// a booking that nothing stays paid of does not stay confirmed.
func (m *Model) refundPart(c partChosen) tea.Cmd {
	if err := inventory.CheckReason(c.reason); err != nil {
		return ui.SettleDialog(dialog.Outcome{Again: true, Text: inventory.Message(err)})
	}
	store, actor, p, amount := m.store, m.actor, c.s.payment, c.amount
	if _, _, left := c.s.sums(); amount == left {
		amount = 0
	}
	d := decided{s: c.s, amount: c.s.money(c.amount)}
	return m.save(d, "asking for the refund of", func(ctx context.Context, d *decided) (err error) {
		d.refund, err = store.RefundPayment(ctx, p.ID, p.Version, amount, actor, c.reason)
		return err
	})
}
