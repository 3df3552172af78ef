package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/timezone"
)

func (a *app) eventCommand() *cobra.Command {
	return group("event", "Dated happenings with numbered seats",
		a.eventAddCommand(), a.eventListCommand(), a.eventShowCommand(), a.eventSetCommand())
}

// Words that stand for a time where a local time is typed.
const (
	atOnce  = "now"   // --onsale: no time to wait for
	atStart = "start" // --cutoff: the event's start
)

// eventFlags are the flags that event add and event set share.
type eventFlags struct {
	name, onsale, cutoff string
	ttl                  time.Duration
}

func (f *eventFlags) declare(flags *pflag.FlagSet) {
	flags.StringVar(&f.name, "name", "", "name for people (default the slug)")
	flags.StringVar(&f.onsale, "onsale", "", `when sales begin, a local time of the venue or "now" (default now)`)
	flags.StringVar(&f.cutoff, "cutoff", "", `when sales end, a local time of the venue or "start" (default start)`)
	flags.DurationVar(&f.ttl, "hold-ttl", inventory.DefaultEventHoldTTL, "how long a hold of seats lasts")
}

// sales reads the two times; a zero one is on sale at once, or until the start.
// An empty one is refused: an unset variable of a script must not open sales.
func (f *eventFlags) sales(flags *pflag.FlagSet, zone timezone.Zone) (from, until time.Time, err error) {
	var errs []error
	if flags.Changed("onsale") && f.onsale != atOnce {
		from, err = parseLocal("onsale", f.onsale, zone)
		errs = append(errs, err)
	}
	if flags.Changed("cutoff") && f.cutoff != atStart {
		until, err = parseLocal("cutoff", f.cutoff, zone)
		errs = append(errs, err)
	}
	return from, until, errors.Join(errs...)
}

func (a *app) eventAddCommand() *cobra.Command {
	var f eventFlags
	var start string
	cmd := &cobra.Command{
		Use: "add VENUE/EVENT --start 2027-06-01T19:30", Short: "Add an event; its seats come with seat import", Args: exactly("VENUE/EVENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := inventory.ParseEventRef("event", args[0])
			if err != nil {
				return err
			}
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				e, err := f.event(ctx, s, cmd.Flags(), ref, start)
				if err != nil {
					return err
				}
				if e, err = s.AddEvent(ctx, a.staff(), e); err != nil {
					return err
				}
				return output.One(a.print, eventColumns, viewEvent(e))
			})
		},
	}
	cmd.Flags().StringVar(&start, "start", "", "when it starts, a local time of the venue")
	f.declare(cmd.Flags())
	return cmd
}

// event is the event that the flags of event add describe.
func (f *eventFlags) event(ctx context.Context, s *pgstore.Store, flags *pflag.FlagSet, ref inventory.EventRef, start string) (inventory.Event, error) {
	venue, zone, err := venueZone(ctx, s, ref.Venue)
	if err != nil {
		return inventory.Event{}, err
	}
	e := inventory.Event{Ref: ref, Name: ref.Event, Zone: zone.Name(), HoldTTL: f.ttl, Currency: venue.Currency}
	if flags.Changed("name") {
		e.Name = f.name
	}
	var startErr, salesErr error
	e.StartsAt, startErr = parseLocal("start", start, zone)
	e.SalesFrom, e.SalesUntil, salesErr = f.sales(flags, zone)
	if err := errors.Join(startErr, salesErr); err != nil {
		return e, err
	}
	e.Start = timezone.WallTimeOf(e.StartsAt, zone)
	if e.SalesUntil.IsZero() {
		e.SalesUntil = e.StartsAt
	}
	return e, e.Validate()
}

