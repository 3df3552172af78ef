package timezone

import (
	"fmt"
	"time"

	"github.com/rickb777/date"
)

// reach is more than any zone's distance from UTC (15:13:42 at most, in the
// days of local mean time; 14 h today).
const reach = 16 * time.Hour

// Offset is how far a zone's clocks are ahead of UTC.
type Offset time.Duration

// String returns the offset as +01:00, with seconds only if there are any.
func (o Offset) String() string {
	sign, d := '+', time.Duration(o)
	if d < 0 {
		sign, d = '-', -d
	}
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	if s != 0 {
		return fmt.Sprintf("%c%02d:%02d:%02d", sign, h, m, s)
	}
	return fmt.Sprintf("%c%02d:%02d", sign, h, m)
}

// OffsetAt returns the offset of z at t.
func OffsetAt(t time.Time, z Zone) Offset {
	_, seconds := t.In(z.loc).Zone()
	return Offset(seconds) * Offset(time.Second)
}

// span is a stretch [from, to) in which a zone keeps one offset. It need not be
// as long as it could be: neighbours can have the same offset. A zero to means
// that the offset stays for ever.
type span struct {
	from, to time.Time
	offset   Offset
}

// spanFrom returns the span that begins at t.
func spanFrom(t time.Time, z Zone) span {
	local := t.In(z.loc)
	_, to := local.ZoneBounds()
	if !to.IsZero() && !to.After(t) {
		// Where a zone's rule for the future applies, ZoneBounds takes each year to
		// end after 365 days (go.dev/issue/81583). Nothing changes on 31 December.
		to = time.Date(t.UTC().Year()+1, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	return span{t, to.UTC(), OffsetAt(t, z)}
}

// instantOf returns when clocks ahead of UTC by o show what face shows in UTC.
func (o Offset) instantOf(face time.Time) time.Time { return face.Add(-time.Duration(o)) }

// face returns the UTC instant whose clock face shows what clocks ahead of UTC by
// o show at t.
func (o Offset) face(t time.Time) time.Time { return t.UTC().Add(time.Duration(o)) }

// holds reports whether t lies in the span.
func (s span) holds(t time.Time) bool {
	return !t.Before(s.from) && (s.to.IsZero() || t.Before(s.to))
}

// face returns the UTC instant whose clock face shows midnight of d. It is a
// label to calculate with, not the start of anybody's day.
func face(d date.Date) time.Time {
	y, m, day := d.Date()
	return time.Date(y, m, day, 0, 0, 0, 0, time.UTC)
}
