package localdb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// attachPause is how often a client looks again while another process is
// starting or stopping the server that it wants.
const attachPause = 20 * time.Millisecond

// open gives the use of the place's server: of the running one, or of a new one
// if this process wins the lock. The lock belongs to the supervisor for as long
// as it lives, so whoever gets it knows that there is none.
func (p place) open(ctx context.Context, opts Options) (*Server, error) {
	tick := time.NewTicker(attachPause)
	defer tick.Stop()
	for {
		if conn, err := p.attach(); err == nil {
			s, err := await(ctx, conn, p, opts.Kind)
			if !errors.Is(err, io.EOF) {
				return s, err
			}
			// It was just stopping: wait for its lock.
		}
		lock, err := takeLock(filepath.Join(p.dir, lockName))
		switch {
		case err == nil:
			conn, err := spawn(p.spec(opts), lock)
			_ = lock.Close() // the supervisor has its own handle of the same lock
			if err != nil {
				return nil, err
			}
			s, err := await(ctx, conn, p, opts.Kind)
			if errors.Is(err, io.EOF) {
				err = errors.New("the supervisor ended without a word: is localdb.Reexec called first in main?")
			}
			return s, err
		case !errors.Is(err, errLocked):
			return nil, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the process that holds %s: %w",
				filepath.Join(p.dir, lockName), context.Cause(ctx))
		}
	}
}

func (p place) attach() (*net.UnixConn, error) {
	if !ownedBy(p.run, p.uid) {
		return nil, errors.New("no supervisor's directory")
	}
	return net.DialUnix("unix", nil, &net.UnixAddr{Name: filepath.Join(p.run, attachName), Net: "unix"})
}

func (p place) spec(opts Options) spec {
	linger := opts.Linger
	if linger == 0 && opts.Kind == Kept {
		linger = keptLinger
	}
	return spec{
		Dir:      p.dir,
		Run:      p.run,
		Siblings: p.siblings,
		Kind:     opts.Kind,
		BinDir:   opts.BinDir,
		Cache:    p.cache,
		NoFsync:  opts.NoFsync,
		Linger:   linger,
		Settings: opts.Settings,
	}
}

// await reads the supervisor's first word, io.EOF if there is none, and keeps
// listening for its last.
func await(ctx context.Context, conn *net.UnixConn, p place, kind Kind) (*Server, error) {
	// A read deadline in the past ends the read when ctx does.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
	in := bufio.NewReader(conn)
	var w word
	err := receive(in, &w)
	if !stop() {
		err = context.Cause(ctx)
	}
	switch {
	case err != nil:
	case w.Version != protocolVersion:
		err = errors.New("another version of holdfast is using it: stop that one first")
	case w.NoBin:
		err = &noBinariesError{text: w.Failed}
	case w.Ready == nil:
		err = errors.New(w.Failed)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	s := &Server{conn: conn, at: *w.Ready, dir: p.dir, kind: kind, done: make(chan struct{})}
	go s.listen(in)
	return s, nil
}

// discard removes what remains of a temporary place when there is no server. A
// supervisor that has begun clears up by itself, save for a parent directory
// that only root may change.
func (p place) discard(kind Kind) {
	if kind == Kept {
		return
	}
	if !begun(p.dir) {
		_ = os.Remove(filepath.Join(p.dir, lockName))
	}
	_ = os.Remove(p.dir)
}

// listen ends when the supervisor lets the client go or dies; Close waits for it.
func (s *Server) listen(in *bufio.Reader) {
	defer close(s.done)
	var w word
	for receive(in, &w) == nil {
		s.stopped = s.stopped || w.Stopped
	}
	if s.stopped && s.kind == Temporary {
		// Usually gone already: a supervisor that was started by root may not
		// remove a name from a parent that only root can write to.
		_ = os.Remove(s.dir)
	}
}

var errLocked = errors.New("locked by another process")

// takeLock locks the file, which it creates if need be, and fails with errLocked
// if somebody else has it. The lock lasts until every handle that was inherited
// from the returned one is closed, by death too.
func takeLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o644)
	if err != nil {
		return nil, err
	}
	if err := flock(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	// Whatever root's umask: the server's account has to find it free one day.
	return f, f.Chmod(0o644)
}

func flock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return nil
}
