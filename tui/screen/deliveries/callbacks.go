package deliveries

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/keys"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// inbox reads the callbacks and applies them.
type inbox interface {
	inboxReader
	RetryEvent(ctx context.Context, actor inventory.Actor, provider, id string) error
	ApplyEvent(ctx context.Context, provider, id string) error
}

type inboxReader interface {
	Inbox(ctx context.Context, f inventory.InboxFilter) ([]inventory.InboxEvent, error)
}

// callback is one callback of a provider.
type callback struct{ inventory.InboxEvent }

// callbackKey is a callback's identity.
type callbackKey struct{ provider, id string }

// incoming counts the callbacks that are not applied; each number is at most
// what the list holds of that state.
type incoming struct {
	stored, unmatched, parked int
	waiting                   int // parked, and could be applied
}

// callbacks is the side of what payment providers told.
type callbacks struct {
	half[callback, callbackKey, incoming]
	store inbox
}

func newCallbacks(env *ui.Env, store inbox, actor inventory.Actor) *callbacks {
	m := &callbacks{newHalf[callback, callbackKey, incoming](env, actor, "callbacks", keyOfCallback, func(r callback) string { return r.name() }), store}
	m.table.Flag = func(r callback) widget.Cell {
		switch {
		case r.waits():
			return widget.Cell{Text: "!", Style: theme.Bad}
		case r.State == inventory.InboxUnmatched:
			return widget.Cell{Text: "~", Style: theme.Warn}
		}
		return widget.Cell{}
	}
	return m
}

func keyOfCallback(r callback) callbackKey { return callbackKey{r.Provider, r.ID} }

// name is the callback in a few words.
func (r callback) name() string { return string(r.Kind) + " " + r.ID }

// waits reports that a person has to look at it. What must never be applied is
// kept and shown, and there is nothing to be done about it.
func (r callback) waits() bool { return r.State == inventory.InboxParked && r.Problem == "" }

func (m *callbacks) Init() tea.Cmd { return m.load() }

func (m *callbacks) SetSize(w, h int) {
	m.width = w
	m.size(w, h, m.columns())
}

func (m *callbacks) Draw(c canvas.Canvas) { m.draw(c, m.page()) }

// Update takes one message of the event loop.
func (m *callbacks) Update(msg tea.Msg) tea.Cmd {
	if m.list.Take(msg) {
		cmd := m.listed()
		m.table.Columns = m.columns()
		return cmd
	}
	switch msg := msg.(type) {
	case ui.Shown, ui.Refresh:
		return m.load()
	case ui.Do:
		return m.do(msg.Verb)
	case ui.Click:
		m.click(msg)
	case applyChosen:
		return m.apply(msg)
	case callbackDone:
		return m.done(msg)
	}
	return nil
}

func (m *callbacks) poll(now time.Time, every time.Duration) tea.Cmd {
	if !m.list.Due(now, every) {
		return nil
	}
	return m.load()
}

func (m *callbacks) load() tea.Cmd {
	store, history := m.store, m.history
	return m.list.Ask(m.env, "deliveries.callbacks", readLimit, func(ctx context.Context) (answer[callback, incoming], error) {
		return readCallbacks(ctx, store, history)
	})
}

// order is that of the states in the list: what needs a person first.
var order = [...]inventory.InboxState{inventory.InboxParked, inventory.InboxUnmatched, inventory.InboxStored, inventory.InboxApplied}

func readCallbacks(ctx context.Context, r inboxReader, history bool) (answer[callback, incoming], error) {
	var a answer[callback, incoming]
	states := order[:3]
	if history {
		states = order[:]
	}
	seen := map[callbackKey]bool{} // a callback may move while the lists are read
	for _, state := range states {
		events, err := r.Inbox(ctx, inventory.InboxFilter{State: state, Limit: maxRows})
		if err != nil {
			return a, err
		}
		for _, e := range events {
			c := callback{e}
			if seen[keyOfCallback(c)] {
				continue
			}
			seen[keyOfCallback(c)] = true
			a.rows = append(a.rows, c)
			a.sum.add(c)
		}
	}
	slices.SortStableFunc(a.rows, func(x, y callback) int { // newest first already
		return cmp.Compare(x.rank(), y.rank())
	})
	return a, nil
}

