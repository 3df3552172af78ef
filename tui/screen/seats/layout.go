package seats

import (
	"holdfast/inventory"
	"holdfast/tui/canvas"
)

const (
	wide   = 120 // columns from which the pane stands beside the hall
	narrow = 60  // below, row 1 has to say alone what being old means
	// tall is the height from which the legend has a line of its own.
	tall     = 13
	paneHigh = 5 // rows of the pane below the hall, its heading included
	paneLow  = 3
	// paneMost is how wide the pane beside the hall is at most.
	paneMost = 64
	numbers  = 1 // lines above the rows of a hall
)

// areas is where everything is.
type areas struct{ head, counts, body, legend, pane canvas.Rect }

func (m *Model) layout() areas {
	var a areas
	a.head, a.body = canvas.Box(m.width, m.high).Top(1)
	if (m.event == inventory.EventID{}) {
		return a
	}
	a.counts, a.body = a.body.Top(1)
	switch {
	case m.width >= wide:
		a.pane, a.body = a.body.Right(min(m.width*2/5, paneMost))
		a.counts.W = a.body.W
		a.pane.Y, a.pane.H = a.counts.Y, a.pane.H+1
	case m.high >= tall:
		a.pane, a.body = a.body.Bottom(paneHigh)
	default:
		a.pane, a.body = a.body.Bottom(min(paneLow, a.body.H-2))
	}
	if m.high >= tall {
		a.legend, a.body = a.body.Bottom(1)
	}
	return a
}

// gridRows is how many rows of seats fit.
func (a areas) gridRows() int { return max(0, a.body.H-numbers) }

// frame is how the hall's cells lie in the body: row names at both sides, the
// seats between them.
type frame struct {
	name  int // cells of a row's name
	left  int // where the first column begins
	seats int // cells for seats
}

const leastSeats = 5 * cellWidth

// frameOf fits the section into so many cells. Names give way to seats.
func frameOf(sec *section, width int) frame {
	f := frame{name: max(1, min(sec.names, width/6))}
	f.left = 1 + f.name + 1
	f.seats = max(0, width-f.left-1-f.name-1)
	if f.seats < leastSeats { // the name at the right is the first to go
		f.seats = max(0, width-f.left-1)
	}
	return f
}
