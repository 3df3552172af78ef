package app

import "holdfast/tui/canvas"

// The smallest screen that the console is made for. Below it a plain page says
// so; nothing ever refuses to start or fails.
const (
	minWidth  = 40
	minHeight = 10
)

// areas is where everything is on a screen of one size.
type areas struct {
	tooSmall bool
	header   canvas.Rect // row 1: venue, role, clock, freshness; never hidden
	tabs     canvas.Rect // row 2: the screens; never hidden
	body     canvas.Rect // the screen in front
	task     canvas.Rect // what just happened
	footer   canvas.Rect // the keys
	dialogs  canvas.Rect // what dialogs may cover
}

// layout divides a screen of w x h.
func layout(w, h int) areas {
	all := canvas.Box(w, h)
	a := areas{tooSmall: w < minWidth || h < minHeight}
	a.header, all = all.Top(1)
	a.tabs, all = all.Top(1)
	rows := 1
	if h >= 20 && w < 120 {
		rows = 2 // narrow but high: room for the keys
	}
	a.footer, all = all.Bottom(rows)
	a.dialogs = all
	a.task, all = all.Bottom(1)
	a.body = all
	return a
}
