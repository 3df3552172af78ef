package localdb_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/migrations/localdb"
)

func TestMain(m *testing.M) {
	if supervisor, exit := localdb.Reexec(); supervisor {
		os.Exit(exit)
	}
	if opts, ok := os.LookupEnv(clientVariable); ok {
		os.Exit(runClient(opts))
	}
	if dir, err := localdb.RealBinDir(); err == nil { // for the stand-ins of TestDownload
		_ = os.Setenv("LOCALDB_TEST_BINDIR", dir)
	}
	os.Exit(m.Run())
}

// start gives a server that is closed with the test.
func start(t *testing.T, opts localdb.Options) *localdb.Server {
	t.Helper()
	s, err := localdb.Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

// query asks for one text value on a connection of its own.
func query(t *testing.T, url, sql string) string {
	t.Helper()
	got, err := tryQuery(t.Context(), url, sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return got
}

func tryQuery(ctx context.Context, url, sql string) (got string, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, sql).Scan(&got)
	return got, err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// eventually waits for something that other processes do.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	over := time.After(30 * time.Second)
	for !done() {
		select {
		case <-tick.C:
		case <-over:
			t.Fatalf("not in 30 s: %s", what)
		}
	}
}

func TestStart_Temporary(t *testing.T) {
	t.Parallel()
	s := start(t, localdb.Options{Settings: map[string]string{"max_connections": "33"}})

	for _, url := range []string{s.URL(), s.TCPURL()} {
		if got := query(t, url, "SELECT current_database()"); got != "holdfast" {
			t.Errorf("current_database() = %q, want holdfast", got)
		}
		assertRefusesWrongPassword(t, url)
	}
	for setting, want := range map[string]string{
		"max_connections": "33", "fsync": "on", "full_page_writes": "on", "TimeZone": "UTC",
		"server_encoding": "UTF8", "listen_addresses": "127.0.0.1", "password_encryption": "scram-sha-256",
	} {
		if got := query(t, s.URL(), "SELECT current_setting('"+setting+"')"); got != want {
			t.Errorf("%s = %q, want %q", setting, got, want)
		}
	}
	if got := query(t, s.URL(), "SELECT string_agg(DISTINCT auth_method, ' ') FROM pg_hba_file_rules"); got != "scram-sha-256" {
		t.Errorf("ways to log in: %s, want scram-sha-256 only", got)
	}
	for _, dir := range []string{s.Dir(), filepath.Join(s.Dir(), "run")} {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v, want mode 0700", dir, info.Mode(), err)
		}
	}

	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if exists(s.Dir()) {
		t.Errorf("after Close %s is still there", s.Dir())
	}
	if err := s.Close(t.Context()); err != nil {
		t.Errorf("second Close: %v, want nil", err)
	}
}

func TestStart_Temporary_severalAtOnce(t *testing.T) {
	t.Parallel()
	a := start(t, localdb.Options{NoFsync: true})
	b := start(t, localdb.Options{NoFsync: true})
	const whoAmI = "SELECT current_setting('data_directory') || ' ' || current_setting('port') || ' ' || current_setting('fsync')"
	if x, y := query(t, a.URL(), whoAmI), query(t, b.URL(), whoAmI); x == y || !strings.HasSuffix(x, " off") {
		t.Errorf("servers are %q and %q, want two with fsync off", x, y)
	}
	if err := a.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	query(t, b.URL(), "SELECT 'still there'")
}

func assertRefusesWrongPassword(t *testing.T, url string) {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.Password = "wrong"
	if conn, err := pgx.ConnectConfig(t.Context(), config); err == nil {
		_ = conn.Close(t.Context())
		t.Errorf("host %s let us in with a wrong password", config.Host)
	}
}

func TestStart_refuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		opts localdb.Options
		want string
	}{
		"badValue":     {localdb.Options{Settings: map[string]string{"shared_buffers": "banana"}}, `invalid value for parameter "shared_buffers"`},
		"ownSetting":   {localdb.Options{Settings: map[string]string{"Port": "5432"}}, `setting "Port" cannot be changed`},
		"fsyncSetting": {localdb.Options{Settings: map[string]string{"fsync": "off"}}, `setting "fsync" cannot be changed`},
		"keptNoFsync":  {localdb.Options{Kind: localdb.Kept, NoFsync: true}, "kept data needs fsync"},
		"noBinaries":   {localdb.Options{BinDir: "/nowhere"}, "/nowhere does not hold a usable PostgreSQL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.opts.Dir = openDir(t)
			s, err := localdb.Start(t.Context(), tc.opts)
			if err == nil {
				_ = s.Close(t.Context())
				t.Fatal("it started")
			}
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Start = %v\nwant it to say %s", err, tc.want)
			}
			if got, want := errors.Is(err, localdb.ErrNoBinaries), name == "noBinaries"; got != want {
				t.Errorf("errors.Is(%v, ErrNoBinaries) = %t, want %t", err, got, want)
			}
			if left, _ := os.ReadDir(tc.opts.Dir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestStart_cancelled(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil { // as soon as it is under way
			<-tick.C
			if found, _ := filepath.Glob(filepath.Join(dir, "*", "data.new")); len(found) > 0 {
				cancel()
			}
		}
	}()
	if _, err := localdb.Start(ctx, localdb.Options{Dir: dir}); !errors.Is(err, context.Canceled) {
		t.Fatalf("Start = %v, want context.Canceled", err)
	}
	eventually(t, "an abandoned start leaves nothing", func() bool {
		left, err := os.ReadDir(dir)
		return err == nil && len(left) == 0
	})
}

// openDir is a directory like /tmp, which the server's account can use; it could
// not even reach t.TempDir when the tests run as root.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "localdb-test-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// A supervisor may be just leaving.
		eventually(t, dir+" can be removed", func() bool { return os.RemoveAll(dir) == nil })
	})
	if err := os.Chmod(dir, 0o777|fs.ModeSticky); err != nil {
		t.Fatal(err)
	}
	return dir
}
