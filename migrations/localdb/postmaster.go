package localdb

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// postmaster is a running postgres process, a child of ours.
type postmaster struct {
	cmd    *exec.Cmd
	exited chan struct{}
	err    error // how it ended; read after exited
}

// How long a stopping postmaster gets before the next, harder signal.
const (
	fastLimit      = 10 * time.Second
	immediateLimit = 5 * time.Second
)

// startPostmaster starts postgres directly, not through pg_ctl: so it is our
// child, whose end we notice, and on Linux it stops when we die.
func startPostmaster(bin binaries, s spec, at endpoint) (*postmaster, error) {
	pm := &postmaster{
		cmd:    exec.Command(bin.postgres(), postgresArgs(s, at)...), //nolint:noctx // stop ends it, in PostgreSQL's own way
		exited: make(chan struct{}),
	}
	pm.cmd.Dir = s.Dir
	pm.cmd.Stdout, pm.cmd.Stderr = os.Stdout, os.Stderr // our log
	// SIGINT is PostgreSQL's fast shutdown.
	pm.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(pm.cmd.SysProcAttr, syscall.SIGINT)

	started := make(chan error)
	go func() {
		// The kernel's parent-death signal comes when the starting *thread*
		// ends, so this thread has to stay for as long as the child.
		runtime.LockOSThread()
		err := pm.cmd.Start()
		started <- err
		if err == nil {
			pm.err = pm.cmd.Wait()
			if pm.err == nil {
				pm.err = fmt.Errorf("exit status 0")
			}
			close(pm.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return pm, nil
}

// stop asks ever harder, and returns when the postmaster has ended.
func (pm *postmaster) stop() {
	_ = pm.cmd.Process.Signal(syscall.SIGINT)
	select {
	case <-pm.exited:
		return
	case <-time.After(fastLimit):
	}
	_ = pm.cmd.Process.Signal(syscall.SIGQUIT)
	select {
	case <-pm.exited:
		return
	case <-time.After(immediateLimit):
	}
	_ = pm.cmd.Process.Kill()
	<-pm.exited
}

// settings that the server's safety or our finding it depends on.
func ownSettings(s spec, at endpoint) map[string]string {
	own := map[string]string{
		"listen_addresses":        "127.0.0.1",
		"port":                    strconv.Itoa(at.Port),
		"unix_socket_directories": `"` + strings.ReplaceAll(at.Run, `"`, `""`) + `"`, // a list: commas and spaces need the quotes
		"logging_collector":       "off",
		"log_destination":         "stderr",
	}
	if s.NoFsync {
		own["fsync"] = "off"
		own["full_page_writes"] = "off"
	}
	return own
}

// reserved tells whether options may not change a setting.
func reserved(name string) bool {
	_, own := ownSettings(spec{NoFsync: true}, endpoint{})[strings.ToLower(name)]
	return own
}

func postgresArgs(s spec, at endpoint) []string {
	all := map[string]string{
		"log_line_prefix": "%m [%p] %d ", // the database too: test servers have many
		"log_timezone":    "UTC",
		"timezone":        "UTC",
		"lc_messages":     "C",
	}
	for name, value := range s.Settings {
		all[strings.ToLower(name)] = value
	}
	for name, value := range ownSettings(s, at) {
		all[name] = value
	}
	args := []string{"-D", filepath.Join(s.Dir, dataName)}
	for name, value := range all {
		args = append(args, "--"+name+"="+value)
	}
	slices.Sort(args[2:])
	return args
}

// logTail gives the last lines that were logged since mark, to end an error
// message with.
func logTail(s spec, mark int64) string {
	const lines, limit = 8, 8 << 10
	f, err := os.Open(filepath.Join(s.Dir, logName))
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil {
		mark = max(mark, info.Size()-limit)
	}
	text, err := io.ReadAll(io.NewSectionReader(f, mark, limit))
	if err != nil || len(text) == 0 {
		return ""
	}
	tail := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(tail) > lines {
		tail = tail[len(tail)-lines:]
	}
	return "\nlast lines of its log:\n  " + strings.Join(tail, "\n  ")
}
