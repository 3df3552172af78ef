package notify

import (
	"context"
	"log/slog"
	"time"
	"unicode"

	"holdfast/inventory"
)

// maxLogged bounds the data of one message in the log, in characters.
const maxLogged = 4096

// Log writes every message to a log, for installations without a receiver and
// to watch what others get.
type Log struct{ log *slog.Logger }

// NewLog returns a sink that writes to log at info level.
func NewLog(log *slog.Logger) *Log { return &Log{log} }

// Deliver writes m as one entry. It fails if the context has ended, or if m
// could not be sent by other sinks either; what becomes of the entry is the
// log's business.
func (l *Log) Deliver(ctx context.Context, m inventory.OutboxMessage) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := encode(m); err != nil {
		return err
	}
	l.log.LogAttrs(ctx, slog.LevelInfo, "a message of the journal",
		slog.String("message_id", m.ID()), slog.String("topic", printable(m.Topic)),
		slog.String("booking", m.BookingID.String()), slog.Int("seq", m.Seq),
		slog.String("at", m.At.UTC().Format(time.RFC3339Nano)), slog.Int("attempt", m.Attempt),
		slog.String("data", printable(string(m.Data))))
	return nil
}

// printable replaces what could reorder or break a line where the log is
// read, and cuts what is too long: the data holds text of buyers.
func printable(s string) string {
	out := make([]rune, 0, min(len(s), maxLogged))
	for _, r := range s {
		if len(out) == maxLogged {
			return string(out) + "…"
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			r = unicode.ReplacementChar
		}
		out = append(out, r)
	}
	return string(out)
}
