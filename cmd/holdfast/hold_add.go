package main

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/timezone"
)

// holdAdd are the flags of hold add: what is claimed, in one of three ways, and
// who it is for.
type holdAdd struct {
	quantity int

	event             string
	seats             []string
	best              int
	section, category string

	resource, from, to string

	buyer, key, reason string
	comp               bool
}

// claimFlags belong to one kind of claim each.
var claimFlags = []struct {
	name string
	kind inventory.ClaimKind
}{
	{"event", inventory.ClaimSeats},
	{"resource", inventory.ClaimRange},
	{"quantity", inventory.ClaimPool},
	{"seat", inventory.ClaimSeats},
	{"best", inventory.ClaimSeats},
	{"section", inventory.ClaimSeats},
	{"category", inventory.ClaimSeats},
	{"from", inventory.ClaimRange},
	{"to", inventory.ClaimRange},
}

func (a *app) holdAddCommand() *cobra.Command {
	var f holdAdd
	cmd := &cobra.Command{
		Use:   "add (VENUE/POOL DAY | --event VENUE/EVENT SEAT... | --resource VENUE/RESOURCE --from TIME --to TIME) --buyer NAME",
		Short: "Take places, seats or a time for somebody, or give them with --comp",
		Long: `Take places, seats or a time for somebody, or give them with --comp.

  hold add harbour/main 2027-01-15 --quantity 2 --buyer u-1
  hold add --event harbour/gala --seat "PARKETT D-07" --seat "PARKETT D-08" --buyer u-1
  hold add --event harbour/gala --best 3 --section PARKETT --buyer u-1
  hold add --resource harbour/studio-a --from 2027-01-15T10:00 --to 2027-01-15T11:00 --buyer u-1

SEAT is "PARKETT D-07", D-07 if only one section has it, or an id. Times are local
times of the venue; an offset such as +02:00 behind one settles an hour that comes
twice.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.key == "" {
				// A key of its own resolves a lost answer without asking the person.
				f.key = "cli-" + uuid.NewString()
			}
			kind, err := claimKind(cmd.Flags(), f.event != "", f.resource != "")
			if err != nil {
				return err
			}
			switch kind {
			case inventory.ClaimSeats:
				return a.holdSeats(cmd, f, args)
			case inventory.ClaimRange:
				return a.holdRange(cmd, f, args)
			case inventory.ClaimPool:
			}
			return a.holdPlaces(cmd, f, args)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.quantity, "quantity", 1, "how many places")
	flags.StringVar(&f.event, "event", "", "seats of this VENUE/EVENT")
	flags.StringArrayVar(&f.seats, "seat", nil, "a seat; may be given several times")
	flags.IntVar(&f.best, "best", 0, "instead of --seat: so many together wherever they are best")
	flags.StringVar(&f.section, "section", "", "with --best: only in this section")
	flags.StringVar(&f.category, "category", "", "with --best: only of this category")
	flags.StringVar(&f.resource, "resource", "", "a time of this VENUE/RESOURCE")
	flags.StringVar(&f.from, "from", "", "when it begins, such as 2027-01-15T10:00")
	flags.StringVar(&f.to, "to", "", "when it ends")
	flags.StringVar(&f.buyer, "buyer", "", "who it is for")
	flags.BoolVar(&f.comp, "comp", false, "give it without payment; needs --reason")
	flags.StringVar(&f.key, "key", "", "idempotency key: the same key again gives the first answer")
	reasonFlag(flags, &f.reason)
	return cmd
}

// claimKind is the kind of claim that the flags describe; a flag of another
// kind is wrong usage.
func claimKind(flags *pflag.FlagSet, event, resource bool) (inventory.ClaimKind, error) {
	kind, head := inventory.ClaimPool, "VENUE/POOL DAY"
	switch {
	case event && resource:
		return kind, usage("--event and --resource contradict each other")
	case event:
		kind, head = inventory.ClaimSeats, "--event"
	case resource:
		kind, head = inventory.ClaimRange, "--resource"
	}
	for _, c := range claimFlags {
		if c.kind != kind && flags.Changed(c.name) {
			return kind, usage("--%s does not go with %s", c.name, head)
		}
	}
	return kind, nil
}

func (a *app) holdPlaces(cmd *cobra.Command, f holdAdd, args []string) error {
	if err := exactly("VENUE/POOL", "DAY")(cmd, args); err != nil {
		return err
	}
	pool, poolErr := inventory.ParsePoolRef("pool", args[0])
	day, dayErr := timezone.ParseDay(args[1])
	if err := errors.Join(poolErr, badInput("day", dayErr)); err != nil {
		return err
	}
	r := inventory.HoldRequest{
		Pool: pool, Day: day, Quantity: f.quantity, Buyer: f.buyer,
		IdempotencyKey: f.key, Comp: f.comp, Reason: f.reason, Actor: a.staff(),
	}
	if err := r.Validate(); err != nil {
		return err
	}
	return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
		b, _, err := s.PlaceHold(ctx, r)
		return a.printBooking(b, err)
	})
}

func (a *app) holdSeats(cmd *cobra.Command, f holdAdd, args []string) error {
	names := append(f.seats, args...) // --seat D-07 D-08 reads as it is meant
	switch {
	case len(names) > 0 && cmd.Flags().Changed("best"):
		return usage("--best does not go with named seats")
	case len(names) == 0 && !cmd.Flags().Changed("best"):
		return usage("say which seats: --seat SEAT, or --best N for so many together")
	case f.best < 1 && len(names) == 0 || f.best > inventory.MaxSeatsPerHold:
		return inventory.Invalid("best", "must be from 1 to %d", inventory.MaxSeatsPerHold)
	case len(names) > 0 && (f.section != "" || f.category != ""):
		return usage("--section and --category go with --best")
	}
	return a.onEvent(cmd, f.event, func(ctx context.Context, s *pgstore.Store, e inventory.Event) error {
		r := inventory.SeatHoldRequest{
			Event: e.ID, Best: f.best, Section: f.section, Category: f.category, Buyer: f.buyer,
			IdempotencyKey: f.key, Comp: f.comp, Reason: f.reason, Actor: a.staff(),
		}
		var named []inventory.Seat
		if len(names) > 0 {
			var err error
			if named, err = s.SeatsByName(ctx, e.ID, names); err != nil {
				return err
			}
			r.Seats = seatIDs(named)
		}
		if err := r.Validate(); err != nil {
			return err
		}
		b, _, err := s.HoldSeats(ctx, r)
		return a.printBooking(b, nameSeats(err, named))
	})
}

func (a *app) holdRange(cmd *cobra.Command, f holdAdd, args []string) error {
	if len(args) > 0 {
		return usage("%s--resource takes --from and --to, and no arguments", place(cmd))
	}
	return a.onResource(cmd, f.resource, func(ctx context.Context, s *pgstore.Store, r inventory.Resource) error {
		zone, err := timezone.ParseZone(r.Zone)
		if err != nil {
			return err
		}
		during, err := parseRange(f.from, f.to, zone)
		if err != nil {
			return err
		}
		asked := inventory.RangeHoldRequest{
			Resource: r.Ref, During: during, Buyer: f.buyer,
			IdempotencyKey: f.key, Comp: f.comp, Reason: f.reason, Actor: a.staff(),
		}
		if err := asked.Validate(); err != nil {
			return err
		}
		b, _, err := s.HoldRange(ctx, asked)
		return a.printBooking(b, nameRange(err, during, r.Zone))
	})
}
