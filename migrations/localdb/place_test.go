package localdb_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"holdfast/migrations/localdb"
)

func TestStart_anyPath(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{
		"spaceQuoteNotASCII": `a "quoted" 'odd' Gästehaus\日本`,
		"comma":              "one,two",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := localdb.Options{Kind: localdb.Kept, Dir: filepath.Join(openDir(t), dir), Linger: 1}
			s := start(t, opts)
			if s.Dir() != opts.Dir {
				t.Errorf("Dir = %s, want %s", s.Dir(), opts.Dir)
			}
			again := start(t, opts)
			if s.URL() != again.URL() {
				t.Errorf("attached to %s, want %s", again.URL(), s.URL())
			}
			sockets := query(t, s.URL(), "SELECT current_setting('unix_socket_directories')")
			for _, s := range []*localdb.Server{s, again} {
				if err := s.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			eventually(t, "no socket is left", func() bool { return !exists(strings.Trim(sockets, `"`)) })
		})
	}
}

func TestStart_unusablePlace(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	private := filepath.Join(t.TempDir(), "kept")
	full := filepath.Join(dir, "full")
	if err := os.MkdirAll(filepath.Join(full, "other"), 0o755); err != nil {
		t.Fatal(err)
	}

	for name, tc := range map[string]struct {
		dir, want string
		onlyRoot  bool
	}{
		"file":        {dir: file, want: "is not a directory"},
		"belowFile":   {dir: filepath.Join(file, "kept"), want: "not a directory"},
		"symlink":     {dir: link, want: "is not a directory"},
		"rootFull":    {dir: full, want: "is not empty", onlyRoot: true},
		"rootPrivate": {dir: private, want: "cannot reach", onlyRoot: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := localdb.Start(t.Context(), localdb.Options{Kind: localdb.Kept, Dir: tc.dir, Linger: 1})
			if err == nil {
				_ = s.Close(t.Context())
			}
			if tc.onlyRoot && os.Geteuid() != 0 {
				if err != nil {
					t.Errorf("Start = %v, want nil for the directory's own user", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Start = %v, want it to say %q", err, tc.want)
			}
		})
	}
}
