package zombies

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
)

const (
	// bulkFresh is how old the numbers of a bulk refund may be.
	bulkFresh = 30 * time.Second
	perRefund = 2 * time.Second
)

// refundAllChosen carries the zombies as they were drawn.
type refundAllChosen struct {
	zs     []inventory.Zombie
	reason string
}

// refunded is what became of one refund of many.
type refunded struct {
	z   inventory.Zombie
	err error
}

// decidedAll is what became of many refunds. After an error that concerns the
// connection the rest was not tried.
type decidedAll struct {
	zs      []inventory.Zombie
	results []refunded
}

// askRefundAll opens the typed confirmation of many refunds.
func (m *Model) askRefundAll(zs []inventory.Zombie) tea.Cmd {
	zs = slices.DeleteFunc(slices.Clone(zs), func(z inventory.Zombie) bool {
		ok, _ := m.refundable(z)
		return !ok
	})
	if len(zs) == 0 {
		return ui.Ask(ui.Say{Text: "none of the marked can be refunded now: " + underWay, Bad: true})
	}
	n := len(zs)
	people := map[string]bool{}
	room := 0
	for _, z := range zs {
		if !unmatched(z) {
			people[z.Booking.Buyer] = true
		}
		if z.CanGo == nil {
			room++
		}
	}
	facts := []dialog.Fact{
		{Label: "What happens", Text: "each is asked for once, with its own key; done when the provider says so"},
		{Label: "What cannot happen", Text: "a second refund, a revive afterwards, calling money back"},
		{Label: "If one has moved", Text: "decided by someone else: left alone, you are told which"},
	}
	if room > 0 {
		facts = append(facts, dialog.Fact{Label: "Mind", Text: fmt.Sprintf("%d of them could still be revived: there is room", room)})
	}
	return ui.OpenDialog(dialog.NewConfirm(dialog.Spec{
		Title:  fmt.Sprintf("REFUND %d PAYMENTS", n),
		Intro:  []string{fmt.Sprintf("%d marked zombies, %s, %s.", n, sum(zs), count(len(people), "buyer"))},
		Facts:  facts,
		ReadAt: m.list.ReadAt().In(m.env.Zone()), MaxAge: bulkFresh,
		Reason: "Reason", Reasons: true, Type: strconv.Itoa(n),
		Actions: []dialog.Action{{Name: "refund", Label: fmt.Sprintf("Refund %d", n)}},
		Then:    func(c dialog.Choice) tea.Msg { return refundAllChosen{zs, c.Reason} },
	}))
}

// refundAll asks for the refunds one after the other, each in a transaction of
// its own: one that cannot be had never takes the others with it.
func (m *Model) refundAll(c refundAllChosen) tea.Cmd {
	if err := inventory.CheckReason(c.reason); err != nil {
		return ui.SettleDialog(dialog.Outcome{Again: true, Text: inventory.Message(err)})
	}
	for _, z := range c.zs {
		m.deciding[z.Payment.ID] = true
	}
	store, actor := m.store, m.actor
	doing := fmt.Sprintf("asking for %d refunds", len(c.zs))
	limit := decideLimit + time.Duration(len(c.zs))*perRefund
	return ui.Save(m.env, "zombie.refundAll", doing, limit, func(ctx context.Context) ([]refunded, error) {
		var out []refunded
		for _, z := range c.zs {
			_, err := store.RefundPayment(ctx, z.Payment.ID, z.Payment.Version, 0, actor, c.reason)
			out = append(out, refunded{z, err})
			if ctx.Err() != nil || errors.Is(err, inventory.ErrUnavailable) || errors.Is(err, inventory.ErrUnknownOutcome) {
				return out, err
			}
		}
		return out, nil
	}, func(out []refunded, _ error) tea.Msg { return decidedAll{c.zs, out} }) // each has its own error
}

// decidedAll tells the dialog what became of each.
func (m *Model) decidedAll(d decidedAll) tea.Cmd {
	for _, z := range d.zs {
		delete(m.deciding, z.Payment.ID)
	}
	var done []inventory.Zombie
	var lines []string
	for _, r := range d.results {
		switch {
		case r.err == nil:
			done = append(done, r.z)
		case errors.Is(r.err, inventory.ErrStale), errors.Is(r.err, inventory.ErrNotAllowed), errors.Is(r.err, inventory.ErrNotFound):
			lines = append(lines, fmt.Sprintf("..%s %s: someone else was faster, left alone", r.z.Payment.ID.Short(), r.z.Payment.Captured))
		case errors.Is(r.err, inventory.ErrUnknownOutcome):
			lines = append(lines, fmt.Sprintf("..%s %s: the answer was lost; look at it again", r.z.Payment.ID.Short(), r.z.Payment.Captured))
		default:
			lines = append(lines, fmt.Sprintf("..%s %s: not done, %s", r.z.Payment.ID.Short(), r.z.Payment.Captured, inventory.Message(r.err)))
		}
	}
	if rest := len(d.zs) - len(d.results); rest > 0 {
		lines = append(lines, fmt.Sprintf("%d not tried; they are still marked", rest))
	}
	text := count(len(done), "refund") + " asked for"
	if len(done) > 0 {
		text += ": " + sum(done)
	}
	o := dialog.Outcome{OK: len(lines) == 0, Text: text + ", not done yet", Lines: lines}
	if !o.OK {
		o.Text = fmt.Sprintf("%d of %d refunds asked for.", len(done), len(d.zs))
	}
	return tea.Batch(ui.SettleDialog(o), m.load())
}

// count says how many of something: "1 refund", "2 refunds".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
