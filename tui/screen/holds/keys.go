package holds

import (
	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
)

// The verbs that only this screen has.
const (
	apply     keys.Verb = "apply"
	showEnded keys.Verb = "show-ended"
)

// Keys is the keyboard of the screen as it stands.
func (m *Model) Keys() keys.Table {
	if m.typing {
		return keys.Table{
			{Verb: apply, Keys: []string{"enter"}, Help: "search", Priority: 60},
			{Verb: keys.Back, Keys: []string{"esc"}, Help: "leave as it was", Priority: 60},
		}
	}
	row, some := m.table.Selected()
	const none = "there is no hold under the cursor"
	busy := m.saving[row.ID]
	ended := keys.Binding{
		Verb: showEnded, Keys: []string{"a"}, Help: "also ended", Priority: 48,
		More: "show the bookings that are holds no longer: confirmed, expired, cancelled",
	}
	if m.ended {
		ended.Help = "only holds"
	}
	t := append(keys.Move(),
		keys.Standard(keys.Open).As("detail").If(some, none),
		keys.Standard(keys.Edit).As("extend...").If(some, none).If(!busy, saving).If(extendable(row)),
		keys.Standard(keys.Release).If(some, none).If(!busy, saving).If(releasable(row)),
		keys.Standard(keys.Filter),
		ended,
	)
	if m.search != "" {
		t = append(t, keys.Binding{Verb: keys.Back, Keys: []string{"esc"}, Help: "clear filter", Priority: 65})
	}
	return t
}

const saving = "the last change of this hold has no answer yet"

// extendable says whether a hold in this state can be given more time; the
// database decides.
func extendable(b inventory.Booking) (ok bool, why string) {
	if b.State == inventory.StatePaymentPending {
		return false, "a payment is under way: its place is kept without an extension"
	}
	return b.State == inventory.StateHeld, "only a hold can be extended; this booking is " + string(b.State)
}

// releasable says whether there is a hold to release; the database decides.
func releasable(b inventory.Booking) (ok bool, why string) {
	return b.State.Hold(), "only a hold can be released; this booking is " + string(b.State)
}

// Status says how the screen stands.
func (m *Model) Status() ui.Status {
	return ui.Status{
		Title: "Holds",
		About: []string{
			"The places that buyers keep for a while, the one that ends first on top. Time left is by the database's clock.",
			"HELD: kept until its time is over. DUE: its time is over, the sweep has not freed it yet, so it still counts as taken. " +
				"PAYING: a payment was asked for and nobody knows yet how it ends; its place is kept meanwhile.",
			"A hold that has ended stays to be found: press a, then / for the buyer or the end of the id.",
		},
		Typing: m.typing,
		ReadAt: m.list.ReadAt(),
	}
}
