package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"holdfast/inventory"
)

const (
	requestIDHeader   = "X-Request-Id"
	traceparentHeader = "Traceparent"
	maxRequestID      = 128
)

// request is what log lines say of the request that they are about.
type request struct {
	id     string
	client inventory.Client // zero before it is known
}

type requestKey struct{}

func requestOf(ctx context.Context) *request {
	q, _ := ctx.Value(requestKey{}).(*request)
	return q
}

// identified gives a request its id, says it in the answer, and remembers it for
// log lines.
func identified(w http.ResponseWriter, r *http.Request) (*http.Request, *request) {
	q := &request{id: requestID(r.Header)}
	w.Header().Set(requestIDHeader, q.id)
	return r.WithContext(context.WithValue(r.Context(), requestKey{}, q)), q
}

// requestID is the id that whoever is in front of us gave the request: that of
// X-Request-Id, or else the trace id of traceparent. Without one, or with one
// that is not plain, it makes one.
func requestID(h http.Header) string {
	if given := h[requestIDHeader]; len(given) == 1 && plainID(given[0]) {
		return given[0]
	}
	if given := h[traceparentHeader]; len(given) == 1 {
		if trace, ok := traceID(given[0]); ok {
			return trace
		}
	}
	return uuid.NewString()
}

// plainID reports whether an id can stand in a log, a header and a command line
// as it is.
func plainID(s string) bool {
	if s == "" || len(s) > maxRequestID {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case i > 0 && strings.IndexByte("-_.:=+/@", c) >= 0:
		default:
			return false
		}
	}
	return true
}

// traceID takes the trace id out of a traceparent: version, trace id, parent id
// and flags in hex. A later version may say more behind that.
func traceID(s string) (string, bool) {
	parts := strings.Split(s, "-")
	if len(parts) < 4 || parts[0] == "00" && len(parts) > 4 || parts[0] == "ff" {
		return "", false
	}
	for i, length := range []int{2, 32, 16, 2} {
		if len(parts[i]) != length || strings.Trim(parts[i], "0123456789abcdef") != "" {
			return "", false
		}
	}
	return parts[1], strings.Trim(parts[1], "0") != "" && strings.Trim(parts[2], "0") != ""
}

// requestLog adds to every line which request of whom it is about, where there
// is one.
type requestLog struct{ slog.Handler }

func (h requestLog) Handle(ctx context.Context, line slog.Record) error {
	if q := requestOf(ctx); q != nil {
		line.AddAttrs(slog.String("request", q.id))
		if q.client.Name != "" {
			line.AddAttrs(slog.String("client", q.client.Name))
		}
	}
	return h.Handler.Handle(ctx, line)
}

func (h requestLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestLog{h.Handler.WithAttrs(attrs)}
}

func (h requestLog) WithGroup(name string) slog.Handler { return requestLog{h.Handler.WithGroup(name)} }
