package main

import (
	"fmt"
	"io"
	"log/slog"
	"time"
)

// maxAttr and maxStack bound one value of a log line, in characters.
const (
	maxAttr  = 256
	maxStack = 8000
)

// jsonLog is the daemon's log: one JSON object a line.
func jsonLog(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: cleanAttr}))
}

// cleanAttr makes every value safe to look at with a terminal. The JSON handler
// leaves bidirectional overrides and C1 controls as they are.
func cleanAttr(_ []string, a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		most := maxAttr
		if a.Key == "stack" {
			most = maxStack
		}
		return slog.String(a.Key, cutText(clean(v.String()), most))
	case slog.KindDuration:
		return slog.String(a.Key, v.Duration().Round(time.Microsecond).String())
	case slog.KindAny:
		switch v := v.Any().(type) {
		case error:
			return slog.String(a.Key, cutText(clean(v.Error()), maxAttr*2))
		case slog.Level:
		default: // such as what a panic was called with
			return slog.String(a.Key, cutText(clean(fmt.Sprint(v)), maxAttr*2))
		}
	case slog.KindBool, slog.KindFloat64, slog.KindInt64, slog.KindUint64, slog.KindTime, slog.KindGroup, slog.KindLogValuer:
	}
	return a
}

func cutText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}
