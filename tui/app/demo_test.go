package app_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/canvas"
	"holdfast/tui/dialog"
	"holdfast/tui/keys"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// The demo is a screen as screens are meant to be written; it exists for the
// tests of the frame only.

type item struct {
	id     string
	name   string
	amount int
}

// shelf is the store of the demo.
type shelf struct {
	items   []item
	err     error
	dropped []string
	dropErr error
	asked   int
}

func (s *shelf) List(context.Context) ([]item, error) {
	s.asked++
	return s.items, s.err
}

func (s *shelf) Drop(_ context.Context, id, _ string) (int, error) {
	if s.dropErr != nil {
		return 0, s.dropErr
	}
	s.dropped = append(s.dropped, id)
	return 7, nil
}

type lister interface {
	List(ctx context.Context) ([]item, error)
	Drop(ctx context.Context, id, reason string) (version int, err error)
}

type dropChosen struct{ id, reason string }

type dropDone struct {
	id      string
	version int
	err     error
}

type demo struct {
	env    *ui.Env
	store  lister
	items  ui.Query[[]item]
	table  widget.Table[item, string]
	filter widget.Field
	typing bool
	size   [2]int
	draft  string
	broken bool
	steady bool // without the verbs that panic, for tests that press anything
}

func newDemo(env *ui.Env, store lister) *demo {
	return &demo{
		env: env, store: store, filter: widget.NewField("", "part of a name"),
		table: widget.NewTable(func(i item) string { return i.id },
			widget.Column[item]{Title: "id", Width: 6, Cell: func(i item) widget.Cell { return widget.Cell{Text: i.id} }},
			widget.Column[item]{Title: "amount", Width: 8, Right: true, Priority: widget.Always, Cell: func(i item) widget.Cell {
				return widget.Cell{Text: fmt.Sprint(i.amount), Style: theme.OK}
			}},
			widget.Column[item]{Title: "name", Priority: 5, Cell: func(i item) widget.Cell { return widget.Cell{Text: i.name, Style: theme.Quote} }},
		),
	}
}

func (d *demo) Init() tea.Cmd { return d.load() }

func (d *demo) load() tea.Cmd {
	return d.items.Ask(d.env, "demo.list", 3*time.Second, d.store.List)
}

func (d *demo) Update(msg tea.Msg) tea.Cmd {
	if d.items.Take(msg) {
		d.table.SetRows(d.items.Value())
		return ui.Report("list the items", d.items.Err())
	}
	switch msg := msg.(type) {
	case ui.Tick:
		if d.items.Due(msg.Now, 2*time.Second) {
			return d.load()
		}
	case ui.Shown, ui.Refresh:
		return d.load()
	case ui.Do:
		return d.do(msg.Verb)
	case ui.Click:
		if row, ok := d.table.RowAt(msg.Y - 1); ok {
			d.table.Select(row.id)
		}
	case tea.KeyMsg:
		d.filter.Key(msg)
	case dropChosen:
		return d.drop(msg)
	case dropDone:
		return d.dropped(msg)
	}
	return nil
}

func (d *demo) do(v keys.Verb) tea.Cmd {
	if d.table.Do(v) {
		return nil
	}
	switch v {
	case keys.Filter:
		d.typing = true
	case keys.Back, keys.Open:
		if d.typing {
			d.typing = false
			return nil
		}
		return ui.Ask(ui.Push{Route: ui.Route{Screen: "detail"}})
	case keys.Release:
		row, ok := d.table.Selected()
		if !ok {
			return nil
		}
		return ui.OpenDialog(dialog.NewConfirm(dialog.Spec{
			Title: "DROP " + row.name, Intro: []string{row.name + " goes away."},
			Facts:   []dialog.Fact{{Label: "What happens", Text: "it is dropped"}, {Label: "What cannot happen", Text: "a second drop"}},
			ReadAt:  d.items.ReadAt(),
			Reason:  "Reason",
			Actions: []dialog.Action{{Name: "drop", Label: "Drop"}},
			Then:    func(c dialog.Choice) tea.Msg { return dropChosen{row.id, c.Reason} },
		}))
	case "draft":
		d.draft = "one thing"
	case "panic-draw":
		d.broken = true
	case "panic":
		panic("asked for")
	case "panic-command":
		return func() tea.Msg { panic("asked for in a command") }
	default: // Keys binds no other
	}
	return nil
}

