package migrations_test

import (
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"holdfast/migrations"
	"holdfast/migrations/localdb"
	"holdfast/migrations/pgtest"
)

// B48 (a): the server's machine lacks the package.
func TestUp_B48a_packageAbsent(t *testing.T) {
	t.Parallel()
	server, err := localdb.Start(t.Context(), localdb.Options{BinDir: installWithoutBtreeGist(t), NoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close(context.Background())

	_, err = migrations.Up(t.Context(), server.URL())
	if !errors.Is(err, migrations.ErrNoBtreeGist) {
		t.Fatalf("Up = %v, want ErrNoBtreeGist", err)
	}
	for _, want := range []string{"apt-get install postgresql-", "CREATE EXTENSION btree_gist;", "nothing was changed"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("it does not say %q:\n%v", want, err)
		}
	}
	conn, err := pgx.Connect(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var made int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace").Scan(&made); err != nil || made > 0 {
		t.Errorf("%d objects were made, %v", made, err)
	}
}

// usesExtension is a migration as the ranges of resources need it.
var usesExtension = fstest.MapFS{"00001_range.sql": &fstest.MapFile{Data: []byte(`-- +goose Up
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE TABLE stay (resource_id bigint, during tstzrange, EXCLUDE USING gist (resource_id WITH =, during WITH &&));
`)}}

// B48 (b): who may do what. "plain" is a login that may only create tables.
func TestUp_B48b_plainUser(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before  string // run by a superuser
		refused bool
	}{
		"extensionPresent":     {before: "CREATE EXTENSION btree_gist"},
		"extensionAbsent":      {before: "SELECT 1", refused: true},
		"mayCreateInDatabase":  {before: "GRANT CREATE ON DATABASE $database TO $login"},
		"ownsDatabase":         {before: "ALTER DATABASE $database OWNER TO $login"},
		"presentInOtherSchema": {before: "CREATE SCHEMA ext; GRANT USAGE ON SCHEMA ext TO $login; CREATE EXTENSION btree_gist SCHEMA ext"},
		"presentWithoutSearch": {before: "CREATE SCHEMA hidden; CREATE EXTENSION btree_gist SCHEMA hidden"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.EmptyDB(t)
			login := "plain_" + db.Name
			execute(t, db, "CREATE ROLE "+login+" LOGIN PASSWORD 'plain'")
			execute(t, db, "GRANT ALL ON SCHEMA public TO "+login)
			execute(t, db, strings.NewReplacer("$database", db.Name, "$login", login).Replace(tc.before))
			t.Cleanup(func() { // a role belongs to the whole server
				for _, sql := range []string{"REASSIGN OWNED BY " + login + " TO CURRENT_USER", "DROP OWNED BY " + login, "DROP ROLE " + login} {
					if _, err := db.Pool.Exec(context.Background(), sql); err != nil {
						t.Error(err)
					}
				}
			})

			_, err := migrations.UpFrom(t.Context(), as(t, db, login), usesExtension)
			if !tc.refused {
				if err != nil {
					t.Fatalf("Up = %v", err)
				}
				if _, err := db.Pool.Exec(t.Context(), "INSERT INTO stay VALUES (1, '[2027-01-01,2027-01-02)'), (1, '[2027-01-02,2027-01-03)')"); err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, migrations.ErrNoBtreeGist) {
				t.Fatalf("Up = %v, want ErrNoBtreeGist", err)
			}
			for _, want := range []string{"CREATE EXTENSION btree_gist;", "database " + db.Name, "login " + login} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("it does not say %q:\n%v", want, err)
				}
			}
			if made := tables(t, db); len(made) > 0 {
				t.Errorf("it has made %v", made)
			}
		})
	}
}

// TestUp_B48b_ownSchema runs the real migrations as a login that is no superuser.
func TestUp_B48b_ownSchema(t *testing.T) {
	t.Parallel()
	db := pgtest.EmptyDB(t)
	login := "owner_" + db.Name
	execute(t, db, "CREATE ROLE "+login+" LOGIN PASSWORD 'plain'")
	execute(t, db, "GRANT ALL ON SCHEMA public TO "+login)
	execute(t, db, "CREATE EXTENSION btree_gist")
	if _, err := migrations.Up(t.Context(), as(t, db, login)); err != nil {
		t.Error(err)
	}
	t.Cleanup(func() {
		for _, sql := range []string{"DROP OWNED BY " + login + " CASCADE", "DROP ROLE " + login} {
			if _, err := db.Pool.Exec(context.Background(), sql); err != nil {
				t.Error(err)
			}
		}
	})
}

func as(t *testing.T, db *pgtest.Database, login string) string {
	t.Helper()
	u, err := url.Parse(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(login, "plain")
	return u.String()
}

// installWithoutBtreeGist makes a copy of the machine's PostgreSQL, in links
// mostly, that lacks the extension. Programs of PostgreSQL find their files
// relative to themselves, so the directories must lie to each other as before.
func installWithoutBtreeGist(t *testing.T) (binDir string) {
	t.Helper()
	db := pgtest.EmptyDB(t)
	var bin, share, lib string
	err := db.Pool.QueryRow(t.Context(), `SELECT max(setting) FILTER (WHERE name = 'BINDIR'),
		max(setting) FILTER (WHERE name = 'SHAREDIR'), max(setting) FILTER (WHERE name = 'PKGLIBDIR') FROM pg_config`).Scan(&bin, &share, &lib)
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.MkdirTemp("", "without-btree-gist-") //nolint:usetesting // other accounts cannot enter t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	if err := os.Chmod(root, 0o755); err != nil { // the server's account has to get in
		t.Fatal(err)
	}
	moved := func(dir string) string { return filepath.Join(root, dir) }

	for _, program := range []string{"postgres", "initdb"} {
		copyProgram(t, filepath.Join(bin, program), filepath.Join(moved(bin), program))
	}
	link(t, lib, moved(lib))
	linkAll(t, share, moved(share), "extension")
	linkAll(t, filepath.Join(share, "extension"), filepath.Join(moved(share), "extension"), "btree_gist")
	return moved(bin)
}

// linkAll links what is in from, save for names that begin with skip.
func linkAll(t *testing.T, from, to, skip string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), skip) {
			link(t, filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
		}
	}
}

func link(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(from, to); err != nil {
		t.Fatal(err)
	}
}

// copyProgram copies: a program looks where the file is that a link points to.
func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
