package localdb

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// supervisorName is argv[0] of a supervisor: what Reexec recognises, and what
// people see in ps. An environment variable would be inherited by accident.
const supervisorName = "holdfast-localdb"

// Descriptors that a supervisor inherits.
const (
	connFD = 3
	lockFD = 4
)

// Reexec must be called first in main and in TestMain. If the process has been
// executed as the supervisor of a private PostgreSQL, Reexec does that work,
// which ends with the server, and reports true and the status to exit with.
func Reexec() (supervisor bool, exit int) {
	if len(os.Args) == 0 || os.Args[0] != supervisorName {
		return false, 0
	}
	return true, supervise()
}

// spawn executes this program again as a supervisor, which takes over lock, and
// gives the first client's connection to it.
func spawn(s spec, lock *os.File) (*net.UnixConn, error) {
	if len(os.Args) > 0 && os.Args[0] == supervisorName {
		return nil, errors.New("main does not call localdb.Reexec first")
	}
	self, err := ownExecutable()
	if err != nil {
		return nil, err
	}
	ours, theirs, err := connectedPair()
	if err != nil {
		return nil, fmt.Errorf("connect to the supervisor: %w", err)
	}
	defer func() { _ = theirs.Close() }()
	cmd := &exec.Cmd{
		Path:       self,
		Args:       []string{supervisorName, s.Dir},
		Env:        supervisorEnv(os.Environ(), s.Dir),
		Dir:        s.Dir,
		ExtraFiles: []*os.File{theirs, lock}, // connFD, lockFD
		// A session of its own, so that the terminal's Ctrl-C is not for it.
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := cmd.Start(); err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("start the supervisor: %w", err)
	}
	// Reaps the supervisor if it ends before us; it usually outlives us.
	go func() { _ = cmd.Wait() }()
	if err := send(ours, s); err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("instruct the supervisor: %w", err)
	}
	return ours, nil
}

// ownExecutable works for a binary that was deleted or replaced, or that sits in
// a directory that only root can enter, as under go run.
func ownExecutable() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// connectedPair gives our end of a new connection and the file to inherit.
func connectedPair() (*net.UnixConn, *os.File, error) {
	syscall.ForkLock.RLock() // no child may inherit our end: it would look like a client
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, err
	}
	theirs := os.NewFile(uintptr(fds[1]), "supervisor")
	ours, err := unixConn(os.NewFile(uintptr(fds[0]), "client"))
	if err != nil {
		_ = theirs.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}

func unixConn(f *os.File) (*net.UnixConn, error) {
	defer func() { _ = f.Close() }() // FileConn has its own copy
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	uc, ok := conn.(*net.UnixConn)
	if !ok {
		_ = conn.Close()
		return nil, fmt.Errorf("%s is no unix socket", f.Name())
	}
	return uc, nil
}

// supervisorEnv drops what would change PostgreSQL's ways (PGDATA, PGOPTIONS,
// LC_*) or lead to another user's home; PG_BINDIR stays.
func supervisorEnv(env []string, dir string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == "HOME" || name == "TMPDIR" || name == "LANG" || strings.HasPrefix(name, "LC_") ||
			strings.HasPrefix(name, "PG") && name != binDirVariable
	})
	return append(env, "HOME="+dir, "TMPDIR="+dir, "LC_ALL=C")
}

// supervise is the whole life of a supervisor. It gives the exit status.
func supervise() int {
	syscall.CloseOnExec(connFD)
	syscall.CloseOnExec(lockFD)
	lock := os.NewFile(lockFD, "lock")
	defer func() { _ = lock.Close() }()
	conn, err := unixConn(os.NewFile(connFD, "first client"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "holdfast-localdb is holdfast's own helper and cannot be called by hand")
		return 2
	}
	var s spec
	if err := receive(bufio.NewReader(conn), &s); err != nil {
		return 1
	}
	if err := prepare(s); err != nil {
		_ = send(conn, word{Version: protocolVersion, Failed: err.Error()})
		return 1
	}
	return newSupervisor(s).run(conn)
}

// prepare gives up root and sends everything that is printed, a panic too, to
// the log. Only then is the log opened: a file in a directory of the server's
// account is not for root to open.
func prepare(s spec) error {
	if os.Geteuid() == 0 {
		if err := makeCacheIfNeeded(s); err != nil {
			return err
		}
		if err := dropRoot(); err != nil {
			return fmt.Errorf("run as uid %d instead of root: %w", nobody, err)
		}
	}
	unix.Umask(0o077)
	log, err := openLog(filepath.Join(s.Dir, logName))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	for _, fd := range []int{1, 2} {
		if err := unix.Dup2(int(log.Fd()), fd); err != nil {
			return fmt.Errorf("redirect output to %s: %w", log.Name(), err)
		}
	}
	return nil
}

func dropRoot() error {
	if err := syscall.Setgroups(nil); err != nil {
		return err
	}
	if err := syscall.Setgid(nobody); err != nil {
		return err
	}
	return syscall.Setuid(nobody)
}

// logLimit is the size from which a log is put aside before a start.
const logLimit = 16 << 20

func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > logLimit {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
}
