package localdb

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// repositoryOf serves an archive as Maven Central does: a jar around a txz, and
// its checksum. The archive holds shell scripts that call this machine's own
// PostgreSQL, found through LOCALDB_TEST_BINDIR.
func repositoryOf(t *testing.T, checksum func(jar []byte) string) (url string, downloads *atomic.Int32) {
	t.Helper()
	archive, err := os.ReadFile(filepath.Join("testdata", "stand-in.txz"))
	if err != nil {
		t.Fatal(err)
	}
	var jar bytes.Buffer
	z := zip.NewWriter(&jar)
	w, err := z.Create("postgres-stand-in.txz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(archive); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	downloads = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".sha256") {
			_, _ = w.Write([]byte(checksum(jar.Bytes())))
			return
		}
		downloads.Add(1)
		_, _ = w.Write(jar.Bytes())
	}))
	t.Cleanup(server.Close)
	return server.URL, downloads
}

func sha256Hex(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func TestDownload(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Log("root cannot run initdb: TestAsAnotherUser runs this test")
		return
	}
	real, err := findBinaries(t.Context(), "", 0, usualPlaces())
	if err != nil {
		t.Fatal(err)
	}
	url, downloads := repositoryOf(t, sha256Hex)
	s := spec{Dir: t.TempDir(), Cache: filepath.Join(t.TempDir(), "cache")}
	for range 2 {
		bin, err := download(t.Context(), s, real.major, url, t.Output())
		if err != nil {
			t.Fatal(err)
		}
		if bin.major != real.major || !strings.HasPrefix(bin.dir, s.Cache) {
			t.Errorf("download = %+v, want version %d in %s", bin, real.major, s.Cache)
		}
	}
	if n := downloads.Load(); n != 1 {
		t.Errorf("%d downloads, want 1 for two starts", n)
	}
	if left, _ := os.ReadDir(s.Dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestDownload_fails(t *testing.T) {
	t.Parallel()
	empty := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(empty.Close)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	forged, _ := repositoryOf(t, func([]byte) string { return sha256Hex(nil) })

	for name, tc := range map[string]struct {
		want       int
		repository string
		cache      string
		problem    string
	}{
		"offline":       {repository: closed.URL, cache: t.TempDir(), problem: "unable to connect"},
		"unknown":       {repository: empty.URL, cache: t.TempDir(), problem: "no version found"},
		"forged":        {repository: forged, cache: t.TempDir(), problem: "checksums do not match"},
		"notOffered":    {want: 99, repository: empty.URL, cache: t.TempDir(), problem: "no download of version 99"},
		"noHome":        {repository: empty.URL, problem: "no cache directory"},
		"cacheReadOnly": {repository: empty.URL, cache: "/proc/none", problem: "/proc/none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := download(t.Context(), spec{Dir: t.TempDir(), Cache: tc.cache}, tc.want, tc.repository, t.Output())
			if err == nil || !strings.Contains(err.Error(), tc.problem) {
				t.Fatalf("download = %v, want it to say %q", err, tc.problem)
			}
			assertTwoLines(t, err)
		})
	}
}
