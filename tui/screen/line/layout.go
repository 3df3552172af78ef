package line

import (
	"holdfast/tui/canvas"
)

const (
	wide   = 100 // columns from which names have much room
	narrow = 60  // below, names have little, and row 1 says alone what being old means
	// tall is the height from which there is a pane below the rows.
	tall     = 13
	roomy    = 34 // and from which it is a high one
	paneLow  = 8  // rows of the pane, its heading included
	paneHigh = 16
	rowsLow  = 3 // rows of resources that the pane leaves
	marks    = 2 // cells before a name
)

// areas is where everything is.
type areas struct {
	head, ruler, rows, notes, pane canvas.Rect

	grid canvas.Rect // the cells of the rows
}

func (m *Model) layout() areas {
	var a areas
	rest := canvas.Box(m.width, m.high)
	a.head, rest = rest.Top(1)
	a.ruler, rest = rest.Top(2)
	if m.high >= tall {
		high := paneLow
		if m.high >= roomy {
			high = paneHigh
		}
		a.pane, rest = rest.Bottom(min(high, rest.H-rowsLow))
	}
	notes := min(1+len(m.axis.changes), max(0, rest.H-rowsLow))
	if a.pane.Empty() {
		notes = min(notes+1, max(1, rest.H-rowsLow)) // the cursor is read out in any case
	}
	a.rows, rest = rest.Top(min(max(len(m.rows), 1), rest.H-notes))
	a.notes, _ = rest.Top(notes)
	_, a.grid = a.rows.Left(marks + m.nameWidth() + 1)
	return a
}

// nameWidth is the room for names; they are cut before the hours are.
func (m *Model) nameWidth() int {
	most := 14
	switch {
	case m.width < narrow:
		most = 9
	case m.width >= wide:
		most = 28
	}
	width := 6
	for _, d := range m.rows {
		width = max(width, canvas.Width(canvas.Clean(d.Resource.Name)))
	}
	return min(width, most)
}
