package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"holdfast/migrations/pgtest"
)

// ran is one finished run of the binary.
type ran struct {
	status         int
	stdout, stderr string
	took           time.Duration
}

// invocation is a run to be made.
type invocation struct {
	args []string
	env  []string
	uid  uint32 // 0: whoever runs the test
	dir  string
}

func (i invocation) command(ctx context.Context, bin string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, bin, i.args...)
	cmd.Env = append(cleanEnv(), i.env...)
	cmd.Dir = i.dir
	if i.uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: i.uid, Gid: i.uid}}
	}
	return cmd
}

// cleanEnv is the environment without what would configure the binary.
func cleanEnv() []string {
	var env []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, "HOLDFAST_") && !strings.HasPrefix(name, "PG") && name != "CI" && name != "TERM" && name != "ACCESSIBLE" {
			env = append(env, e)
		}
	}
	return env
}

func (i invocation) run(t *testing.T, bin string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := i.command(ctx, bin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	from := time.Now()
	err := cmd.Run()
	r := ran{0, stdout.String(), stderr.String(), time.Since(from)}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		r.status = exit.ExitCode()
	} else if err != nil {
		t.Fatalf("run %v: %v", i.args, err)
	}
	return r
}

// must runs a command that is to succeed and returns what it printed.
func must(t *testing.T, bin string, env []string, args ...string) string {
	t.Helper()
	r := invocation{args: args, env: env}.run(t, bin)
	if r.status != 0 {
		t.Fatalf("holdfast %v: status %d\n%s%s", args, r.status, r.stdout, r.stderr)
	}
	return r.stdout
}

// inPTY runs the binary in a terminal that answers no question, and returns
// what the terminal saw.
func inPTY(t *testing.T, bin string, env []string, args ...string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := invocation{args: args, env: env}.command(ctx, bin)
	from := time.Now()
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	seen, _ := io.ReadAll(terminal) // a pty ends with an error, EIO
	r := ran{stdout: string(seen)}
	if err := cmd.Wait(); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			t.Fatal(err)
		}
		r.status = exit.ExitCode()
	}
	r.took = time.Since(from)
	return r
}

