package timezone_test

import (
	"archive/zip"
	"slices"
	"strings"
	"testing"
	"time"

	"holdfast/timezone"
)

// refusedNames are the names of Go's zone database that are no places.
var refusedNames = strings.Fields(`
	CET CST6CDT EET EST EST5EDT Factory GMT GMT+0 GMT-0 GMT0 Greenwich HST MET MST MST7MDT PST8PDT UCT Universal WET Zulu
	Etc/GMT Etc/GMT+0 Etc/GMT+1 Etc/GMT+10 Etc/GMT+11 Etc/GMT+12 Etc/GMT+2 Etc/GMT+3 Etc/GMT+4 Etc/GMT+5 Etc/GMT+6
	Etc/GMT+7 Etc/GMT+8 Etc/GMT+9 Etc/GMT-0 Etc/GMT-1 Etc/GMT-10 Etc/GMT-11 Etc/GMT-12 Etc/GMT-13 Etc/GMT-14
	Etc/GMT-2 Etc/GMT-3 Etc/GMT-4 Etc/GMT-5 Etc/GMT-6 Etc/GMT-7 Etc/GMT-8 Etc/GMT-9 Etc/GMT0 Etc/Greenwich Etc/UCT
	Etc/Universal Etc/Zulu`)

// The allow-list is exactly the database in the binary less the names above: an
// update of Go that brings a new zone fails here until the list is made anew.
func TestParseZone_acceptsExactlyTheEmbeddedNames(t *testing.T) {
	t.Parallel()
	archive, err := zip.OpenReader(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	embedded := map[string]bool{}
	for _, f := range archive.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		embedded[f.Name] = true
		_, err := timezone.ParseZone(f.Name)
		if refused := slices.Contains(refusedNames, f.Name); refused != (err != nil) {
			t.Errorf("ParseZone(%q) = %v, want refused %v; go generate ./timezone?", f.Name, err, refused)
		}
	}
	for _, name := range timezone.AcceptedNames() {
		if !embedded[name] {
			t.Errorf("%s is accepted but not embedded", name)
		}
	}
	if got, want := len(timezone.AcceptedNames()), len(embedded)-len(refusedNames); got != want {
		t.Errorf("%d names accepted, want %d", got, want)
	}
}

// An old name must have meant the same as the name that replaces it, at least
// for the years of which a venue can have bookings.
func TestParseZone_oldNamesKeepTheirRules(t *testing.T) {
	t.Parallel()
	from := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, name := range timezone.AcceptedNames() {
		z := zone(t, name)
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if name == z.Name() {
			continue
		}
		for month := range 12 * 20 {
			at := time.Date(from.Year(), time.Month(1+month), 15, 0, 0, 0, 0, time.UTC)
			if _, old := at.In(loc).Zone(); timezone.OffsetAt(at, z) != timezone.Offset(old)*timezone.Offset(time.Second) {
				t.Errorf("%s became %s, which differs at %v", name, z, at)
				break
			}
		}
	}
}
