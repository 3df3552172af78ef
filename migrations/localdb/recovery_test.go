package localdb

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// stoppedCluster is a Kept database that ran once and is now at rest.
func stoppedCluster(t *testing.T) Options {
	t.Helper()
	parent, err := os.MkdirTemp("", "localdb-test-") //nolint:usetesting // the server's account cannot enter t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	if err := os.Chmod(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	opts := Options{Kind: Kept, Dir: filepath.Join(parent, "kept"), Linger: 1}
	startAndStop(t, opts)
	return opts
}

// startAndStop shows that the directory can be started, and waits until nothing
// runs on it any more.
func startAndStop(t *testing.T, opts Options) {
	t.Helper()
	s, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		lock, err := takeLock(filepath.Join(opts.Dir, lockName))
		if err == nil {
			_ = lock.Close()
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("the supervisor of %s does not end: %v", opts.Dir, err)
		}
	}
}

// asServer makes a process or a file the server's account's own.
func asServer(cmd *exec.Cmd) {
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
}

// leave writes a file as the server's account would have, in a directory that
// may be missing.
func leave(t *testing.T, path, text string) {
	t.Helper()
	made := []string{path}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err == nil {
		made = append(made, filepath.Dir(path))
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range made {
		if os.Geteuid() != 0 {
			break
		}
		if err := os.Chown(name, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStart_staleFiles(t *testing.T) {
	t.Parallel()
	opts := stoppedCluster(t)
	stranger := exec.Command("sleep", "600") // of the server's account, with a number that postgres would take for its own
	asServer(stranger)
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stranger.Process.Kill()
		_ = stranger.Wait()
	})
	pidFile := func(pid int) string {
		return fmt.Sprintf("%d\n%s\n1700000000\n5432\n/tmp\n127.0.0.1\n  1234567         0\nready   \n", pid, filepath.Join(opts.Dir, dataName))
	}
	// One directory for all of them: each has to leave it startable.
	for _, tc := range []struct{ name, file, text string }{
		{"pidOfAStranger", "data/postmaster.pid", pidFile(stranger.Process.Pid)},
		{"pidOfInit", "data/postmaster.pid", pidFile(1)},
		{"pidOfNobody", "data/postmaster.pid", pidFile(1 << 22)},
		{"pidFileCutShort", "data/postmaster.pid", ""},
		{"pidFileOfNonsense", "data/postmaster.pid", "what?\n"},
		{"attachFile", "run/attach", "not a socket"},
		{"halfAPassword", "data.new", "not even a directory"},
	} {
		path := filepath.Join(opts.Dir, tc.file)
		leave(t, path, tc.text)
		t.Log(tc.name)
		startAndStop(t, opts)
	}
	if err := stranger.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the stranger was killed: %v", err)
	}
}

func TestStart_stopsAnOrphanedPostmaster(t *testing.T) {
	t.Parallel()
	opts := stoppedCluster(t)
	bin, err := findBinaries(t.Context(), "", 0, usualPlaces())
	if err != nil {
		t.Fatal(err)
	}
	port, err := freePort(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(opts.Dir, dataName)
	orphan := exec.Command(bin.postgres(), "-D", data, "-p", strconv.Itoa(port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=")
	asServer(orphan)
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- orphan.Wait() }()
	for portIsFree(t.Context(), port) {
		select {
		case err := <-ended:
			t.Fatalf("the orphan does not run: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	if !isPostmasterOf(orphan.Process.Pid, data) {
		t.Errorf("isPostmasterOf(%d, %s) = false, want true", orphan.Process.Pid, data)
	}

	startAndStop(t, opts)

	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the orphan ended with %v, want a clean shutdown", err)
		}
	case <-time.After(time.Minute):
		t.Error("the orphan still runs")
	}
}

func TestSweepSiblings(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	build := func(name string, files ...string) string {
		dir := filepath.Join(parent, temporaryPrefix+name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			leave(t, filepath.Join(dir, f), "x")
		}
		return dir
	}
	dead := build("dead", lockName, logName, passwordName)
	starting := build("starting", lockName)
	used := build("used", lockName, logName)
	old := build("old", lockName)
	ours := build("ours")
	foreign := filepath.Join(parent, "something-else")
	leave(t, foreign, "x")
	lock, err := takeLock(filepath.Join(used, lockName))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	longAgo := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, longAgo, longAgo); err != nil {
		t.Fatal(err)
	}

	sweepSiblings(spec{Dir: ours, Siblings: filepath.Join(parent, temporaryPrefix+"*")}, slog.New(slog.DiscardHandler))

	for path, want := range map[string]bool{dead: false, old: false, starting: true, used: true, ours: true, foreign: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %t, want %t", path, err == nil, want)
		}
	}
}