func testPTY(t *testing.T, bin string) {
	t.Helper()
	// Importing Bubble Tea asks the terminal for its colours and waits up to five
	// seconds, in every sub-command, if nothing is done about it.
	t.Run("startsAtOnceInATerminalThatNeverAnswers", func(t *testing.T) {
		t.Parallel()
		var times []time.Duration
		for range 7 { // the machine may be busy: the best of some counts
			r := inPTY(t, bin, []string{"TERM=xterm-256color"}, "version")
			if r.status != 0 || !strings.Contains(r.stdout, "holdfast ") || strings.Contains(r.stdout, "\x1b") {
				t.Fatalf("version: status %d, %q", r.status, r.stdout)
			}
			times = append(times, r.took)
		}
		if best := slices.Min(times); best > 300*time.Millisecond {
			t.Errorf("version took %v at best, want under 300 ms", best)
		}
	})

	t.Run("B53_dumbTerminalIsToldAtOnce", func(t *testing.T) {
		t.Parallel()
		for _, env := range [][]string{{"TERM=dumb"}, nil} { // and TERM unset
			r := inPTY(t, bin, env, "console")
			if r.status != statusUsage || strings.Contains(r.stdout, "\x1b") || !strings.Contains(r.stdout, "the console needs a terminal") {
				t.Errorf("console with %v: status %d, %q", env, r.status, r.stdout)
			}
			if r.took > time.Second {
				t.Errorf("it took %v, want under a second", r.took)
			}
		}
	})

	t.Run("B53_pipeInsteadOfATerminal", func(t *testing.T) {
		t.Parallel()
		r := invocation{args: []string{"console"}, env: []string{"TERM=xterm"}}.run(t, bin)
		if r.status != statusUsage || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 || strings.Contains(r.stderr, "\x1b") {
			t.Errorf("console on pipes: status %d, %q, %q", r.status, r.stdout, r.stderr)
		}
		if r.took > time.Second {
			t.Errorf("it took %v, want under a second", r.took)
		}
	})

	t.Run("B53_terminalIsAsBeforeOnEveryWayOut", func(t *testing.T) {
		t.Parallel()
		db := pgtest.DB(t)
		env := []string{"TERM=xterm-256color", "HOLDFAST_DB=" + db.URL, "HOME=" + t.TempDir()}
		for way, leave := range map[string]func(*consoleRun){
			"quit":    func(c *consoleRun) { c.send("q") },
			"ctrl-c":  func(c *consoleRun) { c.send("\x03") },
			"sigterm": func(c *consoleRun) { _ = c.cmd.Process.Signal(syscall.SIGTERM) },
		} {
			t.Run(way, func(t *testing.T) {
				t.Parallel()
				c := openConsole(t, bin, env)
				if opened := c.await("Calendar"); opened > 5*time.Second {
					t.Errorf("the console opened after %v", opened)
				}
				leave(c)
				if status := c.wait(10 * time.Second); status != statusDone {
					t.Errorf("status %d, want 0", status)
				}
				if after := c.attributes(); !reflect.DeepEqual(c.before, after) {
					t.Errorf("the terminal was %+v and is %+v", c.before, after)
				}
			})
		}
		t.Run("hangUp", func(t *testing.T) {
			t.Parallel()
			c := openConsole(t, bin, env)
			c.await("Calendar")
			_ = c.tty.Close()
			_ = c.terminal.Close()
			from := time.Now()
			c.wait(10 * time.Second)
			if took := time.Since(from); took > 3*time.Second {
				t.Errorf("it was there %v after its terminal had gone", took)
			}
		})
	})

	t.Run("plainWorksOnADumbTerminal", func(t *testing.T) {
		t.Parallel()
		db := pgtest.DB(t)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		cmd := invocation{args: []string{"console", "--plain"}, env: []string{"TERM=dumb", "HOLDFAST_DB=" + db.URL}}.command(ctx, bin)
		cmd.Stdin = strings.NewReader("venues\nquit\n")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "VENUE") || bytes.Contains(out, []byte("\x1b")) {
			t.Errorf("console --plain: %v, %q", err, out)
		}
	})
}

// consoleRun is the console on a terminal of its own.
type consoleRun struct {
	t             *testing.T
	cmd           *exec.Cmd
	terminal, tty *os.File
	before        *term.State
	seen          chan string // what it wrote, in pieces
	exited        chan error
	started       time.Time
}

func openConsole(t *testing.T, bin string, env []string) *consoleRun {
	t.Helper()
	terminal, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(func() { cancel(); _ = tty.Close(); _ = terminal.Close() })
	if err := pty.Setsize(terminal, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	c := &consoleRun{t: t, terminal: terminal, tty: tty, seen: make(chan string, 10_000), exited: make(chan error, 1), started: time.Now()}
	c.before = c.attributes()
	c.cmd = invocation{args: []string{"console"}, env: env}.command(ctx, bin)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = tty, tty, tty
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := terminal.Read(buf)
			if err != nil {
				return
			}
			c.seen <- string(buf[:n])
		}
	}()
	go func() { c.exited <- c.cmd.Wait() }()
	return c
}

func (c *consoleRun) attributes() *term.State {
	c.t.Helper()
	state, err := term.GetState(c.tty.Fd())
	if err != nil {
		c.t.Fatal(err)
	}
	return state
}

func (c *consoleRun) send(keys string) {
	if _, err := c.terminal.WriteString(keys); err != nil {
		c.t.Error(err)
	}
}

// await returns how long after the start text was first seen.
func (c *consoleRun) await(text string) time.Duration {
	c.t.Helper()
	var all strings.Builder
	for deadline := time.After(20 * time.Second); ; {
		select {
		case piece := <-c.seen:
			all.WriteString(piece)
			if strings.Contains(all.String(), text) {
				return time.Since(c.started)
			}
		case err := <-c.exited:
			c.t.Fatalf("the console ended: %v, %q", err, all.String())
		case <-deadline:
			c.t.Fatalf("the console never showed %q: %q", text, all.String())
		}
	}
}

// wait returns the exit status, -1 for a signal.
func (c *consoleRun) wait(limit time.Duration) int {
	c.t.Helper()
	select {
	case <-c.exited:
	case <-time.After(limit):
		c.t.Fatal("the console does not end")
	}
	return c.cmd.ProcessState.ExitCode()
}

