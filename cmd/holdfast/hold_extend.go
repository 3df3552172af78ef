package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/timezone"
)

func (a *app) holdExtendCommand() *cobra.Command {
	var by time.Duration
	var reason, pool, day, event string
	cmd := &cobra.Command{
		Use:   "extend ID|--pool VENUE/POOL --day DAY|--event VENUE/EVENT --by 5m",
		Short: "Give a hold more time, or all holds of a day or event", Args: atMost("ID"),
		Long: `Give a hold more time, or all holds of a day or event.

Time is added to the end of each hold, and no hold lives longer than the venue's
--hold-max-life: a single one is refused then; of many, each gets what it still can.
All holds at once get 1 to 30 minutes. What is being paid for keeps its place without.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			many := pool != "" || day != "" || event != ""
			switch {
			case len(args) == 1 && many:
				return usage("hold extend takes either an ID, or --pool and --day, or --event")
			case len(args) == 1:
				return a.onBooking(cmd, args[0], func(ctx context.Context, s *pgstore.Store, id inventory.BookingID) error {
					return a.printBooking(s.ExtendHold(ctx, id, 0, by, a.staff(), reason))
				})
			case !many:
				return usage("hold extend takes an ID, or --pool and --day, or --event")
			}
			scope, err := holdScope(pool, day, event)
			if err != nil {
				return err
			}
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				done, failure := s.ExtendHolds(ctx, scope, by, a.staff(), reason)
				if failure != nil && done == (inventory.ExtendedHolds{}) {
					return failure
				}
				// What was done before a failure is done.
				return errors.Join(output.One(a.print, extendedColumns, viewExtended(scope, done)), failure)
			})
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(&by, "by", 5*time.Minute, "how much more")
	flags.StringVar(&pool, "pool", "", "all holds of this pool on --day")
	flags.StringVar(&day, "day", "", "the day, as 2027-01-15")
	flags.StringVar(&event, "event", "", "all holds of this event")
	reasonFlag(flags, &reason)
	return cmd
}

// holdScope reads which holds are meant.
func holdScope(pool, day, event string) (inventory.HoldScope, error) {
	var scope inventory.HoldScope
	var err error
	switch {
	case event != "" && (pool != "" || day != ""):
		return scope, usage("--event stands alone: it says its day by itself")
	case event != "":
		scope.Event, err = inventory.ParseEventRef("event", event)
		return scope, err
	case pool == "" || day == "":
		return scope, usage("--pool and --day go together")
	}
	if scope.Pool, err = inventory.ParsePoolRef("pool", pool); err != nil {
		return scope, err
	}
	scope.Day, err = timezone.ParseDay(day)
	return scope, badInput("day", err)
}

type extendedView struct {
	Scope     string `json:"scope"`
	Extended  int    `json:"extended"`
	Shortened int    `json:"shortened"` // of those: by less than asked
	AtLimit   int    `json:"atLimit"`
	Over      int    `json:"over"`
	Busy      int    `json:"busy"`
}

func viewExtended(scope inventory.HoldScope, e inventory.ExtendedHolds) extendedView {
	return extendedView{scope.String(), e.Extended, e.Shortened, e.AtLimit, e.Over, e.Busy}
}

var extendedColumns = []output.Column[extendedView]{
	{Name: "scope", Title: "holds of", Value: func(v extendedView) string { return v.Scope }},
	{Name: "extended", Number: true, Value: func(v extendedView) string { return decimal(v.Extended) }},
	{Name: "shortened", Title: "of them by less", Number: true, Value: func(v extendedView) string { return decimal(v.Shortened) }},
	{Name: "at_limit", Title: "at the limit", Number: true, Value: func(v extendedView) string { return decimal(v.AtLimit) }},
	{Name: "over", Title: "ended meanwhile", Number: true, Value: func(v extendedView) string { return decimal(v.Over) }},
	{Name: "busy", Title: "locked, left alone", Number: true, Value: func(v extendedView) string { return decimal(v.Busy) }},
}
