package localdb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrNoBinaries says that PostgreSQL is neither installed nor downloadable. The
// error's text is two lines and says what to install.
var ErrNoBinaries = errors.New("no PostgreSQL binaries")

// noBinariesError carries the text of the supervisor, which did the looking.
type noBinariesError struct{ text string }

func (e *noBinariesError) Error() string        { return e.text }
func (e *noBinariesError) Is(target error) bool { return target == ErrNoBinaries }

// minMajor is the oldest PostgreSQL that has all we use (NULLS NOT DISTINCT).
const minMajor = 15

// binDirVariable names the binaries' directory, before all other places.
const binDirVariable = "PG_BINDIR"

// binaries is a directory with a usable initdb and postgres.
type binaries struct {
	dir   string
	major int
}

func (b binaries) initdb() string   { return filepath.Join(b.dir, "initdb") }
func (b binaries) postgres() string { return filepath.Join(b.dir, "postgres") }

// usualPlaces are where packages put server binaries without adding them to
// PATH: Debian, PGDG on Red Hat, Alpine, Homebrew, Postgres.app, MacPorts.
func usualPlaces() []string {
	return []string{
		"/usr/lib/postgresql/*/bin",
		"/usr/pgsql-*/bin",
		"/usr/libexec/postgresql*",
		"/opt/homebrew/opt/postgresql*/bin",
		"/usr/local/opt/postgresql*/bin",
		"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
		"/opt/local/lib/postgresql*/bin",
	}
}

// chooseBinaries finds the binaries for a server: any major version from 15 on
// for new data, the same one for data that exists.
func chooseBinaries(ctx context.Context, s spec) (binaries, error) {
	dataMajor, err := dataVersion(filepath.Join(s.Dir, dataName))
	if err != nil {
		return binaries{}, err
	}
	bin, err := findBinaries(ctx, s.BinDir, dataMajor, usualPlaces())
	if !errors.Is(err, ErrNoBinaries) || s.BinDir != "" || os.Getenv(binDirVariable) != "" {
		return bin, err // found, or the user has said where to look
	}
	return download(ctx, s, dataMajor, repositoryURL, os.Stderr)
}

// findBinaries looks in dir, or if that is empty in PG_BINDIR, or else in all
// places where PostgreSQL may be, for the version wanted (0 = any from 15 on).
// Places that somebody has named are not passed over silently.
func findBinaries(ctx context.Context, dir string, want int, usual []string) (binaries, error) {
	if named := cmp.Or(dir, os.Getenv(binDirVariable)); named != "" {
		bin, err := inspect(ctx, named)
		if err == nil {
			err = bin.fits(want)
		}
		if err != nil {
			return binaries{}, &noBinariesError{text: fmt.Sprintf("%s does not hold a usable PostgreSQL: %v\n%s", named, err, installHint(want))}
		}
		return bin, nil
	}
	for _, dir := range candidates(ctx, usual) {
		bin, err := inspect(ctx, dir)
		if err == nil && bin.fits(want) == nil {
			return bin, nil
		}
	}
	return binaries{}, &noBinariesError{text: "no PostgreSQL found on this machine\n" + installHint(want)}
}

// candidates lists directories in the order of preference: what the user's
// tools point to, then the usual places with the newest version first.
func candidates(ctx context.Context, usual []string) []string {
	var dirs []string
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		dirs = append(dirs, filepath.Dir(path))
	}
	for _, pattern := range usual {
		found, err := filepath.Glob(pattern)
		if err != nil {
			continue
		}
		slices.SortFunc(found, func(a, b string) int { return pathVersion(b) - pathVersion(a) })
		dirs = append(dirs, found...)
	}
	return dirs
}

// pathVersion is the version that a directory's name speaks of, 0 if it is silent.
func pathVersion(dir string) int {
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if version := firstNumber(filepath.Base(dir)); version != 0 {
			return version
		}
	}
	return 0
}

var digits = regexp.MustCompile(`[0-9]+`)

func firstNumber(text string) int {
	number, err := strconv.Atoi(digits.FindString(text))
	if err != nil {
		return 0
	}
	return number
}

// inspect asks the binaries themselves: a directory's name proves nothing.
func inspect(ctx context.Context, dir string) (binaries, error) {
	bin := binaries{dir: dir}
	if _, err := os.Stat(bin.initdb()); err != nil {
		return binaries{}, err
	}
	out, err := exec.CommandContext(ctx, bin.postgres(), "--version").Output()
	if err != nil {
		return binaries{}, fmt.Errorf("%s --version: %w", bin.postgres(), err)
	}
	// "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", "... 18beta1"
	_, version, found := strings.Cut(string(out), "(PostgreSQL) ")
	if bin.major = firstNumber(version); !found || bin.major == 0 {
		return binaries{}, fmt.Errorf("%s --version says %q", bin.postgres(), out)
	}
	return bin, nil
}

func (b binaries) fits(want int) error {
	switch {
	case b.major < minMajor:
		return fmt.Errorf("it is version %d", b.major)
	case want != 0 && b.major != want:
		return fmt.Errorf("it is version %d and the data is of version %d", b.major, want)
	}
	return nil
}

// installHint is the second line of every error about missing binaries.
func installHint(want int) string {
	if want != 0 {
		return fmt.Sprintf("the data needs PostgreSQL %d: apt-get install postgresql-%d, brew install postgresql@%d, or set %s",
			want, want, want, binDirVariable)
	}
	return fmt.Sprintf("install PostgreSQL %d or newer (apt-get install postgresql, brew install postgresql) or set %s to the directory of its initdb",
		minMajor, binDirVariable)
}

// dataVersion is the major version that made a data directory, 0 if there is
// none yet.
func dataVersion(data string) (int, error) {
	text, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s is no PostgreSQL data: PG_VERSION says %q", data, text)
	}
	return major, nil
}
