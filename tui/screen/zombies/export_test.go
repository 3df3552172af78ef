package zombies

import "holdfast/inventory"

// Cursor is the record under the cursor, for tests of its identity.
func (m *Model) Cursor() (inventory.PaymentID, bool) {
	row, ok := m.table.Selected()
	return row.Payment.ID, ok
}

// Listed is the records of the last answer.
func (m *Model) Listed() []inventory.PaymentID {
	var ids []inventory.PaymentID
	for _, z := range m.table.Rows() {
		ids = append(ids, z.Payment.ID)
	}
	return ids
}
