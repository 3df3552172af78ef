package pgstore_test

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

// Every SQL constant of this package is prepared on the migrated schema, so
// that a statement no test happens to run cannot be wrong.
func TestSQL_everyConstantPrepares(t *testing.T) {
	t.Parallel()
	db := pgtest.DB(t)
	conn, err := db.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for name, sql := range sqlConstants(t) {
		query, _, err := pgx.NamedArgs{}.RewriteQuery(t.Context(), conn.Conn(), sql, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := conn.Conn().Prepare(t.Context(), name, query); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.HasPrefix(sql, "-- ") {
			t.Errorf("%s does not begin with its name, which the server's log would show", name)
		}
	}
}

// sqlConstants evaluates the constants of this package named sql....
func sqlConstants(t *testing.T) map[string]string {
	t.Helper()
	fset := token.NewFileSet()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") {
			f, err := parser.ParseFile(fset, e.Name(), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
	}
	conf := types.Config{Error: func(error) {}} // imports are not wanted: constants need none
	pkg, _ := conf.Check("pgstore", fset, files, nil)
	out := make(map[string]string)
	for _, name := range pkg.Scope().Names() {
		if c, ok := pkg.Scope().Lookup(name).(*types.Const); ok && strings.HasPrefix(name, "sql") {
			out[name] = constant.StringVal(c.Val())
		}
	}
	if len(out) < 60 {
		t.Fatalf("found %d SQL constants: the search is broken", len(out))
	}
	return out
}

// The state graph is data twice: the table that the trigger asks, and Go.
func TestStateGraph_tableAndGoAgree(t *testing.T) {
	t.Parallel()
	db := pgtest.DB(t)
	rows, _ := db.Pool.Query(t.Context(), `SELECT from_state, to_state FROM allowed_transition`)
	stored, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (e inventory.Transition, err error) {
		return e, row.Scan(&e.From, &e.To)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(stored) != len(inventory.Transitions) {
		t.Errorf("the table has %d edges, Go has %d", len(stored), len(inventory.Transitions))
	}
	for _, e := range stored {
		if !inventory.Allowed(e.From, e.To) {
			t.Errorf("%s -> %s is in the table only", e.From, e.To)
		}
	}
}
