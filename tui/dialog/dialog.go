// Package dialog holds the questions that are laid over a screen before
// anything is done that cannot easily be taken back. A dialog never acts: it
// answers whoever opened it with a typed message, shows what the database said
// about it, and cannot be answered twice.
package dialog

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/canvas"
	"holdfast/tui/keys"
)

// Grace is how long a fresh dialog ignores the keyboard, so that keys typed for
// what was there before cannot answer it.
const Grace = 300 * time.Millisecond

// Moment is what a dialog may know of the world when it is drawn or answered.
type Moment struct {
	Now      time.Time // this machine's clock, for the grace period
	Database time.Time // the database's clock as this machine knows it, for the age of numbers
	NoSave   string    // why nothing can be saved now (stale, offline, read-only); empty: it can
}

// Dialog is one question.
type Dialog interface {
	// Key takes a key and returns what follows from it.
	Key(k tea.KeyMsg, at Moment) Reply
	// Draw draws the whole dialog, its frame included, into all of c.
	Draw(c canvas.Canvas, at Moment)
	// Size says how much room it wants, at most w x h.
	Size(w, h int) (int, int)
	// Typing reports that a text field has the focus.
	Typing() bool
	// Settle tells the answer of the database to the action that was chosen, and
	// reports whether the dialog is done with it.
	Settle(o Outcome) (closed bool)
	// Keys is what the footer shows meanwhile.
	Keys() keys.Table
}

// Reply is what a key did to a dialog.
type Reply struct {
	Msg   tea.Msg // for whoever opened it; nil: nothing yet
	Close bool    // the dialog is over
}

// Outcome is what became of the chosen action, as the database answered it.
type Outcome struct {
	OK    bool
	Text  string   // one line in plain words
	Lines []string // more, if there is more to say
	Again bool     // not done, but it may be tried again from the same dialog

	Problems map[string]string // what is wrong with the inputs of a form, by name
}

// Stack is the open dialogs, the front one last.
type Stack struct{ open []entry }

type entry struct {
	Dialog
	owner  int
	opened time.Time
}

// Push lays d in front. Owner is who gets its messages.
func (s *Stack) Push(d Dialog, owner int, now time.Time) {
	s.open = append(s.open, entry{d, owner, now})
}

// Empty reports that no dialog is open.
func (s *Stack) Empty() bool { return len(s.open) == 0 }

// Front returns the dialog that gets the keys, and nil when there is none.
func (s *Stack) Front() Dialog {
	if s.Empty() {
		return nil
	}
	return s.open[len(s.open)-1].Dialog
}

// Key gives a key to the front dialog, unless the dialog is too fresh or the
// key is pasted text and no field has the focus. It returns the owner and the
// message to give it; a nil message means there is none.
func (s *Stack) Key(k tea.KeyMsg, at Moment) (owner int, msg tea.Msg) {
	if s.Empty() {
		return 0, nil
	}
	front := s.open[len(s.open)-1]
	if at.Now.Sub(front.opened) < Grace || k.Paste && !front.Typing() {
		return front.owner, nil
	}
	r := front.Key(k, at)
	if r.Close {
		s.open = s.open[:len(s.open)-1]
	}
	return front.owner, r.Msg
}

// Settle gives an outcome to the frontmost dialog of the owner and reports
// whether there was one to take it; closed says that it is gone.
func (s *Stack) Settle(owner int, o Outcome) (closed, taken bool) {
	for i := len(s.open) - 1; i >= 0; i-- {
		if s.open[i].owner != owner {
			continue
		}
		if s.open[i].Settle(o) {
			s.open = append(s.open[:i], s.open[i+1:]...)
			return true, true
		}
		return false, true
	}
	return false, false
}

// CloseOwner closes all dialogs of an owner that is gone.
func (s *Stack) CloseOwner(owner int) {
	kept := s.open[:0]
	for _, e := range s.open {
		if e.owner != owner {
			kept = append(kept, e)
		}
	}
	s.open = kept
}

// Draw lays all dialogs over c, the front one last.
func (s *Stack) Draw(c canvas.Canvas, at Moment) {
	cw, ch := c.Size()
	for _, e := range s.open {
		w, h := e.Size(cw, ch)
		r := c.Bounds().Centre(w, h)
		c.Clear(r)
		e.Draw(c.Sub(r), at)
	}
}
