package bench

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// The plain transaction: what one writes who wants a hold and the count in one
// transaction, with the journal and the idempotency key, and takes the hot row
// last. Every request wins.
//
//go:embed plain.sql
var plainTransaction string

// The same tables without what belongs to holdfast: columns, checks and indexes
// are copied, triggers and foreign keys are not.
//
//go:embed plain_tables.sql
var plainTables string

// pgbench runs the plain transaction; ready once its tables are there.
type pgbench struct {
	binary string
	env    []string
	dir    string
	today  string
}

// plain makes the tables of the plain transaction. pgbench is looked for in
// PATH and beside the server.
func (b *bench) plain(ctx context.Context) (*pgbench, error) {
	binary, err := b.findPGBench(ctx)
	if err != nil {
		return nil, err
	}
	cfg, err := pgx.ParseConfig(b.cfg.DSN)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "holdfast-bench-")
	if err != nil {
		return nil, err
	}
	b.undo = append(b.undo, func(context.Context) { _ = os.RemoveAll(dir) })
	schema := b.schema + "_plain"
	b.undo = append(b.undo, func(ctx context.Context) { _, _ = b.pool.Exec(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE") })
	sql := strings.NewReplacer("$plain", schema, "$schema", b.schema, "$today", b.today.String(), "$pool", poolSlug(0)).Replace(plainTables)
	if _, err := b.pool.Exec(ctx, sql); err != nil {
		return nil, fmt.Errorf("tables of the plain transaction: %w", err)
	}
	return &pgbench{
		binary: binary, dir: dir, today: b.today.String(),
		env: append(os.Environ(), "PGHOST="+cfg.Host, "PGPORT="+strconv.Itoa(int(cfg.Port)), "PGUSER="+cfg.User, "PGPASSWORD="+cfg.Password,
			"PGDATABASE="+cfg.Database, "PGOPTIONS=-c search_path="+schema),
	}, nil
}

func (b *bench) findPGBench(ctx context.Context) (string, error) {
	if path, err := exec.LookPath("pgbench"); err == nil {
		return path, nil
	}
	var dir string
	if err := b.pool.QueryRow(ctx, "SELECT setting FROM pg_config WHERE name = 'BINDIR'").Scan(&dir); err == nil {
		if path := filepath.Join(dir, "pgbench"); exec.CommandContext(ctx, path, "--version").Run() == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("pgbench is neither in PATH nor beside the server (Debian: postgresql-contrib)")
}

// plainLeast is how long pgbench runs at least: it counts from its start.
const plainLeast = 3 * time.Second

var tps = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)

// run gives the transactions per second of so many clients over so many days.
func (p *pgbench) run(ctx context.Context, clients, days int, length time.Duration) (load, error) {
	script := filepath.Join(p.dir, fmt.Sprintf("plain-%d.sql", days))
	text := strings.NewReplacer("$days", strconv.Itoa(days), "$today", p.today).Replace(plainTransaction)
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		return load{}, err
	}
	cmd := exec.CommandContext(ctx, p.binary, "--no-vacuum", "--protocol=prepared", "--client="+strconv.Itoa(clients),
		"--jobs="+strconv.Itoa(min(clients, 2)), "--time="+strconv.Itoa(int(length.Seconds())), "--file="+script)
	cmd.Env = p.env
	out, err := cmd.CombinedOutput()
	found := tps.FindSubmatch(out)
	if err != nil || found == nil {
		return load{}, fmt.Errorf("pgbench: %w\n%s", err, out)
	}
	perSecond, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		return load{}, err
	}
	return load{clients: clients, took: length, answers: int(perSecond * length.Seconds())}, nil
}

// best runs the plain transaction with as many clients, or where that is none of
// plainClients with each of them, and gives the best.
func (p *pgbench) best(ctx context.Context, clients, days int, length time.Duration) (load, error) {
	counts := []int{clients}
	if !slices.Contains(plainClients, clients) {
		counts = plainClients
	}
	var best load
	for _, n := range counts {
		l, err := p.run(ctx, n, days, max(length/time.Duration(len(counts)), plainLeast))
		if err != nil {
			return load{}, err
		}
		if l.answers == 0 || best.took == 0 || l.perSecond() > best.perSecond() {
			best = l
		}
	}
	return best, nil
}
