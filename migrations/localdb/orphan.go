package localdb

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stopOrphan ends the postmaster of a supervisor that was killed, so that the
// data can be started again. The caller holds the directory's lock, so no
// supervisor is left that could own it. It is stopped and not adopted: a process
// that is not our child cannot be waited for, and a restart takes a third of a
// second.
func stopOrphan(data string, log *slog.Logger) error {
	pidFile := filepath.Join(data, "postmaster.pid")
	pid, err := readPID(pidFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !alive(pid) {
		return nil // PostgreSQL itself clears up after a dead one
	}
	if !isPostmasterOf(pid, data) {
		// Another process has got the number since: PostgreSQL would take it
		// for a running server. Backends of the dead one it finds by itself.
		log.Info("stale pid file removed", slog.Int("pid", pid))
		return removeIfThere(pidFile)
	}
	log.Info("stopping an orphaned postgres", slog.Int("pid", pid))
	for _, step := range []struct {
		signal syscall.Signal
		limit  time.Duration
	}{{syscall.SIGINT, fastLimit}, {syscall.SIGQUIT, immediateLimit}, {syscall.SIGKILL, immediateLimit}} {
		_ = syscall.Kill(pid, step.signal)
		if gone(pid, data, step.limit) {
			return removeIfThere(pidFile) // after SIGKILL it is still there
		}
	}
	return fmt.Errorf("an earlier PostgreSQL (process %d) still runs in %s and cannot be stopped", pid, data)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// gone waits for a process that is not our child.
func gone(pid int, data string, limit time.Duration) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	over := time.After(limit)
	for {
		select {
		case <-tick.C:
			if !alive(pid) || !isPostmasterOf(pid, data) {
				return true
			}
		case <-over:
			return false
		}
	}
}

func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// readPID fails with fs.ErrNotExist also for a file that a crash has cut short,
// and removes it, since PostgreSQL would refuse to start because of it.
func readPID(path string) (int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || pid <= 1 {
		return 0, errors.Join(fs.ErrNotExist, os.Remove(path))
	}
	return pid, nil
}

// sweepSiblings removes what temporary servers left behind whose supervisor was
// killed: their lock is free.
func sweepSiblings(s spec, log *slog.Logger) {
	dirs, err := filepath.Glob(s.Siblings)
	if err != nil {
		return
	}
	for _, dir := range dirs {
		switch swept, err := sweep(dir, s.Dir, log); {
		case err != nil:
			log.Error("clear up after a killed supervisor", slog.String("dir", dir), slog.Any("error", err))
		case swept:
			log.Info("cleared up after a killed supervisor", slog.String("dir", dir))
		}
	}
}

// sweep removes one directory unless it is in use, another user's, or so new
// that its supervisor may not have the lock yet.
func sweep(dir, ours string, log *slog.Logger) (swept bool, err error) {
	lock, err := os.Open(filepath.Join(dir, lockName))
	if err != nil {
		return false, nil
	}
	defer func() { _ = lock.Close() }()
	if err := flock(lock); err != nil {
		return false, nil
	}
	if !begun(dir) && !longBefore(dir, ours) {
		return false, nil
	}
	if err := stopOrphan(filepath.Join(dir, dataName), log); err != nil {
		return false, err
	}
	return true, errors.Join(os.RemoveAll(runDir(dir, os.Geteuid())), removeTemporary(dir))
}

// begun tells whether a supervisor ever got as far as having the lock.
func begun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, logName))
	return err == nil
}

// longBefore compares two directories by the clock of their file system.
func longBefore(dir, ours string) bool {
	old, err := os.Stat(dir)
	if err != nil {
		return false
	}
	recent, err := os.Stat(ours)
	return err == nil && recent.ModTime().Sub(old.ModTime()) > time.Hour
}
