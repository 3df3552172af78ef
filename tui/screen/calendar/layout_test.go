package calendar

import (
	"testing"

	"github.com/rickb777/date"
	"pgregory.net/rapid"

	"holdfast/tui/canvas"
)

func anyDay(t *rapid.T) date.Date {
	return date.New(2000, 1, 1).Add(date.PeriodOfDays(rapid.IntRange(0, 73_000).Draw(t, "day")))
}

func TestLayout_NothingOverlapsOrStandsOutside(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		w, h, weeks := rapid.IntRange(0, 320).Draw(t, "w"), rapid.IntRange(0, 120).Draw(t, "h"), rapid.IntRange(4, 6).Draw(t, "weeks")
		a := layout(w, h, weeks)
		parts := []canvas.Rect{a.title, a.days, a.note, a.detail, a.year, a.pane}
		for i, r := range parts {
			if r.Intersect(canvas.Box(w, h)) != r && !r.Empty() {
				t.Fatalf("%+v stands outside of %dx%d", r, w, h)
			}
			for _, o := range parts[i+1:] {
				if !r.Intersect(o).Empty() {
					t.Fatalf("%+v and %+v overlap at %dx%d", r, o, w, h)
				}
			}
		}
	})
}

func TestGrid_EveryDayIsFoundWhereItStands(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		cursor := anyDay(t)
		w, h := rapid.IntRange(40, 200).Draw(t, "w"), rapid.IntRange(2, 60).Draw(t, "h")
		g := gridOf(cursor, w, h)
		first := date.New(cursor.Year(), cursor.Month(), 1)
		for d := first; d.Month() == first.Month(); d = d.Add(1) {
			r := g.at(d)
			if d == cursor && (r.Y < 0 || r.Y >= h-1) {
				t.Fatalf("the cursor's day is in row %d of %d", r.Y, h-1)
			}
			if r.Y < 0 || r.Y >= h-1 {
				continue
			}
			if got, ok := g.day(r.X, r.Y+1); !ok || got != d {
				t.Fatalf("at (%d, %d) stands %s, want %s", r.X, r.Y+1, got, d)
			}
		}
	})
}

func TestListTop_ShowsTheCursor(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		cursor, rows := anyDay(t), rapid.IntRange(1, 40).Draw(t, "rows")
		top := listTop(cursor, rows)
		if at := int(cursor.Sub(top)); at < 0 || at >= rows {
			t.Fatalf("%s is in row %d of %d", cursor, at, rows)
		}
		if top.Month() != cursor.Month() {
			t.Fatalf("the list of %s begins with %s", cursor, top)
		}
	})
}
