package seats

import (
	"holdfast/inventory"
	"holdfast/tui/canvas"
)

// Cursor is the seat under the cursor, for tests of its identity.
func (m *Model) Cursor() (inventory.SeatID, bool) {
	s, ok := m.under()
	return s.ID, ok
}

// Marks is the marked seats.
func (m *Model) Marks() []inventory.SeatID { return ids(m.marked()) }

// Moving reports that a seat is being moved.
func (m *Model) Moving() bool { return m.moving != nil }

// Cells is where the seats of the grid stand on the whole screen, without the
// names beside them; two rows of the frame are above it.
func (m *Model) Cells() canvas.Rect {
	const above = 2
	sec, f, ok := m.shown()
	if !ok || m.zoomed {
		return canvas.Rect{}
	}
	body := m.layout().body
	return canvas.Rect{
		X: f.left, Y: above + body.Y + numbers,
		W: min(f.seats, sec.width-sec.columns[m.shift].x) / cellWidth * cellWidth,
		H: min(max(0, body.H-numbers), len(sec.rows)-m.top),
	}
}
