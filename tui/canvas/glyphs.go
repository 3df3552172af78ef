package canvas

// Glyphs are the characters that lines are drawn with. States never use them:
// a state is told by a word or a letter that every terminal has.
type Glyphs struct {
	Horizontal, Vertical                           string
	TopLeft, TopRight, BottomLeft, BottomRight     string
	Ellipsis, Arrow, Full, Empty, SortUp, SortDown string
}

// ASCII is for terminals, fonts, braille displays and screen readers that do
// better without line drawing.
var asciiGlyphs = Glyphs{
	Horizontal: "-", Vertical: "|",
	TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+",
	Ellipsis: "...", Arrow: "->", Full: "#", Empty: ".", SortUp: "^", SortDown: "v",
}

var lineGlyphs = Glyphs{
	Horizontal: "─", Vertical: "│",
	TopLeft: "┌", TopRight: "┐", BottomLeft: "└", BottomRight: "┘",
	Ellipsis: "…", Arrow: "→", Full: "#", Empty: ".", SortUp: "^", SortDown: "v",
}

// GlyphSet returns the plain ASCII characters or the line-drawing ones.
func GlyphSet(ascii bool) Glyphs {
	if ascii {
		return asciiGlyphs
	}
	return lineGlyphs
}

// Border draws a frame round the edge of c with a title in its upper side and
// returns the part inside it.
func (c Canvas) Border(st Style, title string, titleStyle Style) Canvas {
	g := c.g.glyphs
	w, h := c.Size()
	if w < 2 || h < 2 {
		return c.Sub(Rect{})
	}
	c.Fill(Rect{1, 0, w - 2, 1}, st, g.Horizontal)
	c.Fill(Rect{1, h - 1, w - 2, 1}, st, g.Horizontal)
	c.Fill(Rect{0, 1, 1, h - 2}, st, g.Vertical)
	c.Fill(Rect{w - 1, 1, 1, h - 2}, st, g.Vertical)
	c.Text(0, 0, st, g.TopLeft)
	c.Text(w-1, 0, st, g.TopRight)
	c.Text(0, h-1, st, g.BottomLeft)
	c.Text(w-1, h-1, st, g.BottomRight)
	if title != "" && w > 6 {
		c.Text(2, 0, titleStyle, " "+Cut(title, w-6, g.Ellipsis)+" ")
	}
	return c.Sub(Rect{1, 1, w - 2, h - 2})
}

// Rule draws a heading in row y: a title, a line to the right edge, and a
// remark at its end (a count, a time, a filter).
func (c Canvas) Rule(y int, st, titleStyle Style, title, remark string) {
	w, _ := c.Size()
	c.Fill(Rect{1, y, w - 1, 1}, st, c.g.glyphs.Horizontal)
	end := 1
	if title != "" {
		end = c.Text(1, y, titleStyle, Cut(title, w-2, c.g.glyphs.Ellipsis))
		c.Text(end, y, st, " ")
	}
	if remark == "" {
		return
	}
	if remark = Cut(remark, w-end-5, c.g.glyphs.Ellipsis); remark != "" {
		c.Text(w-Width(remark)-1, y, st, " "+remark)
	}
}
