package localdb_test

import (
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"holdfast/migrations/localdb"
)

// otherUser is an account that every system has: initdb wants one with a name.
const otherUser = "daemon"

// TestAsAnotherUser runs other tests of this binary again without root. When the
// tests run as a normal user anyway, there is nothing more to show.
func TestAsAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Log("not root: all tests have run as a normal user")
		return
	}
	account, err := user.Lookup(otherUser)
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(account.Uid)
	gid, _ := strconv.Atoi(account.Gid)
	home := openDir(t)
	if err := os.Chown(home, uid, gid); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(home, "localdb.test")
	copyFile(t, os.Args[0], binary)

	cmd := exec.Command(binary, "-test.v", "-test.run",
		"TestStart_Temporary$|TestClient_killed|TestStart_unusablePlace|TestStart_defaultPlaces|TestDownload$/temporaryGoes|rootPrivate")
	cmd.Env = append(os.Environ(), "HOME="+home, "TMPDIR="+home, "XDG_DATA_HOME=", "XDG_CACHE_HOME=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("as %s: %v\n%s", otherUser, err, out)
	}
	for _, want := range []string{"--- PASS: TestStart_Temporary", "--- PASS: TestClient_killed", "--- PASS: TestStart_defaultPlaces", "--- PASS: TestDownload"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestStart_defaultPlaces is for a normal user with a home of the test's own;
// root's default place belongs to the machine.
func TestStart_defaultPlaces(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Log("root: TestAsAnotherUser runs this test")
		return
	}
	home := t.TempDir()
	for _, tc := range []struct{ env, want string }{
		{"XDG_DATA_HOME=", filepath.Join(home, ".local", "share", "holdfast")},
		{"XDG_DATA_HOME=" + filepath.Join(home, "data"), filepath.Join(home, "data", "holdfast")},
	} {
		c := launch(t, localdb.Options{Kind: localdb.Kept, Linger: 1}, "HOME="+home, tc.env).ready(t)
		if c.Dir != tc.want {
			t.Errorf("%s: data in %s, want %s", tc.env, c.Dir, tc.want)
		}
		supervisor := supervisorPID(t, c.Dir)
		_ = c.stdin.Close()
		eventually(t, "the server stops", func() bool { return !alive(supervisor) })
	}
}

// TestReexec_binaryThatNobodyElseMayRun is what go run and a umask of 077 make;
// here in an environment that would lead PostgreSQL and its clients astray.
func TestReexec_binaryThatNobodyElseMayRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "private")
	copyFile(t, os.Args[0], binary)
	if err := os.Chmod(binary, 0o700); err != nil {
		t.Fatal(err)
	}
	c := launchBinary(t, binary, localdb.Options{NoFsync: true}, "PGDATA=/nowhere", "PGHOST=nowhere.invalid", "PGPORT=1", "PGDATABASE=x",
		"PGUSER=x", "PGOPTIONS=-c nonsense=1", "PGSSLMODE=verify-full", "LC_ALL=xx_YY", "HOME=/nowhere", "TMPDIR="+openDir(t)).ready(t)
	query(t, c.URL, "SELECT 'well'")
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
