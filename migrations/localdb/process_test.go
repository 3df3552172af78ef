package localdb_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/migrations/localdb"
)

// clientVariable makes this test binary a client process: it holds the options.
const clientVariable = "LOCALDB_TEST_CLIENT"

// client is another process that uses a private PostgreSQL.
type client struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	stdout io.Reader
	URL    string
	Dir    string
	Err    string
}

// runClient starts a server, says so in one line, and closes it at the end of
// its input.
func runClient(options string) int {
	var opts localdb.Options
	if err := json.Unmarshal([]byte(options), &opts); err != nil {
		return 2
	}
	var c client
	s, err := localdb.Start(context.Background(), opts)
	if err != nil {
		c.Err = err.Error()
	} else {
		c.URL, c.Dir = s.URL(), s.Dir()
	}
	line, _ := json.Marshal(c)
	fmt.Println(string(line))
	if err != nil {
		return 1
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := s.Close(context.Background()); err != nil {
		return 1
	}
	return 0
}

// launch begins a client process.
func launch(t *testing.T, opts localdb.Options, env ...string) *client {
	t.Helper()
	return launchBinary(t, os.Args[0], opts, env...)
}

func launchBinary(t *testing.T, binary string, opts localdb.Options, env ...string) *client {
	t.Helper()
	options, err := json.Marshal(opts)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{cmd: exec.Command(binary)}
	c.cmd.Env = append(append(os.Environ(), clientVariable+"="+string(options)), env...)
	c.cmd.Stderr = os.Stderr
	if c.stdout, err = c.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.stdin.Close()
		_ = c.cmd.Wait()
	})
	return c
}

// ready waits for its server.
func (c *client) ready(t *testing.T) *client {
	t.Helper()
	line, err := bufio.NewReader(c.stdout).ReadBytes('\n')
	if err != nil {
		t.Fatalf("client process: %v", err)
	}
	if err := json.Unmarshal(line, c); err != nil {
		t.Fatal(err)
	}
	if c.Err != "" {
		t.Fatal(c.Err)
	}
	return c
}

// kill9 ends the client without its having a say.
func (c *client) kill9(t *testing.T) {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.cmd.Wait()
}

// postmasterPID is 0 if there is none.
func postmasterPID(dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, _ := strconv.Atoi(line)
	return pid
}

// supervisorPID is 0 if there is none.
func supervisorPID(t *testing.T, dir string) int {
	t.Helper()
	out, err := exec.Command("ps", "-ww", "-e", "-o", "pid=,args=").Output()
	if err != nil {
		t.Fatalf("ps: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		pid, args, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.TrimSpace(args) == "holdfast-localdb "+dir {
			number, _ := strconv.Atoi(pid)
			return number
		}
	}
	return 0
}

// alive does not count a process that only waits to be reaped.
func alive(pid int) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && !strings.HasPrefix(string(out), "Z")
}

