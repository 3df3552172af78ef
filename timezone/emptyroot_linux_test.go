package timezone_test

import (
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Case B38: a machine without a zone database, as in a slim image.
func TestParseZone_B38_emptyRoot(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: builds a program")
	}
	root := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(root, "emptyroot"), "./testdata/emptyroot")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	run := exec.CommandContext(t.Context(), "/emptyroot")
	run.Dir, run.Env = "/", []string{}
	run.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	if syscall.Geteuid() != 0 { // a user namespace of its own lets anybody change the root
		run.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		run.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: syscall.Geteuid(), Size: 1}}
	}
	out, err := run.CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Skipf("this machine lets nobody but root change the root: %v", err)
	}
	if want := "Europe/Berlin 2027-03-27T23:00:00Z 23h0m0s\nAsia/Kolkata 2027-03-27T18:30:00Z 24h0m0s\n"; string(out) != want {
		t.Errorf("in an empty root: %v, %q, want %q", err, out, want)
	}
}
