package refunds

import "holdfast/inventory"

// Cursor is the record under the cursor, for tests of its identity.
func (m *Model) Cursor() (inventory.RefundID, bool) {
	r, ok := m.table.Selected()
	return r.ID, ok
}

// Listed is the records of the last answer.
func (m *Model) Listed() []inventory.RefundID {
	var ids []inventory.RefundID
	for _, r := range m.table.Rows() {
		ids = append(ids, r.ID)
	}
	return ids
}

// Drawn is the version of the payment that decisions are made on, zero if none.
func (m *Model) Drawn() (inventory.PaymentID, int) {
	p := m.story.Value().payment
	return p.ID, p.Version
}

// Again finds what took the place of which failed refund.
var Again = again