func TestClient_killed(t *testing.T) {
	t.Parallel()

	t.Run("temporaryGoes", func(t *testing.T) {
		t.Parallel()
		c := launch(t, localdb.Options{}).ready(t)
		postmaster, supervisor := postmasterPID(c.Dir), supervisorPID(t, c.Dir)
		c.kill9(t)
		eventually(t, "server, supervisor and directory go", func() bool {
			return !alive(postmaster) && !alive(supervisor) && !exists(c.Dir)
		})
	})

	t.Run("keptStopsAndStartsAgain", func(t *testing.T) {
		t.Parallel()
		opts := localdb.Options{Kind: localdb.Kept, Dir: filepath.Join(openDir(t), "kept"), Linger: 1}
		c := launch(t, opts).ready(t)
		postmaster := postmasterPID(c.Dir)
		c.kill9(t)
		eventually(t, "the server stops", func() bool { return !alive(postmaster) })
		s := start(t, opts)
		query(t, s.URL(), "SELECT 'again'")
	})

	t.Run("otherClientKeepsIt", func(t *testing.T) {
		t.Parallel()
		opts := localdb.Options{Kind: localdb.Kept, Dir: filepath.Join(openDir(t), "kept"), Linger: 1}
		c := launch(t, opts).ready(t)
		s := start(t, opts) // attaches to the server that c has started
		supervisor := supervisorPID(t, c.Dir)
		c.kill9(t)
		query(t, s.URL(), "SELECT 'still there'")
		if got := supervisorPID(t, s.Dir()); got != supervisor {
			t.Errorf("supervisor is %d, want %d as before", got, supervisor)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the supervisor goes with its last client", func() bool { return !alive(supervisor) })
	})

	t.Run("duringInitdb", func(t *testing.T) {
		t.Parallel()
		opts := localdb.Options{Kind: localdb.Kept, Dir: filepath.Join(openDir(t), "kept"), Linger: 1}
		c := launch(t, opts)
		eventually(t, "initdb begins", func() bool { return exists(filepath.Join(opts.Dir, "data.new", "base")) })
		c.kill9(t)
		s := start(t, opts)
		query(t, s.URL(), "SELECT 'whole'")
	})
}

func TestSupervisor_killed(t *testing.T) {
	t.Parallel()

	t.Run("keptStartsAgainWithItsData", func(t *testing.T) {
		t.Parallel()
		opts := localdb.Options{Kind: localdb.Kept, Dir: filepath.Join(openDir(t), "kept"), Linger: 1}
		s := start(t, opts)
		execute(t, s.URL(), "CREATE TABLE note AS SELECT 'kept' AS text")
		before := postmasterPID(s.Dir())
		kill9(t, supervisorPID(t, s.Dir()))
		<-s.Done()
		if err := s.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "ended early") {
			t.Errorf("Close = %v, want it to say that the supervisor ended early", err)
		}
		again := start(t, opts)
		if got := query(t, again.URL(), "SELECT text FROM note"); got != "kept" {
			t.Errorf("the note says %q", got)
		}
		if alive(before) {
			t.Errorf("the old postmaster %d still runs", before)
		}
	})

	t.Run("duringInitdb", func(t *testing.T) {
		t.Parallel()
		opts := localdb.Options{Kind: localdb.Kept, Dir: filepath.Join(openDir(t), "kept"), Linger: 1}
		launch(t, opts)
		eventually(t, "initdb begins", func() bool { return exists(filepath.Join(opts.Dir, "data.new", "base")) })
		kill9(t, supervisorPID(t, opts.Dir))
		s := start(t, opts)
		query(t, s.URL(), "SELECT 'whole'")
	})

	t.Run("temporaryIsClearedUpByTheNext", func(t *testing.T) {
		t.Parallel()
		opts := localdb.Options{Dir: openDir(t), NoFsync: true}
		s := start(t, opts)
		postmaster := postmasterPID(s.Dir())
		kill9(t, supervisorPID(t, s.Dir()))
		<-s.Done()
		start(t, opts)
		eventually(t, "server and directory go", func() bool { return !alive(postmaster) && !exists(s.Dir()) })
	})
}

func TestPostmaster_killedRunsAgainAtTheSameAddress(t *testing.T) {
	t.Parallel()
	s := start(t, localdb.Options{})
	execute(t, s.URL(), "CREATE TABLE note AS SELECT 'kept' AS text")
	kill9(t, postmasterPID(s.Dir()))
	eventually(t, "the server runs again", func() bool {
		got, err := tryQuery(t.Context(), s.URL(), "SELECT text FROM note")
		return err == nil && got == "kept"
	})
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestKept_startedAtOnceIsOneServer(t *testing.T) {
	t.Parallel()
	opts := localdb.Options{Kind: localdb.Kept, Dir: filepath.Join(openDir(t), "kept"), Linger: 1}
	var clients []*client
	for range 4 {
		clients = append(clients, launch(t, opts))
	}
	for _, c := range clients {
		if c.ready(t).URL != clients[0].URL {
			t.Errorf("one client has %s, another %s", clients[0].URL, c.URL)
		}
	}
	began := time.Now()
	s := start(t, opts)
	if took := time.Since(began); took > 500*time.Millisecond {
		t.Errorf("attaching took %v", took)
	}
	if s.URL() != clients[0].URL {
		t.Errorf("attached to %s, want %s", s.URL(), clients[0].URL)
	}
}

func TestKept_lingersForTheNextCommand(t *testing.T) {
	t.Parallel()
	opts := localdb.Options{Kind: localdb.Kept, Dir: filepath.Join(openDir(t), "kept"), Linger: time.Minute}
	s := start(t, opts)
	supervisor := supervisorPID(t, s.Dir())
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := start(t, opts)
	if got := supervisorPID(t, again.Dir()); got != supervisor {
		t.Errorf("supervisor %d, want %d as before", got, supervisor)
	}
	if err := syscall.Kill(supervisor, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the supervisor stops when told to", func() bool { return !alive(supervisor) })
	if pid := postmasterPID(again.Dir()); pid != 0 {
		t.Errorf("postmaster %d is left", pid)
	}
}

func kill9(t *testing.T, pid int) {
	t.Helper()
	if pid <= 1 {
		t.Fatalf("no such process: %d", pid)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

func execute(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
