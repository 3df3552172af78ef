package calendar

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
)

// review is a plan with what a person wants to know of it before saving.
type review struct {
	plan     inventory.DayPlan
	changing int // days that would change
	same     int
	made     int // of those that would change: days that do not exist yet
	closed   int // of those that would change: days that are closed and stay so
	past     int // of those that would change: days that are over
	worse    []inventory.DayChange
	over     int // places too many on the days of worse
	before   sums
	after    sums
}

// reviewOf sums up a plan, by the date at the venue.
func reviewOf(plan inventory.DayPlan, today date.Date) review {
	r := review{plan: plan}
	var before, after []inventory.PoolDay
	for _, c := range plan.Changes {
		if !c.Missing {
			before = append(before, c.Before)
		}
		after = append(after, c.After)
		if !c.Changes() {
			r.same++
			continue
		}
		r.changing++
		switch {
		case c.Missing:
			r.made++
		case c.Before.StopSell && c.After.StopSell:
			r.closed++
		}
		if c.Before.Day.Before(today) {
			r.past++
		}
		if worse(c) {
			r.worse = append(r.worse, c)
			r.over += c.After.Oversold()
		}
	}
	r.before, r.after = sumOf(before, plan.AsOf), sumOf(after, plan.AsOf)
	return r
}

// worse reports that a change leaves more places too many than there were.
func worse(c inventory.DayChange) bool { return c.After.Oversold() > c.Before.Oversold() }

// summary is the plan in sentences, what needs care first.
func (r review) summary() []styled {
	var out []styled
	add := func(st canvas.Style, format string, args ...any) {
		out = append(out, styled{st, fmt.Sprintf(format, args...)})
	}
	for i, p := range r.plan.Problems {
		if i == maxNamed {
			add(theme.Bad, "! and %s more", count(len(r.plan.Problems)-i, "day"))
			break
		}
		add(theme.Bad, "! cannot be saved: %s", problemOfDay(p))
	}
	if len(r.worse) > 0 {
		add(theme.Bad, "! %s. Nobody loses a place.", r.overWords())
	}
	if r.past > 0 {
		add(theme.Warn, "%s over already: buyers will not notice.", are(r.past, "day"))
	}
	add(theme.Text, "%s. %s No booking and no hold is touched.", r.changeWords(), r.leftWords())
	add(theme.Muted, "If somebody changes one of these days first, nothing is saved and you see who.")
	return out
}

// changeWords says how many days would change, and which kinds of days are among
// them.
func (r review) changeWords() string {
	if r.changing == 0 {
		return "Nothing would change"
	}
	text := count(r.changing, "day") + " will change"
	var kinds []string
	if r.made > 0 {
		kinds = append(kinds, thousands(r.made)+" made new")
	}
	if r.closed > 0 {
		kinds = append(kinds, thousands(r.closed)+" of them closed, and left closed")
	}
	if r.same > 0 {
		kinds = append(kinds, thousands(r.same)+" more like that already")
	}
	if len(kinds) > 0 {
		text += " (" + strings.Join(kinds, "; ") + ")"
	}
	return text
}

// maxNamed is how many things a sentence names before it counts the rest.
const maxNamed = 3

// leftWords says what the edit does to what is for sale.
func (r review) leftWords() string {
	if r.before.left == r.after.left {
		return fmt.Sprintf("Left to sell stays %s.", thousands(r.after.left))
	}
	return fmt.Sprintf("Left to sell %s -> %s.", thousands(r.before.left), thousands(r.after.left))
}

// overWords says which days would be oversold, and what that means.
func (r review) overWords() string {
	if len(r.worse) == 1 {
		c := r.worse[0]
		return fmt.Sprintf("%s will be oversold by %d: it sells nothing until taken is below %d",
			timezone.DayLabel(c.After.Day), c.After.Oversold(), c.After.SellLimit())
	}
	return fmt.Sprintf("%d days will be oversold, by %d in all: they sell nothing until taken is below the sell limit", len(r.worse), r.over)
}

// are is "1 day is", "3 days are".
func are(n int, one string) string {
	if n == 1 {
		return "1 " + one + " is"
	}
	return count(n, one) + " are"
}

// problemOfDay is what is wrong with one day of a plan, on one line. The store
// names the day in it.
func problemOfDay(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// styled is a line with its meaning.
type styled struct {
	style canvas.Style
	text  string
}

// result says in a word or two what becomes of a day.
func result(c inventory.DayChange) styled {
	over := c.After.Oversold()
	switch {
	case worse(c):
		return styled{theme.Bad, fmt.Sprintf("over by %d", over)}
	case !c.Changes():
		return styled{theme.Muted, "same"}
	case over > 0:
		return styled{theme.Warn, fmt.Sprintf("over by %d (was %d)", over, c.Before.Oversold())}
	case c.Before.Oversold() > 0:
		return styled{theme.OK, "ok, cured"}
	case c.Missing:
		return styled{theme.OK, "new day"}
	case c.After.StopSell && !c.Before.StopSell:
		return styled{theme.Warn, "closes"}
	case !c.After.StopSell && c.Before.StopSell:
		return styled{theme.OK, "opens"}
	case c.After.StopSell:
		return styled{theme.Muted, "closed"}
	}
	return styled{theme.OK, "ok"}
}

// flagOf is the character before a line of the plan.
func flagOf(c inventory.DayChange) styled {
	switch {
	case worse(c):
		return styled{theme.Bad, "!"}
	case c.After.StopSell:
		return styled{theme.Muted, "x"}
	case c.Missing:
		return styled{theme.OK, "+"}
	}
	return styled{}
}

// arrow is a count before and after, or the count alone when it stays.
func arrow(before, after int) string {
	if before == after {
		return strconv.Itoa(after)
	}
	return strconv.Itoa(before) + " -> " + strconv.Itoa(after)
}

// leftArrow is what can be sold before and after; a closed day sells nothing.
func leftArrow(c inventory.DayChange) string {
	left := func(d inventory.PoolDay) string {
		if d.StopSell {
			return "closed"
		}
		return strconv.Itoa(d.Left())
	}
	before, after := left(c.Before), left(c.After)
	switch {
	case c.Missing, before == after:
		return after
	}
	return before + " -> " + after
}

func versionOf(c inventory.DayChange) string {
	if c.Missing {
		return "new"
	}
	return "v" + strconv.Itoa(c.Before.Version)
}

// clockTime is an instant as the clock of a zone shows it.
func clockTime(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("15:04:05 -07")
}
