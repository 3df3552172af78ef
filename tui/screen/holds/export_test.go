package holds

import "holdfast/inventory"

// Cursor is the record under the cursor, for tests of its identity.
func (m *Model) Cursor() (inventory.BookingID, bool) {
	row, ok := m.table.Selected()
	return row.ID, ok
}

// Listed is the records of the last answer.
func (m *Model) Listed() []inventory.BookingID {
	var ids []inventory.BookingID
	for _, b := range m.table.Rows() {
		ids = append(ids, b.ID)
	}
	return ids
}
