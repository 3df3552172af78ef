// Package localdb runs a private PostgreSQL for people who have none running.
//
// The server belongs to a supervisor: this same program, executed again,
// which outlives the command that needed it by a moment only. Every client
// keeps a connection to the supervisor for as long as it uses the database, so
// a client that is killed counts as gone without having to say anything. See
// ../DESIGN.md for the guarantees and for why it is done this way.
package localdb

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"time"
)

// Kind says what becomes of the data when nobody uses the database any more.
type Kind int

const (
	// Temporary data lives in a new directory and is removed with the last client.
	Temporary Kind = iota
	// Kept data lives in the user's data directory and is found again next time;
	// all processes that ask for it share one server.
	Kept
)

// Options describe the wanted server. The zero value is a temporary one with
// PostgreSQL's own durable defaults.
type Options struct {
	Kind Kind

	// Dir is the directory of a Kept database, by default holdfast's place in
	// the user's data directory, and the parent of a Temporary one, by default
	// the system's directory for temporary files.
	Dir string

	// BinDir holds initdb and postgres. Empty means: look for them, else
	// download them.
	BinDir string

	// NoFsync trades safety against a crash of the machine for speed. For
	// tests; it is refused for Kept data.
	NoFsync bool

	// Settings are further PostgreSQL settings, such as max_connections. They
	// count only for the process that actually starts the server.
	Settings map[string]string

	// Linger is how long a server without clients waits for the next one. By
	// default nothing for Temporary and 3 s for Kept.
	Linger time.Duration
}

// keptLinger lets a script of short commands share one server.
const keptLinger = 3 * time.Second

// startLimit bounds Start for callers whose context has no deadline. Crash
// recovery or a download can make a start slow; nothing makes it take minutes.
const startLimit = 3 * time.Minute

// Server is one client's use of a private PostgreSQL.
type Server struct {
	conn *net.UnixConn
	at   endpoint
	dir  string
	kind Kind
	done chan struct{} // closed when the supervisor is gone or has let us go

	closing sync.Once
	stopped bool // the supervisor's word that all is cleaned up; read after done
}

// Start gives a running database, attaching to the Kept one if some process has
// it running already. ctx bounds the start, not the life of the server. The
// caller must Close the server; if it dies instead, the effect is the same.
//
// It fails if no PostgreSQL 15 or newer can be found or downloaded (errors.Is
// ErrNoBinaries; the text says what to install), if the directory cannot be
// used, or if PostgreSQL does not start (the text ends with its log's last
// lines). The main function, or TestMain, must have called Reexec first.
func Start(ctx context.Context, opts Options) (*Server, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit,
		fmt.Errorf("its start took over %v", startLimit))
	defer cancel()

	p, err := choosePlace(opts)
	if err != nil {
		return nil, fmt.Errorf("private PostgreSQL: %w", err)
	}
	s, err := p.open(ctx, opts)
	if err != nil {
		p.discard(opts.Kind)
		return nil, fmt.Errorf("private PostgreSQL in %s: %w", p.dir, err)
	}
	return s, nil
}

func (o Options) validate() error {
	if o.Kind == Kept && o.NoFsync {
		return errors.New("private PostgreSQL: kept data needs fsync")
	}
	for name := range o.Settings {
		if reserved(name) {
			return fmt.Errorf("private PostgreSQL: setting %q cannot be changed", name)
		}
	}
	return nil
}

// URL is the address of the database holdfast for pgx, through the server's unix
// socket. It holds the password and must not be logged.
func (s *Server) URL() string { return s.at.socketURL(databaseName) }

// TCPURL is the same database through the loopback port, for programs that
// know no unix sockets.
func (s *Server) TCPURL() string { return s.at.tcpURL(databaseName) }

// Dir is where everything of this server lives: data, log and sockets.
func (s *Server) Dir() string { return s.dir }

// LogPath is the file that PostgreSQL and its supervisor log to.
func (s *Server) LogPath() string { return filepath.Join(s.dir, logName) }

// Done is closed when the server's supervisor is gone, whatever the reason.
func (s *Server) Done() <-chan struct{} { return s.done }

// Close ends this client's use. For a Temporary database with no other client
// it returns once the server has stopped and its directory is removed; for a
// Kept one at once. Calling it again is harmless.
func (s *Server) Close(ctx context.Context) error {
	s.closing.Do(func() { _ = s.conn.CloseWrite() })
	select {
	case <-s.done:
	case <-ctx.Done():
		_ = s.conn.Close()
		return fmt.Errorf("private PostgreSQL in %s: wait for its end: %w", s.dir, context.Cause(ctx))
	}
	_ = s.conn.Close()
	if !s.stopped {
		return fmt.Errorf("private PostgreSQL in %s: its supervisor ended early", s.dir)
	}
	return nil
}
