package timezone

import (
	"fmt"
	"strings"

	"github.com/rickb777/date"
)

// maxRuleText bounds the work that a typed rule can cause; it is in bytes.
const maxRuleText = 500

// ParseDays reads the day language:
//
//	2027-01-15                       a day; also today, tomorrow
//	2027-01-01..2027-01-31           a period; also ..+6 (six days later)
//	2027-01, jan 2027, jan           a month; without a year the next that is not over
//	week 50, week 50 2027, 2027-w50  an ISO week, Monday to Sunday
//	2027, this month, next week      years, and periods relative to today
//	2027-01 fri,sat                  days of the week in a period; mon..fri, weekends
//	2027-01..2027-06 every 2nd fri   every second Friday, from the period's first
//	2027 last sun of each month      also 1st, 2nd ..., and "day" for the weekday
//	2027-01 fri not 2027-01-08       without some days
//	2027-01 fri; 2027-02 sat         and some others
//
// The order of words inside a clause does not matter, nor does case. A clause
// ends at ";" or at "not", and "not" wins whatever the order. A clause without
// a period means all the periods named before it; if there are none, the year
// that begins today. A weekday beside a single day must be that day's own.
//
// Anything else is an *InputError with the word that is wrong, as is a rule
// that names no day or more than MaxDays.
func ParseDays(text string, today date.Date) (DayRule, error) {
	tooLong := &InputError{Input: text, Problem: fmt.Sprintf("a rule for days is at most %d characters long", maxRuleText)}
	if len(text) > maxRuleText {
		return DayRule{}, tooLong
	}
	p := &dayParser{input: text, words: split(text), today: today}
	clauses, err := p.rule()
	if err != nil {
		return DayRule{}, err
	}
	rule := DayRule{clauses, expand(clauses)}
	switch n := len(rule.days); {
	case len(rule.String()) > maxRuleText: // or String could not be read back
		return DayRule{}, tooLong
	case n == 0:
		return DayRule{}, &InputError{Input: text, Problem: "no day is left: " + quote(rule.String()) + " names none"}
	case n > MaxDays:
		return DayRule{}, &InputError{Input: text, Problem: fmt.Sprintf("that is %d days; at most %d can be named at once", n, MaxDays)}
	}
	return rule, nil
}

// dayParser reads the words of one rule, left to right.
type dayParser struct {
	input string
	words []word
	today date.Date
}

// next returns the word in front, the zero word at the end.
func (p *dayParser) next() word {
	if len(p.words) == 0 {
		return word{at: len(p.input)}
	}
	return p.words[0]
}

func (p *dayParser) take() word {
	w := p.next()
	if len(p.words) > 0 {
		p.words = p.words[1:]
	}
	return w
}

// accept takes the word in front if it is one of these.
func (p *dayParser) accept(texts ...string) bool {
	for _, text := range texts {
		if p.next().text == text {
			p.take()
			return true
		}
	}
	return false
}

func (p *dayParser) fail(w word, problem string, args ...any) error {
	return &InputError{Input: p.input, Word: w.raw, At: w.at, Problem: fmt.Sprintf(problem, args...)}
}

func (p *dayParser) rule() ([]clause, error) {
	var clauses []clause
	for len(p.words) > 0 {
		if p.accept(";") {
			continue
		}
		start := p.next()
		c, err := p.clause()
		if err != nil {
			return nil, err
		}
		if len(clauses) == 0 && c.not {
			return nil, p.fail(start, `"not" only takes days away; say first from which, as in 2027-01 not 2027-01-08`)
		}
		if len(clauses) == 0 && len(c.periods) == 0 {
			y, m, d := p.today.Date()
			c.periods = []period{{p.today, date.New(y+1, m, d).Add(-1)}}
		}
		clauses = append(clauses, c)
	}
	if len(clauses) == 0 {
		return nil, p.fail(word{}, "days are needed, such as 2027-01-15 or fri 2027-01")
	}
	return clauses, nil
}

