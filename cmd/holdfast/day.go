package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/rickb777/date"
	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/timezone"
)

// listedDays is how far day list looks by default.
const listedDays = 30

func (a *app) dayCommand() *cobra.Command {
	return group("day", "Capacity, overbook limit and stop-sell of pool days",
		a.daySetCommand(), a.dayListCommand(), a.dayUndoCommand(), a.dayChangesCommand())
}

func (a *app) dayListCommand() *cobra.Command {
	var from, to string
	cmd := &cobra.Command{
		Use: "list VENUE/POOL", Short: "Pool days that exist", Args: exactly("VENUE/POOL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := inventory.ParsePoolRef("pool", args[0])
			if err != nil {
				return err
			}
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				if _, err := s.Pool(ctx, ref); err != nil {
					return err
				}
				today, err := venueToday(ctx, s, ref.Venue)
				if err != nil {
					return err
				}
				r, err := dayRange(today, from, to)
				if err != nil {
					return err
				}
				found, err := s.Days(ctx, ref, r)
				if err != nil {
					return err
				}
				return output.Rows(a.print, dayColumns, mapped(found, viewDay))
			})
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "first day (default the venue's today)")
	cmd.Flags().StringVar(&to, "to", "", "last day (default 30 days after the first)")
	return cmd
}

func dayRange(today date.Date, from, to string) (r inventory.DayRange, err error) {
	var errs []error
	r.From = today
	if from != "" {
		r.From, err = timezone.ParseDay(from)
		errs = append(errs, badInput("from", err))
	}
	r.To = r.From.Add(listedDays)
	if to != "" {
		r.To, err = timezone.ParseDay(to)
		errs = append(errs, badInput("to", err))
	}
	if err := errors.Join(errs...); err != nil {
		return r, err
	}
	if r.To.Before(r.From) {
		return r, inventory.Invalid("to", "%s lies before %s", r.To, r.From)
	}
	return r, nil
}

func (a *app) dayUndoCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "undo [CHANGE]", Short: "Put back an edit of days (default your last one that stands)", Args: atMost("CHANGE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var change int64
			if len(args) == 1 {
				n, err := strconv.ParseInt(args[0], 10, 64)
				if err != nil || n < 1 {
					return inventory.Invalid("change", "must be the number of a change (see holdfast day changes)")
				}
				change = n
			}
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				set, err := s.UndoDays(ctx, a.staff(), change, reason)
				if err != nil {
					return err
				}
				if a.print.Format() == output.JSON {
					return a.print.Document(viewChangeSet(set))
				}
				if err := output.Rows(a.print, changeColumns, mapped(set.Changes, viewChange)); err != nil {
					return err
				}
				return a.print.Line("Change %d is put back as change %d.", set.Undoes, set.ID)
			})
		},
	}
	reasonFlag(cmd.Flags(), &reason)
	return cmd
}

func (a *app) dayChangesCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "changes [VENUE/POOL]", Short: "Saved edits of days, newest first", Args: atMost("VENUE/POOL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var ref inventory.PoolRef
			if len(args) == 1 {
				var err error
				if ref, err = inventory.ParsePoolRef("pool", args[0]); err != nil {
					return err
				}
			}
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				sets, err := s.ChangeSets(ctx, ref, limit)
				if err != nil {
					return err
				}
				return output.Rows(a.print, changeSetColumns, mapped(sets, viewChangeSet))
			})
		},
	}
	limitFlag(cmd.Flags(), &limit)
	return cmd
}

// venueToday is the venue's local date by the database's clock, which decides.
func venueToday(ctx context.Context, s *pgstore.Store, slug string) (date.Date, error) {
	venue, err := s.Venue(ctx, slug)
	if err != nil {
		return date.Date{}, err
	}
	zone, err := timezone.ParseZone(venue.Zone)
	if err != nil {
		return date.Date{}, fmt.Errorf("venue %s: %w", slug, err)
	}
	now, err := s.DatabaseNow(ctx)
	return timezone.DayOf(now, zone), err
}

// badInput names the field of a typed value that timezone refused.
func badInput(field string, err error) error {
	if err == nil {
		return nil
	}
	return inventory.Invalid(field, "%s", err)
}
