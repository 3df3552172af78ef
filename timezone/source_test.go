package timezone_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The rules of time that a linter cannot express, over the whole repository:
//   - the clock is read in timezone/clock.go and under cmd only;
//   - nobody adds 24 hours to come to another day, or calls 24 hours a day; as the
//     length of a deadline or a limit, 24 hours are fine;
//   - months and days are added to instants (AddDate) in this package only;
//   - nobody uses the machine's zone or the date package's ways to read the clock
//     and to read typed dates, which roll 2026-02-30 over.
func TestRepository_keepsTheRulesOfTime(t *testing.T) {
	t.Parallel()
	root := ".."
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != root && (name[0] == '.' || name == "testdata" || name == "vendor") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files++
		fileset := token.NewFileSet()
		file, err := parser.ParseFile(fileset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%v", err)
			return nil
		}
		rel, err := filepath.Rel(root, path)
		for _, breach := range timeBreaches(filepath.ToSlash(rel), file) {
			t.Errorf("%s: %s", fileset.Position(breach.pos), breach.why)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Errorf("only %d files seen: the test looks in the wrong place", files)
	}
}

// The test above must be able to fail.
func TestTimeBreaches_findsThem(t *testing.T) {
	t.Parallel()
	const source = `package p
		import ("time"; clock "time"; "github.com/rickb777/date")
		const day, step = 24 * time.Hour, clock.Hour * 24 // 1 named so
		var a = []any{
			t.Add(24 * time.Hour), t.Add(-(time.Hour * 24)), t.Add(7 * 24 * clock.Hour), t.Add(step), // 4
			24 * time.Hour + ttl, x - step, // 2
			t.AddDate(0, 0, 1), // 1, not in timezone
			time.Now, clock.Since(t), // 2, not in the clock and in cmd
			time.Local, date.Today(), date.ParseISO(""), // 3
		}
		const Deadline = 24 * time.Hour
		var fine = []any{t.Add(23 * time.Hour), t.Add(24 * time.Minute), ttl < 24 * time.Hour, date.New(2026, 1, 1), x.Now(), "24 * time.Hour"}`
	for path, want := range map[string]int{"tui/a.go": 13, "cmd/holdfast/a.go": 11, "timezone/day.go": 12, "timezone/clock.go": 10} {
		file, err := parser.ParseFile(token.NewFileSet(), path, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := timeBreaches(path, file); len(got) != want {
			t.Errorf("%s: %d breaches, want %d: %v", path, len(got), want, got)
		}
	}
}

type breach struct {
	pos token.Pos
	why string
}

func timeBreaches(path string, file *ast.File) []breach {
	found := addedDays(file)
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if why := forbidden(path, packageOf(file, s.X), s.Sel.Name); why != "" {
				found = append(found, breach{s.Pos(), why})
			}
		}
		return true
	})
	return found
}

func forbidden(path, pkg, name string) string {
	switch {
	case name == "AddDate" && !strings.HasPrefix(path, "timezone/"):
		return "AddDate outside timezone, where days and instants meet"
	case pkg == "time" && slices.Contains([]string{"Now", "Since", "Until"}, name) &&
		path != "timezone/clock.go" && !strings.HasPrefix(path, "cmd/"):
		return "time." + name + " reads the clock: take a timezone.Clock"
	case pkg == "time" && name == "Local":
		return "the machine's zone is nobody's zone"
	case pkg == "github.com/rickb777/date" && (strings.HasPrefix(name, "Today") || strings.Contains(name, "Parse")):
		return "date." + name + " guesses: use timezone.Today or timezone.ParseDay"
	}
	return ""
}

// packageOf returns the import path that an expression names, or "".
func packageOf(file *ast.File, e ast.Expr) string {
	ident, ok := e.(*ast.Ident)
	if !ok {
		return ""
	}
	for _, i := range file.Imports {
		imported := strings.Trim(i.Path.Value, `"`)
		name := imported[strings.LastIndex(imported, "/")+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		if name == ident.Name {
			return imported
		}
	}
	return ""
}

// addedDays finds 24 hours that are added or subtracted, directly or by a name
// that the file gives them, and names that call them a day.
func addedDays(file *ast.File) []breach {
	const why = "a day is not 24 hours: use timezone.DayBounds, or date.Date.Add"
	var found []breach
	named := map[string]bool{}
	name := func(names []ast.Expr, values []ast.Expr) {
		for i, v := range values {
			if id, ok := names[i].(*ast.Ident); ok && is24Hours(v) {
				named[id.Name] = true
				if strings.Contains(strings.ToLower(id.Name), "day") {
					found = append(found, breach{v.Pos(), why})
				}
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			names := make([]ast.Expr, len(n.Names))
			for i := range n.Names {
				names[i] = n.Names[i]
			}
			name(names, n.Values)
		case *ast.AssignStmt:
			if len(n.Lhs) == len(n.Rhs) {
				name(n.Lhs, n.Rhs)
			}
		}
		return true
	})
	added := func(e ast.Expr) {
		if minus, ok := e.(*ast.UnaryExpr); ok {
			e = minus.X
		}
		if id, ok := e.(*ast.Ident); is24Hours(e) || ok && named[id.Name] {
			found = append(found, breach{e.Pos(), why})
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Add" && len(n.Args) == 1 {
				added(n.Args[0])
			}
		case *ast.BinaryExpr:
			if n.Op == token.ADD || n.Op == token.SUB {
				added(n.X)
				added(n.Y)
			}
		}
		return true
	})
	return found
}

// is24Hours reports whether e is a product of 24 and an hour.
func is24Hours(e ast.Expr) bool {
	if product, ok := ast.Unparen(e).(*ast.BinaryExpr); !ok || product.Op != token.MUL {
		return false
	}
	hour, times24 := false, false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			hour = hour || n.Sel.Name == "Hour"
		case *ast.BasicLit:
			times24 = times24 || n.Value == "24"
		}
		return true
	})
	return hour && times24
}
