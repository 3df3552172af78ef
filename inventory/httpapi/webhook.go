package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"holdfast/inventory"
)

// applyLimit is how long the answer to a stored callback waits for its effect:
// longer than the store waits for a lock, shorter than a provider's patience.
const applyLimit = 1400 * time.Millisecond

// webhook stores a provider's callback, answers 2xx once it is stored, and
// tries to apply it first: within a limit, and whatever comes of it, since the
// retry pass comes back to it.
func (a *API) webhook(w http.ResponseWriter, r *http.Request) error {
	provider := a.provider
	if name := r.PathValue("provider"); name != "" {
		provider = a.providers[name]
	}
	if provider == nil {
		return notFound(w, r)
	}
	body, err := readBody(w, r, maxCallback)
	if err != nil {
		return err
	}
	event, err := provider.ParseEvent(r.Header, body)
	if err != nil {
		a.metrics.callbacks.WithLabelValues(provider.Name(), "refused").Inc()
		return &refusedCallback{provider.Name(), err}
	}
	if event.Kind != "" {
		if err := a.keep(r.Context(), event); err != nil {
			return err
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// refusedCallback is a callback that the provider's own check did not let in.
// Staff have to see it: it may be a stranger's, or the secret may be wrong.
type refusedCallback struct {
	provider string
	cause    error
}

func (e *refusedCallback) Error() string { return "callback of " + e.provider + ": " + e.cause.Error() }

func (e *refusedCallback) Unwrap() error { return e.cause }

// problem tells a stranger nothing, and the provider what is wrong.
func (e *refusedCallback) problem() problem {
	if len(inventory.FieldErrors(e.cause)) > 0 {
		p := problemOf(e.cause)
		p.status = http.StatusBadRequest // the contract's word to providers
		return p
	}
	return problem{status: http.StatusUnauthorized, code: "UNAUTHENTICATED", detail: "the callback is not authentic"}
}

// keep stores an event and tries to apply it. Its error means that the event
// may not be stored, so that the provider sends it again.
func (a *API) keep(ctx context.Context, e inventory.ProviderEvent) error {
	began := a.clock.Now()
	store, cancel := limited(ctx, "event.store", storeLimit)
	defer cancel()
	fresh, err := a.inbox.StoreEvent(store, e)
	if err != nil {
		a.metrics.callbacks.WithLabelValues(e.Provider, "not_stored").Inc()
		return err
	}
	outcome := "stored"
	if !fresh {
		outcome = "repeated"
	}
	a.metrics.callbacks.WithLabelValues(e.Provider, outcome).Inc()
	apply, cancel := limited(ctx, "event.apply", applyLimit)
	defer cancel()
	if err := a.applyEvent(apply, e); err != nil && !errors.Is(err, errPanicked) { // a panic is in the log already
		a.log.LogAttrs(ctx, slog.LevelWarn, "a callback is stored and not applied yet",
			slog.String("provider", e.Provider), slog.String("event", e.ID), slog.Any("error", err))
	} else if err == nil && e.Kind == inventory.EventPaymentSucceeded {
		a.metrics.confirm.Observe(a.since(began))
	}
	return nil
}

// applyEvent keeps a panic from turning a stored callback into a failure that
// the provider would repeat for days.
func (a *API) applyEvent(ctx context.Context, e inventory.ProviderEvent) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			a.metrics.panics.Inc()
			a.log.LogAttrs(ctx, slog.LevelError, "applying a callback panicked",
				append(panicAttrs(cause), slog.String("provider", e.Provider), slog.String("event", e.ID))...)
			err = errors.Join(err, errPanicked)
		}
	}()
	return a.inbox.ApplyEvent(ctx, e.Provider, e.ID)
}
