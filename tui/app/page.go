package app

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/canvas"
	"holdfast/tui/ui"
)

// page is one screen that is open, with what belongs to it.
type page struct {
	id     int
	route  ui.Route
	env    *ui.Env
	screen ui.Screen
	size   canvas.Rect
}

// resize passes a size on only when it is another one.
func (p *page) resize(body canvas.Rect) {
	if p.size.W != body.W || p.size.H != body.H {
		p.size = body
		p.screen.SetSize(body.W, body.H)
	}
}

// front is the page that is on screen, and nil before there is one.
func (a *App) front() *page {
	if a.current >= len(a.tabs) {
		return nil
	}
	pages := a.tabs[a.current].pages
	if len(pages) == 0 {
		return nil
	}
	return pages[len(pages)-1]
}

func (a *App) byID(id int) *page {
	for _, t := range a.tabs {
		for _, p := range t.pages {
			if p.id == id {
				return p
			}
		}
	}
	return nil
}

// toFront gives a message to the page on screen.
func (a *App) toFront(msg tea.Msg) tea.Cmd {
	p := a.front()
	if p == nil {
		return nil
	}
	return a.to(p, msg)
}

func (a *App) to(p *page, msg tea.Msg) tea.Cmd { return a.run(p.id, p.screen.Update(msg)) }

// toAll gives a message to every page, on screen or not.
func (a *App) toAll(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range a.tabs {
		for _, p := range t.pages {
			cmds = append(cmds, a.to(p, msg))
		}
	}
	return tea.Batch(cmds...)
}

// show brings a tab to the front, with whatever was open on it.
func (a *App) show(tab int) tea.Cmd {
	if tab < 0 || tab >= len(a.tabs) {
		return nil
	}
	if tab == a.current && a.front() != nil {
		return nil
	}
	hide := a.hide()
	a.current = tab
	if a.front() == nil {
		return tea.Batch(hide, a.open(a.tabs[tab].Route))
	}
	return tea.Batch(hide, a.reveal())
}

// hide takes the page on screen off it: its reads are cancelled, its state kept.
func (a *App) hide() tea.Cmd {
	p := a.front()
	if p == nil {
		return nil
	}
	a.task.leave()
	cmd := a.to(p, ui.Hidden{})
	p.env.Leave()
	return cmd
}

// reveal puts the front page of the current tab on screen again.
func (a *App) reveal() tea.Cmd {
	p := a.front()
	if p == nil {
		return nil
	}
	p.env.Enter()
	p.resize(a.areas.body)
	return a.to(p, ui.Shown{})
}

// push opens a page over the one on screen.
func (a *App) push(r ui.Route) tea.Cmd {
	return tea.Batch(a.hide(), a.open(r))
}

// open builds the page of a route and puts it in front on the current tab. When
// it cannot be built, what was there comes back.
func (a *App) open(r ui.Route) tea.Cmd {
	env := a.session.NewEnv()
	screen, err := a.cfg.Build(env, r)
	if err != nil {
		env.Leave()
		return tea.Batch(a.fail(fmt.Sprintf("open %s", r.Screen), err), a.reveal())
	}
	a.nextID++
	p := &page{id: a.nextID, route: r, env: env, screen: screen}
	a.tabs[a.current].pages = append(a.tabs[a.current].pages, p)
	cmd := a.run(p.id, screen.Init())
	p.resize(a.areas.body)
	return cmd
}

// pop leaves the front page for the one below it; the last page of a tab stays.
func (a *App) pop() tea.Cmd {
	pages := a.tabs[a.current].pages
	if len(pages) < 2 {
		return nil
	}
	p := pages[len(pages)-1]
	a.task.leave()
	a.dialogs.CloseOwner(p.id)
	p.env.Leave()
	a.tabs[a.current].pages = pages[:len(pages)-1]
	return a.reveal()
}

// goTo shows the tab of a route if it has one, else opens it on top.
func (a *App) goTo(r ui.Route) tea.Cmd {
	for i, t := range a.tabs {
		if t.Route == r {
			return a.show(i)
		}
	}
	return a.push(r)
}
