package zombies

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

const decideLimit = 12 * time.Second

// The answers of the dialogs about one zombie. They carry it as it was drawn.
type (
	reviveChosen struct {
		z      inventory.Zombie
		reason string
	}
	refundChosen struct {
		z      inventory.Zombie
		reason string
	}
	refundInstead struct{ z inventory.Zombie }
)

// reviving is a confirmation that can also be left for the refund's.
type reviving struct{ *dialog.Confirm }

// Key closes the dialog when the other way is chosen: that way asks for itself.
func (d reviving) Key(k tea.KeyMsg, at dialog.Moment) dialog.Reply {
	r := d.Confirm.Key(k, at)
	if _, other := r.Msg.(refundInstead); other {
		r.Close = true
	}
	return r
}

// askRevive opens the confirmation of a revive.
func (m *Model) askRevive(z inventory.Zombie) tea.Cmd {
	b := z.Booking
	return ui.OpenDialog(reviving{dialog.NewConfirm(dialog.Spec{
		Title: "REVIVE ONE BOOKING",
		Intro: []string{fmt.Sprintf("%s, %s, for %s.", b.Claimed(), timezone.DayLabel(b.Day), b.Buyer)},
		Facts: []dialog.Fact{
			{Label: "What happens", Text: takenAgain(z)},
			{Text: fmt.Sprintf("%s is kept (payment ..%s, captured)", z.Payment.Captured, z.Payment.ID.Short())},
			{Text: fmt.Sprintf("the booking is CONFIRMED, v%d -> v%d", b.Version, b.Version+1)},
			{Label: "What cannot happen", Text: "a second revive; a place that is sold twice"},
			{Label: "If they are gone", Text: "nothing changes, you are told; so too if someone else was faster"},
		},
		ReadAt:  m.list.ReadAt().In(m.env.Zone()),
		Reason:  "Reason",
		Reasons: true,
		Actions: []dialog.Action{{Name: "refund", Label: "Refund instead", Reads: true}, {Name: "revive", Label: "Revive"}},
		Then: func(c dialog.Choice) tea.Msg {
			if c.Action == "refund" {
				return refundInstead{z}
			}
			return reviveChosen{z, c.Reason}
		},
	})})
}

// askRefund opens the confirmation of one refund.
func (m *Model) askRefund(z inventory.Zombie) tea.Cmd {
	if ok, why := m.refundable(z); !ok { // it may be marked and not under the cursor
		return ui.Ask(ui.Say{Text: why, Bad: true})
	}
	facts := []dialog.Fact{
		{Label: "What happens", Text: fmt.Sprintf("%s goes back to whoever paid, once;", z.Payment.Captured)},
		{Text: "it is done when the provider says so, not before"},
		{Label: "What cannot happen", Text: "a second refund, a revive afterwards, calling it back"},
		{Label: "If it has moved", Text: "decided by someone else: nothing changes, you are told"},
	}
	if z.CanGo == nil {
		facts = append(facts, dialog.Fact{Label: "Mind", Text: "it could still be revived: " + room(z)})
	}
	return ui.OpenDialog(dialog.NewConfirm(dialog.Spec{
		Title: "REFUND ONE PAYMENT", Intro: about(z), Facts: facts,
		ReadAt: m.list.ReadAt().In(m.env.Zone()), Reason: "Reason", Reasons: true,
		Actions: []dialog.Action{{Name: "refund", Label: "Refund"}},
		Then:    func(c dialog.Choice) tea.Msg { return refundChosen{z, c.Reason} },
	}))
}

// decided is what became of one decision, and where the money stands when the
// decision was not simply carried out.
type decided struct {
	z       inventory.Zombie
	revived bool // what was asked for; otherwise a refund
	booking inventory.Booking
	refund  inventory.Refund
	now     whereabouts
	err     error
}

func (m *Model) revive(c reviveChosen) tea.Cmd {
	store, actor, p := m.store, m.actor, c.z.Payment
	return m.save(decided{z: c.z, revived: true}, "reviving", c.reason, func(ctx context.Context, d *decided) (err error) {
		d.booking, err = store.ReviveZombie(ctx, p.ID, p.Version, actor, c.reason)
		return err
	})
}

func (m *Model) refund(c refundChosen) tea.Cmd {
	store, actor, p := m.store, m.actor, c.z.Payment
	return m.save(decided{z: c.z}, "asking for the refund of", c.reason, func(ctx context.Context, d *decided) (err error) {
		d.refund, err = store.RefundPayment(ctx, p.ID, p.Version, 0, actor, c.reason)
		return err
	})
}

// save carries out a decision about the version of the payment that was drawn.
func (m *Model) save(d decided, doing, reason string, decide func(context.Context, *decided) error) tea.Cmd {
	if err := inventory.CheckReason(reason); err != nil {
		return ui.SettleDialog(dialog.Outcome{Again: true, Text: inventory.Message(err)})
	}
	m.deciding[d.z.Payment.ID] = true
	store := m.store
	return ui.Save(m.env, "zombie.decide", doing+" .."+d.z.Payment.ID.Short(), decideLimit, func(ctx context.Context) (decided, error) {
		err := decide(ctx, &d)
		if movedOrUnknown(err) {
			d.now = lookFor(ctx, store, d.z)
		}
		return d, err
	}, func(got decided, err error) tea.Msg {
		got.err = err
		return got
	})
}

// decidedOne tells the dialog what the database answered.
func (m *Model) decidedOne(d decided) tea.Cmd {
	delete(m.deciding, d.z.Payment.ID)
	return tea.Batch(ui.SettleDialog(m.outcome(d)), m.load())
}

func (m *Model) outcome(d decided) dialog.Outcome {
	what := d.z.Booking.Claimed() + " for " + d.z.Booking.Buyer
	waits := fmt.Sprintf("%s still waits here; M refunds it.", d.z.Payment.Captured)
	switch {
	case d.err == nil && d.revived:
		return dialog.Outcome{OK: true, Text: fmt.Sprintf("revived, v%d: %s", d.booking.Version, what)}
	case d.err == nil:
		return dialog.Outcome{OK: true, Text: fmt.Sprintf("refund asked for: %s (..%s), not done yet", d.refund.Amount, d.refund.ID.Short())}
	case errors.Is(d.err, inventory.ErrUnknownOutcome):
		return m.lookedUp(d, what)
	case movedOrUnknown(d.err):
		return dialog.Outcome{Text: "Nothing was changed by you.", Lines: m.whoDecided(d)}
	case errors.Is(d.err, inventory.ErrSoldOut):
		return dialog.Outcome{Text: "Sold out: nothing changed.", Lines: []string{waits}}
	case errors.Is(d.err, inventory.ErrDisputed):
		return dialog.Outcome{Text: "Nothing changed: " + disputed + "."}
	case noRoom(d.err):
		z := d.z
		z.CanGo = d.err
		return dialog.Outcome{Text: "Nothing changed: " + whyNot(z) + ".", Lines: []string{waits}}
	}
	return dialog.Outcome{Again: true, Text: "not done: " + inventory.Message(d.err)}
}

// noRoom reports refusals of the admission rule.
func noRoom(err error) bool {
	for _, e := range []error{inventory.ErrStopSell, inventory.ErrCutoffPassed, inventory.ErrNotOnSale, inventory.ErrHoldExists, inventory.ErrLimitPerBuyer} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
