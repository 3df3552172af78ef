package refunds

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
)

// maxLooks bounds how many payments one reading of the list looks at one by
// one; the next reading goes on with the rest.
const maxLooks = 20

// row is one refund of the list.
type row struct {
	inventory.Refund
	waits bool // FAILED, and its money has not gone back in another way
}

// choice is which refunds are listed.
type choice struct {
	state inventory.RefundState // "" = all
	waits bool                  // only those that wait for a person
}

func (c choice) String() string {
	switch {
	case c.waits:
		return "waiting for you"
	case c.state == "":
		return "all"
	}
	return string(c.state)
}

// question is what the list is asked for.
type question struct {
	venue   string // "" = all
	only    choice
	settled map[inventory.RefundID]bool
}

// answer is one reading of the list.
type answer struct {
	rows    []row // those that wait first, each part newest first
	more    bool  // there are more than were read
	waiting int   // of all venues, unmatched money included
	settled map[inventory.RefundID]bool
}

func (m *Model) question() question {
	q := question{venue: m.env.Venue().Slug, only: m.only, settled: maps.Clone(m.settled)}
	if m.everywhere {
		q.venue = ""
	}
	return q
}

func readList(ctx context.Context, r reader, q question) (answer, error) {
	all, err := r.Refunds(ctx, inventory.RefundFilter{Limit: maxRows})
	if err != nil {
		return answer{}, err
	}
	failed := slices.DeleteFunc(slices.Clone(all), func(f inventory.Refund) bool { return f.State != inventory.RefundFailed })
	if len(all) == maxRows {
		if failed, err = r.Refunds(ctx, inventory.RefundFilter{State: inventory.RefundFailed, Limit: maxRows}); err != nil {
			return answer{}, err
		}
	}
	f := inventory.RefundFilter{Venue: q.venue, State: q.only.state, Limit: maxRows}
	if q.only.waits {
		f.State = inventory.RefundFailed
	}
	listed := all
	if f.Venue != "" || f.State != "" {
		if listed, err = r.Refunds(ctx, f); err != nil {
			return answer{}, err
		}
	}
	d := desk{settled: q.settled}
	if err := d.sort(ctx, r, failed, slices.Concat(all, listed)); err != nil {
		return answer{}, err
	}
	a := answer{more: len(listed) == maxRows, waiting: len(d.waits), settled: d.settled}
	for _, f := range listed {
		if waits := d.waits[f.ID]; waits || !q.only.waits {
			a.rows = append(a.rows, row{f, waits})
		}
	}
	slices.SortStableFunc(a.rows, func(x, y row) int { // newest first already
		switch {
		case x.waits == y.waits:
			return 0
		case x.waits:
			return -1
		}
		return 1
	})
	return a, nil
}

// desk tells the failed refunds that wait for a person from those whose money
// has gone another way since: a failed refund stays FAILED for ever.
type desk struct {
	waits   map[inventory.RefundID]bool
	settled map[inventory.RefundID]bool // found before or now; none of them ever waits again
}

// sort decides about the failed refunds; others has whatever else is known of
// their payments.
func (d *desk) sort(ctx context.Context, r reader, failed, others []inventory.Refund) error {
	d.waits = map[inventory.RefundID]bool{}
	settled := map[inventory.RefundID]bool{} // what is not listed any more is forgotten
	var open []inventory.Refund
	retried := againAll(append(slices.Clone(others), failed...))
	for _, f := range failed {
		if _, again := retried[f.ID]; again || d.settled[f.ID] {
			settled[f.ID] = true
			continue
		}
		open = append(open, f)
	}
	d.settled = settled
	if len(open) == 0 {
		return nil
	}
	l, err := r.Zombies(ctx, inventory.ZombieFilter{Limit: 2 * maxRows})
	if err != nil {
		return err
	}
	zombie := map[inventory.PaymentID]bool{}
	for _, z := range l.Zombies {
		zombie[z.Payment.ID] = true
	}
	looks := 0
	for _, f := range open {
		if d.waits[f.ID] = true; zombie[f.PaymentID] || looks == maxLooks {
			continue
		}
		looks++
		p, err := r.Payment(ctx, f.PaymentID)
		if err != nil {
			return err
		}
		if !wanting(f, p) {
			delete(d.waits, f.ID)
			d.settled[f.ID] = true
		}
	}
	return nil
}

// wanting reports that the money of a failed refund, which nothing came after,
// is still here for a person to decide about. A part of what a booking stands
// on may go back; the whole of it means that its booking was revived since.
func wanting(f inventory.Refund, p inventory.Payment) bool {
	return p.Standing == inventory.StandingZombie || p.Standing == inventory.StandingApplied && f.Amount.Minor < p.Captured.Minor
}

// againAll is again for the refunds of many payments, in any order and with
// repetitions.
func againAll(refunds []inventory.Refund) map[inventory.RefundID]inventory.Refund {
	by := map[inventory.PaymentID][]inventory.Refund{}
	seen := map[inventory.RefundID]bool{}
	for _, r := range refunds {
		if !seen[r.ID] {
			seen[r.ID] = true
			by[r.PaymentID] = append(by[r.PaymentID], r)
		}
	}
	out := map[inventory.RefundID]inventory.Refund{}
	for _, rs := range by {
		maps.Copy(out, again(rs))
	}
	return out
}

// again finds which refund of a payment took the place of which failed one:
// it was asked for when that had failed, for at least as much, and takes the
// place of one only.
func again(refunds []inventory.Refund) map[inventory.RefundID]inventory.Refund {
	refunds = slices.Clone(refunds)
	slices.SortFunc(refunds, oldestFirst)
	out := map[inventory.RefundID]inventory.Refund{}
	var failed []inventory.Refund
	for _, r := range refunds {
		for i, f := range slices.Backward(failed) {
			if !r.RequestedAt.Before(f.DoneAt) && r.Amount.Minor >= f.Amount.Minor {
				out[f.ID] = r
				failed = slices.Delete(failed, i, i+1)
				break
			}
		}
		if r.State == inventory.RefundFailed {
			failed = append(failed, r)
		}
	}
	return out
}

// oldestFirst orders refunds; ids sort by time where moments are equal.
func oldestFirst(a, b inventory.Refund) int {
	return cmp.Or(a.RequestedAt.Compare(b.RequestedAt), bytes.Compare(a.ID.UUID[:], b.ID.UUID[:]))
}

// viewChosen is the answer of the filter's dialog.
type viewChosen struct{ only choice }

func (m *Model) askView() tea.Cmd {
	item := func(c choice, label string) dialog.Item {
		i := dialog.Item{Label: label, Answer: viewChosen{c}}
		if c == m.only {
			i.Remark = "shown now"
		}
		return i
	}
	waiting := "waiting for you: failed, and not gone back since"
	if n := m.list.Value().waiting; m.list.Ready() && n > 0 {
		waiting += fmt.Sprintf(" (%d at all venues)", n)
	}
	return ui.OpenDialog(dialog.NewPick("SHOW WHICH REFUNDS", []dialog.Item{
		item(choice{}, "all"),
		item(choice{waits: true}, waiting),
		item(choice{state: inventory.RefundRequested}, "REQUESTED: asked for, not known to be at the provider"),
		item(choice{state: inventory.RefundPending}, "PENDING: the provider has it, not done"),
		item(choice{state: inventory.RefundSucceeded}, "SUCCEEDED: it went back"),
		item(choice{state: inventory.RefundFailed}, "FAILED: it did not go back"),
	}))
}
