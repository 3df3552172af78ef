package localdb

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// supervisor owns one server: it starts it, knows its clients, and stops it
// when the last of them is gone. All fields belong to the goroutine of run.
type supervisor struct {
	spec spec
	log  *slog.Logger

	joined  chan *net.UnixConn
	left    chan *net.UnixConn
	started chan start

	clients map[*net.UnixConn]bool
	parting []*net.UnixConn // said goodbye to a temporary database: let go when it is gone
	server  *server         // nil until it accepts connections
}

// start is how bringing up the server ended.
type start struct {
	server *server
	err    error
}

func newSupervisor(s spec) *supervisor {
	return &supervisor{
		spec:    s,
		log:     slog.New(slog.NewTextHandler(os.Stderr, nil)).With(slog.Int("supervisor", os.Getpid())),
		joined:  make(chan *net.UnixConn),
		left:    make(chan *net.UnixConn),
		started: make(chan start, 1),
		clients: map[*net.UnixConn]bool{},
	}
}

// run serves until nobody needs the server. It gives the exit status.
func (s *supervisor) run(first *net.UnixConn) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	signal.Ignore(syscall.SIGHUP)

	s.join(first)
	listener, err := s.listen()
	if err != nil {
		return s.fail(err)
	}
	defer func() { _ = listener.Close() }()

	go func() {
		server, err := bringUp(ctx, s.spec, s.log)
		s.started <- start{server, err}
	}()
	err = s.serve(signals)
	// From here on nobody may attach: a client that tries waits for our lock.
	_ = listener.Close()
	cancel()
	if s.server == nil && err == nil { // all clients left before the start had ended
		s.server = (<-s.started).server
	}
	if err != nil {
		return s.fail(err)
	}
	return s.finish()
}

// listen opens the attach socket. Whatever is in the way of it is from a dead
// supervisor, since we hold the lock.
func (s *supervisor) listen() (*net.UnixListener, error) {
	if err := os.RemoveAll(s.spec.Run); err != nil {
		return nil, err
	}
	if err := os.Mkdir(s.spec.Run, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(s.spec.Run, attachName)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			conn, err := listener.AcceptUnix()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil { // out of descriptors: the client waits in the queue
				time.Sleep(attachPause)
				continue
			}
			s.joined <- conn
		}
	}()
	return listener, nil
}

// serve returns when the server should stop, with an error if it could not run.
func (s *supervisor) serve(signals <-chan os.Signal) error {
	var nobodyLeft <-chan time.Time
	for {
		select {
		case conn := <-s.joined:
			nobodyLeft = nil
			s.join(conn)
		case conn := <-s.left:
			s.part(conn)
			if len(s.clients) == 0 && s.server == nil {
				return nil
			}
			if len(s.clients) == 0 {
				nobodyLeft = time.After(s.spec.Linger)
			}
		case up := <-s.started:
			if up.err != nil {
				return up.err
			}
			s.server = up.server
			for conn := range s.clients {
				s.welcome(conn)
			}
			go sweepSiblings(s.spec, s.log)
		case <-s.server.failed():
			return errors.New("PostgreSQL stopped by itself again and again" + logTail(s.spec, 0))
		case sig := <-signals:
			s.log.Info("told to stop", slog.String("signal", sig.String()))
			return nil
		case <-nobodyLeft:
			return nil
		}
	}
}

// join counts a client until its connection ends.
func (s *supervisor) join(conn *net.UnixConn) {
	s.clients[conn] = true
	if s.server != nil {
		s.welcome(conn)
	}
	go func() {
		var w word
		for receive(bufio.NewReader(conn), &w) == nil { // clients have nothing to say
		}
		s.left <- conn
	}()
}

func (s *supervisor) welcome(conn *net.UnixConn) {
	// A client that is gone already is noticed by its reader.
	_ = send(conn, word{Version: protocolVersion, Ready: &s.server.at})
}

func (s *supervisor) part(conn *net.UnixConn) {
	delete(s.clients, conn)
	if s.spec.Kind == Temporary && len(s.clients) == 0 {
		s.parting = append(s.parting, conn)
		return
	}
	letGo(conn)
}

func letGo(conn *net.UnixConn) {
	_ = send(conn, word{Version: protocolVersion, Stopped: true})
	_ = conn.Close()
}

// finish stops the server, removes temporary data, and tells who waits for that.
func (s *supervisor) finish() int {
	exit := 0
	if err := s.cleanUp(); err != nil {
		s.log.Error("clean up", slog.Any("error", err))
		exit = 1
	}
	for _, conn := range s.parting {
		if exit == 0 {
			letGo(conn)
		}
	}
	return exit
}

// fail tells all clients why there is no server. A temporary directory goes
// too: the end of its log is in the message.
func (s *supervisor) fail(err error) int {
	s.log.Error("private PostgreSQL failed", slog.Any("error", err))
	if cleanErr := s.cleanUp(); cleanErr != nil {
		s.log.Error("clean up", slog.Any("error", cleanErr))
	}
	w := word{Version: protocolVersion, Failed: err.Error(), NoBin: errors.Is(err, ErrNoBinaries)}
	for conn := range s.clients {
		_ = send(conn, w)
	}
	return 1
}

func (s *supervisor) cleanUp() error {
	s.server.stop()
	err := os.RemoveAll(s.spec.Run)
	if s.spec.Kind == Temporary {
		err = errors.Join(err, removeTemporary(s.spec.Dir))
	}
	return err
}

// removeTemporary empties dir and removes it if its parent lets us; if not, the
// client does, which may be root.
func removeTemporary(dir string) error {
	if err := emptyDir(dir); err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrPermission) {
		return err
	}
	return nil
}

func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
