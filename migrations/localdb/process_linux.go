package localdb

import (
	"fmt"
	"os"
	"syscall"
)

// dieWithParent makes the kernel send sig to the child when its parent dies, by
// kill -9 too.
func dieWithParent(attr *syscall.SysProcAttr, sig syscall.Signal) { attr.Pdeathsig = sig }

// isPostmasterOf tells whether pid is a postmaster on this data directory: each
// has it as its working directory. Numbers are used again, names can be anything.
func isPostmasterOf(pid int, dataDir string) bool {
	cwd, err := os.Stat(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil {
		return false
	}
	data, err := os.Stat(dataDir)
	return err == nil && os.SameFile(cwd, data)
}
