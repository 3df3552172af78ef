package pgtest

import "syscall"

const (
	memoryDir   = "/dev/shm"
	memoryWants = 4 << 30 // bytes free: several packages are tested at once
)

// dataParent is where the test server keeps its data: in memory where there is
// plenty, since making a database for each test is mostly making files. ""
// means the system's directory for temporary files.
func dataParent() string {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memoryDir, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < memoryWants { //nolint:gosec // a block has a size
		return ""
	}
	return memoryDir
}
