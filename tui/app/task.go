package app

import (
	"time"

	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// taskLine is the row that says what is under way or what just happened.
type taskLine struct {
	saves  []save
	text   string
	remark string // what can be done about it, at the right edge
	at     time.Time
	bad    bool
	warned bool // the reader knows that a save is under way

	lastErr   error
	lastDoing string
	lastAt    time.Time
}

// save is a write whose answer has not come yet.
type save struct {
	name, doing string
	since       time.Time
}

func (t *taskLine) began(task ui.Task, now time.Time) {
	t.saves = append(t.saves, save{task.Name, task.Doing, now})
}

func (t *taskLine) ended(name string) {
	for i, s := range t.saves {
		if s.name == name {
			t.saves = append(t.saves[:i], t.saves[i+1:]...)
			t.warned = false
			return
		}
	}
}

func (t *taskLine) say(text string, bad bool, now time.Time) {
	t.text, t.bad, t.at, t.remark = text, bad, now, ""
}

// leave forgets what happened on a page that is left; the last error stays to be
// looked at, and what is under way stays on the line.
func (t *taskLine) leave() { t.text, t.remark, t.bad = "", "", false }

func (t *taskLine) failed(doing, plain string, err error, now time.Time) {
	t.lastErr, t.lastDoing, t.lastAt = err, doing, now
	t.say("could not "+doing+": "+plain, true, now)
	t.remark = "f3 shows all"
}

// draw draws the line; what is under way comes before what has happened.
func (t *taskLine) draw(c canvas.Canvas, now time.Time, zone *time.Location) {
	w, _ := c.Size()
	if len(t.saves) > 0 {
		s := t.saves[0]
		c.Fit(1, 0, w-1, theme.Warn, s.doing+" "+c.Glyphs().Ellipsis+" "+widget.Age(now.Sub(s.since)))
		return
	}
	if t.text == "" {
		return
	}
	st := theme.Text
	if t.bad {
		st = theme.Bad
	}
	x := c.Text(1, 0, theme.Muted, t.at.In(zone).Format("15:04:05")) + 2
	right := canvas.Width(t.remark) + 1
	c.Fit(x, 0, w-x-right-1, st, t.text)
	c.FitRight(w-right, 0, right-1, theme.Key, t.remark)
}
