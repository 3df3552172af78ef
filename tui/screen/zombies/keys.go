package zombies

import (
	"fmt"

	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
)

// allVenues is the verb that only this screen has.
const allVenues keys.Verb = "all-venues"

// Keys is the keyboard of the screen as it stands.
func (m *Model) Keys() keys.Table {
	row, some := m.table.Selected()
	marked := m.table.Marked()
	const none = "there is no zombie under the cursor"
	scope := keys.Binding{
		Verb: allVenues, Keys: []string{"a"}, Help: "all venues", Priority: 35,
		More: "show the zombies of all venues, and money that names nothing we know",
	}
	if m.everywhere {
		scope.Help = "this venue"
	}
	refund := keys.Standard(keys.Refund)
	switch {
	case len(marked) > 0:
		refund = refund.As(fmt.Sprintf("refund %d marked...", len(marked)))
	default:
		refund = refund.If(some, none).If(m.refundable(row))
	}
	t := append(keys.Move(),
		keys.Standard(keys.Open).As("story").If(some, none),
		keys.Standard(keys.Revive).If(some, none).If(m.revivable(row)),
		refund,
		keys.Standard(keys.Mark).If(some, none),
		keys.Standard(keys.MarkAll).If(some, none),
		scope,
	)
	if len(marked) > 0 {
		t = append(t, keys.Binding{Verb: keys.Back, Keys: []string{"esc"}, Help: "unmark", Priority: 45})
	}
	return t
}

const (
	underWay = "the last decision about it has no answer yet"
	disputed = "the payer disputes it at the bank, which decides: a refund could pay twice"
)

// revivable says whether a revive is worth asking for; the database decides.
func (m *Model) revivable(z inventory.Zombie) (ok bool, why string) {
	switch {
	case m.deciding[z.Payment.ID]:
		return false, underWay
	case z.Disputed:
		return false, disputed
	case z.Payment.ZombieKind != inventory.ZombieLate:
		return false, "only late money can be revived; this is " + string(z.Payment.ZombieKind) + ": M refunds it"
	case z.CanGo != nil:
		return false, "cannot be revived now: " + whyNot(z)
	}
	return true, ""
}

func (m *Model) refundable(z inventory.Zombie) (ok bool, why string) {
	switch {
	case m.deciding[z.Payment.ID]:
		return false, underWay
	case z.Disputed:
		return false, disputed
	}
	return true, ""
}

// Status says how the screen stands.
func (m *Model) Status() ui.Status {
	return ui.Status{
		Title: "Zombies",
		About: []string{
			"Money that was captured and belongs to no live booking, oldest first. Each ends in one of two ways: revive takes the place again, if it is to be had, and keeps the money; refund sends the money back.",
			"late: captured after its hold was over. duplicate: its booking was paid already. mismatch: not the amount that was due. unmatched: it names nothing we know.",
			"The database decides when you press, by what is free at that moment; what you see here may be two seconds old.",
		},
		ReadAt: m.list.ReadAt(),
	}
}
