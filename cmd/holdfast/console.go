package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/timezone"
	tuiapp "holdfast/tui/app"
	"holdfast/tui/canvas"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
)

const (
	// consoleConns lets a slow list and the pulse wait side by side.
	consoleConns = 6
)

type consoleFlags struct {
	plain, readOnly bool
	venue           string
	theme           string
	ascii           bool
	environment     string
}

func (a *app) consoleCommand() *cobra.Command {
	var f consoleFlags
	cmd := &cobra.Command{
		Use: "console", Short: "The terminal console", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.plain || a.getenv("ACCESSIBLE") != "" {
				return a.plainConsole(cmd.Context(), f.readOnly)
			}
			in, out, err := a.consoleTerminal()
			if err != nil {
				return err
			}
			log, done := a.consoleLog()
			defer done()
			dsn, release, err := a.database(cmd.Context())
			if err != nil {
				return err
			}
			defer release()
			pool, err := pgstore.Connect(cmd.Context(), dsn, pgstore.PoolConfig{MaxConns: consoleConns, AppName: "holdfast console"})
			if err != nil {
				return err
			}
			defer pool.Close()
			return a.runConsole(cmd.Context(), pgstore.New(pool, log), f, log, in, out)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.plain, "plain", false, "a prompt that takes commands and prints sentences, for screen readers and dumb terminals")
	flags.BoolVar(&f.readOnly, "read-only", false, "look, but change nothing")
	flags.StringVar(&f.venue, "venue", "", "venue to begin with (default the first)")
	flags.StringVar(&f.theme, "theme", theme.Default, "one of "+strings.Join(theme.Names(), ", "))
	flags.BoolVar(&f.ascii, "ascii", false, "lines and marks in plain ASCII")
	flags.StringVar(&f.environment, "environment", "", "what this installation is called; PROD is marked so that it cannot be overlooked")
	return cmd
}

// consoleTerminal gives the terminal, or says in one line why there is none.
func (a *app) consoleTerminal() (in, out *os.File, err error) {
	in, inOK := a.stdin.(*os.File)
	out, outOK := a.stdout.(*os.File)
	if !inOK || !outOK {
		return nil, nil, fmt.Errorf("%w (see console --plain)", tuiapp.ErrNoTerminal)
	}
	if err := tuiapp.CheckTerminal(in, out, a.getenv); err != nil {
		return nil, nil, fmt.Errorf("%w (see console --plain)", err)
	}
	return in, out, nil
}

// consoleLog is a file, since the terminal belongs to the console; without a
// place for it there is no log.
func (a *app) consoleLog() (*slog.Logger, func()) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return slog.New(slog.DiscardHandler), func() {}
	}
	path := filepath.Join(dir, "holdfast", "console.log")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return slog.New(slog.DiscardHandler), func() {}
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return slog.New(slog.DiscardHandler), func() {}
	}
	return jsonLog(file, slog.LevelInfo), func() { _ = file.Close() }
}

// runConsole shows the console until the person leaves.
func (a *app) runConsole(ctx context.Context, s *pgstore.Store, f consoleFlags, log *slog.Logger, in, out *os.File) error {
	look, err := theme.New(cmpOr(f.theme, theme.Default), canvas.ProfileOf(a.getenv), f.ascii)
	if err != nil {
		return inventory.Invalid("theme", "%s", err)
	}
	venue, err := firstVenue(ctx, s, f.venue)
	if err != nil {
		return err
	}
	cfg := tuiapp.Config{
		Clock: timezone.SystemClock{}, Theme: look, Venue: venue, Env: f.environment,
		Prod: strings.EqualFold(f.environment, "prod"), Role: a.staff().String(),
		Pulse: pulse(s), Offline: offline, Explain: explain, Details: details, Log: log,
		Mouse: a.getenv("SSH_CONNECTION") == "",
	}
	if f.readOnly {
		cfg.ReadOnly = "this console was started with --read-only"
	}
	cfg.Tabs, cfg.Build = screens(s, a.staff()) //nolint:contextcheck // a screen gets its context with its Env
	err = tuiapp.Run(ctx, cfg, in, out)
	if crash := (*tuiapp.CrashError)(nil); ctx.Err() != nil && !errors.As(err, &crash) {
		return nil // told to end, and did
	}
	return err
}

func cmpOr(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// firstVenue is the named venue, or the first one; none at all is no error: the
// console can add one.
func firstVenue(ctx context.Context, s *pgstore.Store, slug string) (ui.Venue, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, commandLimit, errors.New("venues.list took over "+commandLimit.String()))
	defer cancel()
	if slug != "" {
		v, err := s.Venue(ctx, slug)
		if err != nil {
			return ui.Venue{}, err
		}
		return venueInFocus(v), nil
	}
	venues, err := s.Venues(ctx)
	if err != nil || len(venues) == 0 {
		return ui.Venue{}, err
	}
	return venueInFocus(venues[0]), nil
}

// venueInFocus shows a venue whose zone is not known any more in no zone, never
// in a guessed one.
func venueInFocus(v inventory.Venue) ui.Venue {
	out := ui.Venue{Slug: v.Slug, Name: v.Name}
	if zone, err := timezone.ParseZone(v.Zone); err == nil {
		out.Zone = zone.Location()
	}
	return out
}

// pulse is the question that the console asks all the time: is the database
// there, what time is it, and what waits for a person.
func pulse(s *pgstore.Store) func(context.Context) (tuiapp.Pulse, error) {
	return func(ctx context.Context) (tuiapp.Pulse, error) {
		list, err := s.Zombies(ctx, inventory.ZombieFilter{Limit: 1})
		if err != nil {
			return tuiapp.Pulse{}, err
		}
		p := tuiapp.Pulse{Now: list.AsOf, Badges: map[string]string{routeZombies: ""}}
		if list.Total > 0 {
			p.Badges[routeZombies] = decimal(list.Total) + "!"
		}
		return p, nil
	}
}

// offline tells a database that cannot be reached from one that says no.
func offline(err error) bool { return errors.Is(err, inventory.ErrUnavailable) }

// details says everything about an error, a line each.
func details(err error) []string { return strings.Split(err.Error(), "\n") }
