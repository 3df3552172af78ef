package localdb

import (
	"strings"
	"testing"
)

func TestRunDir(t *testing.T) {
	t.Parallel()
	fits := "/" + strings.Repeat("x", socketPathLimit-1-len("/run/.s.PGSQL.65535"))
	for dir, inside := range map[string]bool{
		"/var/lib/holdfast": true,
		"/home/jo/my data":  true,
		"/home/jo/one,two":  false,
		fits:                true,
		fits + "x":          false,
	} {
		run := runDir(dir, 1000)
		if got := strings.HasPrefix(run, dir+"/"); got != inside {
			t.Errorf("sockets of %s are in %s, want inside: %t", dir, run, inside)
		}
		if path := run + "/.s.PGSQL.65535"; len(path) > socketPathLimit {
			t.Errorf("%s is too long for a socket", path)
		}
		if run != runDir(dir, 1000) || !inside && run == runDir(dir+"x", 1000) {
			t.Errorf("%s is not the directory's own", run)
		}
	}
}
