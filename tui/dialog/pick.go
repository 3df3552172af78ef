package dialog

import (
	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/canvas"
	"holdfast/tui/keys"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// Item is one thing that can be picked.
type Item struct {
	Label  string
	Remark string // at the right edge
	Dead   string // why it cannot be picked now; shown instead of Remark
	Answer tea.Msg
}

// Pick is a search field over a list: type a part of the name, choose, Enter.
type Pick struct {
	title  string
	picker widget.Picker[Item]
}

// NewPick returns a list to pick from; picking answers the item's message.
func NewPick(title string, items []Item) *Pick {
	return &Pick{title: title, picker: widget.NewPicker(items, func(i Item) string { return i.Label }, drawItem)}
}

func drawItem(i Item, _ int) (label, remark widget.Cell) {
	if i.Dead != "" {
		return widget.Cell{Text: i.Label, Style: theme.Dead}, widget.Cell{Text: "(" + i.Dead + ")", Style: theme.Dead}
	}
	return widget.Cell{Text: i.Label}, widget.Cell{Text: i.Remark, Style: theme.Key}
}

// Typing is always true: the field has the focus.
func (p *Pick) Typing() bool { return true }

// Settle does nothing: the dialog is over when something is picked.
func (p *Pick) Settle(Outcome) bool { return false }

// Keys is the footer of a pick.
func (p *Pick) Keys() keys.Table {
	return keys.Table{
		{Verb: keys.Down, Keys: []string{"down"}, Help: "next", Priority: 40},
		{Verb: keys.Open, Keys: []string{"enter"}, Help: "choose", Priority: 60},
		{Verb: keys.Back, Keys: []string{"esc"}, Help: "close", Priority: 70},
	}
}

// Key edits the search, moves, picks or closes. What cannot be picked now stays
// on screen with its reason.
func (p *Pick) Key(k tea.KeyMsg, _ Moment) Reply {
	switch k.Type {
	case tea.KeyEsc:
		return Reply{Close: true}
	case tea.KeyEnter:
		item, ok := p.picker.Selected()
		if !ok || item.Dead != "" {
			return Reply{}
		}
		return Reply{Msg: item.Answer, Close: true}
	default: // for the list
	}
	p.picker.Key(k)
	return Reply{}
}

// Size asks for all the height there is up to a limit, so that the box does not
// jump while one types.
func (p *Pick) Size(w, h int) (int, int) {
	const rows = 16
	return min(w, confirmWidth), min(h, rows)
}

// Draw draws the field and what matches.
func (p *Pick) Draw(c canvas.Canvas, _ Moment) {
	in := c.Border(theme.Dialog, p.title, theme.Dialog)
	p.picker.Draw(in.Sub(in.Bounds().Inset(1, 0)), true)
}
