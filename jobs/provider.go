package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// providerCalls bounds how many calls one run has open at each provider, so
	// that one that hangs costs a few goroutines, holds up nobody else's calls, and
	// leaves most of what the provider's client allows to buyers who pay.
	providerCalls = 8

	// providerCallLimit ends one call. It stands behind the provider's own deadline.
	providerCallLimit = 10 * time.Second

	// noteLimit bounds writing down what a call brought, which happens even if the
	// run has been told to stop.
	noteLimit = 5 * time.Second
)

// Provider is a payment provider as the jobs use it. An error of any method
// means that the outcome is not known, unless the method says otherwise.
type Provider interface {
	paymentProvider
	refundProvider
}

// names are the providers that this process can ask, in order.
func names(providers map[string]Provider) []string {
	return slices.Sorted(maps.Keys(providers))
}

// forEach runs do for every task, at most providerCalls at a time for each
// provider and those of different providers beside each other. It returns the
// first error after all have ended.
func forEach[T any](tasks []T, provider func(T) string, do func(T) error) error {
	byProvider := map[string][]T{}
	for _, t := range tasks {
		byProvider[provider(t)] = append(byProvider[provider(t)], t)
	}
	var all errgroup.Group
	for _, theirs := range byProvider {
		all.Go(func() error {
			var calls errgroup.Group
			calls.SetLimit(providerCalls)
			for _, t := range theirs {
				calls.Go(func() error { return do(t) })
			}
			return calls.Wait()
		})
	}
	return all.Wait()
}

// call makes one call to a provider with a limit of its own, and turns a panic
// into an error, so that either belongs to this call only.
func call[A any](ctx context.Context, log *slog.Logger, name string, do func(context.Context) (A, error)) (answer A, err error) {
	defer func() {
		if p := recover(); p != nil {
			log.LogAttrs(ctx, slog.LevelError, "a call to a provider panicked",
				slog.String("call", name), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeoutCause(ctx, providerCallLimit, errors.New(name+" took over "+providerCallLimit.String()))
	defer cancel()
	answer, err = do(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = fmt.Errorf("%w (%w)", cause, err)
	}
	return answer, err
}

// noting is the context for writing down what a call brought: the run may have
// been told to stop during the call, and what is known is kept.
func noting(ctx context.Context, name string) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(context.WithoutCancel(ctx), noteLimit, errors.New(name+" took over "+noteLimit.String()))
}
