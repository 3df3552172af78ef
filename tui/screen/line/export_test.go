package line

import (
	"time"

	"holdfast/inventory"
)

// Cursor is the resource and the moment of the cursor.
func (m *Model) Cursor() (resource int64, at time.Time) { return m.resource, m.at }

// Listed are the resources on screen.
func (m *Model) Listed() []int64 {
	var out []int64
	for _, d := range m.rows {
		out = append(out, d.Resource.ID)
	}
	return out
}

// Under is the booking under the cursor.
func (m *Model) Under() (inventory.Booking, bool) { return m.booking() }
