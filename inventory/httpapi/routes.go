package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"holdfast/inventory"
)

// handler answers a request or returns why it does not. It writes nothing
// before it returns an error.
type handler func(w http.ResponseWriter, r *http.Request) error

// route is one method on one path, with all that is checked before its handler
// runs.
type route struct {
	method string
	path   string
	open   bool     // for everybody, without a token
	scope  string   // that the client must have; "" = any client
	query  []string // parameters it knows; any other is refused
	slots  slots    // nil: not bounded
	spared bool     // from rate limits: money and signs of life get through
	serve  handler
	about  about // for openapi.json
}

// routes is the whole of the listener.
func (a *API) routes() []route {
	const booking, event = "/bookings/{bookingId}", "/events/{eventId}"
	holds, ours := inventory.ScopeHolds, a.requests
	return []route{
		{method: http.MethodPost, path: "/holds", scope: holds, slots: ours, serve: a.placeHold, about: aboutPlaceHold},
		{method: http.MethodGet, path: booking, scope: holds, slots: ours, serve: a.getBooking, about: aboutGetBooking},
		{method: http.MethodPatch, path: booking, scope: holds, slots: ours, serve: a.moveBooking, about: aboutMoveBooking},
		{method: http.MethodDelete, path: booking, scope: holds, slots: ours, serve: a.releaseHold, about: aboutReleaseHold},
		{method: http.MethodPost, path: booking + "/pay", scope: holds, slots: ours, serve: a.pay, about: aboutPay},
		{method: http.MethodGet, path: "/venues/{venue}/pools/{pool}/days", query: []string{"from", "to"}, slots: ours, serve: a.listDays, about: aboutListDays},
		{method: http.MethodGet, path: "/venues/{venue}/events", query: []string{"from"}, slots: ours, serve: a.listEvents, about: aboutListEvents},
		{method: http.MethodGet, path: event, slots: ours, serve: a.getEvent, about: aboutGetEvent},
		{method: http.MethodGet, path: event + "/seats", slots: ours, serve: a.listSeats, about: aboutListSeats},
		{method: http.MethodPost, path: event + "/seats/{seatId}/hold", scope: holds, slots: ours, serve: a.holdSeat, about: aboutHoldSeat},
		{method: http.MethodPost, path: event + "/admission", scope: holds, slots: ours, serve: a.joinEvent, about: aboutJoinEvent},
		{method: http.MethodPost, path: "/venues/{venue}/pools/{pool}/admission", scope: holds, slots: ours, serve: a.joinPool, about: aboutJoinPool},
		{method: http.MethodGet, path: "/admission", scope: holds, slots: ours, serve: a.getAdmission, about: aboutGetAdmission},
		{method: http.MethodGet, path: "/resources/{venue}/{resource}/slots", query: []string{"day"}, slots: ours, serve: a.listSlots, about: aboutListSlots},
		{method: http.MethodPost, path: "/payments/webhook", open: true, spared: true, query: anyQuery, slots: a.callbacks, serve: a.webhook, about: aboutWebhook},
		{method: http.MethodPost, path: "/payments/webhook/{provider}", open: true, spared: true, query: anyQuery, slots: a.callbacks, serve: a.webhook, about: aboutWebhookOf},
		{method: http.MethodGet, path: "/healthz", open: true, spared: true, serve: a.healthz, about: aboutHealthz},
		{method: http.MethodGet, path: "/readyz", open: true, spared: true, serve: a.readyz, about: aboutReadyz},
		{method: http.MethodGet, path: "/openapi.json", open: true, serve: a.document, about: aboutDocument},
	}
}

// anyQuery marks a path whose address somebody else completes.
var anyQuery = []string{"*"}

// mux maps paths to routes. A known path with another method is 405, any other
// path 404, both in our words.
func (a *API) mux(routes []route) http.Handler {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, rt := range routes {
		mux.Handle(rt.method+" "+rt.path, a.serve(rt))
		methods[rt.path] = append(methods[rt.path], rt.method)
	}
	for path, allowed := range methods {
		if slices.Contains(allowed, http.MethodGet) {
			allowed = append(allowed, http.MethodHead)
		}
		slices.Sort(allowed)
		mux.Handle(path, a.serve(route{path: path, open: true, query: anyQuery, serve: methodNotAllowed(allowed)}))
	}
	missing := a.serve(route{path: "other", open: true, query: anyQuery, serve: notFound})
	mux.Handle("/", missing)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !plainPath(r) {
			missing.ServeHTTP(w, r) // the mux would redirect to what it thinks was meant
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// plainPath reports whether the path is written the one way that we write it:
// no escapes, no empty and no dot segments, no slash at its end.
func plainPath(r *http.Request) bool {
	path := r.URL.EscapedPath()
	if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "%;\\") {
		return false
	}
	for segment := range strings.SplitSeq(path[1:], "/") {
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

func notFound(http.ResponseWriter, *http.Request) error {
	return problem{status: http.StatusNotFound, code: "NOT_FOUND", detail: "there is nothing at this address"}
}

func methodNotAllowed(allowed []string) handler {
	list := strings.Join(allowed, ", ")
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Allow", list)
		return problem{status: http.StatusMethodNotAllowed, code: "METHOD_NOT_ALLOWED", detail: "this address answers " + list}
	}
}