func (s *incoming) add(c callback) {
	switch c.State {
	case inventory.InboxParked:
		s.parked++
	case inventory.InboxUnmatched:
		s.unmatched++
	case inventory.InboxStored:
		s.stored++
	case inventory.InboxApplied: // it is done
	}
	if c.waits() {
		s.waiting++
	}
}

// rank is its place among the states; what waits for a person comes first.
func (r callback) rank() int {
	if r.waits() {
		return -1
	}
	return slices.Index(order[:], r.State)
}

func (m *callbacks) do(v keys.Verb) tea.Cmd {
	if m.move(v) {
		return nil
	}
	r, some := m.table.Selected()
	switch {
	case v == alsoDone:
		m.history = !m.history
		return m.load()
	case v == keys.Open && some:
		return m.open(r)
	case v == keys.RunNow && some:
		return m.askApply(r)
	}
	return nil
}

// waiting is how many callbacks wait for a person.
func (m *callbacks) waiting() int { return m.list.Value().sum.waiting }

func (m *callbacks) note() (text string, warning bool) {
	s := m.list.Value().sum
	return m.noted(max(s.stored, s.unmatched, s.parked) < maxRows)
}

func (m *callbacks) heading(long bool) string {
	s := m.list.Value().sum
	all := s.stored + s.unmatched + s.parked
	switch {
	case !m.list.Ready():
		return "CALLBACKS"
	case all == 0 && long:
		return "CALLBACKS all applied"
	case !long:
		return fmt.Sprintf("CALLBACKS %s%s", m.mark(), atLeast(all))
	}
	var words []string
	for _, n := range []struct {
		n    int
		what string
	}{{s.stored, "to apply"}, {s.unmatched, "unmatched"}, {s.parked, "parked"}} {
		if n.n > 0 {
			words = append(words, m.mark()+atLeast(n.n)+" "+n.what)
		}
	}
	return "CALLBACKS " + strings.Join(words, ", ")
}

// atLeast writes a number of rows, of which no more than maxRows are counted.
func atLeast(n int) string {
	if n >= maxRows {
		return fmt.Sprintf("%d+", n)
	}
	return fmt.Sprint(n)
}

func (m *callbacks) Keys() keys.Table {
	r, some := m.table.Selected()
	const none = "there is no callback under the cursor"
	apply := keys.Standard(keys.RunNow).As("apply again...")
	apply.More = "apply a parked or unmatched callback again"
	return append(keys.Move(),
		keys.Standard(keys.Open).As("detail").If(some, none),
		apply.If(some, none).If(m.busy(r)).If(appliable(r)),
		m.historyKey("applied"),
	)
}

func appliable(r callback) (ok bool, why string) {
	switch {
	case r.State == inventory.InboxApplied:
		return false, "it was applied already"
	case r.State == inventory.InboxStored:
		return false, "it is to be applied: that is tried by itself"
	case r.Problem != "":
		return false, "it must not be applied: " + r.Problem
	}
	return true, ""
}

func (m *callbacks) Status() ui.Status {
	return ui.Status{
		Title: "Deliveries: callbacks",
		About: []string{
			"What payment providers told us and is not applied yet, of all venues. Each is verified, kept, and decided about by how its payment stands; the same one twice changes nothing.",
			"STORED: to be applied, now or again. UNMATCHED: it names nothing we know; it is looked at again for about half a day. PARKED: tried often enough, or it must not be applied. APPLIED: decided.",
			"The other side, with tab, is messages: what shops are told.",
		},
		ReadAt: m.list.ReadAt(),
	}
}
