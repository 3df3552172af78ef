package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"holdfast/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// plantedSecret is in the environment of every run and must be in no output.
const plantedSecret = "planted-webhook-secret-4711"

// TestBinary is everything that runs the real binary, which is built once.
func TestBinary(t *testing.T) {
	t.Parallel()
	bin := build(t)
	t.Run("script", func(t *testing.T) { t.Parallel(); runScripts(t, bin) })
	t.Run("pty", func(t *testing.T) { t.Parallel(); testPTY(t, bin) })
	t.Run("daemon", func(t *testing.T) { t.Parallel(); testDaemon(t, bin) })
	t.Run("bench", func(t *testing.T) { t.Parallel(); testBench(t, bin) })
	t.Run("demo", func(t *testing.T) { t.Parallel(); testDemo(t, bin) })
	t.Run("private", func(t *testing.T) { t.Parallel(); testPrivateDatabase(t, bin) })
}

// build compiles the binary into a directory that every account can reach: the
// private database runs under another one when we are root.
func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(openDir(t), "holdfast")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", bin, ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// openDir is a temporary directory that other accounts can enter, which
// t.TempDir is not.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "holdfast-test-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("clean up: %v", err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// runScripts runs each testdata/script/*.txtar on a database of its own.
//
// Besides testscript's own commands there are:
//
//	exits N PROGRAM ARG...  run it and want exit status N, no escape byte and no secret
//	empty                   use a database without a schema from here on
//	take NAME REGEXP        set $NAME to the first group found in the last stdout
//	isjson stdout|stderr    want exactly one JSON document
func runScripts(t *testing.T, bin string) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			tb, ok := env.T().(testing.TB)
			if !ok {
				return errors.New("testscript's T is no testing.TB any more")
			}
			env.Setenv("PATH", filepath.Dir(bin)+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv("HOLDFAST_DB", pgtest.DB(tb).URL)
			env.Setenv("HOLDFAST_ACTOR", "mira")
			env.Setenv("HOLDFAST_SIM_SECRET", plantedSecret)
			env.Values[tbKey{}] = tb
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": scriptExits, "empty": scriptEmpty, "take": scriptTake, "isjson": scriptIsJSON,
		},
	})
}

type tbKey struct{}

func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("run %v: %v", args[1:], err)
		}
		got = exit.ExitCode()
	}
	for _, stream := range []string{"stdout", "stderr"} {
		out := ts.ReadFile(stream)
		if at := strings.IndexAny(out, "\x1b\u009b"); at >= 0 {
			ts.Fatalf("%s of %v has an escape byte: %q", stream, args[1:], out)
		}
		for _, secret := range secretsOf(ts) {
			if strings.Contains(out, secret) {
				ts.Fatalf("%s of %v shows a secret", stream, args[1:])
			}
		}
	}
	if got != want {
		ts.Fatalf("%v: exit status %d, want %d", args[1:], got, want)
	}
}

func secretsOf(ts *testscript.TestScript) []string {
	secrets := []string{plantedSecret}
	if u, err := url.Parse(ts.Getenv("HOLDFAST_DB")); err == nil && u.User != nil {
		if password, set := u.User.Password(); set {
			secrets = append(secrets, password)
		}
	}
	return secrets
}

func scriptEmpty(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Setenv("HOLDFAST_DB", pgtest.EmptyDB(ts.Value(tbKey{}).(testing.TB)).URL)
}

func scriptTake(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: take NAME REGEXP")
	}
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) < 2 {
		ts.Fatalf("no match for %s", args[1])
	}
	ts.Setenv(args[0], found[1])
}

func scriptIsJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: isjson stdout|stderr")
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile(args[0]))))
	var doc any
	if err := dec.Decode(&doc); err != nil {
		ts.Fatalf("%s is no JSON: %v", args[0], err)
	}
	if dec.More() {
		ts.Fatalf("%s has more than one document", args[0])
	}
}
