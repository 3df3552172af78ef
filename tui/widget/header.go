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

	who := h.Env
	if h.Role != "" {
		who += " " + h.Role
	}
	left := x - 3 // what venue and role share
	whoRoom := min(canvas.Width(who), max(canvas.Width(h.Env), left/2))
	venueRoom := max(0, left-whoRoom-2)
	end := c.Text(1, 0, theme.Header, canvas.Cut(h.Venue, venueRoom, c.Glyphs().Ellipsis)) + 2
	env := canvas.Cut(h.Env, whoRoom, c.Glyphs().Ellipsis)
	style := theme.Header
	if h.Prod {
		style = theme.Prod
	}
	c.Text(end, 0, style, env)
	c.Text(end+canvas.Width(env), 0, theme.Header, canvas.Cut(who[len(h.Env):], whoRoom-canvas.Width(env), c.Glyphs().Ellipsis))
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
