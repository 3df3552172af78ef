package calendar

import (
	"errors"
	"slices"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/rickb777/date"

	"holdfast/timezone"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// finder is the line in which days are named in the day language.
type finder struct {
	field widget.Field
	rule  timezone.DayRule
	err   error
}

// finding is what a find marked, so that the editor can name the days as they
// were asked for.
type finding struct {
	text string
	days []date.Date
}

func newFinder() *finder { return &finder{field: widget.NewField("", "fri jan")} }

// key edits the text and reads it as it stands.
func (f *finder) key(k tea.KeyMsg, today date.Date) {
	if f.field.Key(k) {
		f.rule, f.err = timezone.ParseDays(f.field.Value(), today)
	}
}

// says is the answer to what is typed, longest form first: the days, or what is
// wrong.
func (f *finder) says() (texts []string, bad bool) {
	switch {
	case f.field.Value() == "":
		return []string{"such as: " + dayExamples, "such as: fri jan"}, false
	case f.err != nil:
		return []string{problemOf(f.err)}, true
	}
	days := f.rule.Expand()
	return []string{daysInWords(days), count(len(days), "day")}, false
}

// dayExamples shows what the day language can say.
const dayExamples = "fri jan, next month sat,sun, 2027-01-04..2027-01-10, week 50"

// problemOf is what is wrong with typed text, in plain words.
func problemOf(err error) string {
	if input, ok := errors.AsType[*timezone.InputError](err); ok {
		return input.Error()
	}
	return err.Error()
}

// doFind marks what was found, or leaves the line.
func (m *Model) doFind(v keys.Verb) tea.Cmd {
	switch v {
	case keys.Back:
		m.find = nil
	case keys.Open:
		return m.markFound()
	default: // Keys binds no other
	}
	return nil
}

func (m *Model) markFound() tea.Cmd {
	f := m.find
	if f.field.Value() == "" {
		return ui.Ask(ui.Say{Text: "type which days, such as fri jan", Bad: true})
	}
	if f.err != nil {
		return ui.Ask(ui.Say{Text: problemOf(f.err), Bad: true})
	}
	m.find = nil
	days := f.rule.Expand()
	m.found = finding{text: f.rule.String(), days: days}
	m.unmarkAll()
	m.month.Mark(days...)
	m.month.SetCursor(days[0])
	return tea.Batch(m.turn(), ui.Ask(ui.Say{Text: daysInWords(days) + " marked"}))
}

// nameOf is the text of days in the day language: what was asked for when they
// are what the last find marked, else the shortest form. Days that would fill
// more than a line are only counted.
func (m *Model) nameOf(days []date.Date) string {
	if slices.Equal(days, m.found.days) {
		return m.found.text
	}
	return ruleOf(days)
}
