package refunds

import (
	"holdfast/tui/keys"
	"holdfast/tui/ui"
)

// allVenues is the verb that only money screens have.
const allVenues keys.Verb = "all-venues"

// Keys is the keyboard of the screen as it stands.
func (m *Model) Keys() keys.Table {
	r, some := m.table.Selected()
	const none = "there is no refund under the cursor"
	scope := keys.Binding{
		Verb: allVenues, Keys: []string{"a"}, Help: "all venues", Priority: 35,
		More: "show the refunds of all venues, and of money that names nothing we know",
	}
	if m.everywhere {
		scope.Help = "this venue"
	}
	retry := keys.Standard(keys.RunNow).As("ask again...").At(56)
	retry.More = "ask again for a refund that FAILED, as a new one"
	part := keys.Standard(keys.Refund).As("refund a part...")
	part.More = "give back a part of what is left of the payment, or all of it"
	t := append(keys.Move(),
		keys.Standard(keys.Open).As("story").If(some, none),
		retry.If(some, none).If(m.retryable(r)),
		part.If(some, none).If(m.partable(r)),
		keys.Standard(keys.Filter),
		scope,
	)
	if m.only != (choice{}) {
		t = append(t, keys.Binding{Verb: keys.Back, Keys: []string{"esc"}, Help: "clear filter", Priority: 65})
	}
	return t
}

// Status says how the screen stands.
func (m *Model) Status() ui.Status {
	return ui.Status{
		Title: "Refunds",
		About: []string{
			"Money on its way back to whoever paid: first what failed and waits for a person, then the newest.",
			"REQUESTED: asked for, not known to be at the provider. PENDING: the provider has it and it is not done. SUCCEEDED: it went back. " +
				"FAILED: it did not go back, and its money is still here. Some are made at the provider itself, not from here.",
			"A refund has one key for life, so it cannot go twice; asking again for one that failed is a new refund with a new key.",
		},
		ReadAt: m.list.ReadAt(),
	}
}
