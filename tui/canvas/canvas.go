// Package canvas is the surface that the console is drawn on: a grid of cells,
// each one character with a style number. It is the one ruler, the one place
// where foreign text is cleaned, and the only place that knows what colours a
// terminal has. It does no I/O and knows no event loop.
package canvas

import "strings"

// Style is the number of a style; what it looks like is decided when the
// finished picture is written out (Looks). Style 0 is the terminal's own text.
type Style uint8

// cell is one place on the screen. A character of width n fills its own cell
// and n-1 following ones whose text is empty and whose span is 0.
type cell struct {
	text  string
	span  uint8
	style Style
	attr  Attr // laid over the style's own attributes, as for the selected row
}

var blank = cell{text: " ", span: 1}

// grid is the memory that a canvas and all its parts share.
type grid struct {
	w, h   int
	cells  []cell
	glyphs Glyphs
}

// Canvas is a window onto a grid with its own origin. Copies and parts (Sub)
// draw into the same grid; nothing drawn outside a window is ever visible, so
// callers may draw with any coordinates at any size.
type Canvas struct {
	g    *grid
	x, y int  // origin on the grid
	w, h int  // size as asked for
	clip Rect // what may be touched, in grid coordinates
}

// maxSide bounds what a confused terminal can make us allocate.
const maxSide = 1000

// New returns an empty canvas of w x h cells; sizes are clamped to 0..1000.
func New(w, h int, glyphs Glyphs) Canvas {
	w, h = atMost(w, maxSide), atMost(h, maxSide)
	g := &grid{w: w, h: h, cells: make([]cell, w*h), glyphs: glyphs}
	for i := range g.cells {
		g.cells[i] = blank
	}
	return Canvas{g: g, w: w, h: h, clip: Box(w, h)}
}

// Size returns the width and height that the canvas was made for. A part may
// be larger than what is visible of it.
func (c Canvas) Size() (w, h int) { return c.w, c.h }

// Bounds returns the whole canvas as a rectangle at the origin.
func (c Canvas) Bounds() Rect { return Box(c.w, c.h) }

// Glyphs returns the line-drawing characters to use on this canvas.
func (c Canvas) Glyphs() Glyphs { return c.g.glyphs }

// Sub returns the part r of c with its own origin. What lies outside c stays
// invisible.
func (c Canvas) Sub(r Rect) Canvas {
	abs := Rect{c.x + r.X, c.y + r.Y, max(0, r.W), max(0, r.H)}
	return Canvas{g: c.g, x: abs.X, y: abs.Y, w: abs.W, h: abs.H, clip: c.clip.Intersect(abs)}
}

// Text cleans s, draws it from (x, y) to the right and returns the column after
// it. A wide character that does not fit into the visible part is drawn as
// spaces, never as a half.
func (c Canvas) Text(x, y int, st Style, s string) int {
	gy := c.y + y
	if gy < c.clip.Y || gy >= c.clip.Y+c.clip.H {
		return x + Width(Clean(bound(s, c.w)))
	}
	return c.text(x, y, st, Clean(bound(s, max(0, c.clip.X+c.clip.W-c.x-x))))
}

// text is Text for what has been cleaned.
func (c Canvas) text(x, y int, st Style, s string) int {
	gx, gy := c.x+x, c.y+y
	if plain(s) {
		for i := 0; i < len(s); i++ {
			c.put(gx+i, gy, s[i:i+1], 1, st)
		}
		return x + len(s)
	}
	for char, w := range Characters(s) {
		if w > 0 {
			c.put(gx, gy, char, w, st)
			gx += w
		}
	}
	return gx - c.x
}

// Fit draws s into exactly width cells from (x, y): cut with an ellipsis when it
// is longer, filled with blanks of the same style when it is shorter.
func (c Canvas) Fit(x, y, width int, st Style, s string) {
	if width <= 0 {
		return
	}
	s = Cut(s, width, c.g.glyphs.Ellipsis)
	end := c.text(x, y, st, s)
	c.Fill(Rect{end, y, x + width - end, 1}, st, " ")
}

// FitRight is Fit for numbers: s ends at the right edge of the width cells.
func (c Canvas) FitRight(x, y, width int, st Style, s string) {
	if width <= 0 {
		return
	}
	s = Cut(s, width, c.g.glyphs.Ellipsis)
	pad := width - Width(s)
	c.Fill(Rect{x, y, pad, 1}, st, " ")
	c.text(x+pad, y, st, s)
}

// Fill covers r with the one-cell character ch.
func (c Canvas) Fill(r Rect, st Style, ch string) {
	if ch = Clean(ch); Width(ch) != 1 {
		ch = " "
	}
	abs := Rect{c.x + r.X, c.y + r.Y, r.W, r.H}.Intersect(c.clip)
	for y := abs.Y; y < abs.Y+abs.H; y++ {
		for x := abs.X; x < abs.X+abs.W; x++ {
			c.put(x, y, ch, 1, st)
		}
	}
}

// Clear empties r: blanks in the terminal's own style.
func (c Canvas) Clear(r Rect) { c.Fill(r, 0, " ") }

// Emphasise lays attributes over everything already drawn in r and keeps its
// colours, so that marking a row cannot lose what the row says.
func (c Canvas) Emphasise(r Rect, a Attr) {
	abs := Rect{c.x + r.X, c.y + r.Y, r.W, r.H}.Intersect(c.clip)
	for y := abs.Y; y < abs.Y+abs.H; y++ {
		for x := abs.X; x < abs.X+abs.W; x++ {
			c.g.cells[y*c.g.w+x].attr |= a
		}
	}
}

// Restyle gives everything already drawn in r another style.
func (c Canvas) Restyle(r Rect, st Style) {
	abs := Rect{c.x + r.X, c.y + r.Y, r.W, r.H}.Intersect(c.clip)
	for y := abs.Y; y < abs.Y+abs.H; y++ {
		for x := abs.X; x < abs.X+abs.W; x++ {
			c.g.cells[y*c.g.w+x].style = st
		}
	}
}

// put writes one character at grid coordinates, if it lies wholly inside the
// clip, and repairs wide characters that it covers by half.
func (c Canvas) put(x, y int, text string, span int, st Style) {
	if y < c.clip.Y || y >= c.clip.Y+c.clip.H {
		return
	}
	if x < c.clip.X || x+span > c.clip.X+c.clip.W {
		if span > 1 { // blank what is visible of it
			for i := range span {
				c.put(x+i, y, " ", 1, st)
			}
		}
		return
	}
	row := c.g.cells[y*c.g.w : (y+1)*c.g.w]
	for i := range span {
		split(row, x+i)
	}
	row[x] = cell{text: text, span: uint8(span), style: st}
	for i := 1; i < span; i++ {
		row[x+i] = cell{style: st}
	}
}

// split turns the character that covers row[x] into blanks if it is a wide one.
func split(row []cell, x int) {
	if row[x].span == 1 {
		return
	}
	start := x
	for start > 0 && row[start].span == 0 {
		start--
	}
	end := start + int(row[start].span)
	for i := start; i < end; i++ {
		row[i] = cell{text: " ", span: 1, style: row[i].style, attr: row[i].attr}
	}
}

// Row returns the text of row y without styles, exactly as wide as the canvas.
// It is what a test or a screen reader sees.
func (c Canvas) Row(y int) string {
	var b strings.Builder
	gy := c.y + y
	for x := range c.w {
		gx := c.x + x
		switch {
		case !c.clip.Contains(gx, gy):
			b.WriteByte(' ')
		default:
			b.WriteString(c.g.cells[gy*c.g.w+gx].text)
		}
	}
	return b.String()
}
