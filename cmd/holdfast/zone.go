package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/timezone"
)

func (a *app) timezoneCommand() *cobra.Command {
	return group("timezone", "What changes of clocks and of their rules do to bookings", a.timezoneLintCommand())
}

func (a *app) timezoneLintCommand() *cobra.Command {
	return &cobra.Command{
		Use: "lint [VENUE]", Short: "Future bookings that today's rules of their zone would move", Args: atMost("VENUE"),
		Long: `Future bookings that today's rules of their zone would move: to be run after an
update of the time zone data. The exit status is 1 if there are any.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				venues, err := venuesNamed(ctx, s, strings.Join(args, ""))
				if err != nil {
					return err
				}
				var found []inventory.ZonePreview
				var errs []error
				for _, v := range venues {
					p, err := s.PreviewZone(ctx, v.Slug, v.Zone)
					if err != nil {
						errs = append(errs, err) // one venue's trouble must not hide another's bookings
						continue
					}
					found = append(found, p)
				}
				return errors.Join(append(errs, a.printLint(found))...)
			})
		},
	}
}

// venuesNamed is one venue, or all of them for "".
func venuesNamed(ctx context.Context, s *pgstore.Store, slug string) ([]inventory.Venue, error) {
	if slug == "" {
		return s.Venues(ctx)
	}
	v, err := s.Venue(ctx, slug)
	return []inventory.Venue{v}, err
}

// printLint ends with errQuiet if anything would move.
func (a *app) printLint(found []inventory.ZonePreview) error {
	var moves []zoneMoveView
	moving := 0
	for _, p := range found {
		moves = append(moves, viewZonePreview(p).Moves...)
		moving += p.Moving
	}
	var err error
	switch a.print.Format() {
	case output.JSON:
		err = a.print.Document(mapped(found, viewZonePreview))
	case output.CSV:
		err = output.Rows(a.print, zoneMoveColumns, moves)
	case output.Table:
		err = a.tableOfMoves(moves)
	}
	if err != nil {
		return err
	}
	for _, p := range found {
		if err := a.printAdvice(p); err != nil {
			return err
		}
	}
	if moving > 0 {
		return errQuiet
	}
	return a.print.Line("Nothing would move.")
}

// poolDay is the kind of a move of which a venue can have hundreds, all alike:
// people are told how many. Programs get them all.
const poolDay = "pool-day"

func (a *app) tableOfMoves(moves []zoneMoveView) error {
	shown := slices.DeleteFunc(slices.Clone(moves), func(m zoneMoveView) bool { return m.Kind == poolDay })
	if len(shown) > 0 {
		if err := output.Rows(a.print, zoneMoveColumns, shown); err != nil {
			return err
		}
	}
	if n := len(moves) - len(shown); n > 0 {
		return a.print.Line("%s of pools would end at another instant.", days(n))
	}
	return nil
}

// printAdvice says, for people, how to settle what would move.
func (a *app) printAdvice(p inventory.ZonePreview) error {
	lines := sayPreview(p)
	if p.Moving > 0 {
		lines = append(lines,
			fmt.Sprintf("  holdfast venue zone %s %s --keep local    the wall shows what was typed; the instants move", p.Venue, p.To),
			fmt.Sprintf("  holdfast venue zone %s %s --keep instant  the instants stay; the wall shows something else", p.Venue, p.To))
	}
	for _, line := range lines {
		if err := a.print.Line("%s", line); err != nil {
			return err
		}
	}
	return nil
}

// sayPreview says in words what a preview found.
func sayPreview(p inventory.ZonePreview) []string {
	var lines []string
	if n := p.Moving; n > 0 {
		line := fmt.Sprintf("%s: %d would move", p.Venue, n)
		if p.NewDay > 0 {
			line += fmt.Sprintf(", %d of them to another local day", p.NewDay)
		}
		if p.Missing > 0 {
			line += fmt.Sprintf(", %d to a time that the clocks skip", p.Missing)
		}
		if p.Doubled > 0 {
			line += fmt.Sprintf(", %d to a time that comes twice", p.Doubled)
		}
		lines = append(lines, line+".")
	}
	if p.Missing+p.Doubled > 0 {
		lines = append(lines, p.Venue+": to keep local times, first move the bookings whose time is skipped or comes twice (booking move).")
	}
	if n := len(p.RulesDiffer); n > 0 {
		lines = append(lines, fmt.Sprintf("%s: holdfast (%s) and PostgreSQL (%s) know different rules of %s, first at %s: update the older one.",
			p.Venue, p.GoRules, p.DatabaseRules, p.To, instant(p.RulesDiffer[0])))
	}
	return lines
}

// venueZoneFlags are the flags of venue zone.
type venueZoneFlags struct {
	keep, reason string
	dryRun       bool
	version      int
}

func (a *app) venueZoneCommand() *cobra.Command {
	var f venueZoneFlags
	cmd := &cobra.Command{
		Use: "zone VENUE ZONE [--keep local|instant]", Short: "Give a venue another zone, or apply new rules of its own", Args: exactly("VENUE", "ZONE"),
		Long: `Give a venue another zone, or apply new rules of its own. It first shows which future
bookings, events and days would move. Then --keep says what stays: with local, 19:30
stays 19:30 and the instant moves; with instant, the wall shows something else.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			keep, keepErr := parseKeep(f.keep)
			zone, err := timezone.ParseZone(args[1])
			if err := errors.Join(badInput("zone", err), keepErr); err != nil {
				return err
			}
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				return a.changeZone(ctx, s, args[0], zone, keep, f)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.keep, "keep", "", "what stays: local or instant; needed where anything would move")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show what would move and save nothing")
	versionFlag(flags, &f.version)
	reasonFlag(flags, &f.reason)
	return cmd
}

