package localdb_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/migrations/localdb"
)

func TestMain(m *testing.M) {
	if supervisor, exit := localdb.Reexec(); supervisor {
		os.Exit(exit)
	}
	os.Exit(m.Run())
}

// start gives a server that the test's end closes if the test has not.
func start(t *testing.T, opts localdb.Options) *localdb.Server {
	t.Helper()
	s, err := localdb.Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(t.Context()) })
	return s
}

// query asks for one text value on a connection of its own.
func query(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var got string
	if err := conn.QueryRow(t.Context(), sql).Scan(&got); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return got
}

func TestStart_Temporary(t *testing.T) {
	t.Parallel()
	began := time.Now()
	s := start(t, localdb.Options{Settings: map[string]string{"max_connections": "33"}})
	t.Logf("started in %v", time.Since(began))

	for _, url := range []string{s.URL(), s.TCPURL()} {
		if got := query(t, url, "SELECT current_database()"); got != "holdfast" {
			t.Errorf("current_database() = %q, want holdfast", got)
		}
	}
	for setting, want := range map[string]string{
		"max_connections": "33", "fsync": "on", "TimeZone": "UTC", "server_encoding": "UTF8",
		"listen_addresses": "127.0.0.1",
	} {
		if got := query(t, s.URL(), "SELECT current_setting('"+setting+"')"); got != want {
			t.Errorf("%s = %q, want %q", setting, got, want)
		}
	}
	if _, err := os.Stat(s.LogPath()); err != nil {
		t.Error(err)
	}
	info, err := os.Stat(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("mode of %s = %v, want 0700", s.Dir(), info.Mode())
	}

	began = time.Now()
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("stopped in %v", time.Since(began))
	if _, err := os.Stat(s.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after Close: %s: %v, want it gone", s.Dir(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(s.Dir(), "*")); left != nil {
		t.Error(left)
	}
}
