package pgstore

import (
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
	"github.com/rickb777/date"
)

// How Go values stand in SQL, where the driver does not say it alone.

// orNull makes SQL's NULL of a zero instant, both ways.
func orNull(t *time.Time) *zeronull.Timestamptz { return (*zeronull.Timestamptz)(t) }

// textOrNull makes NULL of "".
func textOrNull(s string) zeronull.Text { return zeronull.Text(s) }

// idOrNull makes NULL of the zero id.
func idOrNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// numberOrNull makes NULL of 0.
func numberOrNull(n int64) zeronull.Int8 { return zeronull.Int8(n) }

// daysArg writes days as the text of a date[]; the date type has no array
// encoding of its own.
func daysArg(days []date.Date) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, d := range days {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(d.String())
	}
	b.WriteByte('}')
	return b.String()
}
