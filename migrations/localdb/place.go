package localdb

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Names inside a server's directory.
const (
	dataName     = "data"
	passwordName = "password"
	logName      = "postgres.log"
	lockName     = "lock"
	runName      = "run"
	attachName   = "attach"
)

// temporaryPrefix marks our directories among other temporary files.
const temporaryPrefix = "holdfast-pg-"

// nobody is the account that PostgreSQL, which refuses root, runs under when
// we are root.
const nobody = 65534

// socketPathLimit is below the 104 bytes of macOS and the 108 of Linux.
const socketPathLimit = 100

// place is the set of paths of one server.
type place struct {
	dir      string
	run      string // where the sockets are: usually inside dir
	siblings string
	cache    string
	uid      int // the account that the server runs under
}

// choosePlace finds and creates the directory. What is in it is later written
// by the server's own account only: as root we open nothing there for writing.
func choosePlace(opts Options) (place, error) {
	p := place{uid: os.Geteuid()}
	if p.uid == 0 {
		p.uid = nobody
	}
	var err error
	if opts.Kind == Kept {
		p.dir, err = keptDir(opts.Dir)
	} else {
		p.dir, err = temporaryDir(opts.Dir)
	}
	if err != nil {
		return place{}, err
	}
	p.cache = cacheDir()
	if opts.Kind == Temporary {
		p.siblings = filepath.Join(filepath.Dir(p.dir), temporaryPrefix+"*")
	} else {
		p.siblings = filepath.Join(os.TempDir(), temporaryPrefix+"*")
	}
	p.run = runDir(p.dir, p.uid)
	return p, p.own(p.dir)
}

// own creates dir if need be and makes sure that it is a private directory of
// the server's account, which must be able to reach it.
func (p place) own(dir string) error {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if p.uid != os.Geteuid() && !openToAll(parent) {
		return fmt.Errorf("the server's account (uid %d) cannot reach %s", p.uid, parent)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	switch owner := ownerOf(info); {
	case owner == p.uid:
	case owner == os.Geteuid(): // root's, as new directories are
		if !isEmpty(dir) {
			return fmt.Errorf("%s belongs to root and is not empty", dir)
		}
		if err := os.Lchown(dir, p.uid, p.uid); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%s belongs to another user (uid %d)", dir, owner)
	}
	if info.Mode().Perm() == 0o700 {
		return nil
	}
	return os.Chmod(dir, 0o700)
}

func isEmpty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 0
}

// ownedBy tells whether dir is a directory of uid: in /tmp anybody may have
// taken its name first.
func ownedBy(dir string, uid int) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && ownerOf(info) == uid
}

func ownerOf(info fs.FileInfo) int {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1
	}
	return int(stat.Uid)
}

// keptDir follows the XDG rules for a user and the file hierarchy standard for
// root.
func keptDir(dir string) (string, error) {
	switch {
	case dir != "":
		return filepath.Abs(dir)
	case os.Geteuid() == 0:
		return "/var/lib/holdfast", nil
	}
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "holdfast"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find a place for the data: %w (set HOME or XDG_DATA_HOME)", err)
	}
	return filepath.Join(home, ".local", "share", "holdfast"), nil
}

func temporaryDir(parent string) (string, error) {
	if parent != "" {
		return makeTemporary(parent)
	}
	if os.Geteuid() != 0 {
		return makeTemporary(os.TempDir())
	}
	// TMPDIR may be root's own: then the server's account could not get in, or
	// could not remove its directory in the end.
	for _, dir := range []string{os.TempDir(), "/tmp", "/var/tmp"} {
		info, err := os.Stat(dir)
		if err == nil && info.Mode().Perm()&0o002 != 0 && openToAll(dir) {
			return makeTemporary(dir)
		}
	}
	return "", fmt.Errorf("no directory for temporary files that the server's account (uid %d) can use", nobody)
}

func makeTemporary(parent string) (string, error) {
	parent, err := filepath.Abs(parent)
	if err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, temporaryPrefix)
}

// openToAll tells whether any account can reach dir.
func openToAll(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

// cacheDir is where downloaded binaries are kept, "" if the user has no place
// for such things.
func cacheDir() string {
	if os.Geteuid() == 0 {
		return "/var/cache/holdfast"
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "holdfast")
}

// runDir is where the sockets of the server in dir are: inside, unless that makes
// their paths too long, or a comma in it reads as a list of hosts in a URL. The
// name follows from dir so that every client finds it.
func runDir(dir string, uid int) string {
	run := filepath.Join(dir, runName)
	if len(run)+len("/.s.PGSQL.65535") <= socketPathLimit && !strings.Contains(run, ",") {
		return run
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(dir))
	return filepath.Join("/tmp", fmt.Sprintf("holdfast-run-%d-%016x", uid, h.Sum64()))
}
