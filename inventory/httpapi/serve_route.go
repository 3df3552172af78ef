package httpapi

import (
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"

	"github.com/google/uuid"

	"holdfast/inventory"
)

// serve wraps a route with what every request gets: limits, authentication,
// metrics, one place where errors become answers, and a panic that ends only
// its own request.
func (a *API) serve(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := a.clock.Now()
		out := &answer{ResponseWriter: w}
		r, named := identified(w, r)
		defer func() {
			if cause := recover(); cause != nil {
				a.panicked(out, r, rt, cause)
			}
			a.metrics.observe(rt, r.Method, out.status, a.clock.Now().Sub(began))
		}()
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if len(r.TransferEncoding) > 0 {
			// net/http believes the chunks where a length was sent as well; whoever
			// stands in front may have believed the length. Nothing after this body
			// is taken for a request.
			w.Header().Set("Connection", "close")
		}
		if !rt.spared {
			if err := a.limits.ofAddress(r); err != nil {
				a.fail(out, r, rt, err)
				return
			}
		}
		if rt.slots != nil {
			if !rt.slots.take() {
				a.fail(out, r, rt, errOverloaded)
				return
			}
			defer rt.slots.release()
		}
		if err := a.admit(out, r, rt, named); err != nil {
			a.fail(out, r, rt, err)
		}
	})
}

var errOverloaded = errors.Join(inventory.ErrBusy, errors.New("too many requests are in flight"))

// admit checks what a route asks of every request and runs its handler.
func (a *API) admit(w http.ResponseWriter, r *http.Request, rt route, named *request) error {
	if !rt.open {
		client, err := a.authenticate(r)
		if err != nil {
			return err
		}
		named.client = client
		if err := a.limits.ofClient(client); err != nil {
			return err
		}
		if rt.scope != "" && !slices.Contains(client.Scopes, rt.scope) {
			return problem{status: http.StatusForbidden, code: "FORBIDDEN", detail: "this client does not have the scope " + rt.scope}
		}
	}
	if !slices.Equal(rt.query, anyQuery) {
		if err := checkQuery(r, rt.query); err != nil {
			return err
		}
	}
	return rt.serve(w, r)
}

// checkQuery refuses parameters that the route does not know, or knows once.
// Tokens in particular are never read from an address, where logs keep them.
func checkQuery(r *http.Request, known []string) error {
	values, err := parseQuery(r)
	if err != nil {
		return err
	}
	var errs []error
	for name, all := range values {
		switch {
		case !slices.Contains(known, name):
			errs = append(errs, inventory.Invalid(quoted(name), "is not a parameter here"))
		case len(all) > 1:
			errs = append(errs, inventory.Invalid(name, "is there twice"))
		}
	}
	return errors.Join(errs...)
}

// fail answers with the problem that err is, if nothing was answered yet, and
// logs what staff may have to look at.
func (a *API) fail(w *answer, r *http.Request, rt route, err error) {
	p := problemOf(err)
	if p.status >= http.StatusInternalServerError {
		p.requestID = requestOf(r.Context()).id // a refusal says the same to everybody: the header names the request
	}
	if p.code == "UNKNOWN_OUTCOME" && !rt.about.keyed {
		p.detail = "it may have been done: read the booking to see"
	}
	a.logFailure(r, rt, &p, err)
	if w.status == 0 {
		p.write(w)
	}
}

// logFailure gives a 500 its errorId. A refusal is every second request of a
// crowd: nothing is put together for it that nobody reads.
func (a *API) logFailure(r *http.Request, rt route, p *problem, err error) {
	refusal := p.status < http.StatusInternalServerError && !errors.As(err, new(*refusedCallback))
	if refusal && !a.log.Enabled(r.Context(), slog.LevelDebug) {
		return
	}
	attrs := []slog.Attr{slog.String("route", rt.path), slog.String("code", p.code), slog.Any("error", err)}
	switch {
	case p.status == http.StatusInternalServerError:
		p.errorID = uuid.NewString()
		a.log.LogAttrs(r.Context(), slog.LevelError, "a request failed", append(attrs, slog.String("error_id", p.errorID))...)
	case p.status > http.StatusInternalServerError:
		a.log.LogAttrs(r.Context(), slog.LevelWarn, "a request could not be served", attrs...)
	case refusal:
		a.log.LogAttrs(r.Context(), slog.LevelDebug, "a request was refused", attrs...)
	default:
		a.log.LogAttrs(r.Context(), slog.LevelWarn, "a callback was refused", attrs...)
	}
}

// panicked answers 500 for the one request whose handler panicked and logs the
// stack under the same id.
func (a *API) panicked(w *answer, r *http.Request, rt route, cause any) {
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(cause) // net/http's own way to abandon an answer
	}
	p := problemOf(errPanicked)
	p.errorID, p.requestID = uuid.NewString(), requestOf(r.Context()).id
	a.metrics.panics.Inc()
	a.log.LogAttrs(r.Context(), slog.LevelError, "a request panicked",
		append(panicAttrs(cause), slog.String("route", rt.path), slog.String("error_id", p.errorID))...)
	if w.status == 0 {
		p.write(w)
	}
}

func panicAttrs(cause any) []slog.Attr {
	return []slog.Attr{slog.Any("panic", cause), slog.String("stack", string(debug.Stack()))}
}

var errPanicked = errors.New("the handler panicked")

// answer remembers what was answered.
type answer struct {
	http.ResponseWriter
	status int
}

func (w *answer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *answer) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController and http.MaxBytesReader reach the server.
func (w *answer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
