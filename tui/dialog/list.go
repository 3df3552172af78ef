package dialog

import (
	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/canvas"
	"holdfast/tui/keys"
	"holdfast/tui/theme"
)

// Group is a heading with facts below it.
type Group struct {
	Title string
	Facts []Fact
}

// List shows groups of facts to read: the help, the story of one thing.
type List struct {
	title  string
	intro  []string
	groups []Group
	scroll int
}

// NewList returns a list to read; it answers nothing.
func NewList(title string, intro []string, groups []Group) *List {
	return &List{title: title, intro: intro, groups: groups}
}

// Typing is always false: there is no field.
func (l *List) Typing() bool { return false }

// Settle does nothing: a list sets nothing off.
func (l *List) Settle(Outcome) bool { return false }

// Keys is the footer of a list.
func (l *List) Keys() keys.Table {
	return keys.Table{
		{Verb: keys.Down, Keys: []string{"down"}, Help: "more", Priority: 50},
		{Verb: keys.Back, Keys: []string{"esc"}, Help: "close", Priority: 70},
	}
}

// Key closes or scrolls.
func (l *List) Key(k tea.KeyMsg, _ Moment) Reply {
	const page = 10
	switch keys.Name(k) {
	case "esc", "enter", "q", "?":
		return Reply{Close: true}
	case "down", "j":
		l.scroll++
	case "up", "k":
		l.scroll--
	case "pgdown", "space":
		l.scroll += page
	case "pgup":
		l.scroll -= page
	case "home":
		l.scroll = 0
	}
	l.scroll = max(0, l.scroll)
	return Reply{}
}

// Size asks for the height that the text needs.
func (l *List) Size(w, h int) (int, int) {
	w = min(w, confirmWidth)
	return w, min(h, len(l.lines(w-4))+2)
}

// Draw draws what fits from the scroll position.
func (l *List) Draw(c canvas.Canvas, _ Moment) {
	in := c.Border(theme.Dialog, l.title, theme.Dialog)
	area := in.Bounds().Inset(1, 0)
	drawScrolled(in.Sub(area), l.lines(area.W), &l.scroll)
}

func (l *List) lines(width int) []line {
	out := wrapAll(l.intro, width, theme.Text)
	for _, g := range l.groups {
		if len(g.Facts) == 0 {
			continue
		}
		if len(out) > 0 {
			out = append(out, line{})
		}
		out = append(out, line{style: theme.Heading, text: g.Title})
		out = append(out, factLines(g.Facts, width)...)
	}
	return out
}