func (a *app) eventListCommand() *cobra.Command {
	var f inventory.EventFilter
	var past bool
	cmd := &cobra.Command{
		Use: "list [VENUE]", Short: "Events of a venue, or all, by start", Args: atMost("VENUE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				f.Venue = strings.Join(args, "")
				if f.Venue != "" {
					if _, err := s.Venue(ctx, f.Venue); err != nil {
						return err
					}
				}
				if !past {
					now, err := s.DatabaseNow(ctx)
					if err != nil {
						return err
					}
					f.From = now.Add(-eventLasts)
				}
				events, err := s.Events(ctx, f)
				if err != nil {
					return err
				}
				return output.Rows(a.print, eventColumns, mapped(events, viewEvent))
			})
		},
	}
	cmd.Flags().BoolVar(&past, "past", false, "also those that are over")
	limitFlag(cmd.Flags(), &f.Limit)
	return cmd
}

// eventLasts is how long after its start event list still shows an event.
const eventLasts = 12 * time.Hour

func (a *app) eventShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show VENUE/EVENT", Short: "One event with counts of its seats", Args: exactly("VENUE/EVENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onEvent(cmd, args[0], func(_ context.Context, _ *pgstore.Store, e inventory.Event) error {
				return output.One(a.print, eventColumns, viewEvent(e))
			})
		},
	}
}

// onEvent runs fn on the event that text names as VENUE/EVENT.
func (a *app) onEvent(cmd *cobra.Command, text string, fn func(context.Context, *pgstore.Store, inventory.Event) error) error {
	ref, err := inventory.ParseEventRef("event", text)
	if err != nil {
		return err
	}
	return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
		e, err := s.Event(ctx, ref)
		if err != nil {
			return err
		}
		return fn(ctx, s, e)
	})
}

func (a *app) eventSetCommand() *cobra.Command {
	var f eventFlags
	var stopSell, open bool
	var version int
	var reason string
	cmd := &cobra.Command{
		Use: "set VENUE/EVENT", Short: "Change an event; its start stays", Args: exactly("VENUE/EVENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			stop, err := salesFlag(stopSell, open, "open")
			if err != nil {
				return err
			}
			return a.onEvent(cmd, args[0], func(ctx context.Context, s *pgstore.Store, e inventory.Event) error {
				edit, err := f.edit(ctx, s, cmd.Flags(), e)
				if err != nil {
					return err
				}
				edit.StopSell = stop
				if edit == (inventory.EventEdit{}) {
					return usage("say what to change: --name, --onsale, --cutoff, --hold-ttl, --stop-sell or --open")
				}
				if e, err = s.EditEvent(ctx, a.staff(), e.Ref, version, edit, reason); err != nil {
					return err
				}
				return output.One(a.print, eventColumns, viewEvent(e))
			})
		},
	}
	f.declare(cmd.Flags())
	cmd.Flags().BoolVar(&stopSell, "stop-sell", false, "stop sales")
	cmd.Flags().BoolVar(&open, "open", false, "take a stop of sales back")
	versionFlag(cmd.Flags(), &version)
	reasonFlag(cmd.Flags(), &reason)
	return cmd
}

// salesFlag reads --stop-sell and its opposite; nil if neither was given.
func salesFlag(stop, open bool, opposite string) (*bool, error) {
	switch {
	case stop && open:
		return nil, usage("--stop-sell and --%s contradict each other", opposite)
	case stop || open:
		return &stop, nil
	}
	return nil, nil //nolint:nilnil // nothing was asked
}

// edit is what was given, as a change of e.
func (f *eventFlags) edit(ctx context.Context, s *pgstore.Store, flags *pflag.FlagSet, e inventory.Event) (inventory.EventEdit, error) {
	var edit inventory.EventEdit
	_, zone, err := venueZone(ctx, s, e.Ref.Venue)
	if err != nil {
		return edit, err
	}
	from, until, err := f.sales(flags, zone)
	if err != nil {
		return edit, err
	}
	if until.IsZero() {
		until = e.StartsAt
	}
	if flags.Changed("name") {
		edit.Name = &f.name
	}
	if flags.Changed("onsale") {
		edit.SalesFrom = &from
	}
	if flags.Changed("cutoff") {
		edit.SalesUntil = &until
	}
	if flags.Changed("hold-ttl") {
		edit.HoldTTL = &f.ttl
	}
	return edit, nil
}
