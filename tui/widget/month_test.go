package widget_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rickb777/date"
	"pgregory.net/rapid"

	"holdfast/tui/canvas"
	"holdfast/tui/keys"
	"holdfast/tui/widget"
)

func TestMonth_Draw(t *testing.T) {
	t.Parallel()

	m := widget.NewMonth(date.New(2026, time.December, 4))
	m.Day = func(d date.Date, _ int) []widget.Cell {
		return []widget.Cell{{Text: fmt.Sprintf("%d%%", d.Day()*3)}, {Text: "36/80+3"}}
	}
	m.Flag = func(d date.Date) widget.Cell { return widget.Cell{Text: map[bool]string{true: "x"}[d.Day() == 25]} }
	m.Mark(date.New(2026, time.December, 11))
	got := drawn(80, 11, m.Draw)
	want := `    Mon        Tue        Wed        Thu        Fri        Sat        Sun       
w49 30 nov     01  3%     02  6%     03  9%    >04  12%    05  15%    06  18%   
               36/80+3    36/80+3    36/80+3    36/80+3    36/80+3    36/80+3   
w50 07  21%    08  24%    09  27%    10  30%    11m 33%    12  36%    13  39%   
    36/80+3    36/80+3    36/80+3    36/80+3    36/80+3    36/80+3    36/80+3   `
	if !strings.HasPrefix(got, want) {
		t.Errorf("drew\n%s\nwant\n%s", got, want)
	}
	if !strings.Contains(got, "25  75% x") {
		t.Errorf("the closed day has no flag:\n%s", got)
	}
}

func TestMonth_Do(t *testing.T) {
	t.Parallel()

	day := func(m time.Month, d int) date.Date { return date.New(2026, m, d) }
	for _, tc := range []struct {
		name  string
		verbs []keys.Verb
		want  date.Date
	}{
		{"right", []keys.Verb{keys.Right}, day(2, 1)},
		{"down", []keys.Verb{keys.Down}, day(2, 7)},
		{"monthOnFromThe31st", []keys.Verb{keys.MonthOn}, day(2, 28)},
		{"monthBackOverTheYear", []keys.Verb{keys.MonthBack}, date.New(2025, time.December, 31)},
		{"first", []keys.Verb{keys.First}, day(1, 1)},
		{"last", []keys.Verb{keys.First, keys.Last}, day(1, 31)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := widget.NewMonth(day(1, 31))
			for _, v := range tc.verbs {
				m.Do(v)
			}
			if m.Cursor() != tc.want {
				t.Errorf("the cursor is on %s, want %s", m.Cursor(), tc.want)
			}
		})
	}
}

func TestMonth_RangeOverMonths(t *testing.T) {
	t.Parallel()

	m := widget.NewMonth(date.New(2026, time.February, 2))
	m.Do(keys.Range)
	m.Do(keys.Up)
	if !m.IsMarked(date.New(2026, time.January, 30)) {
		t.Error("a range shows only when it is finished")
	}
	m.Do(keys.Range)
	marked := m.Marked()
	if len(marked) != 8 || marked[0] != date.New(2026, time.January, 26) || marked[7] != date.New(2026, time.February, 2) {
		t.Errorf("marked %v", marked)
	}
	m.Unmark()
	m.Do(keys.MarkAll)
	if len(m.Marked()) != 31 {
		t.Errorf("mark all marks %d days of January", len(m.Marked()))
	}
}

func TestMonth_AnyDayAtAnySize(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		m := widget.NewMonth(date.New(2026, time.January, 1).Add(date.PeriodOfDays(rapid.IntRange(0, 4000).Draw(t, "day"))))
		m.Day = func(date.Date, int) []widget.Cell {
			return []widget.Cell{{Text: "101%"}, {Text: "日本武道館"}, {}, {}, {}, {Text: "too low"}}
		}
		w, h := rapid.IntRange(0, 180).Draw(t, "w"), rapid.IntRange(0, 40).Draw(t, "h")
		c := canvas.New(w, h, canvas.GlyphSet(true))
		m.Draw(c)
		if w >= 24 && h >= 2 && !strings.Contains(c.Render(nil, canvas.Plain), fmt.Sprintf(">%02d", m.Cursor().Day())) {
			t.Fatalf("the cursor is not on screen at %dx%d:\n%s", w, h, c.Render(nil, canvas.Plain))
		}
		if d, ok := m.DayAt(rapid.IntRange(-2, 200).Draw(t, "x"), rapid.IntRange(-2, 50).Draw(t, "y"), w, h); ok && (d.Sub(m.First()) < -7 || d.Sub(m.Last()) > 7) {
			t.Fatalf("a click in %s hits %s", m.Cursor(), d)
		}
	})
}
