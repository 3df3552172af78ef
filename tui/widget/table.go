// Package widget holds the parts that screens and dialogs are made of. A widget
// is a value that draws itself into a canvas and changes by method calls; it
// sends no messages, does no I/O, and copes with any size, down to none.
package widget

import (
	"holdfast/tui/canvas"
	"holdfast/tui/keys"
)

// Cell is a piece of text with its meaning.
type Cell struct {
	Text  string
	Style canvas.Style
}

// Column is one column of a table of R.
type Column[R any] struct {
	Title    string
	Width    int  // cells; 0 takes what is left, for at most one column, best the last
	Right    bool // numbers end at the right edge
	Priority int  // the lowest is dropped first when the screen is narrow; Always never
	Cell     func(R) Cell
}

// Always is the priority of columns that are never dropped: state, amount, time left.
const Always = 1 << 20

// Table is a list of R with a cursor that is the identity K of a row, never an
// index: a row that appears above the cursor cannot move the cursor to another
// record. Make one with NewTable. Drawing costs by rows on screen, not by rows.
type Table[R any, K comparable] struct {
	Columns []Column[R]
	Sorted  string       // title of the column that the rows are sorted by
	Down    bool         // the sort goes down
	Flag    func(R) Cell // one character before the row, for what needs a person; may be nil

	key    func(R) K
	rows   []R
	cursor K
	has    bool // there is a cursor
	marked map[K]struct{}
	top    int
	height int // rows on screen
}

// NewTable returns an empty table; key tells the identity of a row and must be
// unique among the rows.
func NewTable[R any, K comparable](key func(R) K, columns ...Column[R]) Table[R, K] {
	return Table[R, K]{Columns: columns, key: key, marked: map[K]struct{}{}, height: 1}
}

// SetRows replaces the rows. The cursor stays on the same record; when that
// record is gone the cursor goes to the nearest row, and gone is true so that
// the screen can say so. An empty table has no cursor, and the first rows that
// come back get it on the first one. Marks of records that are gone are dropped.
func (t *Table[R, K]) SetRows(rows []R) (gone bool) {
	was := t.index()
	hadCursor := t.has
	t.rows = rows

	present := make(map[K]struct{}, len(t.marked))
	found := false
	for _, r := range rows {
		k := t.key(r)
		found = found || k == t.cursor
		if _, ok := t.marked[k]; ok {
			present[k] = struct{}{}
		}
	}
	t.marked = present

	switch {
	case len(rows) == 0:
		var none K
		t.cursor, t.has = none, false
	case !hadCursor:
		t.cursor, t.has = t.key(rows[0]), true
	case !found:
		t.cursor = t.key(rows[min(max(was, 0), len(rows)-1)])
		gone = true
	}
	t.follow()
	return gone || hadCursor && !t.has
}

// Rows returns the rows as they were set.
func (t *Table[R, K]) Rows() []R { return t.rows }

// SetHeight says how many lines Draw will get, heading included.
func (t *Table[R, K]) SetHeight(lines int) {
	t.height = max(1, lines-1)
	t.follow()
}

// Selected returns the row under the cursor, and false when there is none.
func (t *Table[R, K]) Selected() (R, bool) {
	if i := t.index(); i >= 0 {
		return t.rows[i], true
	}
	var none R
	return none, false
}

// Select puts the cursor on a record and reports whether the table has it.
func (t *Table[R, K]) Select(k K) bool {
	for _, r := range t.rows {
		if t.key(r) == k {
			t.cursor, t.has = k, true
			t.follow()
			return true
		}
	}
	return false
}

// Do moves the cursor or marks the row if v is one of the verbs of keys.Move,
// keys.Mark or keys.MarkAll, and reports whether it was.
func (t *Table[R, K]) Do(v keys.Verb) bool {
	switch v {
	case keys.Up:
		t.move(-1)
	case keys.Down:
		t.move(1)
	case keys.PageUp:
		t.move(-t.height)
	case keys.PageDown:
		t.move(t.height)
	case keys.First:
		t.move(-len(t.rows))
	case keys.Last:
		t.move(len(t.rows))
	case keys.Mark:
		t.toggle()
		t.move(1)
	case keys.MarkAll:
		t.markAll()
	default:
		return false
	}
	return true
}

// Marked returns the marked rows in the order of the table.
func (t *Table[R, K]) Marked() []R {
	var out []R
	for _, r := range t.rows {
		if _, ok := t.marked[t.key(r)]; ok {
			out = append(out, r)
		}
	}
	return out
}

// Unmark drops all marks.
func (t *Table[R, K]) Unmark() { t.marked = map[K]struct{}{} }

// RowAt returns the row drawn in line y of the table, the heading being line 0.
func (t *Table[R, K]) RowAt(y int) (R, bool) {
	i := t.top + y - 1
	if y < 1 || i < 0 || i >= len(t.rows) || y > t.height {
		var none R
		return none, false
	}
	return t.rows[i], true
}

func (t *Table[R, K]) index() int {
	if !t.has {
		return -1
	}
	// The cursor is nearly always near where it was drawn last.
	for i := max(0, t.top); i < min(len(t.rows), t.top+t.height); i++ {
		if t.key(t.rows[i]) == t.cursor {
			return i
		}
	}
	for i, r := range t.rows {
		if t.key(r) == t.cursor {
			return i
		}
	}
	return -1
}

func (t *Table[R, K]) move(by int) {
	if len(t.rows) == 0 {
		return
	}
	i := min(max(t.index()+by, 0), len(t.rows)-1)
	t.cursor, t.has = t.key(t.rows[i]), true
	t.follow()
}

// follow scrolls as little as possible to show the cursor.
func (t *Table[R, K]) follow() {
	i := max(t.index(), 0)
	t.top = min(t.top, i)
	t.top = max(t.top, i-t.height+1)
	t.top = max(0, min(t.top, len(t.rows)-t.height))
}

func (t *Table[R, K]) toggle() {
	if _, ok := t.marked[t.cursor]; ok {
		delete(t.marked, t.cursor)
	} else if t.has {
		t.marked[t.cursor] = struct{}{}
	}
}

func (t *Table[R, K]) markAll() {
	if len(t.marked) == len(t.rows) {
		t.Unmark()
		return
	}
	for _, r := range t.rows {
		t.marked[t.key(r)] = struct{}{}
	}
}
