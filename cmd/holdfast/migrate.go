package main

import (
	"context"
	"path"
	"time"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/output"
	"holdfast/migrations"
)

type migrationView struct {
	Version   int64     `json:"version"`
	Name      string    `json:"name,omitzero"`
	AppliedAt time.Time `json:"appliedAt,omitzero"`
	State     string    `json:"state"`
}

func viewMigration(m migrations.Migration) migrationView {
	v := migrationView{Version: m.Version, Name: path.Base(m.Name), State: "pending"}
	if m.AppliedAt != nil {
		v.AppliedAt, v.State = *m.AppliedAt, "applied"
	}
	if m.Name == "" {
		v.Name, v.State = "", "unknown to this program"
	}
	return v
}

var migrationColumns = []output.Column[migrationView]{
	{Name: "version", Number: true, Value: func(m migrationView) string { return decimal(m.Version) }},
	{Name: "state", Value: func(m migrationView) string { return m.State }},
	{Name: "applied_at", Value: func(m migrationView) string { return instant(m.AppliedAt) }},
	{Name: "name", Value: func(m migrationView) string { return m.Name }},
}

func (a *app) migrateCommand() *cobra.Command {
	return group("migrate", "The database's schema", a.migrateUpCommand(), a.migrateStatusCommand())
}

func (a *app) migrateUpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "up", Short: "Apply every pending migration; safe when several run it at once", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.onServer(cmd, func(ctx context.Context, dsn string) error {
				applied, err := migrations.Up(ctx, dsn)
				for _, name := range applied {
					if err := a.print.Line("applied %s", name); err != nil {
						return err
					}
				}
				if err != nil {
					return err
				}
				if a.print.Format() == output.Table {
					return a.print.Line("%d applied; the schema is up to date.", len(applied))
				}
				return a.printMigrations(ctx, dsn)
			})
		},
	}
}

func (a *app) migrateStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "What is applied and what is pending", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.onServer(cmd, a.printMigrations) },
	}
}

func (a *app) printMigrations(ctx context.Context, dsn string) error {
	all, err := migrations.Status(ctx, dsn)
	if err != nil {
		return err
	}
	return output.Rows(a.print, migrationColumns, mapped(all, viewMigration))
}

// onServer runs fn with the configured database whatever its schema is.
func (a *app) onServer(cmd *cobra.Command, fn func(ctx context.Context, dsn string) error) error {
	if dsn := a.cfg.DB.Reveal(); dsn != "" {
		if err := checkDSN(dsn); err != nil {
			return err
		}
		return fn(cmd.Context(), dsn)
	}
	server, done, err := a.privateServer(cmd.Context())
	if err != nil {
		return err
	}
	defer done()
	return fn(cmd.Context(), server.URL())
}
