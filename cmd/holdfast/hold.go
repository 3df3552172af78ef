package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
)

func (a *app) holdCommand() *cobra.Command {
	return group("hold", "Places taken for a limited time",
		a.holdAddCommand(), a.holdListCommand(), a.holdShowCommand("Show a hold with its payments and its journal"),
		a.holdReleaseCommand(), a.holdExtendCommand())
}

func (a *app) holdListCommand() *cobra.Command {
	var f inventory.BookingFilter
	var states []string
	var newest bool
	cmd := &cobra.Command{
		Use: "list", Short: "Holds, the one that ends first at the top (or bookings in any --state)", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if f.States, err = parseStates(states); err != nil {
				return err
			}
			if f.Pool != "" && f.Venue == "" {
				return usage("--pool needs --venue")
			}
			f.Order = inventory.OrderByExpiry
			if newest {
				f.Order = inventory.OrderByNewest
			}
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				list, err := s.Bookings(ctx, f)
				if err != nil {
					return err
				}
				if err := output.Rows(a.print, bookingColumns, mapped(list.Bookings, viewBooking)); err != nil {
					return err
				}
				if list.More {
					return a.print.Line("There are more: see --limit and the filters.")
				}
				return nil
			})
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&states, "state", nil, "states, such as HELD,PAYMENT_PENDING (the default) or CONFIRMED")
	flags.StringVar(&f.Venue, "venue", "", "only of this venue")
	flags.StringVar(&f.Pool, "pool", "", "only of this pool of the venue")
	flags.StringVar(&f.Buyer, "buyer", "", "only of exactly this buyer")
	flags.StringVar(&f.Search, "search", "", "part of a buyer or pool, or the end of an id")
	flags.BoolVar(&newest, "newest", false, "newest first")
	limitFlag(flags, &f.Limit)
	return cmd
}

func limitFlag(flags *pflag.FlagSet, limit *int) {
	flags.IntVar(limit, "limit", 200, "at most so many, 1 to 1000")
}

// parseStates accepts the states of the state graph in any case.
func parseStates(words []string) ([]inventory.BookingState, error) {
	var out []inventory.BookingState
	for _, w := range words {
		state, known := inventory.BookingState(strings.ToUpper(strings.TrimSpace(w))), false
		for _, s := range inventory.BookingStates {
			known = known || s == state
		}
		if !known {
			return nil, inventory.Invalid("state", "%q is none of HELD, PAYMENT_PENDING, CONFIRMED, EXPIRED, CANCELLED", w)
		}
		out = append(out, state)
	}
	return out, nil
}

// holdShowCommand is also booking show.
func (a *app) holdShowCommand(short string) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: short, Args: exactly("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onBooking(cmd, args[0], func(ctx context.Context, s *pgstore.Store, id inventory.BookingID) error {
				b, err := s.Booking(ctx, id)
				if err != nil {
					return err
				}
				journal, err := s.Journal(ctx, id)
				if err != nil {
					return err
				}
				v := viewBooking(b)
				v.Journal = mapped(journal, viewJournal)
				return a.showBooking(v)
			})
		},
	}
}

func (a *app) showBooking(v bookingView) error {
	if err := output.One(a.print, bookingColumns, v); err != nil || a.print.Format() != output.Table {
		return err
	}
	if len(v.Payments) > 0 {
		if err := a.print.Line(""); err != nil {
			return err
		}
		if err := output.Rows(a.print, paymentColumns, v.Payments); err != nil {
			return err
		}
	}
	if err := a.print.Line(""); err != nil {
		return err
	}
	return output.Rows(a.print, journalColumns, v.Journal)
}

func (a *app) holdReleaseCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "release ID", Short: "Give a hold's place back", Args: exactly("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onBooking(cmd, args[0], func(ctx context.Context, s *pgstore.Store, id inventory.BookingID) error {
				return a.printBooking(s.ReleaseHold(ctx, id, 0, a.staff(), reason))
			})
		},
	}
	reasonFlag(cmd.Flags(), &reason)
	return cmd
}

func (a *app) bookingCommand() *cobra.Command {
	return group("booking", "Bookings: holds, and what they became",
		a.holdShowCommand("Show a booking with its payments and its journal"), a.bookingCancelCommand(), a.bookingMoveCommand(), a.bookingSwapCommand())
}

func (a *app) bookingCancelCommand() *cobra.Command {
	var refund bool
	var reason string
	cmd := &cobra.Command{
		Use: "cancel ID --reason TEXT", Short: "Cancel a confirmed booking; without --refund its money becomes a zombie", Args: exactly("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := inventory.CheckReason(reason); err != nil {
				return err
			}
			return a.onBooking(cmd, args[0], func(ctx context.Context, s *pgstore.Store, id inventory.BookingID) error {
				return a.printBooking(s.CancelBooking(ctx, id, a.staff(), reason, refund))
			})
		},
	}
	cmd.Flags().BoolVar(&refund, "refund", false, "give its money back")
	reasonFlag(cmd.Flags(), &reason)
	return cmd
}

// onBooking runs fn on the booking that text names: a whole id or an ending.
func (a *app) onBooking(cmd *cobra.Command, text string, fn func(context.Context, *pgstore.Store, inventory.BookingID) error) error {
	return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
		id, err := s.FindBooking(ctx, text)
		if err != nil {
			return err
		}
		return fn(ctx, s, id)
	})
}

func (a *app) printBooking(b inventory.Booking, err error) error {
	if err != nil {
		return err
	}
	return output.One(a.print, bookingColumns, viewBooking(b))
}
