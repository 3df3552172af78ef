package seats

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// blockRows is how many rows one block of the zoomed-out hall has.
const blockRows = 10

// block is some rows of a section. Its key says where it begins.
type block struct {
	key      blockKey
	from, to int // rows
	at       int // section
	rows     string
	counts   counts
}

type blockKey struct{ section, row string }

// setBlocks makes the blocks of the hall anew. They cost by seats, so that it
// is done once for a reading, and only when somebody looks at them.
func (m *Model) setBlocks() {
	if !m.zoomed || m.hall == nil {
		return
	}
	var blocks []block
	for at := range m.hall.sections {
		sec := &m.hall.sections[at]
		for from := 0; from < len(sec.rows); from += blockRows {
			to := min(from+blockRows, len(sec.rows))
			b := block{
				key: blockKey{sec.name, sec.rows[from].name}, from: from, to: to, at: at,
				counts: m.hall.countRows(sec.rows[from:to]), rows: canvas.Cut(sec.rows[from].name, longestRow, "..."),
			}
			if to-from > 1 {
				b.rows += " to " + canvas.Cut(sec.rows[to-1].name, longestRow, "...")
			}
			blocks = append(blocks, b)
		}
	}
	m.blocks.SetRows(blocks)
	m.blocks.Columns = m.blockColumns()
}

// zoom goes out to blocks, or into the one under the cursor.
func (m *Model) zoom() tea.Cmd {
	if m.zoomed = !m.zoomed; !m.zoomed {
		m.blocks.SetRows(nil)
		m.follow()
		return m.moved()
	}
	m.setBlocks()
	m.toBlock()
	return nil
}

// toBlock puts the cursor of the blocks on the one that has the seat cursor.
func (m *Model) toBlock() {
	if p, ok := m.hall.where(m.cursor); ok && m.zoomed {
		sec := &m.hall.sections[p.section]
		m.blocks.Select(blockKey{sec.name, sec.rows[p.row/blockRows*blockRows].name})
	}
}

// intoBlock puts the seat cursor into the block under the other one, so that
// there is one place where a person is.
func (m *Model) intoBlock() tea.Cmd {
	b, ok := m.blocks.Selected()
	if !ok {
		return nil
	}
	if p, ok := m.hall.where(m.cursor); !ok || p.section != b.at || p.row < b.from || p.row >= b.to {
		m.put(m.hall.begin(b.at, b.from, b.to), true)
	}
	return nil
}

func (m *Model) blockColumns() []widget.Column[block] {
	number := func(title string, priority int, n func(counts) int) widget.Column[block] {
		return widget.Column[block]{Title: title, Width: 6, Right: true, Priority: priority, Cell: func(b block) widget.Cell {
			return widget.Cell{Text: m.mark() + fmt.Sprint(n(b.counts))}
		}}
	}
	bar := 12
	if m.width >= wide {
		bar = 20
	}
	columns := []widget.Column[block]{
		{Title: "load", Width: bar, Priority: 70, Cell: func(b block) widget.Cell {
			return widget.Cell{Text: b.counts.bar(bar)}
		}},
		number("free", widget.Always, func(c counts) int { return c.free }),
		number("held", 40, func(c counts) int { return c.held }),
		number("booked", 50, func(c counts) int { return c.booked }),
		number("off", 30, func(c counts) int { return c.off }),
		number("of", 60, counts.total),
	}
	if m.hall.all().repair > 0 {
		columns = append(columns, number("repair", 55, func(c counts) int { return c.repair }))
	}
	rows := 0
	for _, b := range m.blocks.Rows() {
		rows = max(rows, canvas.Width(canvas.Clean(b.rows)))
	}
	return append(columns,
		widget.Column[block]{Title: "rows", Width: max(rows, 6), Priority: 65, Cell: func(b block) widget.Cell {
			return widget.Cell{Text: b.rows}
		}},
		widget.Column[block]{Title: "section", Priority: 80, Cell: func(b block) widget.Cell {
			return widget.Cell{Text: b.key.section, Style: theme.Heading}
		}})
}

// bar is the load of seats that could be sold; a bar that is all off sale says
// so by its letter.
func (c counts) bar(width int) string {
	if c.free+c.held+c.booked == 0 {
		return "off sale"
	}
	return widget.LoadBar(width, int64(c.booked), int64(c.held), int64(c.free+c.held+c.booked))
}

// sentence is how seats stand, in words.
func (c counts) sentence() string {
	s := fmt.Sprintf("%d free, %d held, %d booked, %d off sale of %d", c.free, c.held, c.booked, c.off, c.total())
	if c.repair > 0 {
		s += fmt.Sprintf("; %d must be repaired", c.repair)
	}
	return s
}
