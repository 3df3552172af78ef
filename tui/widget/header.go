package widget

import (
	"time"

	"holdfast/tui/canvas"
	"holdfast/tui/theme"
)

// Header is row 1: where the reader is, as whom, when, and how old the numbers
// are. None of these is ever hidden; each has a shorter form for narrow screens.
type Header struct {
	Venue     string
	Env       string    // "PROD", "demo"
	Role      string    // "manager:mira"
	Prod      bool      // Env is drawn so that it cannot be overlooked
	Now       time.Time // by the database's clock
	Zone      *time.Location
	ZoneNote  string // "UTC" when times are not the venue's
	Freshness Cell   // "LIVE 0.8s", "STALE 14s", "OFFLINE 1m03s"
}

// Draw draws the header into the first row of c.
func (h Header) Draw(c canvas.Canvas) {
	w, _ := c.Size()
	c.Fill(canvas.Rect{W: w, H: 1}, theme.Header, " ")

	clock := h.clock(w)
	x := w - 1 - canvas.Width(h.Freshness.Text)
	c.Text(x, 0, h.Freshness.Style, h.Freshness.Text)
	x -= 2 + canvas.Width(clock)
	c.Text(x, 0, theme.Header, clock)
	h.drawWhere(c.Sub(canvas.Rect{X: 1, W: x - 3, H: 1}), w)
}

// drawWhere shares the left part between the venue and who one is there; the
// latter is never cut below the environment.
func (h Header) drawWhere(c canvas.Canvas, screen int) {
	tail := c.Glyphs().Ellipsis
	if screen < 60 {
		tail = "" // every cell counts
	}
	room, _ := c.Size()
	env, style := canvas.Clean(h.Env), theme.Header
	if h.Prod {
		style = theme.Prod
	}
	who := canvas.Width(env)
	if h.Role != "" {
		who += 1 + canvas.Width(canvas.Clean(h.Role))
	}
	who = min(who, max(canvas.Width(env), room/2))
	x := c.Text(0, 0, theme.Header, canvas.Cut(h.Venue, room-who-2, tail)) + 2
	end := c.Text(x, 0, style, env)
	c.Text(end+1, 0, theme.Header, canvas.Cut(h.Role, x+who-end-1, tail))
}

func (h Header) clock(w int) string {
	zone := h.Zone
	if zone == nil {
		zone = time.UTC
	}
	t := h.Now.In(zone)
	note := h.ZoneNote
	if note != "" {
		note = " " + note
	}
	switch {
	case h.Now.IsZero():
		return "--:--:--"
	case w >= 120:
		return t.Format("Mon 2006-01-02 15:04:05 -07:00") + note + t.UTC().Format("  (15:04:05Z)")
	case w >= 72:
		return t.Format("Mon 2006-01-02 15:04:05 -07") + note
	case w >= 52:
		return t.Format("15:04:05 -07") + note
	}
	return t.Format("15:04:05")
}
