package cockpit

import (
	"fmt"
	"slices"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// columns are the list's. Numbers come first: a name that a terminal draws wider
// than we measured cannot move them.
func (m *Model) columns() []widget.Column[inventory.Selling] {
	type column = widget.Column[inventory.Selling]
	const never = widget.Always
	bar, day := 10, len("12-05")
	if m.width >= wide {
		day = len("2026-12-05")
	}
	left, of := len("left"), len("taken/limit")
	for _, r := range m.table.Rows() {
		left = max(left, canvas.Width(m.leftOf(r)))
		of = max(of, canvas.Width(takenOf(r)))
	}
	return []column{
		{Title: "left", Width: left, Right: true, Priority: never, Cell: func(r inventory.Selling) widget.Cell {
			return widget.Cell{Text: m.leftOf(r), Style: leftStyle(r)}
		}},
		{Title: "now", Width: len("OVERSOLD"), Priority: never, Cell: m.saleCell},
		{Title: "taken/limit", Width: of, Right: true, Priority: 60, Cell: func(r inventory.Selling) widget.Cell {
			return widget.Cell{Text: takenOf(r)}
		}},
		{Title: "fill", Width: bar, Priority: 40, Cell: func(r inventory.Selling) widget.Cell {
			return widget.Cell{Text: widget.LoadBar(bar, int64(r.Taken-r.Held), int64(r.Held), int64(r.Limit))}
		}},
		{Title: "/min", Width: 5, Right: true, Priority: 50, Cell: func(r inventory.Selling) widget.Cell {
			return widget.Cell{Text: perSecond(m.now.Value().selling.Minute(r))}
		}},
		{Title: "holds", Width: 6, Right: true, Priority: 45, Cell: func(r inventory.Selling) widget.Cell {
			return widget.Cell{Text: most(r.Holds + r.Paying)}
		}},
		{Title: "zombies", Width: 7, Right: true, Priority: 35, Cell: func(r inventory.Selling) widget.Cell {
			if r.Zombies == 0 {
				return widget.Cell{Text: "-", Style: theme.Muted}
			}
			return widget.Cell{Text: thousands(int64(r.Zombies)), Style: theme.Warn}
		}},
		{Title: "day", Width: day, Priority: 55, Cell: func(r inventory.Selling) widget.Cell {
			s := r.Day.String()
			return widget.Cell{Text: s[max(0, len(s)-day):]}
		}},
		{Title: "what", Priority: never, Cell: func(r inventory.Selling) widget.Cell {
			return widget.Cell{Text: r.Name}
		}},
	}
}

// leftOf is how many are left, below nothing where more are taken than may be.
func (m *Model) leftOf(r inventory.Selling) string {
	return m.tilde() + thousands(int64(r.Limit-r.Taken))
}

func takenOf(r inventory.Selling) string {
	return thousands(int64(r.Taken)) + "/" + thousands(int64(r.Limit))
}

func leftStyle(r inventory.Selling) canvas.Style {
	switch {
	case r.Oversold() > 0:
		return theme.Bad
	case r.Left()*10 < r.Limit:
		return theme.Warn
	}
	return theme.Text
}

func (m *Model) saleCell(r inventory.Selling) widget.Cell {
	word := m.onSale(r)
	switch word {
	case "STOPPED":
		return widget.Cell{Text: word, Style: theme.Warn}
	case "OVERSOLD":
		return widget.Cell{Text: word, Style: theme.Bad}
	case "on sale":
		return widget.Cell{Text: word, Style: theme.OK}
	case "SOLD OUT":
		return widget.Cell{Text: word}
	}
	return widget.Cell{Text: word, Style: theme.Muted}
}

// flag marks what a person may want to look at first.
func (m *Model) flag(r inventory.Selling) widget.Cell {
	if r.Oversold() > 0 || r.Zombies > 0 {
		return widget.Cell{Text: "!", Style: theme.Bad}
	}
	return widget.Cell{}
}

// openRooms are the venue's waiting rooms in which somebody may wait, the
// longest line first.
func (m *Model) openRooms() []inventory.WaitingRoom {
	var open []inventory.WaitingRoom
	for _, r := range m.now.Value().rooms {
		if r.Open {
			open = append(open, r)
		}
	}
	slices.SortStableFunc(open, func(a, b inventory.WaitingRoom) int {
		switch {
		case a.Waiting > b.Waiting:
			return -1
		case a.Waiting < b.Waiting:
			return 1
		}
		return 0
	})
	return open
}

func (m *Model) drawRooms(c canvas.Canvas) {
	w, h := c.Size()
	open := m.openRooms()
	if h == 0 || len(open) == 0 {
		return
	}
	waiting := int64(0)
	for _, r := range open {
		waiting += r.Waiting
	}
	remark := ""
	if len(open) > h-1 {
		remark = fmt.Sprintf("the longest %d of %d", h-1, len(open))
	}
	c.Rule(0, theme.Rule, theme.Heading, fmt.Sprintf("WAITING ROOMS: %s%s wait", m.tilde(), thousands(waiting)), remark)
	for i, r := range open[:min(len(open), h-1)] {
		c.Text(2, i+1, theme.Text, canvas.Cut(m.roomWords(r)+": "+r.Name, w-3, c.Glyphs().Ellipsis))
	}
}

// roomWords says how a waiting room stands.
func (m *Model) roomWords(r inventory.WaitingRoom) string {
	mark := m.tilde()
	text := fmt.Sprintf("%s%s wait, %s%s of %s are in, ", mark, thousands(r.Waiting), mark, thousands(r.Active), thousands(int64(r.MaxActive)))
	if r.Rate == 0 {
		return text + "PAUSED: nobody is let in"
	}
	if x, known := m.let.second(r.ID); known {
		return text + fmt.Sprintf("let in %s%s/s of %s/s", mark, perSecond(x), rateWords(r.Rate))
	}
	return text + fmt.Sprintf("let in up to %s/s", rateWords(r.Rate))
}
