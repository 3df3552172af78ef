package httpapi

import (
	"net/http"
	"time"

	"holdfast/inventory"
)

const readyLimit = time.Second

// healthView is the answer of both health checks.
type healthView struct {
	Status string `json:"status" example:"ok"`
}

// healthz says that the process answers. It asks nothing else, so that a
// database that is away does not get every daemon restarted.
func (a *API) healthz(w http.ResponseWriter, _ *http.Request) error {
	return respond(w, http.StatusOK, healthView{"ok"})
}

// readyz says whether requests should come here: not while the database is
// away, and not while the process is on its way out.
func (a *API) readyz(w http.ResponseWriter, r *http.Request) error {
	if a.draining.Load() {
		return problem{status: http.StatusServiceUnavailable, code: "UNAVAILABLE", title: "shutting down"}
	}
	ctx, cancel := limited(r.Context(), "database.ping", readyLimit)
	defer cancel()
	if err := a.store.Ping(ctx); err != nil {
		if inventory.Code(err) == "INTERNAL" {
			return problem{status: http.StatusServiceUnavailable, code: "UNAVAILABLE", title: inventory.ErrUnavailable.Error()}
		}
		return err
	}
	return respond(w, http.StatusOK, healthView{"ok"})
}

func (a *API) document(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(a.openapi) // the caller may have gone
	return nil
}
