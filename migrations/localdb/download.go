package localdb

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// repositoryURL is where embedded-postgres has its binaries from.
const repositoryURL = "https://repo1.maven.org/maven2"

// downloadLimit ends a download that a network swallows.
const downloadLimit = 2 * time.Minute

// releases are the versions that can be downloaded, by major version; new data
// is made with the newest.
func releases() map[int]embeddedpostgres.PostgresVersion {
	return map[int]embeddedpostgres.PostgresVersion{
		15: embeddedpostgres.V15,
		16: embeddedpostgres.V16,
		17: embeddedpostgres.V17,
		18: embeddedpostgres.V18,
	}
}

const newestRelease = 18

// download gets binaries into the cache, where the next start finds them. want
// is the major version, 0 for the newest. What the library prints goes to log.
func download(ctx context.Context, s spec, want int, repository string, log io.Writer) (binaries, error) {
	release := want
	if want == 0 {
		release = newestRelease
	}
	bin, err := cachedOrFetched(ctx, s, release, repository, log)
	if err != nil {
		problem, _, _ := strings.Cut(err.Error(), "\n") // the library adds a whole log, which is in ours too
		return binaries{}, &noBinariesError{text: fmt.Sprintf(
			"no PostgreSQL found on this machine, and the download failed: %s\n%s", problem, installHint(want))}
	}
	return bin, nil
}

func cachedOrFetched(ctx context.Context, s spec, release int, repository string, log io.Writer) (binaries, error) {
	version, known := releases()[release]
	if !known {
		return binaries{}, fmt.Errorf("no download of version %d", release)
	}
	if s.Cache == "" {
		return binaries{}, errors.New("no cache directory (set HOME)")
	}
	if err := os.MkdirAll(s.Cache, 0o755); err != nil {
		return binaries{}, err
	}
	unlock, err := lockCache(ctx, s.Cache)
	if err != nil {
		return binaries{}, err
	}
	defer unlock()
	home := filepath.Join(s.Cache, "postgresql-"+string(version))
	if bin, err := inspect(ctx, filepath.Join(home, "bin")); err == nil {
		return bin, bin.fits(release)
	}
	// Under another name until complete: the library takes whatever is there for
	// a whole installation.
	unfinished := home + ".new"
	if err := os.RemoveAll(unfinished); err != nil {
		return binaries{}, err
	}
	defer func() { _ = os.RemoveAll(unfinished) }()
	if err := fetch(ctx, s, version, unfinished, repository, log); err != nil {
		return binaries{}, err
	}
	if err := os.Rename(unfinished, home); err != nil {
		return binaries{}, err
	}
	bin, err := inspect(ctx, filepath.Join(home, "bin"))
	if err != nil {
		return binaries{}, err
	}
	return bin, bin.fits(release)
}

// fetch lets embedded-postgres do what it does: download, compare the checksum,
// unpack, and start a server. That server only proves that the binaries work
// here; why it is not the one we use is told in ../DESIGN.md.
func fetch(ctx context.Context, s spec, version embeddedpostgres.PostgresVersion, home, repository string, log io.Writer) error {
	scratch := filepath.Join(s.Dir, "download")
	defer func() { _ = os.RemoveAll(scratch) }()
	port, err := freePort(ctx)
	if err != nil {
		return err
	}
	trial := embeddedpostgres.NewDatabase(embeddedpostgres.DefaultConfig().
		Version(version).
		BinaryRepositoryURL(repository).
		CachePath(s.Cache).
		BinariesPath(home).
		RuntimePath(scratch).
		DataPath(filepath.Join(scratch, dataName)).
		Port(uint32(port)).
		Password(rand.Text()).
		StartParameters(map[string]string{"unix_socket_directories": ""}). // the built-in one may not be ours to write
		Logger(log))

	ended := make(chan error, 1)
	go func() {
		if err := trial.Start(); err != nil {
			ended <- err
			return
		}
		ended <- trial.Stop()
	}()
	// The library knows no context. If it hangs, so does its goroutine, but the
	// supervisor that it belongs to ends with the error.
	select {
	case err := <-ended:
		return err
	case <-time.After(downloadLimit):
		return fmt.Errorf("no answer from %s in %v", repository, downloadLimit)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func lockCache(ctx context.Context, cache string) (unlock func(), err error) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		lock, err := takeLock(filepath.Join(cache, lockName))
		if err == nil {
			return func() { _ = lock.Close() }, nil
		}
		if !errors.Is(err, errLocked) {
			return nil, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// makeCacheIfNeeded creates the cache for the server's account, which could not
// do so itself. It is called as root, and looks first, so that a machine with
// PostgreSQL gets no empty directory.
func makeCacheIfNeeded(s spec) error {
	_, err := findBinaries(context.Background(), s.BinDir, 0, usualPlaces())
	if err == nil || s.BinDir != "" || os.Getenv(binDirVariable) != "" {
		return nil
	}
	return place{uid: nobody}.own(s.Cache)
}
