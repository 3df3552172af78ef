package timezone

import (
	"fmt"
	"strconv"
	"time"

	"github.com/rickb777/date"
)

// maxYears bounds a period: nobody plans longer, and it bounds the work.
const maxYears = 10

// period is a run of days, both ends included.
type period struct{ from, to date.Date }

// String writes the period in its shortest form that does not depend on today.
func (p period) String() string {
	y, m, _ := p.from.Date()
	isoYear, isoWeek := p.from.ISOWeek()
	switch p {
	case period{p.from, p.from}:
		return p.from.String()
	case monthOf(y, m):
		return fmt.Sprintf("%04d-%02d", y, m)
	case yearOf(y):
		return fmt.Sprintf("%04d", y)
	case weekOf(isoYear, isoWeek):
		return fmt.Sprintf("week %d %04d", isoWeek, isoYear)
	}
	return p.from.String() + ".." + p.to.String()
}

func yearOf(y int) period { return period{date.New(y, 1, 1), date.New(y, 12, 31)} }

// monthOf takes month 13 as January of the next year.
func monthOf(y int, m time.Month) period {
	return period{date.New(y, m, 1), date.New(y, m+1, 1).Add(-1)}
}

// weekOf returns an ISO week: week 1 is the one with 4 January in it.
func weekOf(y, week int) period {
	return weekWith(date.New(y, 1, 4).Add(date.PeriodOfDays(7 * (week - 1))))
}

// weekWith returns the ISO week that d lies in.
func weekWith(d date.Date) period {
	monday := d.Add(-date.PeriodOfDays((d.Weekday() + 6) % 7))
	return period{monday, monday.Add(6)}
}

// period reads a period and, after "..", its end.
func (p *dayParser) period() (period, error) {
	start := p.next()
	span, implied, err := p.onePeriod(p.today)
	if err != nil {
		return period{}, err
	}
	if p.accept("..") {
		if span.to, err = p.end(span.from, start, implied); err != nil {
			return period{}, err
		}
	}
	latest := date.New(span.from.Year()+maxYears, span.from.Month(), span.from.Day())
	switch {
	case span.to.Before(span.from):
		return period{}, p.fail(start, "%s..%s runs backwards", span.from, span.to)
	case !span.to.Before(latest):
		return period{}, p.fail(start, "%s..%s is longer than %d years", span.from, span.to, maxYears)
	case span.from.Year() < FirstYear || span.to.Year() > LastYear:
		return period{}, p.fail(start, "%s..%s is not between the years %d and %d", span.from, span.to, FirstYear, LastYear)
	}
	return span, nil
}

// end reads what follows "..": a number of days as +6, or a period, whose last
// day counts. A month or week without a year is the next after from.
func (p *dayParser) end(from date.Date, start word, startImplied bool) (date.Date, error) {
	w := p.next()
	if len(w.text) > 1 && w.text[0] == '+' {
		n, err := strconv.ParseUint(w.text[1:], 10, 12)
		if err != nil {
			return date.Date{}, p.fail(w, "%s is not a number of days such as +6", quote(w.raw))
		}
		p.take()
		return from.Add(date.PeriodOfDays(n)), nil
	}
	span, implied, err := p.onePeriod(from)
	if err != nil {
		return date.Date{}, err
	}
	if startImplied && !implied {
		return date.Date{}, p.fail(start, "%s needs a year too, since the end of the period has one", quote(start.raw))
	}
	return span.to, nil
}

// onePeriod reads a period without "..". It reports whether the year was
// implied: chosen so that the period is not over at now.
func (p *dayParser) onePeriod(now date.Date) (_ period, implied bool, _ error) {
	w := p.take()
	switch {
	case looksLike(w.text, "0000-00-00"):
		d, err := ParseDay(w.text)
		if err != nil {
			return period{}, false, p.fail(w, "%v", err)
		}
		return period{d, d}, false, nil
	case looksLike(w.text, "0000-00"):
		y, m := number(w.text[:4]), number(w.text[5:])
		if m < 1 || m > 12 {
			return period{}, false, p.fail(w, "%s has no such month: months are 01 to 12", w.text)
		}
		return monthOf(y, time.Month(m)), false, nil
	case looksLike(w.text, "0000"):
		return yearOf(number(w.text)), false, nil
	case looksLike(w.text, "0000-w00"):
		span, err := p.isoWeek(w, number(w.text[:4]), number(w.text[6:]))
		return span, false, err
	case w.text == "today":
		return period{p.today, p.today}, false, nil
	case w.text == "tomorrow":
		return period{p.today.Add(1), p.today.Add(1)}, false, nil
	case w.text == "this" || w.text == "next":
		span, err := p.relative(w)
		return span, false, err
	case w.text == "week":
		return p.numberedWeek(now)
	case monthWords[w.text] != 0:
		m := monthWords[w.text]
		if y, ok := p.year(); ok {
			return monthOf(y, m), false, nil
		}
		span := monthOf(now.Year(), m)
		if span.to.Before(now) {
			span = monthOf(now.Year()+1, m)
		}
		return span, true, nil
	}
	return period{}, false, p.unknown(w)
}

// year takes a year that follows a month's name or a week's number.
func (p *dayParser) year() (int, bool) {
	if w := p.next(); !w.comma && looksLike(w.text, "0000") {
		return number(p.take().text), true
	}
	return 0, false
}

// relative reads what follows this and next.
func (p *dayParser) relative(w word) (period, error) {
	step := 0
	if w.text == "next" {
		step = 1
	}
	y, m, _ := p.today.Date()
	switch {
	case p.accept("week"):
		return weekWith(p.today.Add(date.PeriodOfDays(7 * step))), nil
	case p.accept("month"):
		return monthOf(y, m+time.Month(step)), nil
	case p.accept("year"):
		return yearOf(y + step), nil
	}
	return period{}, p.fail(w, "%s must be followed by week, month or year", quote(w.raw))
}

func (p *dayParser) numberedWeek(now date.Date) (_ period, implied bool, _ error) {
	w := p.take()
	n, err := strconv.ParseUint(w.text, 10, 8)
	if err != nil {
		return period{}, false, p.fail(w, `"week" must be followed by its number, as in week 50`)
	}
	y, given := p.year()
	if !given {
		y, _ = now.ISOWeek()
		if weekOf(y, int(n)).to.Before(now) {
			y++
		}
	}
	span, err := p.isoWeek(w, y, int(n))
	return span, !given, err
}

func (p *dayParser) isoWeek(w word, y, n int) (period, error) {
	span := weekOf(y, n)
	if gotYear, gotWeek := span.from.ISOWeek(); gotYear != y || gotWeek != n {
		_, weeks := date.New(y, 12, 28).ISOWeek() // 28 December is always in the last week
		return period{}, p.fail(w, "%d has weeks 1 to %d", y, weeks)
	}
	return span, nil
}
