package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of a listener. A zero value would mean none.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 10 * time.Second
	writeTimeout      = 15 * time.Second
	idleTimeout       = 60 * time.Second
	maxHeader         = 16 << 10
	maxConns          = 4096
	drainLimit        = 10 * time.Second
)

// Serve answers on ln until ctx ends: then readiness goes red, nothing more is
// accepted, and what is in flight is finished, for at most 10 seconds. It
// returns nil after a clean end, and closes ln in any case.
func (a *API) Serve(ctx context.Context, ln net.Listener) error {
	err := a.listen(ctx, ln, a.handler, func() { a.draining.Store(true) })
	last, cancel := limited(ctx, "rooms.end", storeLimit)
	defer cancel()
	a.rooms.end(last)
	return err
}

// ServeMetrics answers /metrics on ln until ctx ends.
func (a *API) ServeMetrics(ctx context.Context, ln net.Listener) error {
	return a.listen(ctx, ln, a.MetricsHandler(), func() {})
}

func (a *API) listen(ctx context.Context, ln net.Listener, h http.Handler, draining func()) error {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelDebug), // broken connections of others
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(limitConns(ln, maxConns)) }()
	select {
	case err := <-served:
		return fmt.Errorf("listen on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	draining()
	// ctx is over, and what is in flight must not be.
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainLimit)
	defer cancel()
	err := srv.Shutdown(drain)
	if err != nil {
		_ = srv.Close()
		err = fmt.Errorf("requests on %s were still running after %s: %w", ln.Addr(), drainLimit, err)
	}
	if cause := <-served; !errors.Is(cause, http.ErrServerClosed) {
		err = errors.Join(err, cause)
	}
	return err
}

// limitConns accepts a connection only while fewer than most are open; the
// others wait in the kernel's queue.
func limitConns(ln net.Listener, most int) net.Listener {
	return &cappedListener{Listener: ln, slots: make(slots, most), closed: make(chan struct{})}
}

type cappedListener struct {
	net.Listener
	slots  slots
	once   sync.Once
	closed chan struct{}
}

func (l *cappedListener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		l.slots.release()
		return nil, err
	}
	return &countedConn{Conn: conn, release: l.slots.release}, nil
}

func (l *cappedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type countedConn struct {
	net.Conn
	once    sync.Once
	release func()
}

func (c *countedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.release)
	return err
}