func (d *demo) drop(m dropChosen) tea.Cmd {
	store := d.store
	return ui.Save(d.env, "demo.drop", "dropping "+m.id, 3*time.Second,
		func(ctx context.Context) (int, error) { return store.Drop(ctx, m.id, m.reason) },
		func(v int, err error) tea.Msg { return dropDone{m.id, v, err} })
}

func (d *demo) dropped(m dropDone) tea.Cmd {
	if m.err != nil {
		return ui.SettleDialog(dialog.Outcome{Text: m.id + " was not dropped: " + m.err.Error()})
	}
	return tea.Batch(ui.SettleDialog(dialog.Outcome{OK: true, Text: fmt.Sprintf("%s dropped, v%d", m.id, m.version)}), d.load())
}

func (d *demo) SetSize(w, h int) {
	d.size = [2]int{w, h}
	d.table.SetHeight(h - 1)
}

func (d *demo) Draw(c canvas.Canvas) {
	if d.broken {
		panic("asked for while drawing")
	}
	if w, h := c.Size(); w != d.size[0] || h != d.size[1] {
		panic(fmt.Sprintf("drawn at %dx%d, sized to %v", w, h, d.size))
	}
	top, rest := c.Bounds().Top(1)
	switch {
	case d.typing:
		d.filter.Draw(c.Sub(top), true)
	default:
		c.Rule(0, theme.Rule, theme.Heading, "ITEMS", fmt.Sprintf("%d items", len(d.items.Value())))
	}
	switch {
	case !d.items.Ready():
		c.Text(2, 2, theme.Muted, "asking the database "+c.Glyphs().Ellipsis)
	case len(d.items.Value()) == 0:
		c.Text(2, 2, theme.Muted, "No items now.")
	default:
		d.table.Draw(c.Sub(rest))
	}
}

func (d *demo) Keys() keys.Table {
	if d.typing {
		return keys.Table{
			{Verb: keys.Open, Keys: []string{"enter"}, Help: "apply", Priority: 50},
			{Verb: keys.Back, Keys: []string{"esc"}, Help: "leave", Priority: 50},
		}
	}
	_, some := d.table.Selected()
	table := append(keys.Move(),
		keys.Standard(keys.Open).If(some, "there is nothing to open"),
		keys.Standard(keys.Mark), keys.Standard(keys.Filter),
		keys.Standard(keys.Release).As("drop...").If(some, "there is nothing to drop"),
		keys.Binding{Verb: "draft", Keys: []string{"D"}, Help: "draft"},
	)
	if d.steady {
		return table
	}
	return append(table,
		keys.Binding{Verb: "panic", Keys: []string{"P"}, Help: "panic"},
		keys.Binding{Verb: "panic-draw", Keys: []string{"W"}, Help: "panic while drawing", Hidden: true},
		keys.Binding{Verb: "panic-command", Keys: []string{"C"}, Help: "panic in a command"},
	)
}

func (d *demo) Status() ui.Status {
	return ui.Status{
		Title: "Items", About: []string{"A list of items to try the frame with."},
		Typing: d.typing, ReadAt: d.items.ReadAt(), Draft: d.draft,
	}
}

var errGone = errors.New("somebody was faster")

func shelfOf(names ...string) *shelf {
	s := &shelf{}
	for i, n := range names {
		s.items = append(s.items, item{fmt.Sprintf("i%d", i+1), n, (i + 1) * 100})
	}
	return s
}
