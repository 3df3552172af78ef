package calendar

import (
	"fmt"
	"strconv"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// editorAreas is where the parts of the editor are.
type editorAreas struct {
	form, trouble, rule, table, below, prompt canvas.Rect
	lines                                     []styled // the sentences of below
}

// rows is how many days of the plan are on screen.
func (a editorAreas) rows() int { return max(0, a.table.H-1) }

// editorLayout divides w x h cells. When it is tight the days of the plan keep a
// heading and one row, and the sentences below them lose their end.
func (m *Model) editorLayout(w, h int) editorAreas {
	d := m.draft
	var a editorAreas
	_, rest := canvas.Box(w, h).Top(1)
	a.form, rest = rest.Top(min(d.form.Height(), max(1, h-5)))
	a.prompt, rest = rest.Bottom(1)
	if d.trouble != "" {
		a.trouble, rest = rest.Top(len(widget.Wrap("! "+d.trouble, w-2)))
	}
	if !d.check.Ready() {
		return a
	}
	a.rule, rest = rest.Top(1)
	a.lines = append(m.movedLines(), reviewOf(d.plan(), m.today()).summary()...)
	need := 0
	for _, l := range a.lines {
		need += len(widget.Wrap(l.text, w-2))
	}
	a.table, a.below = rest.Top(min(max(2, rest.H-need), len(d.plan().Changes)+1))
	if a.below.H > need {
		_, a.below = a.below.Top(1)
	}
	return a
}

// editorSize is the room that the editor has.
func (m *Model) editorSize() (w, h int) {
	if a := m.layout(); a.side {
		return a.pane.W - 1, a.pane.H
	}
	return m.width, m.height
}

// hasMore reports that the plan has more days than are on screen.
func (m *Model) hasMore() bool {
	return m.editorLayout(m.editorSize()).rows() < len(m.draft.plan().Changes)
}

// turnPage scrolls the days of the plan by what is on screen.
func (m *Model) turnPage(pages int) {
	d := m.draft
	rows := m.editorLayout(m.editorSize()).rows()
	d.scroll = max(0, min(d.scroll+pages*rows, len(d.plan().Changes)-rows))
}

// drawEditor draws the form, what it would do day by day, and what that comes
// to.
func (m *Model) drawEditor(c canvas.Canvas) {
	d := m.draft
	a := m.editorLayout(c.Size())
	c.Rule(0, theme.Rule, theme.Heading, "EDIT DAYS", d.pool.Name)
	d.form.Draw(c.Sub(a.form), !d.busy())
	if d.trouble != "" {
		drawLines(c.Sub(a.trouble), 1, []styled{{theme.Bad, "! " + d.trouble}})
	}
	m.drawPlan(c, a)
	m.drawPrompt(c.Sub(a.prompt))
}

// drawPrompt says what enter does now.
func (m *Model) drawPrompt(c canvas.Canvas) {
	w, _ := c.Size()
	p := m.prompt()
	c.Fit(1, 0, w-1, p.style, fitting(w-1, p.texts...))
}

// prompt is what enter does now, longest form first.
type prompt struct {
	style canvas.Style
	texts []string
}

func (m *Model) prompt() prompt {
	d := m.draft
	_, asking := d.check.Running()
	switch {
	case d.progress == saving:
		return prompt{theme.Warn, []string{"sent, no answer yet; it cannot be done twice", "sent, no answer yet"}}
	case d.progress == looking:
		return prompt{theme.Warn, []string{"the line broke while saving; looking whether it went through", "looking whether it was saved"}}
	case asking:
		return prompt{theme.Muted, []string{"checking with the database"}}
	case !d.current():
		return prompt{theme.Text, fieldHelp(d.form.Focus())}
	}
	r := reviewOf(d.plan(), m.today())
	switch {
	case len(r.plan.Problems) > 0:
		return prompt{theme.Bad, []string{"This cannot be saved. Change it, or take the days out.", "This cannot be saved."}}
	case r.changing == 0:
		return prompt{theme.Text, []string{"The days are like that already: there is nothing to save.", "There is nothing to save."}}
	case len(d.overtaken(m.byDay)) > 0:
		day := timezone.DayLabel(d.overtaken(m.byDay)[0].Day)
		return prompt{theme.Warn, []string{"Somebody just changed " + day + ": ctrl+s checks again.", day + " moved: ctrl+s"}}
	case len(r.worse) > 0:
		return prompt{theme.Bad, []string{
			"Not saved yet. Enter goes on; it will ask you to type " + strconv.Itoa(r.over) + ".",
			"Not saved. Oversells by " + strconv.Itoa(r.over) + "!",
		}}
	}
	days := count(r.changing, "day")
	return prompt{theme.Accent, []string{"Not saved yet. Enter goes on to save " + days + ".", "Not saved. Enter: save " + days}}
}

// fieldHelp says how the field with the focus is meant.
func fieldHelp(field string) []string {
	switch field {
	case fieldDays:
		return []string{"Which days: " + dayExamples, "Which days: fri jan, week 50"}
	case fieldState:
		return []string{"Left and right choose. A closed day sells nothing; nobody loses a place.", "Left and right choose."}
	case fieldReason:
		return []string{"Why, for the log; it may stay empty. Enter shows what the edit would do.", "Why, for the log. Enter: check"}
	}
	return []string{"Type 140, +20 or -20; empty keeps what is. Enter shows what it would do.", "140, +20 or -20. Enter: check"}
}

// drawPlan draws the days before and after, and the sentences below them. What
// is not the answer to the form as it stands is there, but dim.
func (m *Model) drawPlan(c canvas.Canvas, a editorAreas) {
	d := m.draft
	if a.rule.Empty() {
		return
	}
	plan := d.plan()
	remark := "as of " + clockTime(plan.AsOf, m.env.Zone())
	switch {
	case d.outdated:
		remark = "not true any more"
	case !d.current():
		remark = "before your last change"
	}
	from := max(0, min(d.scroll, len(plan.Changes)-a.rows()))
	if rows := a.rows(); rows < len(plan.Changes) {
		remark = fmt.Sprintf("%d-%d of %d, pgdn   %s", from+1, from+rows, len(plan.Changes), remark)
	}
	c.Sub(a.rule).Rule(0, theme.Rule, theme.Heading, "BEFORE -> AFTER", remark)
	drawChanges(c.Sub(a.table), plan.Changes, from)
	drawLines(c.Sub(a.below), 1, a.lines)
	if !d.current() {
		c.Restyle(a.table, theme.Muted)
		c.Restyle(a.below, theme.Muted)
	}
}

// movedLines says which days are not any more as they were when the editor was
// opened.
func (m *Model) movedLines() []styled {
	var out []styled
	for i, row := range m.draft.movedSince() {
		if i == maxNamed {
			break
		}
		out = append(out, styled{theme.Warn, "~ " + timezone.DayLabel(row.Day) + " changed since you began: " + m.savedAgo(row)})
	}
	return out
}

// column is one column of the plan.
type column struct {
	title string
	right bool
	drop  int // the lowest goes first when it is narrow; 0 never
	cell  func(inventory.DayChange) styled
	width int
}

func plain(of func(inventory.DayChange) string) func(inventory.DayChange) styled {
	return func(c inventory.DayChange) styled { return styled{theme.Text, of(c)} }
}

func columns() []column {
	return []column{
		{title: "", cell: flagOf},
		{title: "day", cell: plain(func(c inventory.DayChange) string { return timezone.DayLabel(c.After.Day) })},
		{title: "ver", drop: 2, cell: plain(versionOf)},
		{title: "capacity", right: true, cell: plain(func(c inventory.DayChange) string { return arrow(c.Before.Capacity, c.After.Capacity) })},
		{title: "over", right: true, drop: 4, cell: plain(func(c inventory.DayChange) string { return arrow(c.Before.OverbookLimit, c.After.OverbookLimit) })},
		{title: "taken", right: true, drop: 3, cell: plain(func(c inventory.DayChange) string { return fmt.Sprint(c.Before.Taken) })},
		{title: "held", right: true, drop: 1, cell: plain(func(c inventory.DayChange) string { return fmt.Sprint(c.Before.Held) })},
		{title: "left", right: true, cell: plain(leftArrow)},
		{title: "result", cell: result},
	}
}

// fitColumns gives each column the width of its longest cell and drops columns
// until all fit.
func fitColumns(changes []inventory.DayChange, w int) []column {
	cols := columns()
	for i := range cols {
		col := &cols[i]
		col.width = len(col.title)
		for _, c := range changes {
			col.width = max(col.width, canvas.Width(col.cell(c).text))
		}
	}
	for {
		need, lowest := 0, -1
		for i, col := range cols {
			need += col.width + columnGap
			if col.drop > 0 && (lowest < 0 || col.drop < cols[lowest].drop) {
				lowest = i
			}
		}
		if need <= w+columnGap || lowest < 0 {
			return cols
		}
		cols = append(cols[:lowest], cols[lowest+1:]...)
	}
}

const columnGap = 2

// drawChanges draws the days that fit, from the given one on.
func drawChanges(c canvas.Canvas, changes []inventory.DayChange, from int) {
	w, h := c.Size()
	rows := min(max(0, h-1), len(changes)-from)
	x := 1
	for _, col := range fitColumns(changes, w-2) {
		drawColumn(c, x, 0, col, styled{theme.Heading, col.title})
		for y := range rows {
			drawColumn(c, x, y+1, col, col.cell(changes[from+y]))
		}
		x += col.width + columnGap
	}
}

func drawColumn(c canvas.Canvas, x, y int, col column, cell styled) {
	if col.right {
		c.FitRight(x, y, col.width, cell.style, cell.text)
		return
	}
	c.Fit(x, y, col.width, cell.style, cell.text)
}
