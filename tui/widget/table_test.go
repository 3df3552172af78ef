package widget_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"holdfast/tui/canvas"
	"holdfast/tui/keys"
	"holdfast/tui/widget"
)

type hold struct {
	id, state, what string
	amount          int
}

func newTable() widget.Table[hold, string] {
	text := func(f func(hold) string) func(hold) widget.Cell {
		return func(h hold) widget.Cell { return widget.Cell{Text: f(h)} }
	}
	return widget.NewTable(func(h hold) string { return h.id },
		widget.Column[hold]{Title: "state", Width: 7, Priority: widget.Always, Cell: text(func(h hold) string { return h.state })},
		widget.Column[hold]{Title: "id", Width: 8, Priority: 1, Cell: text(func(h hold) string { return h.id })},
		widget.Column[hold]{Title: "amount", Width: 8, Right: true, Priority: widget.Always, Cell: text(func(h hold) string { return fmt.Sprint(h.amount) })},
		widget.Column[hold]{Title: "what", Priority: 5, Cell: text(func(h hold) string { return h.what })},
	)
}

func holds(ids ...string) []hold {
	out := make([]hold, 0, len(ids))
	for i, id := range ids {
		out = append(out, hold{id, "HELD", "Museum day pass", i})
	}
	return out
}

func selected(t *testing.T, tb *widget.Table[hold, string]) string {
	t.Helper()
	h, ok := tb.Selected()
	if !ok {
		return ""
	}
	return h.id
}

func TestTable_CursorIsAnIdentity(t *testing.T) {
	t.Parallel()

	tb := newTable()
	tb.SetHeight(10)
	tb.SetRows(holds("a", "b", "c"))
	tb.Do(keys.Down)
	if got := selected(t, &tb); got != "b" {
		t.Fatalf("down selects %q, want b", got)
	}
	if gone := tb.SetRows(holds("new", "a", "b", "c")); gone || selected(t, &tb) != "b" {
		t.Errorf("a row above moved the cursor to %q (gone %v), want b", selected(t, &tb), gone)
	}
	if gone := tb.SetRows(holds("c", "b", "a")); gone || selected(t, &tb) != "b" {
		t.Errorf("sorting moved the cursor to %q, want b", selected(t, &tb))
	}
	if gone := tb.SetRows(holds("c", "a")); !gone || selected(t, &tb) != "a" {
		t.Errorf("when b is gone the cursor is on %q (gone %v), want the nearest, a", selected(t, &tb), gone)
	}
}

func TestTable_EmptyAndBack(t *testing.T) {
	t.Parallel()

	tb := newTable()
	tb.SetHeight(4)
	tb.SetRows(holds("a", "b"))
	if gone := tb.SetRows(nil); !gone || selected(t, &tb) != "" {
		t.Errorf("an empty table selects %q (gone %v)", selected(t, &tb), gone)
	}
	for _, v := range []keys.Verb{keys.Up, keys.Down, keys.PageDown, keys.Last, keys.Mark, keys.MarkAll} {
		tb.Do(v)
	}
	if gone := tb.SetRows(holds("z")); gone || selected(t, &tb) != "z" {
		t.Errorf("the first row that comes back is not selected: %q", selected(t, &tb))
	}
}

func TestTable_Marks(t *testing.T) {
	t.Parallel()

	tb := newTable()
	tb.SetHeight(10)
	tb.SetRows(holds("a", "b", "c"))
	tb.Do(keys.Mark)
	tb.Do(keys.Mark)
	tb.SetRows(holds("x", "b", "c"))
	marked := tb.Marked()
	if len(marked) != 1 || marked[0].id != "b" {
		t.Errorf("after a is gone %v are marked, want b", marked)
	}
	tb.Do(keys.MarkAll)
	if len(tb.Marked()) != 3 {
		t.Error("mark all does not mark all")
	}
	tb.Do(keys.MarkAll)
	if len(tb.Marked()) != 0 {
		t.Error("mark all again does not unmark all")
	}
}

func drawn(w, h int, draw func(canvas.Canvas)) string {
	c := canvas.New(w, h, canvas.GlyphSet(true))
	draw(c)
	return c.Render(nil, canvas.Plain)
}

