package cockpit

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// extendLimit is longer than the others: it is as many transactions as there are
// holds by 200.
const extendLimit = 45 * time.Second

type extendChosen struct {
	row    inventory.Selling
	by     time.Duration
	reason string
}

type extended struct {
	chosen extendChosen
	done   inventory.ExtendedHolds
	err    error
}

// askExtend opens the form for more time for all holds of the row.
func (m *Model) askExtend() tea.Cmd {
	row, _, ok := m.selected()
	if !ok {
		return nil
	}
	intro := []string{
		fmt.Sprintf("%s: %s.", what(row), holdsWords(row.Holds)),
		"Each hold that there is when you press the button gets so much more time, added to its own end.",
	}
	if longest := m.now.Value().longest; longest > 0 {
		intro = append(intro, fmt.Sprintf("A hold lives %s at the longest here: what would pass that gets less, or none.", short(longest)))
	}
	if row.Paying > 0 {
		intro = append(intro, fmt.Sprintf("%s being paid: they keep their places without.", areAre(row.Paying)))
	}
	by := widget.TextInput("by", "Minutes", "5", "5")
	by.Note = "1 to 30"
	reason := widget.TextInput("reason", "Reason", "", "goes to the journal; may be empty")
	return ui.OpenDialog(dialog.NewForm(dialog.FormSpec{
		Title: "EXTEND ALL HOLDS", Intro: intro, Inputs: []widget.Input{by, reason}, Submit: "Extend all",
		Check: func(v map[string]string) map[string]string {
			wrong := map[string]string{}
			if _, err := minutes(v["by"]); err != nil {
				wrong["by"] = err.Error()
			}
			if err := checkReason(v["reason"]); err != nil {
				wrong["reason"] = inventory.Message(err)
			}
			return wrong
		},
		Then: func(v map[string]string) tea.Msg {
			by, _ := minutes(v["by"]) // Check let it through
			return extendChosen{row, by, v["reason"]}
		},
	}))
}

func holdsWords(n int) string {
	if n == 1 {
		return "1 hold"
	}
	return most(n) + " holds"
}

func areAre(n int) string {
	if n == 1 {
		return "1 is"
	}
	return most(n) + " are"
}

// minutes reads a length of time: 5 means minutes, as 5m does.
func minutes(s string) (time.Duration, error) {
	s = strings.TrimSpace(s)
	d, err := time.ParseDuration(s)
	if n, whole := strconv.Atoi(s); whole == nil {
		if n > int(inventory.ExtendAllMost/time.Minute) {
			n = int(inventory.ExtendAllMost/time.Minute) + 1 // too many, and no overflow
		}
		d, err = time.Duration(n)*time.Minute, nil
	}
	if err != nil || inventory.CheckExtendAll(d) != nil {
		return 0, errors.New("write a number of minutes from 1 to 30")
	}
	return d, nil
}

// checkReason lets an empty reason pass.
func checkReason(s string) error {
	if s == "" {
		return nil
	}
	return inventory.CheckReason(s)
}

func (m *Model) extend(c extendChosen) tea.Cmd {
	m.saving = "extending the holds"
	store, actor := m.store, m.actor
	return ui.Save(m.env, "on-sale.extend", "extending the holds of "+c.row.Name, extendLimit, func(ctx context.Context) (extended, error) {
		done, err := store.ExtendHolds(ctx, c.row.Scope(), c.by, actor, c.reason)
		return extended{done: done}, err
	}, func(e extended, err error) tea.Msg {
		e.chosen, e.err = c, err
		return e
	})
}

// extended tells what the database answered. Once a part is done the form is
// closed, whatever came after: pressing its button again would give the same
// holds more time again.
func (m *Model) extended(e extended) tea.Cmd {
	m.saving = ""
	name := what(e.chosen.row)
	text := doneWords(e.done, e.chosen.by) + ": " + name
	switch {
	case e.err == nil:
		return tea.Batch(ui.SettleDialog(dialog.Outcome{OK: true, Text: text}), m.load())
	case unknown(e.err):
		lines := []string{
			"The answer was lost: nobody knows yet whether all holds of " + name + " were extended.",
			sure(e.done),
			"Look at the holds before you repeat it: each time gives more time again.",
		}
		return tea.Batch(ui.SettleDialog(dialog.Outcome{OK: true, Text: "the answer was lost: " + name}), ui.OpenDialog(dialog.NewMessage("NOT KNOWN", lines, nil)), m.load())
	case e.done != (inventory.ExtendedHolds{}):
		lines := []string{
			"It stopped half way: " + inventory.Message(e.err) + ".",
			sure(e.done),
			"Repeating it gives those more time again.",
		}
		return tea.Batch(ui.SettleDialog(dialog.Outcome{OK: true, Text: "stopped half way: " + text}), ui.OpenDialog(dialog.NewMessage("ONLY A PART WAS EXTENDED", lines, nil)), m.load())
	}
	return tea.Batch(ui.SettleDialog(dialog.Outcome{Text: "not done: " + inventory.Message(e.err)}), m.load())
}

func sure(done inventory.ExtendedHolds) string {
	return "Sure is: " + doneWords(done, 0) + "."
}

// doneWords sums up what became of the holds; by 0 leaves out how much they got.
func doneWords(d inventory.ExtendedHolds, by time.Duration) string {
	text := holdsWords(d.Extended) + " got more time"
	if by > 0 {
		text = holdsWords(d.Extended) + " got " + short(by) + " more"
	}
	var parts []string
	add := func(n int, words string) {
		if n > 0 {
			parts = append(parts, thousands(int64(n))+" "+words)
		}
	}
	add(d.Shortened, "of them less")
	add(d.AtLimit, "at the limit")
	add(d.Over, "ended")
	add(d.Busy, "left alone: locked")
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text
}