// testPrivateDatabase uses the database that commands have without --db: it is
// started on demand and its data is there again next time.
func testPrivateDatabase(t *testing.T, bin string) {
	t.Helper()
	data := filepath.Join(openDir(t), "private")
	t.Cleanup(func() { awaitEnd(t, filepath.Join(data, "data", "postmaster.pid")) })
	env := []string{"HOLDFAST_DATA_DIR=" + data}
	must(t, bin, env, "venue", "add", "harbour", "--zone", "Europe/Berlin", "--currency", "EUR")
	if out := must(t, bin, env, "venue", "list"); !strings.Contains(out, "harbour") {
		t.Errorf("the venue is gone:\n%s", out)
	}
	if out := must(t, bin, env, "check"); out != "0 violations\n" {
		t.Errorf("check says %q", out)
	}
}

// awaitEnd waits until the server that nobody uses any more has stopped.
func awaitEnd(t *testing.T, pidFile string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		if _, err := os.Stat(pidFile); errors.Is(err, fs.ErrNotExist) {
			return
		}
		if time.Now().After(deadline) {
			t.Error("the private server did not stop")
			return
		}
	}
}

const nobody = 65534

// testDemo runs the demonstration as whoever runs the test and, if that is
// root, as an ordinary user at the same time.
func testDemo(t *testing.T, bin string) {
	t.Helper()
	t.Run("asWhoeverRunsThis", func(t *testing.T) { t.Parallel(); checkDemo(t, demoAs(t, bin, 0)) })
	if os.Geteuid() == 0 {
		t.Run("asAnOrdinaryUser", func(t *testing.T) { t.Parallel(); checkDemo(t, demoAs(t, bin, nobody)) })
	}
}

func demoAs(t *testing.T, bin string, uid uint32) ran {
	t.Helper()
	home := openDir(t)
	if err := os.Chown(home, int(uid), int(uid)); uid != 0 && err != nil {
		t.Fatal(err)
	}
	return invocation{
		args: []string{"demo", "--for", "10s", "--speed", "2"}, env: []string{"HOME=" + home, "XDG_CACHE_HOME=", "XDG_DATA_HOME=", "TZ=Asia/Kolkata"}, uid: uid, dir: home,
	}.run(t, bin)
}

func checkDemo(t *testing.T, r ran) {
	t.Helper()
	lines := strings.Split(strings.TrimRight(r.stdout, "\n"), "\n")
	if r.status != 0 || lines[len(lines)-1] != "0 violations" || strings.Contains(r.stdout+r.stderr, "\x1b") {
		t.Fatalf("demo: status %d\n%s%s", r.status, r.stdout, r.stderr)
	}
	now := time.Now().UTC()
	inUTC := fmt.Sprintf(`(?m)^(%s|%s):\d\dZ  `, now.Add(-time.Minute).Format("15:04"), now.Format("15:04"))
	if !regexp.MustCompile(inUTC).MatchString(r.stdout) {
		t.Errorf("no line of the last minute matches %s:\n%s", inUTC, r.stdout)
	}
	for what, least := range map[string]int{
		`(?m)^holds +(\d+)`: 100, `(?m)^expiries +(\d+)`: 1, `(?m)revived (\d+), refunded \d+, not`: 1, `(?m)refunded (\d+), not`: 1,
		`(?m)^seats .*confirmed (\d+)`: 1, `(?m)^seats .*expired (\d+)`: 1, `(?m)^times .*confirmed (\d+)`: 1, `(?m)^times .*expired (\d+)`: 1,
	} {
		found := regexp.MustCompile(what).FindStringSubmatch(r.stdout)
		if found == nil {
			t.Fatalf("the summary has no %s:\n%s", what, r.stdout)
		}
		if n, _ := strconv.Atoi(found[1]); n < least {
			t.Errorf("%s is %d, want at least %d\n%s", what, n, least, r.stdout)
		}
	}
	if strings.Contains(r.stdout, "errors ") {
		t.Errorf("people met errors:\n%s%s", r.stdout, r.stderr)
	}
}
