package app

import (
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/keys"
	"holdfast/tui/ui"
)

// key takes one key message. Fast typing over a slow line can put two or three
// keys into one message; outside of fields they are taken one by one.
func (a *App) key(k tea.KeyMsg) tea.Cmd {
	if b, ok := a.globals().Match(k); ok && b.Verb == keys.Leave {
		return a.leave()
	}
	if a.areas.tooSmall {
		return nil // nobody can see what a key would answer
	}
	if a.typing() {
		return a.route(k)
	}
	if k.Paste || a.burst.pasted(k, a.session.Clock.Now()) {
		a.task.say("that looked like pasted text and was ignored", false, a.session.Now())
		return nil
	}
	if k.Type != tea.KeyRunes || len(k.Runes) < 2 {
		return a.route(k)
	}
	var cmds []tea.Cmd
	for _, r := range k.Runes {
		one := k
		one.Runes = []rune{r}
		cmds = append(cmds, a.route(one))
	}
	return tea.Batch(cmds...)
}

// typing reports that a text field has the focus, in a dialog or on the screen.
func (a *App) typing() bool {
	if d := a.dialogs.Front(); d != nil {
		return d.Typing()
	}
	p := a.front()
	return p != nil && p.screen.Status().Typing
}

// route gives a key to whoever it belongs to.
func (a *App) route(k tea.KeyMsg) tea.Cmd {
	if b, ok := a.globals().Match(k); ok && b.Verb == keys.Suspend {
		return tea.Suspend
	}
	if !a.dialogs.Empty() {
		owner, msg := a.dialogs.Key(k, a.moment())
		if msg == nil {
			return nil
		}
		if owner == 0 {
			return a.own(msg)
		}
		return a.receive(owner, msg)
	}
	typing := a.typing()
	if b, ok := a.globals().Match(k); ok && (!typing || !keys.Printable(k) && !a.screenBinds(k)) {
		return a.do(b.Verb)
	}
	if tab, ok := tabKey(k); ok && !typing && tab < len(a.tabs) {
		return a.show(tab)
	}
	p := a.front()
	if p == nil {
		return nil
	}
	msg, refused := ui.Translate(a.keysOf(p), typing, k, a.noSave())
	switch {
	case refused != "":
		a.task.say(refused, true, a.session.Now())
		return nil
	case msg != nil:
		return a.to(p, msg)
	}
	if b, ok := keys.Fallback().Match(k); ok {
		return a.do(b.Verb)
	}
	return nil
}

func (a *App) screenBinds(k tea.KeyMsg) bool {
	p := a.front()
	if p == nil {
		return false
	}
	_, ok := a.keysOf(p).Match(k)
	return ok
}

// tabKey is the number of the screen that a digit key stands for.
func tabKey(k tea.KeyMsg) (int, bool) {
	n, err := strconv.Atoi(keys.Name(k))
	return n - 1, err == nil && n >= 1 && n <= 9 && !k.Paste
}

// do carries out a verb of the frame.
func (a *App) do(v keys.Verb) tea.Cmd {
	switch v {
	case keys.Help:
		a.dialogs.Push(a.newHelp(), 0, time.Time{})
	case keys.Palette:
		a.dialogs.Push(a.newPalette(), 0, time.Time{})
	case keys.LastError:
		a.showLastError()
	case keys.Fresh:
		return a.toFront(ui.Refresh{})
	case keys.Pause:
		a.paused = !a.paused
		if !a.paused {
			return a.toFront(ui.Refresh{})
		}
	case keys.Zone:
		a.session.UTC = !a.session.UTC
	case keys.Theme:
		a.theme = a.theme.Next()
		a.task.say("theme: "+a.theme.Name, false, a.session.Now())
	case keys.NextScreen:
		return a.show((a.current + 1) % len(a.tabs))
	case keys.PrevScreen:
		return a.show((a.current + len(a.tabs) - 1) % len(a.tabs))
	case keys.Back:
		return a.back(false)
	case keys.Quit:
		return a.back(true)
	case keys.Leave:
		return a.leave()
	default: // the rest are the screen's
	}
	return nil
}

// burstWindow and burstKeys tell a paste from typing where the terminal does
// not: so many keys within so short a time.
const (
	burstWindow = 30 * time.Millisecond
	burstKeys   = 4
)

// burst remembers when the last keys came.
type burst struct {
	times   [burstKeys]time.Time
	n       int
	pasting bool
}

// pasted reports that k belongs to a burst. Keys that a paste cannot contain
// (arrows, function keys) never do, so that a held arrow key is never lost.
func (b *burst) pasted(k tea.KeyMsg, now time.Time) bool {
	count := 1
	switch k.Type {
	case tea.KeyRunes:
		count = len(k.Runes)
	case tea.KeySpace, tea.KeyEnter, tea.KeyTab, tea.KeyBackspace:
	default:
		return false
	}
	last := b.times[(b.n+burstKeys-1)%burstKeys]
	if b.pasting && now.Sub(last) > burstWindow {
		b.pasting = false
		b.times = [burstKeys]time.Time{}
	}
	for range min(count, burstKeys) {
		b.times[b.n%burstKeys] = now
		b.n++
	}
	oldest := b.times[b.n%burstKeys]
	b.pasting = b.pasting || !oldest.IsZero() && now.Sub(oldest) <= burstWindow
	return b.pasting
}
