package venues

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// The inputs of a new pool, named as inventory names the fields in its errors.
const (
	inPool     = "pool"
	inPrice    = "price"
	inCapacity = "capacity"
	inOverbook = "overbook"
	inPerBuyer = "max_per_buyer"
	inHorizon  = "horizon"
)

type poolChosen struct{ pool inventory.Pool }

// poolAdded is what became of a new pool.
type poolAdded struct {
	pool  inventory.Pool
	found bool // when the answer was lost
	err   error
}

// openAddPool opens the form of a new pool, so that a venue can begin to sell
// from the console alone.
func (m *Model) openAddPool(v inventory.Venue) tea.Cmd {
	return ui.OpenDialog(dialog.NewForm(dialog.FormSpec{
		Title: "NEW POOL AT " + v.Name,
		Intro: []string{"What is sold there by the day. The horizon job makes its days; each can be edited in the calendar."},
		Inputs: []widget.Input{
			noted(widget.TextInput(inPool, "Code", "", "main"), "fixed for good"),
			widget.TextInput(inName, "Name", "", "Main floor"),
			noted(widget.NumberInput(inPrice, "Price for one", "", "25.00"), string(v.Currency)),
			noted(widget.TextInput(inCapacity, "Capacity a day", "", "120"), "or Mon..Sun, x = closed"),
			noted(widget.NumberInput(inOverbook, "and over", "0", "0"), "sold above it"),
			noted(widget.NumberInput(inPerBuyer, "A buyer has", "0", "0"), "a day; 0 = any"),
			noted(widget.NumberInput(inHorizon, "Days ahead", "90", "90"), "on sale"),
		},
		Submit: "Add",
		Check: func(typed map[string]string) map[string]string {
			_, wrong := poolFrom(v, typed)
			return wrong
		},
		Then: func(typed map[string]string) tea.Msg {
			p, _ := poolFrom(v, typed) // Check let it through
			return poolChosen{p}
		},
	}))
}

// poolFrom reads what was typed and says what is wrong with it, by input.
func poolFrom(v inventory.Venue, typed map[string]string) (inventory.Pool, map[string]string) {
	wrong := map[string]string{}
	number := func(name string) int {
		n, err := strconv.Atoi(strings.TrimSpace(typed[name]))
		if err != nil {
			wrong[name] = "must be a whole number"
		}
		return n
	}
	p := inventory.Pool{
		Ref: inventory.PoolRef{Venue: v.Slug, Pool: typed[inPool]}, Name: typed[inName],
		MaxPerBuyer: number(inPerBuyer), HorizonDays: number(inHorizon),
	}
	minor, err := inventory.ParseMinor(typed[inPrice], v.Currency)
	if err != nil {
		wrong[inPrice] = err.Error()
	}
	p.Price = inventory.Money{Minor: minor, Currency: v.Currency}
	if p.Week, err = parseWeek(typed[inCapacity], number(inOverbook)); err != nil {
		wrong[inCapacity] = err.Error()
	}
	for _, f := range inventory.FieldErrors(p.Validate()) {
		name := f.Field
		switch { // "week Monday capacity"
		case strings.HasPrefix(name, "week ") && strings.HasSuffix(name, "overbook"):
			name = inOverbook
		case strings.HasPrefix(name, "week "):
			name = inCapacity
		}
		if wrong[name] == "" {
			wrong[name] = f.Problem
		}
	}
	return p, wrong
}

// parseWeek reads one capacity for every day, or seven from Monday on; "x" is a
// day that is closed.
func parseWeek(s string, over int) (inventory.Week, error) {
	words := strings.Fields(s)
	var w inventory.Week
	if len(words) != 1 && len(words) != len(w) {
		return w, errors.New("must be one number, or seven from Monday to Sunday, x for closed")
	}
	for i := range w {
		word := words[i%len(words)]
		if word == "x" {
			w[i] = inventory.DayTemplate{Closed: true}
			continue
		}
		n, err := strconv.Atoi(word)
		if err != nil {
			return w, fmt.Errorf("%q is not a whole number", word)
		}
		w[i] = inventory.DayTemplate{Capacity: n, OverbookLimit: over}
	}
	return w, nil
}

func (m *Model) addPool(c poolChosen) tea.Cmd {
	store, actor, p := m.store, m.actor, c.pool
	return ui.Save(m.env, "pool.add", "adding "+p.Ref.String(), saveLimit, func(ctx context.Context) (poolAdded, error) {
		_, err := store.AddPool(ctx, actor, p)
		return poolAdded{found: errors.Is(err, inventory.ErrUnknownOutcome) && poolThere(ctx, store, p.Ref)}, err
	}, func(a poolAdded, err error) tea.Msg {
		a.pool, a.err = p, err
		return a
	})
}

// poolThere reports whether a pool whose answer was lost has been added.
func poolThere(ctx context.Context, l lister, ref inventory.PoolRef) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readLimit)
	defer cancel()
	pools, err := l.Pools(ctx, ref.Venue)
	if err != nil {
		return false
	}
	for _, p := range pools {
		if p.Ref == ref {
			return true
		}
	}
	return false
}

func (m *Model) poolAdded(a poolAdded) tea.Cmd {
	return tea.Batch(ui.SettleDialog(poolOutcome(a)), m.load())
}

func poolOutcome(a poolAdded) dialog.Outcome {
	switch {
	case a.err == nil:
		return dialog.Outcome{OK: true, Text: a.pool.Ref.String() + " added; the horizon job makes its days at its next run"}
	case errors.Is(a.err, inventory.ErrAlreadyExists):
		return dialog.Outcome{Text: "nothing was added", Problems: map[string]string{inPool: "another pool of this venue has this code"}}
	case a.found:
		return dialog.Outcome{OK: true, Text: "the answer was lost, but it went through: " + a.pool.Ref.String() + " is there"}
	case errors.Is(a.err, inventory.ErrUnknownOutcome):
		return dialog.Outcome{Text: "the answer was lost; so far it is not there. Look at the venue before you repeat it"}
	}
	return dialog.Outcome{Text: "not added: " + inventory.Message(a.err), Problems: fieldProblems(a.err)}
}
