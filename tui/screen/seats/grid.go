package seats

import (
	"strconv"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
)

// follow scrolls as little as possible to show the cursor.
func (m *Model) follow() {
	p, ok := m.hall.where(m.cursor)
	if !ok {
		return
	}
	a := m.layout()
	sec := &m.hall.sections[p.section]
	rows := max(1, a.gridRows())
	m.top = max(0, min(m.top, p.row, len(sec.rows)-rows))
	m.top = max(m.top, p.row-rows+1)

	room := frameOf(sec, a.body.W).seats
	at := sec.column(m.hall.at(p).Number)
	m.shift = max(0, min(m.shift, at))
	for m.shift < at && sec.columns[at].x+cellWidth-sec.columns[m.shift].x > room {
		m.shift++
	}
	for m.shift > 0 && sec.width-sec.columns[m.shift-1].x <= room { // no empty cells behind the last
		m.shift--
	}
}

// shown is the section with the cursor and where its cells lie.
func (m *Model) shown() (*section, frame, bool) {
	p, ok := m.hall.where(m.cursor)
	if !ok {
		return nil, frame{}, false
	}
	sec := &m.hall.sections[p.section]
	return sec, frameOf(sec, m.layout().body.W), true
}

// drawGrid draws the rows and columns that fit.
func (m *Model) drawGrid(c canvas.Canvas) {
	sec, f, ok := m.shown()
	if !ok {
		return
	}
	w, h := c.Size()
	here, _ := m.under()
	m.drawNumbers(c, sec, f, here.Number)
	end := min(f.seats, sec.width-sec.columns[m.shift].x)
	for y := numbers; y < h && m.top+y-numbers < len(sec.rows); y++ {
		r := &sec.rows[m.top+y-numbers]
		style := theme.Muted
		if r.name == here.Row {
			style = theme.Heading
		}
		c.FitRight(1, y, f.name, style, r.name)
		if f.left+end+1+f.name <= w {
			c.Fit(f.left+end+1, y, f.name, style, r.name)
		}
		m.drawRow(c.Sub(canvas.Rect{X: f.left, Y: y, W: f.seats, H: 1}), sec, r)
	}
}

// drawRow draws the seats of a row from the first column on screen.
func (m *Model) drawRow(c canvas.Canvas, sec *section, r *row) {
	room, _ := c.Size()
	from := sec.columns[m.shift]
	for _, i := range r.seats[m.hall.firstFrom(r, from.number):] {
		s := &m.hall.seats[i]
		x := sec.x(s.Number) - from.x
		if x+cellWidth > room {
			return
		}
		text, style := m.cell(s)
		c.Text(x+1, 0, style, text)
		if s.ID == m.cursor {
			c.Text(x, 0, theme.Accent, ">")
			c.Emphasise(canvas.Rect{X: x, W: cellWidth, H: 1}, canvas.Reverse)
		}
		if s.ID == m.anchor {
			c.Emphasise(canvas.Rect{X: x + 1, W: 1, H: 1}, canvas.Underline)
		}
	}
}

// cell is a seat as it is drawn: its letter, with a style that says the same.
func (m *Model) cell(s *inventory.Seat) (string, canvas.Style) {
	if _, ok := m.marks[s.ID]; ok {
		return "m", theme.Marked
	}
	text := letter(*s)
	switch text {
	case "o":
		return text, theme.OK
	case "h":
		return text, theme.Warn
	case "#":
		return text, theme.Text
	case "x":
		return text, theme.Muted
	}
	return text, theme.Bad
}

// drawNumbers draws the numbers above the columns: the cursor's, the first
// behind an aisle, every fifth, as far as they do not touch.
func (m *Model) drawNumbers(c canvas.Canvas, sec *section, f frame, cursor int) {
	from := sec.columns[m.shift]
	label := func(i int) (x int, text string) {
		text = strconv.Itoa(sec.columns[i].number)
		return f.left + sec.columns[i].x - from.x + cellWidth - len(text), text
	}
	at := sec.column(cursor)
	cx, ctext := label(at)
	end := 0
	for i := m.shift; i < len(sec.columns); i++ {
		col := sec.columns[i]
		if col.x-from.x+cellWidth > f.seats {
			break
		}
		x, text := label(i)
		switch {
		case i == at:
			c.Text(x, 0, theme.Heading, text)
			end = x + len(text) + 1
		case i != m.shift && col.number%5 != 0 && i > 0 && col.x == sec.columns[i-1].x+cellWidth && i < len(sec.columns)-1:
		case x < end, i < at && x+len(text) >= cx, i > at && x < cx+len(ctext)+1:
		default:
			c.Text(x, 0, theme.Muted, text)
			end = x + len(text) + 1
		}
	}
}

// firstFrom is the first seat of a row with at least that number.
func (h *hall) firstFrom(r *row, number int) int {
	lo, hi := 0, len(r.seats)
	for lo < hi {
		if mid := (lo + hi) / 2; h.seats[r.seats[mid]].Number < number {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// seatAt is the seat whose cell covers (x, y) of the body.
func (m *Model) seatAt(x, y int) (inventory.SeatID, bool) {
	sec, f, ok := m.shown()
	r := m.top + y - numbers
	if !ok || y < numbers || r >= len(sec.rows) || x < f.left || x >= f.left+f.seats {
		return 0, false
	}
	from := sec.columns[m.shift].x
	for _, i := range sec.rows[r].seats {
		if cx := sec.x(m.hall.seats[i].Number) - from + f.left; x >= cx && x < cx+cellWidth {
			return m.hall.seats[i].ID, true
		}
	}
	return 0, false
}

// more says in which directions the hall goes on.
func (m *Model) more() string {
	sec, f, ok := m.shown()
	if !ok {
		return ""
	}
	rows := m.layout().gridRows()
	text := ""
	add := func(is bool, word string) {
		if is {
			text += " " + word
		}
	}
	add(m.top > 0, "up")
	add(m.top+rows < len(sec.rows), "down")
	add(m.shift > 0, "left")
	add(sec.width-sec.columns[m.shift].x > f.seats, "right")
	if text == "" {
		return ""
	}
	return "more:" + text
}
