package timezone_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The rules of time that a linter cannot express, over the whole repository:
//   - the clock is read in timezone/clock.go and under cmd only;
//   - nobody adds 24 hours, or a multiple, to come to another day, or calls 24 hours
//     a day; as the length of a deadline or a limit, 24 hours are fine;
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
			t.Add(48 * time.Hour), t.Add(n * 24 * time.Hour), t.Add(1440 * time.Minute), t.Add(time.Duration(86_400) * time.Second), t.Add(TimeOfDay(24 * time.Hour)), // 5
			t.AddDate(0, 0, 1), // 1, not in timezone
			time.Now, clock.Since(t), // 2, not in the clock and in cmd
			time.Local, date.Today(), date.ParseISO(""), // 3
		}
		const Deadline = 24 * time.Hour
		func f() { t += 24 * time.Hour; t -= step; t += time.Hour } // 2
		var fine = []any{t.Add(23 * time.Hour), t.Add(24 * time.Minute), t.Add(n * time.Hour), t.Add(36 * time.Hour), t.Add(0 * time.Hour), ttl < 24 * time.Hour, date.New(2026, 1, 1), x.Now(), "24 * time.Hour"}`
	for path, want := range map[string]int{"tui/a.go": 20, "cmd/holdfast/a.go": 18, "timezone/day.go": 19, "timezone/clock.go": 17} {
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
			if id, ok := names[i].(*ast.Ident); ok && isDays(v) {
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
			if (n.Tok == token.ASSIGN || n.Tok == token.DEFINE) && len(n.Lhs) == len(n.Rhs) {
				name(n.Lhs, n.Rhs)
			}
		}
		return true
	})
	added := func(e ast.Expr) {
		if minus, ok := e.(*ast.UnaryExpr); ok {
			e = minus.X
		}
		if id, ok := e.(*ast.Ident); isDays(e) || ok && named[id.Name] {
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
		case *ast.AssignStmt:
			if n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN {
				added(n.Rhs[0])
			}
		}
		return true
	})
	return found
}

// isDays reports whether e is a product that makes a multiple of 24 hours,
// whatever it is converted to.
func isDays(e ast.Expr) bool {
	length, unit := factors(e)
	const day = 86_400 // seconds
	return unit && length > 0 && length%day == 0
}

// factors multiplies the numbers and the units of time in a product, in seconds,
// and says whether it has a unit; what it cannot know counts as 1.
func factors(e ast.Expr) (product int64, unit bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		if n, err := strconv.ParseInt(e.Value, 0, 64); err == nil {
			return n, false
		}
	case *ast.SelectorExpr:
		if seconds, ok := map[string]int64{"Hour": 3600, "Minute": 60, "Second": 1}[e.Sel.Name]; ok {
			return seconds, true
		}
	case *ast.CallExpr:
		if len(e.Args) == 1 { // a conversion
			return factors(e.Args[0])
		}
	case *ast.BinaryExpr:
		if e.Op == token.MUL {
			x, xUnit := factors(e.X)
			y, yUnit := factors(e.Y)
			return x * y, xUnit || yUnit
		}
	}
	return 1, false
}
