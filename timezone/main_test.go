package timezone_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// rulesFile is the zone database that Go embeds in binaries.
var rulesFile string

// TestMain makes the tests read the zone rules of the Go toolchain, whatever the
// machine has, so that their dates stay right when the machine is updated.
func TestMain(m *testing.M) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "go env GOROOT:", err)
		os.Exit(1)
	}
	rulesFile = filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip")
	if err := os.Setenv("ZONEINFO", rulesFile); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
