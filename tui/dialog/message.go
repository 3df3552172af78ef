package dialog

import (
	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/canvas"
	"holdfast/tui/keys"
	"holdfast/tui/theme"
)

// Message tells something that must not be missed, an error above all: one line
// in plain words, what to do about it, and the details on demand.
type Message struct {
	title   string
	text    []string
	details []string
	open    bool
	scroll  int
}

// NewMessage returns a message; details are shown after "d" or right away if
// there is no text.
func NewMessage(title string, text, details []string) *Message {
	return &Message{title: title, text: text, details: details, open: len(text) == 0}
}

// Typing is always false: there is no field.
func (m *Message) Typing() bool { return false }

// Settle does nothing: a message sets nothing off.
func (m *Message) Settle(Outcome) bool { return false }

// Keys is the footer of a message.
func (m *Message) Keys() keys.Table {
	return keys.Table{
		{Verb: "details", Keys: []string{"d"}, Help: "details", Priority: 50},
		{Verb: keys.Back, Keys: []string{"esc"}, Help: "close", Priority: 70},
	}
}

// Key closes, scrolls, or opens the details.
func (m *Message) Key(k tea.KeyMsg, _ Moment) Reply {
	switch keys.Name(k) {
	case "esc", "enter", "q":
		return Reply{Close: true}
	case "d":
		m.open, m.scroll = !m.open, 0
	case "pgdown", "down", "j":
		m.scroll++
	case "pgup", "up", "k":
		m.scroll = max(0, m.scroll-1)
	}
	return Reply{}
}

// Size asks for the height that the text needs.
func (m *Message) Size(w, h int) (int, int) {
	w = min(w, confirmWidth)
	return w, min(h, len(m.lines(w-6))+5)
}

// Draw draws the message and its one button.
func (m *Message) Draw(c canvas.Canvas, _ Moment) {
	in := c.Border(theme.Dialog, m.title, theme.Dialog)
	bottom, area := in.Bounds().Inset(2, 0).Bottom(2)
	if area.H > 2 {
		_, area = area.Top(1)
	}
	drawScrolled(in.Sub(area), m.lines(area.W), &m.scroll)
	drawButtons(in.Sub(bottom), bottom.H-1, []button{{label: "Close"}}, 0)
}

func (m *Message) lines(width int) []line {
	out := wrapAll(m.text, width, theme.Text)
	switch {
	case len(m.details) == 0:
	case !m.open:
		out = append(out, line{}, line{style: theme.Muted, text: "d shows the details"})
	default:
		out = append(append(out, line{}), wrapAll(m.details, width, theme.Muted)...)
	}
	return out
}