func parseKeep(s string) (inventory.ZoneKeep, error) {
	switch k := inventory.ZoneKeep(s); k {
	case "", inventory.KeepLocal, inventory.KeepInstant:
		return k, nil
	}
	return "", inventory.Invalid("keep", "must be local or instant")
}

func (a *app) changeZone(ctx context.Context, s *pgstore.Store, slug string, zone timezone.Zone, keep inventory.ZoneKeep, f venueZoneFlags) error {
	venue, err := s.Venue(ctx, slug)
	if err != nil {
		return err
	}
	if f.version == 0 {
		f.version = venue.Version // the one that the preview below is of
	}
	preview, err := s.PreviewZone(ctx, slug, zone.Name())
	if err != nil {
		return err
	}
	view := viewZonePreview(preview)
	if a.print.Format() == output.Table { // seen before it is saved
		if err := a.tableOfMoves(view.Moves); err != nil {
			return err
		}
	}
	anyOther := slices.ContainsFunc(view.Moves, func(m zoneMoveView) bool { return m.Kind != poolDay })
	switch {
	case f.dryRun:
		return a.printZone(preview, view)
	case keep == "" && (anyOther || preview.Moving > len(view.Moves)):
		return inventory.Invalid("keep", "say what stays, local or instant: bookings or events would move (--dry-run lists them)")
	case keep == "":
		keep = inventory.KeepLocal // days without a time of their own
	}
	saved, err := s.ChangeZone(ctx, a.staff(), slug, f.version, zone.Name(), keep, f.reason)
	if err != nil {
		return err
	}
	after := viewVenue(saved)
	view.Saved = &after
	return a.printZone(preview, view)
}

// printZone ends venue zone; a table of what moves is printed already.
func (a *app) printZone(p inventory.ZonePreview, v zonePreviewView) error {
	switch a.print.Format() {
	case output.JSON:
		return a.print.Document(v)
	case output.CSV:
		return output.Rows(a.print, zoneMoveColumns, v.Moves)
	case output.Table:
	}
	lines := sayPreview(p)
	switch {
	case v.Saved != nil:
		lines = append(lines, fmt.Sprintf("%s is in %s now (version %d).", v.Venue, v.Saved.Zone, v.Saved.Version))
	case v.Moving == 0:
		lines = append(lines, "Nothing would move. Nothing is saved.")
	default:
		lines = append(lines, "Nothing is saved.")
	}
	for _, line := range lines {
		if err := a.print.Line("%s", line); err != nil {
			return err
		}
	}
	return nil
}