func TestTable_Draw(t *testing.T) {
	t.Parallel()

	tb := newTable()
	tb.Sorted, tb.Down = "amount", true
	tb.Flag = func(h hold) widget.Cell { return widget.Cell{Text: map[bool]string{true: "!"}[h.id == "a"]} }
	tb.SetHeight(4)
	tb.SetRows(holds("a", "b"))
	tb.Do(keys.Mark)
	want := strings.Join([]string{
		"   state   id       amount v what       ",
		" !mHELD    a               0 Museum d...",
		">  HELD    b               1 Museum d...",
		"                                        ",
	}, "\n")
	if got := drawn(40, 4, tb.Draw); got != want {
		t.Errorf("drew\n%s\nwant\n%s", got, want)
	}
}

func TestTable_Draw_DropsColumnsByPriority(t *testing.T) {
	t.Parallel()

	tb := newTable()
	tb.SetRows(holds("a"))
	if got := drawn(30, 2, tb.Draw); strings.Contains(got, "id") || !strings.Contains(got, "what") {
		t.Errorf("at 30 cells the id should go first:\n%s", got)
	}
	if got := drawn(20, 2, tb.Draw); strings.Contains(got, "what") || !strings.Contains(got, "amount") || !strings.Contains(got, "HELD") {
		t.Errorf("at 20 cells state and amount should stay:\n%s", got)
	}
}

func TestTable_RowAt(t *testing.T) {
	t.Parallel()

	tb := newTable()
	tb.SetHeight(4)
	tb.SetRows(holds("a", "b", "c", "d", "e"))
	tb.Do(keys.Last)
	if h, ok := tb.RowAt(1); !ok || h.id != "c" {
		t.Errorf("line 1 is %q, want c", h.id)
	}
	for _, y := range []int{-1, 0, 4, 99} {
		if h, ok := tb.RowAt(y); ok {
			t.Errorf("line %d is %q, want none", y, h.id)
		}
	}
}

// Whatever happens to rows and size, the record under the cursor changes only by
// a key, or because it is gone; and the cursor is on screen.
func TestTable_RandomRowsSizesAndKeys(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		tb := newTable()
		ids := rapid.SliceOfNDistinct(rapid.StringMatching("[a-f][0-9]"), 0, 30, rapid.ID)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			before, had := tb.Selected()
			w, h := rapid.IntRange(0, 90).Draw(t, "w"), rapid.IntRange(0, 20).Draw(t, "h")
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				rows := holds(ids.Draw(t, "rows")...)
				gone := tb.SetRows(rows)
				after, has := tb.Selected()
				if has != (len(rows) > 0) {
					t.Fatalf("%d rows and cursor %v", len(rows), has)
				}
				if had && has && !gone && after.id != before.id {
					t.Fatalf("a refresh moved the cursor from %s to %s", before.id, after.id)
				}
			case 1:
				tb.SetHeight(h)
				if after, _ := tb.Selected(); after.id != before.id {
					t.Fatalf("a resize moved the cursor from %s to %s", before.id, after.id)
				}
			case 2:
				verbs := []keys.Verb{keys.Up, keys.Down, keys.PageUp, keys.PageDown, keys.First, keys.Last, keys.Mark, keys.MarkAll}
				tb.Do(rapid.SampledFrom(verbs).Draw(t, "verb"))
			}
			tb.SetHeight(h)
			got := drawn(w, h, tb.Draw)
			if _, has := tb.Selected(); has && h >= 2 && w > 0 && !strings.Contains(got, ">") {
				t.Fatalf("the cursor is not on screen at %dx%d:\n%s", w, h, got)
			}
		}
	})
}

func BenchmarkTable_Draw50000Rows(b *testing.B) {
	tb := newTable()
	rows := make([]hold, 50_000)
	for i := range rows {
		rows[i] = hold{id: fmt.Sprint("h", i), state: "HELD", what: "Gala", amount: i}
	}
	tb.SetHeight(46)
	tb.SetRows(rows)
	c := canvas.New(160, 46, canvas.GlyphSet(true))
	for b.Loop() {
		tb.Do(keys.Down)
		tb.Draw(c)
	}
}
