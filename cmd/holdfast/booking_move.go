package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/timezone"
)

// bookingMove are the flags of booking move. One that was not given leaves that
// part of the claim as it is.
type bookingMove struct {
	day                string
	quantity           int
	seats              []string
	from, to, resource string
	keepAmount         bool
	version            int
	reason             string
}

// moveFlags belong to one kind of claim each.
var moveFlags = []struct {
	name string
	kind inventory.ClaimKind
}{
	{"day", inventory.ClaimPool},
	{"quantity", inventory.ClaimPool},
	{"seat", inventory.ClaimSeats},
	{"from", inventory.ClaimRange},
	{"to", inventory.ClaimRange},
	{"resource", inventory.ClaimRange},
}

func (a *app) bookingMoveCommand() *cobra.Command {
	var f bookingMove
	cmd := &cobra.Command{
		Use:   "move ID (--day DAY | --quantity N | --seat SEAT... | --from TIME --to TIME | --resource VENUE/RESOURCE)",
		Short: "Change what a live booking claims: takes the new claim and gives the old one back, or changes nothing",
		Long: `Change what a live booking claims: takes the new claim and gives the old one back in
one step, or changes nothing. --seat names all the seats that it is to have.

Without --if-version it tries again if somebody else changed the booking meanwhile,
but only while the booking still claims what you saw. Otherwise it prints the booking
as it is now, and the exit status is 3.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 {
				return usage("%stakes ID", place(cmd))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.seats = append(f.seats, args[1:]...) // --seat D-07 D-08 reads as it is meant
			if err := f.check(cmd.Flags()); err != nil {
				return err
			}
			return a.onBooking(cmd, args[0], func(ctx context.Context, s *pgstore.Store, id inventory.BookingID) error {
				return a.moveBooking(ctx, s, id, cmd.Flags(), f)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.day, "day", "", "another day of its pool")
	flags.IntVar(&f.quantity, "quantity", 0, "so many places instead")
	flags.StringArrayVar(&f.seats, "seat", nil, "other seats of its event; may be given several times")
	flags.StringVar(&f.from, "from", "", "another time, such as 2027-01-15T10:00 at the venue")
	flags.StringVar(&f.to, "to", "", "when that ends")
	flags.StringVar(&f.resource, "resource", "", "another VENUE/RESOURCE of the same venue")
	flags.BoolVar(&f.keepAmount, "keep-amount", false, "leave the price as it is, whatever the new claim costs")
	versionFlag(flags, &f.version)
	reasonFlag(flags, &f.reason)
	return cmd
}

// check refuses what is wrong whatever the booking is.
func (f *bookingMove) check(flags *pflag.FlagSet) error {
	switch {
	case f.version < 0:
		return inventory.Invalid("if-version", "must not be negative")
	case flags.Changed("from") != flags.Changed("to"):
		return usage("--from and --to go together")
	case flags.Changed("seat") || len(f.seats) == 0:
	default:
		return usage("say what to change: a seat is named with --seat")
	}
	for _, m := range moveFlags {
		if flags.Changed(m.name) {
			return nil
		}
	}
	return usage("say what to change: --day, --quantity, --seat, --from and --to, or --resource")
}

func (a *app) moveBooking(ctx context.Context, s *pgstore.Store, id inventory.BookingID, flags *pflag.FlagSet, f bookingMove) error {
	seen, err := s.Booking(ctx, id)
	if err != nil {
		return err
	}
	r, named, err := f.request(ctx, s, flags, seen)
	if err != nil {
		return err
	}
	r.Actor = a.staff()
	m := mover{
		read: func(ctx context.Context) (inventory.Booking, error) { return s.Booking(ctx, id) },
		move: func(ctx context.Context, version int) (inventory.Booking, error) {
			r.Version = version
			return s.MoveBooking(ctx, r)
		},
		wait: pause,
	}
	if f.version != 0 {
		seen.Version, m.tries = f.version, 1
	}
	b, err := m.run(ctx, seen)
	if errors.Is(err, inventory.ErrStale) {
		now, readErr := s.Booking(ctx, id)
		if readErr != nil {
			return errors.Join(err, readErr)
		}
		return errors.Join(a.printBooking(now, nil), err)
	}
	during := seen.During
	if r.During != nil {
		during = *r.During
	}
	return a.printBooking(b, nameRange(nameSeats(err, named), during, seen.Zone))
}

// request says the flags in the domain's terms, for the booking that was seen.
func (f *bookingMove) request(ctx context.Context, s *pgstore.Store, flags *pflag.FlagSet, seen inventory.Booking) (inventory.MoveRequest, []inventory.Seat, error) {
	r := inventory.MoveRequest{ID: seen.ID, KeepAmount: f.keepAmount, Reason: f.reason}
	var errs []error
	for _, m := range moveFlags {
		if m.kind != seen.Kind && flags.Changed(m.name) {
			errs = append(errs, inventory.Invalid(m.name, "does not go with a booking of kind %s", seen.Kind))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return r, nil, err
	}
	if flags.Changed("day") {
		day, err := timezone.ParseDay(f.day)
		r.Day, errs = &day, append(errs, badInput("day", err))
	}
	if flags.Changed("quantity") {
		r.Quantity = &f.quantity
	}
	if flags.Changed("resource") {
		ref, err := inventory.ParseResourceRef("resource", f.resource)
		r.Resource, errs = &ref, append(errs, err)
	}
	if flags.Changed("from") {
		during, err := f.newRange(ctx, s, seen)
		r.During, errs = &during, append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return r, nil, err
	}
	if !flags.Changed("seat") {
		return r, nil, r.Validate()
	}
	named, err := s.SeatsByName(ctx, seen.EventID, f.seats)
	if err != nil {
		return r, nil, err
	}
	r.Seats = seatIDs(named)
	return r, named, r.Validate()
}

// newRange reads the new time by the clock that the venue has today.
func (f *bookingMove) newRange(ctx context.Context, s *pgstore.Store, seen inventory.Booking) (inventory.Range, error) {
	_, zone, err := venueZone(ctx, s, seen.Resource.Venue)
	if err != nil {
		return inventory.Range{}, err
	}
	return parseRange(f.from, f.to, zone)
}

const (
	moveTries = 5
	moveWait  = 50 * time.Millisecond // before the second try; twice as long before each other
)

// mover moves a booking that others may change at the same time.
type mover struct {
	read  func(context.Context) (inventory.Booking, error)
	move  func(ctx context.Context, version int) (inventory.Booking, error)
	wait  func(context.Context, time.Duration) error
	tries int // 0: moveTries
}

// run tries again after somebody else was faster, with what is stored by then,
// for as long as the booking still claims what was seen: an edit of something
// else is not what the person meant. The error is then ErrStale.
func (m mover) run(ctx context.Context, seen inventory.Booking) (inventory.Booking, error) {
	if m.tries == 0 {
		m.tries = moveTries
	}
	version := seen.Version
	for try := 1; ; try++ {
		b, err := m.move(ctx, version)
		if !errors.Is(err, inventory.ErrStale) || try == m.tries {
			return b, err
		}
		// Exponential, at random from half of it up: two who collided part ways.
		most := moveWait << (try - 1)
		if waitErr := m.wait(ctx, most/2+rand.N(most/2)); waitErr != nil {
			return b, errors.Join(err, waitErr)
		}
		now, readErr := m.read(ctx)
		if readErr != nil {
			return b, readErr
		}
		if !sameClaim(seen, now) {
			return b, err
		}
		version = now.Version
	}
}

// sameClaim reports whether two readings of a booking claim the same, for the
// same price.
func sameClaim(a, b inventory.Booking) bool {
	return a.Kind == b.Kind && a.Ref() == b.Ref() && a.Day == b.Day && a.Quantity == b.Quantity && a.Amount == b.Amount &&
		a.During.From.Equal(b.During.From) && a.During.To.Equal(b.During.To) && slices.Equal(seatIDs(a.Seats), seatIDs(b.Seats))
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (a *app) bookingSwapCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "swap ID ID --reason TEXT", Short: "Let two live bookings of one event change seats", Args: exactly("ID", "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := inventory.CheckReason(reason); err != nil {
				return err
			}
			return a.onBooking(cmd, args[0], func(ctx context.Context, s *pgstore.Store, first inventory.BookingID) error {
				second, err := s.FindBooking(ctx, args[1])
				if err != nil {
					return err
				}
				one, other, err := s.SwapSeats(ctx, first, second, a.staff(), reason)
				if err != nil {
					return err
				}
				return output.Rows(a.print, bookingColumns, mapped([]inventory.Booking{one, other}, viewBooking))
			})
		},
	}
	reasonFlag(cmd.Flags(), &reason)
	return cmd
}
