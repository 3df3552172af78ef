package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/migrations"
	"holdfast/migrations/localdb"
)

const (
	// commandLimit bounds a command that answers and ends. Starting the private
	// database and migrating it have limits of their own.
	commandLimit = time.Minute

	// commandConns is enough: a command does one thing after the other.
	commandConns = 2

	closeLimit = 5 * time.Second
)

// database gives the address of the configured database with a schema that
// fits, and what to call when it is used no more. Without --db that is the
// private one, started and migrated on demand; another one is only looked at.
func (a *app) database(ctx context.Context) (dsn string, done func(), err error) {
	if dsn = a.cfg.DB.Reveal(); dsn != "" {
		if err := checkDSN(dsn); err != nil {
			return "", nil, err
		}
		return dsn, func() {}, migrations.Check(ctx, dsn)
	}
	server, done, err := a.privateServer(ctx)
	if err != nil {
		return "", nil, err
	}
	if err := upToDate(ctx, server.URL()); err != nil {
		done()
		return "", nil, err
	}
	return server.URL(), done, nil
}

// upToDate migrates a database that needs it; looking first is cheaper, and the
// usual case.
func upToDate(ctx context.Context, dsn string) error {
	err := migrations.Check(ctx, dsn)
	if errors.Is(err, migrations.ErrSchemaBehind) {
		_, err = migrations.Up(ctx, dsn)
	}
	return err
}

// checkDSN refuses what is no address at all. The driver's own words may quote
// it, password and all.
func checkDSN(dsn string) error {
	if _, err := pgx.ParseConfig(dsn); err != nil {
		return inventory.Invalid("db", "is neither a PostgreSQL URL nor a keyword/value string, or names files that cannot be read")
	}
	return nil
}

func (a *app) privateServer(ctx context.Context) (*localdb.Server, func(), error) {
	server, err := localdb.Start(ctx, localdb.Options{Kind: localdb.Kept, Dir: a.cfg.DataDir})
	if err != nil {
		return nil, nil, err
	}
	return server, func() {
		// The supervisor notices by itself when we are gone; there is nothing to
		// do about an error here.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
		defer cancel()
		_ = server.Close(ctx)
	}, nil
}

// withStore runs fn with a store on the configured database.
func (a *app) withStore(cmd *cobra.Command, fn func(context.Context, *pgstore.Store) error) error {
	dsn, done, err := a.database(cmd.Context())
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithTimeoutCause(cmd.Context(), commandLimit,
		fmt.Errorf("%s took over %s", cmd.CommandPath(), commandLimit))
	defer cancel()
	pool, err := pgstore.Connect(ctx, dsn, pgstore.PoolConfig{MaxConns: commandConns, AppName: "holdfast " + cmd.Name()})
	if err != nil {
		return err
	}
	defer pool.Close()
	return fn(ctx, pgstore.New(pool, a.commandLog()))
}

// commandLog is where a command's warnings go: to standard error as text, and
// nowhere if standard error is to hold one JSON document.
func (a *app) commandLog() *slog.Logger {
	if a.print.Format() == output.JSON {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: cleanAttr}))
}
