package cockpit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

type rateChosen struct {
	room   inventory.WaitingRoom
	rate   float64
	reason string
}

type rateSet struct {
	chosen rateChosen
	after  inventory.WaitingRoom
	now    *inventory.WaitingRoom // how it stands, where it was not simply done
	err    error
}

// askRate opens the form for how fast the row's waiting room lets buyers in.
func (m *Model) askRate() tea.Cmd {
	row, room, ok := m.selected()
	if !ok || room.ID == 0 {
		return nil
	}
	intro := []string{
		fmt.Sprintf("Waiting room of %s: %s.", row.Name, m.roomWords(room)),
		"From now on it lets in so many a second. 0 pauses: nobody is let in, and those who are in may go on buying.",
	}
	rate := widget.TextInput("rate", "New", rateWords(room.Rate), rateWords(room.Rate))
	rate.Note = "a second; now " + rateWords(room.Rate)
	reason := widget.TextInput("reason", "Reason", "", "goes to the log; may be empty")
	return ui.OpenDialog(dialog.NewForm(dialog.FormSpec{
		Title: "ADMISSION", Intro: intro, Inputs: []widget.Input{rate, reason}, Submit: "Save",
		Check: func(v map[string]string) map[string]string {
			wrong := map[string]string{}
			if _, err := parseRate(v["rate"], room); err != nil {
				wrong["rate"] = err.Error()
			}
			if err := checkReason(v["reason"]); err != nil {
				wrong["reason"] = inventory.Message(err)
			}
			return wrong
		},
		Then: func(v map[string]string) tea.Msg {
			rate, _ := parseRate(v["rate"], room) // Check let it through
			return rateChosen{room, rate, v["reason"]}
		},
	}))
}

// parseRate reads how many a second; the room's own rules decide.
func parseRate(s string, room inventory.WaitingRoom) (float64, error) {
	rate, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(rate) || math.IsInf(rate, 0) {
		return 0, errors.New("write how many a second, such as 50 or 0.5")
	}
	if rate == room.Rate {
		return 0, errors.New("that is what it is now")
	}
	room.Rate = rate
	for _, f := range inventory.FieldErrors(room.Validate()) {
		if f.Field == "rate" {
			return 0, errors.New(f.Problem)
		}
	}
	return rate, nil
}

// rateWords writes how many a second a room is set to let in.
func rateWords(rate float64) string { return strconv.FormatFloat(rate, 'f', -1, 64) }

func changeOf(room inventory.WaitingRoom, rate float64, reason string) inventory.WaitingRoomChange {
	return inventory.WaitingRoomChange{Venue: room.Venue, Name: room.Name, Kind: room.Kind, Rate: &rate, Version: room.Version, Reason: reason}
}

func (m *Model) setRate(c rateChosen) tea.Cmd {
	m.saving = "the last change of admission"
	store, actor := m.store, m.actor
	return ui.Save(m.env, "on-sale.rate", "changing admission to "+c.room.Name, saveLimit, func(ctx context.Context) (rateSet, error) {
		after, err := store.SetWaitingRoom(ctx, changeOf(c.room, c.rate, c.reason), actor)
		s := rateSet{after: after}
		if err != nil {
			s.now = roomNow(ctx, store, c.room.ID)
		}
		return s, err
	}, func(s rateSet, err error) tea.Msg {
		s.chosen, s.err = c, err
		return s
	})
}

// roomNow reads how a room stands, nil if it cannot be read. The limit of the
// change may be used up, so it has its own.
func roomNow(ctx context.Context, store reader, id int64) *inventory.WaitingRoom {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	rooms, err := store.WaitingRooms(ctx)
	if err != nil {
		return nil
	}
	for _, r := range rooms {
		if r.ID == id {
			return &r
		}
	}
	return nil
}

// rateSet tells the form what the database answered.
func (m *Model) rateSet(s rateSet) tea.Cmd {
	m.saving = ""
	c := s.chosen
	o := m.rateOutcome(s)
	if s.err == nil {
		undo := changeOf(s.after, c.room.Rate, "")
		m.last = edit{
			what:  fmt.Sprintf("admission to %s, %s a second", c.room.Name, rateWords(c.rate)),
			words: []string{fmt.Sprintf("You changed admission to %s from %s to %s a second. It becomes %s again.", c.room.Name, rateWords(c.room.Rate), rateWords(c.rate), rateWords(c.room.Rate))},
			doing: "Put back", room: &undo,
		}
	}
	return tea.Batch(ui.SettleDialog(o), m.load())
}

func (m *Model) rateOutcome(s rateSet) dialog.Outcome {
	c := s.chosen
	done := fmt.Sprintf("%s lets in %s a second from now on", c.room.Name, rateWords(c.rate))
	switch {
	case s.err == nil:
		return dialog.Outcome{OK: true, Text: done + "; u puts back"}
	case unknown(s.err) && s.now != nil && s.now.Version == c.room.Version+1 && s.now.Rate == c.rate:
		return dialog.Outcome{OK: true, Text: "the answer was lost, but it went through: " + done}
	case unknown(s.err) && s.now != nil:
		return dialog.Outcome{Text: fmt.Sprintf("the answer was lost; so far it lets in %s a second. Look again first", rateWords(s.now.Rate))}
	case unknown(s.err):
		return dialog.Outcome{Text: "the answer was lost. Look at the room before you repeat it"}
	case errors.Is(s.err, inventory.ErrStale) && s.now != nil:
		return dialog.Outcome{Text: fmt.Sprintf("not changed: someone else was faster; now %s a second, v%d", rateWords(s.now.Rate), s.now.Version)}
	case errors.Is(s.err, inventory.ErrStale):
		return dialog.Outcome{Text: "not changed: someone else was faster"}
	}
	return dialog.Outcome{Text: "not changed: " + inventory.Message(s.err)}
}
