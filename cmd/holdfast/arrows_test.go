package main

import (
	"os/exec"
	"strings"
	"testing"
)

// arrows says which package may import which: the first rule whose prefix fits
// decides, and names every prefix of this module that is allowed.
var arrows = []struct {
	from    string
	allowed []string
}{
	{"holdfast/timezone", nil},
	{"holdfast/inventory/pgstore", []string{"holdfast/inventory", "holdfast/timezone"}},
	{"holdfast/inventory/httpapi", []string{"holdfast/inventory", "holdfast/timezone", "holdfast/inventory/payment"}},
	{"holdfast/inventory/notify", []string{"holdfast/inventory", "holdfast/timezone", "holdfast/inventory/payment/signature"}},
	{"holdfast/inventory/payment", []string{"holdfast/inventory", "holdfast/timezone", "holdfast/inventory/payment"}},
	{"holdfast/inventory", []string{"holdfast/timezone"}},
	{"holdfast/jobs", []string{"holdfast/inventory", "holdfast/timezone", "holdfast/inventory/payment"}},
	{"holdfast/migrations/localdb", []string{"holdfast/migrations/localdb"}},
	{"holdfast/migrations/pgtest", []string{"holdfast/migrations", "holdfast/inventory", "holdfast/inventory/pgstore", "holdfast/timezone"}},
	{"holdfast/migrations", nil},
	{"holdfast/tui/screen", []string{
		"holdfast/tui/canvas", "holdfast/tui/theme", "holdfast/tui/keys", "holdfast/tui/widget", "holdfast/tui/dialog", "holdfast/tui/ui",
		"holdfast/inventory", "holdfast/timezone",
	}},
	{"holdfast/tui", []string{"holdfast/tui"}},
	{"holdfast/cmd", []string{"holdfast"}},
}

// onlyIn names what one place alone may import: there is one way to the
// database, one scheduler, one console.
var onlyIn = []struct {
	path string
	in   []string
}{
	{"github.com/jackc/pgx", []string{"holdfast/inventory/pgstore", "holdfast/migrations", "holdfast/cmd"}},
	{"github.com/go-co-op/gocron", []string{"holdfast/jobs"}},
	{"github.com/charmbracelet", []string{"holdfast/tui", "holdfast/cmd"}},
	{"github.com/pressly/goose", []string{"holdfast/migrations"}},
	{"github.com/spf13/cobra", []string{"holdfast/cmd"}},
}

// Imports point one way, as DESIGN says: a screen does not know the database,
// the domain does not know its adapters, nothing knows cmd.
func TestImports_pointOneWay(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "holdfast/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) < 15 {
		t.Fatalf("go list names %d packages: the search is broken", len(lines))
	}
	for _, line := range lines {
		imports := strings.Fields(line)
		from := imports[0]
		for _, to := range imports[1:] {
			if reason := forbidden(from, to); reason != "" {
				t.Errorf("%s imports %s: %s", from, to, reason)
			}
		}
	}
}

func forbidden(from, to string) string {
	for _, o := range onlyIn {
		if within(to, o.path) && !anyWithin(from, o.in) {
			return "only " + strings.Join(o.in, ", ") + " may"
		}
	}
	if !within(to, "holdfast") {
		return ""
	}
	for _, a := range arrows {
		if !within(from, a.from) {
			continue
		}
		for _, ok := range a.allowed {
			if to == ok || ok != "holdfast/inventory" && within(to, ok) {
				return ""
			}
		}
		return "not among its arrows"
	}
	return "its package has no rule here"
}

func within(path, prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }

func anyWithin(path string, prefixes []string) bool {
	for _, p := range prefixes {
		if within(path, p) {
			return true
		}
	}
	return false
}

// Words that name nothing do not become packages.
func TestImports_noPackageIsADrawer(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "holdfast/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, path := range strings.Fields(string(out)) {
		for _, word := range strings.Split(path, "/") {
			switch word {
			case "util", "utils", "common", "helper", "helpers", "types", "models", "misc":
				t.Errorf("%s: a package is named after what is in it", path)
			}
		}
	}
}
