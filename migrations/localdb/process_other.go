//go:build !linux

package localdb

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// dieWithParent has no equivalent here: the next start finds the orphan instead.
func dieWithParent(*syscall.SysProcAttr, syscall.Signal) {}

// isPostmasterOf tells whether pid is a postmaster on this data directory, by
// its command line as we have written it.
func isPostmasterOf(pid int, dataDir string) bool {
	out, err := exec.Command("ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.Contains(string(out), "postgres -D "+dataDir+" ")
}
