package quietterm_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// startLimit is what a start may take in a terminal that answers nothing.
const startLimit = 300 * time.Millisecond

func build(t *testing.T, name string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), name)
	cmd := exec.Command("go", "build", "-o", bin, "./testdata/"+name)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the test program: %v\n%s", err, out)
	}
	return bin
}

// start runs a program in a terminal that never answers a question, for at most
// limit, and returns what it wrote and when it had written "begun".
func start(t *testing.T, bin string, limit time.Duration, env ...string) (out string, took time.Duration, begun bool) {
	t.Helper()
	cmd := exec.Command(bin)
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); name != "TERM" && name != "CI" && name != "TMUX" {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, env...)
	began := time.Now()
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatalf("start the test program: %v", err)
	}
	defer tty.Close()
	read := make(chan string, 1)
	go func() {
		var all strings.Builder
		buf := make([]byte, 1024)
		for {
			n, err := tty.Read(buf)
			all.Write(buf[:n])
			if err != nil || strings.Contains(all.String(), "\n") {
				read <- all.String()
				return
			}
		}
	}()
	select {
	case out = <-read:
		took, begun = time.Since(began), true
	case <-time.After(limit):
		_ = cmd.Process.Kill()
	}
	_ = cmd.Wait()
	return out, took, begun
}

func TestStart_DoesNotWaitForASilentTerminal(t *testing.T) {
	t.Parallel()

	bin := build(t, "quiet")
	best := time.Hour
	for range 5 { // the best is what the program needs; the rest is the machine
		out, took, _ := start(t, bin, 10*time.Second, "TERM=xterm-256color")
		if strings.Contains(out, "\x1b") {
			t.Fatalf("the program asked the terminal something: %q", out)
		}
		if !strings.Contains(out, `TERM="xterm-256color" set=true dark=false`) {
			t.Fatalf("TERM was not given back: %q", out)
		}
		best = min(best, took)
	}
	if best > startLimit {
		t.Errorf("the start takes %v, want at most %v", best, startLimit)
	}
}

func TestStart_UnsetTermStaysUnset(t *testing.T) {
	t.Parallel()

	if out, _, _ := start(t, build(t, "quiet"), 10*time.Second); !strings.Contains(out, `TERM="" set=false`) {
		t.Errorf("wrote %q", out)
	}
}

// If this fails, Bubble Tea no longer asks, and the package can go.
func TestStart_WithoutTheCureItWaits(t *testing.T) {
	t.Parallel()

	out, took, begun := start(t, build(t, "loud"), 2*time.Second, "TERM=xterm-256color")
	if begun && !strings.Contains(out, "\x1b") {
		t.Errorf("began after %v without a question: %q", took, out)
	}
}
