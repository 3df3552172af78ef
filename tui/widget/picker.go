package widget

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/canvas"
	"holdfast/tui/theme"
)

// Picker is a search field over a list of T: each word that is typed must occur
// in the text of an item, in any order and case.
type Picker[T any] struct {
	items []T
	text  func(T) string
	draw  func(item T, width int) (label, remark Cell)

	search  Field
	matches []int // indices of items
	cursor  int   // index into matches
}

// NewPicker returns a picker; text is what the search looks at, draw what a line
// shows at its left and right.
func NewPicker[T any](items []T, text func(T) string, draw func(item T, width int) (label, remark Cell)) Picker[T] {
	p := Picker[T]{items: items, text: text, draw: draw, search: NewField("", "")}
	p.match()
	return p
}

// Selected returns the item under the cursor, and false when nothing matches.
func (p *Picker[T]) Selected() (T, bool) {
	if p.cursor >= len(p.matches) {
		var none T
		return none, false
	}
	return p.items[p.matches[p.cursor]], true
}

// Search returns what is typed.
func (p *Picker[T]) Search() string { return p.search.Value() }

// SetSearch types s in place of what was typed.
func (p *Picker[T]) SetSearch(s string) {
	p.search.Set(s)
	p.match()
}

// Key moves the cursor or edits the search.
func (p *Picker[T]) Key(k tea.KeyMsg) {
	const page = 10
	switch k.Type {
	case tea.KeyUp:
		p.move(-1)
	case tea.KeyDown, tea.KeyTab:
		p.move(1)
	case tea.KeyPgUp:
		p.move(-page)
	case tea.KeyPgDown:
		p.move(page)
	default:
		if p.search.Key(k) {
			p.match()
		}
	}
}

func (p *Picker[T]) move(by int) {
	p.cursor = max(0, min(p.cursor+by, len(p.matches)-1))
}

func (p *Picker[T]) match() {
	words := strings.Fields(strings.ToLower(p.search.Value()))
	p.matches, p.cursor = p.matches[:0], 0
	for i, item := range p.items {
		text := strings.ToLower(p.text(item))
		all := true
		for _, w := range words {
			all = all && strings.Contains(text, w)
		}
		if all {
			p.matches = append(p.matches, i)
		}
	}
}

// Draw draws the field, the matches round the cursor, and how many there are.
func (p *Picker[T]) Draw(c canvas.Canvas, focused bool) {
	w, h := c.Size()
	p.search.Draw(c.Sub(canvas.Rect{W: w, H: 1}), focused)
	rows := max(0, h-2)
	top := max(0, min(p.cursor-rows/2, len(p.matches)-rows))
	for y := range rows {
		if top+y >= len(p.matches) {
			break
		}
		label, remark := p.draw(p.items[p.matches[top+y]], w)
		right := min(canvas.Width(canvas.Clean(remark.Text)), w/2)
		c.Fit(2, y+1, w-right-4, label.Style, label.Text)
		c.FitRight(w-right-1, y+1, right, remark.Style, remark.Text)
		if top+y == p.cursor {
			c.Text(0, y+1, theme.Accent, ">")
			c.Emphasise(canvas.Rect{Y: y + 1, W: w, H: 1}, canvas.Reverse)
		}
	}
	c.FitRight(0, h-1, w, theme.Muted, fmt.Sprintf("%d of %d", len(p.matches), len(p.items)))
}
