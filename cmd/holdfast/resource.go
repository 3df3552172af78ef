package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/rickb777/date"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/timezone"
)

// Defaults of a new resource.
const (
	defaultHours = "09:00-22:00"
	defaultSlot  = time.Hour
)

func (a *app) resourceCommand() *cobra.Command {
	return group("resource", "What is booked from a time to a time: studios, courts, rooms",
		a.resourceAddCommand(), a.resourceListCommand(), a.resourceShowCommand(), a.resourceSetCommand())
}

// resourceFlags are the flags that resource add and resource set share. One
// that was not given leaves the resource as it is.
type resourceFlags struct {
	name, open, price              string
	openDays                       []string
	slot, buffer, minStay, maxStay time.Duration
}

func (f *resourceFlags) declare(flags *pflag.FlagSet) {
	flags.StringVar(&f.name, "name", "", "name for people (default the slug)")
	flags.StringVar(&f.open, "open", defaultHours, "opening hours of every day of the week by the venue's clock, such as 18:00-02:00, or closed")
	flags.StringArrayVar(&f.openDays, openDay, nil, "other hours of some days of the week, such as sun=10:00-18:00 or sat-sun=closed; may be given several times")
	flags.DurationVar(&f.slot, "slot", defaultSlot, "length of a slot; 0 for any range within the hours")
	flags.DurationVar(&f.buffer, "buffer", 0, "kept free after each booking")
	flags.DurationVar(&f.minStay, "min-stay", time.Minute, "shortest booking")
	flags.DurationVar(&f.maxStay, "max-stay", inventory.DefaultMaxStay, "longest booking")
	flags.StringVar(&f.price, "price-per-hour", "0", "price of a real hour in the venue's currency, such as 20.00")
}

// hours is the week after what was given of --open and --open-day.
func (f *resourceFlags) hours(flags *pflag.FlagSet, week inventory.OpeningWeek) (inventory.OpeningWeek, error) {
	if flags.Changed("open") {
		every, err := timezone.ParseHours(f.open)
		if err != nil {
			return week, badInput("open", err)
		}
		week = inventory.OpenEveryDay(every)
	}
	return parseOpening(week, f.openDays)
}

func (a *app) resourceAddCommand() *cobra.Command {
	var f resourceFlags
	cmd := &cobra.Command{
		Use: "add VENUE/RESOURCE", Short: "Add a resource", Args: exactly("VENUE/RESOURCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := inventory.ParseResourceRef("resource", args[0])
			if err != nil {
				return err
			}
			r := inventory.Resource{Ref: ref, Name: ref.Resource, Slot: f.slot, Turnaround: f.buffer, MinStay: f.minStay, MaxStay: f.maxStay}
			if cmd.Flags().Changed("name") {
				r.Name = f.name
			}
			usual, err := timezone.ParseHours(defaultHours)
			if err != nil {
				return err
			}
			if r.Week, err = f.hours(cmd.Flags(), inventory.OpenEveryDay(usual)); err != nil {
				return err
			}
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				venue, err := s.Venue(ctx, ref.Venue)
				if err != nil {
					return err
				}
				r.Zone = venue.Zone
				if r.PricePerHour, err = f.money(venue.Currency); err != nil {
					return err
				}
				if r, err = s.AddResource(ctx, a.staff(), r); err != nil {
					return err
				}
				return output.One(a.print, resourceColumns, viewResource(r))
			})
		},
	}
	f.declare(cmd.Flags())
	return cmd
}

func (f *resourceFlags) money(c inventory.Currency) (inventory.Money, error) {
	minor, err := inventory.ParseMinor(f.price, c)
	if err != nil {
		return inventory.Money{}, inventory.Invalid("price-per-hour", "%s", err)
	}
	return inventory.Money{Minor: minor, Currency: c}, nil
}

func (a *app) resourceListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list [VENUE]", Short: "Resources of a venue, or all", Args: atMost("VENUE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				venue := strings.Join(args, "")
				if venue != "" {
					if _, err := s.Venue(ctx, venue); err != nil {
						return err
					}
				}
				resources, err := s.Resources(ctx, venue)
				if err != nil {
					return err
				}
				return output.Rows(a.print, resourceColumns, mapped(resources, viewResource))
			})
		},
	}
}

func (a *app) resourceShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show VENUE/RESOURCE", Short: "One resource", Args: exactly("VENUE/RESOURCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onResource(cmd, args[0], func(_ context.Context, _ *pgstore.Store, r inventory.Resource) error {
				return output.One(a.print, resourceColumns, viewResource(r))
			})
		},
	}
}

// onResource runs fn on the resource that text names as VENUE/RESOURCE.
func (a *app) onResource(cmd *cobra.Command, text string, fn func(context.Context, *pgstore.Store, inventory.Resource) error) error {
	ref, err := inventory.ParseResourceRef("resource", text)
	if err != nil {
		return err
	}
	return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
		r, err := s.Resource(ctx, ref)
		if err != nil {
			return err
		}
		return fn(ctx, s, r)
	})
}

