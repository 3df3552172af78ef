package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/timezone"
)

type daySet struct {
	capacity, overbook     string
	capacityBy, overbookBy int
	stopSell, open         bool
	version                int
	dryRun                 bool
	reason                 string
}

func (a *app) daySetCommand() *cobra.Command {
	var f daySet
	cmd := &cobra.Command{
		Use:   "set VENUE/POOL DAYS [--capacity N] [--overbook N] [--stop-sell|--open]",
		Short: "Edit days: shows the plan, then saves all of it or nothing",
		Long: `Edit days: shows the plan, then saves all of it or nothing.

DAYS is the day language: 2027-01-15, 2027-01-01..2027-01-31 fri,sat, fri 2027-01,
2027-01 fri not 2027-01-08.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usage("%stakes VENUE/POOL DAYS", place(cmd))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := inventory.ParsePoolRef("pool", args[0])
			if err != nil {
				return err
			}
			edit, err := f.edit(cmd.Flags().Changed)
			if err != nil {
				return err
			}
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				return a.setDays(ctx, s, ref, strings.Join(args[1:], " "), edit, f)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.capacity, "capacity", "", "set the capacity")
	flags.StringVar(&f.overbook, "overbook", "", "set the overbook limit")
	flags.IntVar(&f.capacityBy, "capacity-by", 0, "change the capacity by so many, such as -5")
	flags.IntVar(&f.overbookBy, "overbook-by", 0, "change the overbook limit by so many")
	flags.BoolVar(&f.stopSell, "stop-sell", false, "stop sales")
	flags.BoolVar(&f.open, "open", false, "take a stop of sales back")
	flags.IntVar(&f.version, "if-version", 0, "only if every one of the days has this version")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show the plan and save nothing")
	reasonFlag(flags, &f.reason)
	return cmd
}

// edit reads what to change.
func (f daySet) edit(given func(string) bool) (inventory.DayEdit, error) {
	var e inventory.DayEdit
	var errs []error
	count := func(name, text string, by int) *inventory.Adjust {
		if given(name + "-by") {
			if given(name) {
				errs = append(errs, usage("--%s and --%s-by contradict each other", name, name))
			}
			return &inventory.Adjust{N: by, Relative: true}
		}
		if !given(name) {
			return nil
		}
		adjust, err := inventory.ParseAdjust(name, text)
		if err == nil && adjust.Relative {
			// -1 is far more often a slip than a wish for one less.
			err = inventory.Invalid(name, "must be a whole number from 0 to %d; use --%s-by to change it by so many", inventory.MaxCapacity, name)
		}
		errs = append(errs, err)
		return &adjust
	}
	e.Capacity, e.OverbookLimit = count("capacity", f.capacity, f.capacityBy), count("overbook", f.overbook, f.overbookBy)
	if f.stopSell || f.open {
		e.StopSell = &f.stopSell
	}
	switch {
	case f.stopSell && f.open:
		errs = append(errs, usage("--stop-sell and --open contradict each other"))
	case e.Empty():
		errs = append(errs, usage("say what to change: --capacity, --overbook, --stop-sell or --open"))
	}
	return e, errors.Join(errs...)
}

func (a *app) setDays(ctx context.Context, s *pgstore.Store, ref inventory.PoolRef, text string, edit inventory.DayEdit, f daySet) error {
	today, err := venueToday(ctx, s, ref.Venue)
	if err != nil {
		return err
	}
	rule, err := timezone.ParseDays(text, today)
	if err != nil {
		return badInput("days", err)
	}
	plan, err := s.PlanDays(ctx, ref, rule.Expand(), edit)
	if err != nil {
		return err
	}
	if err := errors.Join(plan.Problems...); err != nil {
		return err
	}
	if f.version != 0 {
		if err := seenAt(plan, f.version); err != nil {
			return err
		}
	}
	if a.print.Format() == output.Table { // seen before it is saved
		if err := output.Rows(a.print, changeColumns, mapped(plan.Changes, viewChange)); err != nil {
			return err
		}
	}
	var saved inventory.ChangeSet
	if !f.dryRun {
		if saved, err = s.SaveDays(ctx, a.staff(), plan, f.reason); err != nil {
			return err
		}
	}
	return a.showPlan(plan, saved, f.dryRun)
}

// seenAt refuses a plan for days that moved on since version. Saving compares
// again: this is only about what the caller saw.
func seenAt(plan inventory.DayPlan, version int) error {
	for _, c := range plan.Changes {
		if d := c.Before; d.Version != version {
			return &inventory.StaleError{Object: "day " + d.Day.String(), Seen: version, Current: d.Version, By: d.EditedBy}
		}
	}
	return nil
}

func (a *app) showPlan(plan inventory.DayPlan, saved inventory.ChangeSet, dryRun bool) error {
	switch a.print.Format() {
	case output.JSON:
		return a.print.Document(planView{
			plan.Pool.Ref.String(), plan.Changing(), dryRun, saved.ID, mapped(plan.Changes, viewChange),
		})
	case output.CSV:
		return output.Rows(a.print, changeColumns, mapped(plan.Changes, viewChange))
	case output.Table:
	}
	switch n := plan.Changing(); {
	case n == 0:
		return a.print.Line("Nothing to change.")
	case dryRun:
		return a.print.Line("%s would change. Nothing is saved.", days(n))
	default:
		return a.print.Line("%s saved as change %d; `holdfast day undo %d` puts them back.", days(n), saved.ID, saved.ID)
	}
}

func days(n int) string {
	if n == 1 {
		return "1 day"
	}
	return fmt.Sprintf("%d days", n)
}
