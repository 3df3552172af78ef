package deliveries

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// answer is one reading of a list: its rows, and S, what is summed up of it.
type answer[R, S any] struct {
	rows []R
	sum  S
}

// half is what both lists have in common: rows R known by K, summed up in S.
type half[R any, K comparable, S any] struct {
	env   *ui.Env
	actor inventory.Actor
	what  string // "messages"
	key   func(R) K
	short func(R) string // a row in a few characters

	list    ui.Query[answer[R, S]]
	table   widget.Table[R, K]
	history bool   // those that are done are listed too
	left    string // what became of the record that the cursor was on
	saving  map[K]bool
	width   int
	high    int
}

func newHalf[R any, K comparable, S any](env *ui.Env, actor inventory.Actor, what string, key func(R) K, short func(R) string) half[R, K, S] {
	return half[R, K, S]{env: env, actor: actor, what: what, key: key, short: short, table: widget.NewTable(key), saving: map[K]bool{}}
}

// listed takes over a new list. The cursor stays on its record; when that has
// left the list, the pane says so, since the cursor is now on another one.
func (h *half[R, K, S]) listed() tea.Cmd {
	if err := h.list.Err(); err != nil {
		return ui.Report("read the "+h.what, err)
	}
	before, had := h.table.Selected()
	if gone := h.table.SetRows(h.list.Value().rows); gone && had {
		h.left = h.short(before) + " has left the list; this is the next one"
	}
	return nil
}

// move moves the cursor if v says so.
func (h *half[R, K, S]) move(v keys.Verb) bool {
	if !h.table.Do(v) {
		return false
	}
	h.left = ""
	return true
}

// click puts the cursor on the row that was clicked.
func (h *half[R, K, S]) click(at ui.Click) {
	if r, ok := h.table.RowAt(at.Y - h.layout().list.Y); ok && at.X < h.layout().list.W {
		h.table.Select(h.key(r))
		h.left = ""
	}
}

// busy says why a record cannot be decided about while a decision is under way.
func (h *half[R, K, S]) busy(r R) (ok bool, why string) {
	return !h.saving[h.key(r)], "the last change of it has no answer yet"
}

// old says since when the numbers are not fresh; it is empty while they are.
func (h *half[R, K, S]) old() string {
	if !h.list.Ready() {
		return ""
	}
	readAt := h.list.ReadAt()
	link := h.env.Link().State
	if link != ui.Stale && link != ui.Offline && h.env.Now().Sub(readAt) <= oldAfter {
		return ""
	}
	if h.width < narrow {
		return "~ as of " + h.at(readAt)
	}
	return "~ as of " + h.at(readAt) + ", saving is off"
}

// noted is old, or that the list does not hold all of what it is of.
func (h *half[R, K, S]) noted(all bool) (text string, warning bool) {
	switch old := h.old(); {
	case old != "":
		return old, true
	case all || !h.list.Ready():
		return "", false
	case h.width < narrow:
		return fmt.Sprintf("newest %d", maxRows), false
	}
	return fmt.Sprintf("the newest %d are listed", maxRows), false
}

// mark is put before numbers that are not fresh.
func (h *half[R, K, S]) mark() string {
	if h.old() != "" {
		return "~"
	}
	return ""
}

// asking is shown before the first answer. It never shows a zero.
func (h *half[R, K, S]) asking() []string {
	if err := h.list.Err(); err != nil {
		return []string{"The " + h.what + " could not be read: " + inventory.Message(err) + ".", "Trying again every 2 seconds; r tries now."}
	}
	since, _ := h.list.Running()
	if d := h.env.Now().Sub(since); d >= time.Second {
		return []string{"asking the database ... " + widget.Age(d)}
	}
	return []string{"asking the database ..."}
}

// historyKey shows those that are done too, or hides them again.
func (h *half[R, K, S]) historyKey(done string) keys.Binding {
	b := keys.Binding{Verb: alsoDone, Keys: []string{"a"}, Help: "also done", More: "show the " + h.what + " that are " + done + " too", Priority: 35}
	if h.history {
		b.Help = "only open"
	}
	return b
}

// at writes a moment in the zone of the screen: what is today's goes without
// saying.
func (h *half[R, K, S]) at(t time.Time) string {
	zone := h.env.Zone()
	t = t.In(zone)
	now := h.env.Now().In(zone)
	switch {
	case t.Format(time.DateOnly) == now.Format(time.DateOnly):
		return t.Format(time.TimeOnly)
	case t.Year() == now.Year():
		return t.Format("01-02 " + time.TimeOnly)
	}
	return t.Format(time.DateOnly + " " + time.TimeOnly)
}

// line is one line of text and what it means.
type line struct {
	style canvas.Style
	text  string
}