func (p *dayParser) clause() (clause, error) {
	var c clause
	start := p.next()
	c.not = p.accept("not")
	type single struct {
		word
		date.Date
	}
	var singles []single
	for {
		w := p.next()
		if w.text == "" || w.text == ";" || w.text == "not" {
			break
		}
		picked, err := p.pick(&c)
		if err != nil {
			return c, err
		}
		if picked {
			continue
		}
		period, err := p.period()
		if err != nil {
			return c, err
		}
		c.periods = append(c.periods, period)
		if period.from == period.to {
			singles = append(singles, single{w, period.from})
		}
	}
	for _, s := range singles {
		if c.plain != 0 && len(c.picks) == 0 && !c.plain.has(s.Weekday()) {
			return c, p.fail(s.word, `%s is a %s, not %s; a ";" before it starts another clause`, s.Date, s.Weekday(), c.plain)
		}
	}
	if len(c.periods) == 0 && c.plain == 0 && len(c.picks) == 0 {
		return c, p.fail(start, `"not" must be followed by days`)
	}
	return c, nil
}

// pick reads what chooses days inside a period, if that is what comes next:
// fri,sat or every 2nd fri or last sun of each month.
func (p *dayParser) pick(c *clause) (bool, error) {
	if set, ok, err := p.weekdays(); ok || err != nil {
		c.plain |= set
		return true, err
	}
	start := p.next()
	every := p.accept("every", "each")
	var nths []int
	for {
		n, ok := ordinalWord(p.next().text)
		if !ok || len(nths) > 0 && !p.next().comma {
			break
		}
		w := p.take()
		if every && n == last {
			return true, p.fail(w, `"every" needs a number, as in every 2nd fri; for the last of each month say: last sun of each month`)
		}
		nths = append(nths, n)
	}
	switch {
	case every && len(nths) == 0:
		nths = []int{1}
	case len(nths) == 0:
		return false, nil
	}
	of, ok, err := p.weekdays()
	switch {
	case err != nil:
		return true, err
	case !ok && !p.accept("day", "days"):
		return true, p.fail(start, "%s must be followed by a day of the week or by \"day\", as in 2nd fri", quote(start.raw))
	}
	if !every {
		p.ofEachMonth()
	}
	return true, p.addPicks(c, start, every, nths, of)
}

// ofEachMonth skips "(of) each month", which an ordinal means anyhow.
func (p *dayParser) ofEachMonth() {
	if len(p.words) > 1 && (p.words[0].text == "each" || p.words[0].text == "every") && p.words[1].text == "month" {
		p.take()
	}
	p.accept("month")
}

func (p *dayParser) addPicks(c *clause, start word, every bool, nths []int, of weekdays) error {
	for _, n := range nths {
		switch {
		case every && n == 1 && of != 0: // every fri: the same as fri
			c.plain |= of
			continue
		case !every && of != 0 && n > 5:
			return p.fail(start, "no month has a %s %s", ordinal(n), of)
		case !every && n > 31:
			return p.fail(start, "no month has a %s day", ordinal(n))
		}
		c.picks = append(c.picks, pick{n, of, every})
	}
	return nil
}

// weekdays reads days of the week joined by commas, with runs such as mon..fri.
func (p *dayParser) weekdays() (weekdays, bool, error) {
	var all weekdays
	for first := true; first || p.next().comma; first = false {
		w := p.next()
		set, ok := weekdayRun(w.text)
		if !ok {
			break
		}
		p.take()
		if p.accept("..") {
			end := p.take()
			if set, ok = weekdaysBetween(set, weekdayWords[end.text]); !ok {
				return 0, false, p.fail(end, "a day of the week must follow %s, as in mon..fri", quote(w.raw+".."))
			}
		}
		all |= set
	}
	return all, all != 0, nil
}

// unknown explains a word that fits nowhere.
func (p *dayParser) unknown(w word) error {
	problem := quote(w.raw) + " is not a day, a period or a day of the week"
	if w.text == "" {
		problem = "a day or a period is missing at the end"
	} else if strings.ContainsAny(w.text, "0123456789") {
		if _, err := ParseDay(w.raw); err != nil {
			problem = err.Error()
		}
	}
	return &InputError{Input: p.input, Word: w.raw, At: w.at, Problem: problem, Suggestion: nearest(w.text, vocabulary())}
}
