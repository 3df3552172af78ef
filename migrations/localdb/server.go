package localdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// server keeps one postmaster running on one port: clients have the address, so
// a postmaster that dies is started again at the same place.
type server struct {
	at   endpoint
	spec spec
	bin  binaries
	log  *slog.Logger

	stopping chan struct{}
	stopOnce sync.Once
	gone     chan struct{} // closed when the watcher has ended
	gaveUp   chan struct{} // closed when restarting did not help
}

const (
	portTries    = 5 // another program may take a free port before we do
	restartTries = 5
	restartPause = 200 * time.Millisecond
)

// bringUp starts the server on data that may be new, in use by an orphaned
// postmaster, or left behind by a crash.
func bringUp(ctx context.Context, s spec, log *slog.Logger) (*server, error) {
	if err := stopOrphan(filepath.Join(s.Dir, dataName), log); err != nil {
		return nil, err
	}
	bin, err := chooseBinaries(ctx, s)
	if err != nil {
		return nil, err
	}
	password, err := initCluster(ctx, bin, s)
	if err != nil {
		return nil, err
	}
	srv := &server{
		spec: s, bin: bin, log: log,
		stopping: make(chan struct{}),
		gone:     make(chan struct{}),
		gaveUp:   make(chan struct{}),
	}
	pm, err := srv.firstStart(ctx, password)
	if err != nil {
		return nil, err
	}
	go srv.watch(context.WithoutCancel(ctx), pm) // it runs for longer than its start
	if err := ensureDatabase(ctx, srv.at); err != nil {
		srv.stop()
		return nil, err
	}
	return srv, nil
}

func (s *server) firstStart(ctx context.Context, password string) (*postmaster, error) {
	mark := logSize(s.spec)
	for try := 1; ; try++ {
		port, err := freePort(ctx)
		if err != nil {
			return nil, err
		}
		s.at = endpoint{Run: s.spec.Run, Port: port, Password: password}
		pm, err := s.startOnce(ctx)
		if err == nil {
			return pm, nil
		}
		if ctx.Err() != nil || try == portTries || portIsFree(ctx, port) {
			return nil, fmt.Errorf("start PostgreSQL: %w%s", err, logTail(s.spec, mark))
		}
	}
}

func (s *server) startOnce(ctx context.Context) (*postmaster, error) {
	pm, err := startPostmaster(s.bin, s.spec, s.at)
	if err != nil {
		return nil, err
	}
	if err := awaitReady(ctx, pm, s.at); err != nil {
		pm.stop()
		return nil, err
	}
	return pm, nil
}

// watch restarts a postmaster that ends without being told to, and stops it when
// it is.
func (s *server) watch(ctx context.Context, pm *postmaster) {
	defer close(s.gone)
	for {
		select {
		case <-s.stopping:
			pm.stop()
			return
		case <-pm.exited:
			s.log.Error("postgres ended by itself", slog.Any("error", pm.err))
			if pm = s.restart(ctx); pm == nil {
				close(s.gaveUp)
				return
			}
			s.log.Info("postgres runs again")
		}
	}
}

// restart tries a few times: backends of a killed postmaster need a moment to
// notice, and until then PostgreSQL refuses to start.
func (s *server) restart(ctx context.Context) *postmaster {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stopWaiting := make(chan struct{})
	defer close(stopWaiting)
	go func() {
		select {
		case <-s.stopping:
			cancel()
		case <-stopWaiting:
		}
	}()
	for try := range restartTries {
		select {
		case <-time.After(time.Duration(try) * restartPause):
		case <-ctx.Done():
			return nil
		}
		pm, err := s.startOnce(ctx)
		if err == nil {
			return pm
		}
		s.log.Error("restart postgres", slog.Int("try", try+1), slog.Any("error", err))
	}
	return nil
}

// stop is a fast shutdown, and a harder one if that takes too long. It returns
// when the server has ended. A nil server is one that never ran.
func (s *server) stop() {
	if s == nil {
		return
	}
	s.stopOnce.Do(func() { close(s.stopping) })
	<-s.gone
}

// failed is closed when the server is down for good.
func (s *server) failed() <-chan struct{} {
	if s == nil {
		return nil
	}
	return s.gaveUp
}

// awaitReady returns when the server accepts connections, or with an error as
// soon as the postmaster has ended.
func awaitReady(ctx context.Context, pm *postmaster, at endpoint) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := pgconn.Connect(ctx, at.socketURL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok && pgErr.Code != cannotConnectNow {
			return fmt.Errorf("log in to the new server: %w", err)
		}
		select {
		case <-tick.C:
		case <-pm.exited:
			return fmt.Errorf("postgres ended: %w", pm.err)
		case <-ctx.Done():
			return fmt.Errorf("%w while it said: %w", context.Cause(ctx), err)
		}
	}
}

// cannotConnectNow is the SQLSTATE of a server that is still starting.
const cannotConnectNow = "57P03"

const sqlDatabaseExists = `-- localdb.exists
SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`

const sqlCreateDatabase = `-- localdb.create
CREATE DATABASE ` + databaseName

// ensureDatabase is asked at every start, since a start may have been cut short
// between the cluster's creation and its database's.
func ensureDatabase(ctx context.Context, at endpoint) error {
	conn, err := pgx.Connect(ctx, at.socketURL("postgres"))
	if err != nil {
		return fmt.Errorf("create the database %s: %w", databaseName, err)
	}
	defer func() { _ = conn.Close(ctx) }()
	var exists bool
	if err := conn.QueryRow(ctx, sqlDatabaseExists, databaseName).Scan(&exists); err != nil {
		return fmt.Errorf("create the database %s: %w", databaseName, err)
	}
	if exists {
		return nil
	}
	if _, err := conn.Exec(ctx, sqlCreateDatabase); err != nil {
		return fmt.Errorf("create the database %s: %w", databaseName, err)
	}
	return nil
}

func freePort(ctx context.Context) (int, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer func() { _ = l.Close() }()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(port)
}

func portIsFree(ctx context.Context, port int) bool {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	_ = l.Close()
	return true
}

// logSize marks the end of the log before a start.
func logSize(s spec) int64 {
	info, err := os.Stat(filepath.Join(s.Dir, logName))
	if err != nil {
		return 0
	}
	return info.Size()
}
