// Package deliveries is the screen of news on its way: messages that shops have
// not taken yet, and callbacks of payment providers that are not applied yet.
package deliveries

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/keys"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
)

// Name is the screen's name in routes and badges.
const Name = "deliveries"

const (
	pollEvery = 2 * time.Second
	// backEvery is for the side that is not in front, of which only the sums show.
	backEvery = 4 * time.Second
	readLimit = 3 * time.Second
	maxRows   = 200 // of each state
)

// The verbs that only this screen has.
const (
	otherSide keys.Verb = "other-side"
	alsoDone  keys.Verb = "also-done"
	park      keys.Verb = "park"
)

// store is the two stores behind the two sides.
type store interface {
	outbox
	inbox
}

// side is one of the two lists, a screen of its own below the common heading.
type side interface {
	ui.Screen
	poll(now time.Time, every time.Duration) tea.Cmd
	// heading sums the side up in a few words, or in as few as can be.
	heading(long bool) string
	// waiting is how many of its records wait for a person.
	waiting() int
	// note says what is not to be seen in the list: that its numbers are not
	// fresh, which is a warning, or that it is not all. It is empty for nothing.
	note() (text string, warning bool)
}

// Model is the screen. Make one with New.
type Model struct {
	env   *ui.Env
	sides [2]side // messages, callbacks
	front int
	badge string
	width int
}

// New returns the messages to be published and the callbacks received, of all
// venues. It is called by the console's ui.Builder for routes with Name; store
// is a *pgstore.Store, and actor is who the audit names for what is done here.
// The screen tells its badge itself: how many records wait for a person.
func New(env *ui.Env, store store, actor inventory.Actor) *Model {
	return &Model{env: env, sides: [2]side{newMessages(env, store, actor), newCallbacks(env, store, actor)}}
}

// Init asks for both lists.
func (m *Model) Init() tea.Cmd { return tea.Batch(m.sides[0].Init(), m.sides[1].Init()) }

// SetSize takes the screen's size.
func (m *Model) SetSize(w, h int) {
	m.width = w
	for _, s := range m.sides {
		s.SetSize(w, max(0, h-1))
	}
}

// Update takes one message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	front, back := m.sides[m.front], m.sides[1-m.front]
	switch msg := msg.(type) {
	case ui.Tick:
		return tea.Batch(front.poll(msg.Now, pollEvery), back.poll(msg.Now, backEvery))
	case ui.Do:
		if msg.Verb == otherSide {
			return m.turn()
		}
		return front.Update(msg)
	case ui.Click:
		if msg.Y == 0 {
			return m.turn()
		}
		msg.Y--
		return front.Update(msg)
	}
	cmd := tea.Batch(front.Update(msg), back.Update(msg)) // each knows its own answers
	return tea.Batch(cmd, m.tellBadge())
}

// turn brings the other side to the front, with fresh numbers.
func (m *Model) turn() tea.Cmd {
	m.front = 1 - m.front
	return m.sides[m.front].Update(ui.Refresh{})
}

// tellBadge shows beside the screen's name how many records wait for a person.
func (m *Model) tellBadge() tea.Cmd {
	text := ""
	if n := m.sides[0].waiting() + m.sides[1].waiting(); n > 0 {
		text = fmt.Sprintf("%d!", n)
	}
	if text == m.badge {
		return nil
	}
	m.badge = text
	return ui.Ask(ui.Badge{Screen: Name, Text: text})
}

// Draw draws the screen.
func (m *Model) Draw(c canvas.Canvas) {
	head, rest := c.Bounds().Top(1)
	m.drawHead(c.Sub(head))
	m.sides[m.front].Draw(c.Sub(rest))
}

// drawHead names both sides; the one in front is in brackets.
func (m *Model) drawHead(c canvas.Canvas) {
	w, _ := c.Size()
	style, remark := theme.Rule, "tab: the other side"
	if w < narrow {
		remark = "tab"
	}
	if note, warning := m.sides[m.front].note(); warning {
		style, remark = theme.Warn, note
	} else if note != "" {
		remark = note
	}
	const around = 7 // blanks and the least of the line between the two
	room := w - canvas.Width(remark) - around
	title := ""
	for _, long := range [][2]bool{{true, true}, {m.front == 0, m.front == 1}, {false, false}} {
		if title = m.title(long); canvas.Width(title) <= room {
			break
		}
	}
	c.Rule(0, style, theme.Heading, canvas.Cut(title, room, c.Glyphs().Ellipsis), remark)
}

func (m *Model) title(long [2]bool) string {
	var words []string
	for i, s := range m.sides {
		text := s.heading(long[i])
		if i == m.front {
			text = "[" + text + "]"
		}
		words = append(words, text)
	}
	return strings.Join(words, "  ")
}

// Keys is the keyboard of the screen as it stands.
func (m *Model) Keys() keys.Table {
	other := keys.Binding{Verb: otherSide, Keys: []string{"tab", "shift+tab"}, Help: "callbacks", More: "the other side: callbacks of payment providers", Priority: 60}
	if m.front == 1 {
		other.Help, other.More = "messages", "the other side: messages to shops"
	}
	return append(m.sides[m.front].Keys(), other)
}

// Status says how the screen stands.
func (m *Model) Status() ui.Status { return m.sides[m.front].Status() }
