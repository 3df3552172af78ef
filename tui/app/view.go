package app

import (
	"fmt"
	"time"

	"holdfast/tui/canvas"
	"holdfast/tui/keys"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// View draws the whole picture, every line exactly as wide as the screen.
func (a *App) View() (frame string) {
	defer func() {
		if r := recover(); r != nil {
			a.crashed("view", r)
			go a.stop() // the event loop waits for this very call
			frame = a.frame
		}
	}()
	a.frame = a.draw().Render(a.theme.Looks, a.theme.Profile)
	return a.frame
}

func (a *App) draw() canvas.Canvas {
	c := canvas.New(a.width, a.height, a.theme.Glyphs)
	if a.areas.tooSmall {
		a.drawTooSmall(c)
		return c
	}
	a.header().Draw(c.Sub(a.areas.header))
	a.tabRow().Draw(c.Sub(a.areas.tabs))
	front := a.front()
	if front != nil {
		front.screen.Draw(c.Sub(a.areas.body))
	}
	a.drawTask(c.Sub(a.areas.task))
	if d := a.dialogs.Front(); d != nil {
		a.dialogs.Draw(c.Sub(a.areas.dialogs), a.moment())
		widget.DrawFooter(c.Sub(a.areas.footer), d.Keys())
		return c
	}
	if front == nil {
		widget.DrawFooter(c.Sub(a.areas.footer), a.globals())
		return c
	}
	widget.DrawFooter(c.Sub(a.areas.footer), a.footerKeys(front)...)
	return c
}

// drawTask draws what is under way, else why nothing can be, else what happened.
func (a *App) drawTask(c canvas.Canvas) {
	if link := a.session.Link; link.State == ui.Offline && len(a.task.saves) == 0 {
		w, _ := c.Size()
		c.Fit(1, 0, w-1, theme.Bad, fmt.Sprintf("offline: try %d; r asks now; what you typed is kept; %s", link.Tries+1, link.Cause))
		return
	}
	a.task.draw(c, a.session.Clock.Now(), a.session.Zone())
}

// footerKeys are the screen's verbs, with those refused for everybody's reasons
// marked, and, while no text is typed, the global ones.
func (a *App) footerKeys(p *page) []keys.Table {
	own, noSave := a.keysOf(p), a.noSave()
	marked := make(keys.Table, len(own))
	for i, b := range own {
		if b.Writes {
			b = b.If(noSave == "", noSave)
		}
		marked[i] = b
	}
	if !p.screen.Status().Typing {
		return []keys.Table{marked, a.globals()}
	}
	help, _ := a.globals().Find(keys.Help)
	return []keys.Table{marked, {help.WhileTyping()}} // "?" is text now
}

func (a *App) header() widget.Header {
	venue := a.session.Venue.Name
	if venue == "" {
		venue = a.session.Venue.Slug
	}
	note := ""
	if a.session.UTC {
		note = "UTC"
	}
	return widget.Header{
		Venue: venue, Env: a.cfg.Env, Prod: a.cfg.Prod, Role: a.cfg.Role,
		Now: a.session.Now(), Zone: a.session.Zone(), ZoneNote: note, Freshness: a.freshness(),
	}
}

func (a *App) tabRow() widget.Tabs {
	t := widget.Tabs{Active: a.current}
	for i, p := range a.tabs {
		t.Items = append(t.Items, widget.Tab{Key: fmt.Sprint(i + 1), Title: p.Title, Badge: a.badges[p.Route.Screen]})
	}
	if pages := len(a.tabs[a.current].pages); pages > 1 {
		t.Crumb = a.front().screen.Status().Title
	}
	return t
}

// drawTooSmall still says the three things that are never hidden, as far as
// there is room.
func (a *App) drawTooSmall(c canvas.Canvas) {
	w, _ := c.Size()
	for y, s := range []string{
		fmt.Sprintf("too small: %dx%d needed, this is %dx%d", minWidth, minHeight, a.width, a.height),
		a.session.Venue.Name + " " + a.cfg.Env,
		a.freshness().Text + " " + a.session.Now().In(a.session.Zone()).Format(time.TimeOnly),
		"ctrl+c leaves",
	} {
		c.Fit(0, y, w, theme.Text, s)
	}
}
