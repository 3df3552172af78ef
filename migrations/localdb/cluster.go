package localdb

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// initCluster makes sure that there is a data directory and gives the
// superuser's password. The cluster is made under another name and renamed when
// complete, so a kill in between leaves nothing that looks like one.
func initCluster(ctx context.Context, bin binaries, s spec) (password string, err error) {
	data := filepath.Join(s.Dir, dataName)
	passwordFile := filepath.Join(s.Dir, passwordName)
	switch _, err := os.Stat(data); {
	case err == nil:
		return readPassword(passwordFile)
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	password = rand.Text()
	if err := os.WriteFile(passwordFile, []byte(password), 0o600); err != nil {
		return "", err
	}
	unfinished := data + ".new"
	// Not every system has the locale that can lower-case all of Unicode.
	for _, locale := range []string{"C.UTF-8", "C"} {
		if err := os.RemoveAll(unfinished); err != nil {
			return "", err
		}
		if err = initdb(ctx, bin, s, unfinished, passwordFile, locale); err == nil {
			return password, os.Rename(unfinished, data)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return "", err
}

func readPassword(path string) (string, error) {
	password, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the password of the existing data: %w", err)
	}
	return strings.TrimSpace(string(password)), nil
}

func initdb(ctx context.Context, bin binaries, s spec, dir, passwordFile, locale string) error {
	args := []string{
		"--pgdata=" + dir,
		"--username=" + superuser,
		"--pwfile=" + passwordFile,
		"--auth=scram-sha-256",
		"--encoding=UTF8",
		"--locale=" + locale,
	}
	if s.Kind == Temporary {
		// What a crash of the machine could tear apart is thrown away anyway.
		args = append(args, "--no-sync")
	}
	mark := logSize(s)
	cmd := exec.CommandContext(ctx, bin.initdb(), args...)
	cmd.Dir = s.Dir
	cmd.Stdout, cmd.Stderr = nil, os.Stderr
	// A group of its own, so that its helpers end with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	dieWithParent(cmd.SysProcAttr, syscall.SIGKILL)
	runtime.LockOSThread() // see startPostmaster
	defer runtime.UnlockOSThread()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("initdb: %w%s", err, logTail(s, mark))
	}
	return nil
}