// resourceSet are the flags that only resource set has.
type resourceSet struct {
	closeDays, openClosed []string
	stopSell, openSales   bool
	version               int
	reason                string
}

func (a *app) resourceSetCommand() *cobra.Command {
	var f resourceFlags
	var set resourceSet
	cmd := &cobra.Command{
		Use: "set VENUE/RESOURCE", Short: "Change a resource; bookings that exist stay as they are", Args: exactly("VENUE/RESOURCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			changes, err := set.edit()
			if err != nil {
				return err
			}
			return a.onResource(cmd, args[0], func(ctx context.Context, s *pgstore.Store, r inventory.Resource) error {
				if err := f.edit(cmd.Flags(), r, &changes); err != nil {
					return err
				}
				// What --open-day leaves alone was read from this version.
				version := set.version
				if version == 0 && changes.Week != nil {
					version = r.Version
				}
				r, err := s.EditResource(ctx, a.staff(), r.Ref, version, changes, set.reason)
				if err != nil {
					return err
				}
				return output.One(a.print, resourceColumns, viewResource(r))
			})
		},
	}
	f.declare(cmd.Flags())
	flags := cmd.Flags()
	flags.StringArrayVar(&set.closeDays, "close-day", nil, "a day such as 2027-12-24 that is closed; may be given several times")
	flags.StringArrayVar(&set.openClosed, "open-closed-day", nil, "a closed day that is open again; may be given several times")
	flags.BoolVar(&set.stopSell, "stop-sell", false, "stop sales")
	flags.BoolVar(&set.openSales, "open-sales", false, "take a stop of sales back")
	versionFlag(flags, &set.version)
	reasonFlag(flags, &set.reason)
	return cmd
}

// edit reads what needs no database.
func (set *resourceSet) edit() (e inventory.ResourceEdit, err error) {
	var stopErr, closeErr, openErr error
	e.StopSell, stopErr = salesFlag(set.stopSell, set.openSales, "open-sales")
	e.CloseDays, closeErr = parseDays("close-day", set.closeDays)
	e.OpenDays, openErr = parseDays("open-closed-day", set.openClosed)
	return e, errors.Join(stopErr, closeErr, openErr)
}

func parseDays(field string, texts []string) ([]date.Date, error) {
	var days []date.Date
	var errs []error
	for _, text := range texts {
		d, err := timezone.ParseDay(text)
		days, errs = append(days, d), append(errs, badInput(field, err))
	}
	return days, errors.Join(errs...)
}

// edit adds what was given of the shared flags to e.
func (f *resourceFlags) edit(flags *pflag.FlagSet, r inventory.Resource, e *inventory.ResourceEdit) error {
	given := flags.Changed
	if given("name") {
		e.Name = &f.name
	}
	if given("open") || given(openDay) {
		week, err := f.hours(flags, r.Week)
		if err != nil {
			return err
		}
		e.Week = &week
	}
	if given("price-per-hour") {
		price, err := f.money(r.PricePerHour.Currency)
		if err != nil {
			return err
		}
		e.PricePerHour = &price.Minor
	}
	span := func(name string, d *time.Duration, to **time.Duration) {
		if given(name) {
			*to = d
		}
	}
	span("slot", &f.slot, &e.Slot)
	span("buffer", &f.buffer, &e.Turnaround)
	span("min-stay", &f.minStay, &e.MinStay)
	span("max-stay", &f.maxStay, &e.MaxStay)
	if e.Name == nil && e.Week == nil && e.PricePerHour == nil && e.Slot == nil && e.Turnaround == nil && e.MinStay == nil &&
		e.MaxStay == nil && e.StopSell == nil && len(e.CloseDays) == 0 && len(e.OpenDays) == 0 {
		return usage("say what to change, such as --open, --slot, --close-day or --stop-sell")
	}
	return nil
}

func (a *app) slotCommand() *cobra.Command {
	return group("slot", "The slots of a resource on a day", &cobra.Command{
		Use: "list VENUE/RESOURCE DAY", Short: "The slots of a local day, with whether each is free", Args: exactly("VENUE/RESOURCE", "DAY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			day, err := timezone.ParseDay(args[1])
			if err != nil {
				return badInput("day", err)
			}
			return a.onResource(cmd, args[0], func(ctx context.Context, s *pgstore.Store, r inventory.Resource) error {
				slots, err := s.Slots(ctx, r.Ref, day)
				if err != nil {
					return err
				}
				zone, err := timezone.ParseZone(r.Zone)
				if err != nil {
					return err
				}
				return output.Rows(a.print, slotColumns, mapped(slots, viewSlot(zone)))
			})
		},
	})
}
