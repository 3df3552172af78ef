package canvas

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const resetSGR = "\x1b[0m"

// Render writes the whole grid out in one pass: lines joined by newlines, each
// exactly as wide as the canvas by the one ruler, equal neighbours sharing one
// escape sequence, and every line ending in the terminal's own style. With the
// profile Plain there is no escape sequence at all. Calling it on a part
// renders the part's whole grid.
func (c Canvas) Render(looks Looks, p Profile) string {
	pen := newPen(looks, p)
	var b strings.Builder
	b.Grow(len(c.g.cells) + len(c.g.cells)/4)
	for y := range c.g.h {
		if y > 0 {
			b.WriteByte('\n')
		}
		prev := ""
		for _, cl := range c.g.cells[y*c.g.w : (y+1)*c.g.w] {
			if cl.span == 0 {
				continue
			}
			pen.set(&b, cl.style, cl.attr)
			if joins(prev, cl.text) {
				b.WriteString(strings.Repeat("?", int(cl.span)))
				prev = "?"
				continue
			}
			b.WriteString(cl.text)
			prev = cl.text
		}
		pen.rest(&b)
	}
	return b.String()
}

// joins reports that two characters drawn side by side by different callers
// would melt into one (two halves of a flag, say) and so change the width of
// the line.
func joins(prev, next string) bool {
	last, _ := utf8.DecodeLastRuneInString(prev)
	first, _ := utf8.DecodeRuneInString(next)
	if prev == "" || ordinary(last) && ordinary(first) {
		return false
	}
	cluster, _ := ansi.FirstGraphemeCluster(prev+next, ansi.GraphemeWidth)
	return len(cluster) > len(prev)
}

// pen remembers the sequence in force and that of each style met so far.
type pen struct {
	looks   Looks
	profile Profile
	known   map[penKey]string
	key     penKey
	seq     string // of key
	now     string // in force at the terminal
}

type penKey struct {
	style Style
	attr  Attr
}

func newPen(looks Looks, p Profile) *pen {
	n := &pen{looks: looks, profile: p, known: map[penKey]string{}, now: resetSGR}
	n.seq = n.look(penKey{})
	return n
}

func (n *pen) look(k penKey) string {
	seq, ok := n.known[k]
	if ok {
		return seq
	}
	var l Look
	if int(k.style) < len(n.looks) {
		l = n.looks[k.style]
	}
	seq = l.sgr(k.attr, n.profile)
	n.known[k] = seq
	return seq
}

func (n *pen) set(b *strings.Builder, st Style, a Attr) {
	if n.profile == Plain {
		return
	}
	if key := (penKey{st, a}); key != n.key {
		n.key, n.seq = key, n.look(key)
	}
	if n.seq != n.now {
		b.WriteString(n.seq)
		n.now = n.seq
	}
}

// rest ends a line in the terminal's own style, so that a renderer may skip or
// repeat single lines.
func (n *pen) rest(b *strings.Builder) {
	if n.profile != Plain && n.now != resetSGR {
		b.WriteString(resetSGR)
		n.now = resetSGR
	}
}
