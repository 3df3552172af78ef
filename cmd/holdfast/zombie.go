package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
)

type zombieView struct {
	Payment    inventory.PaymentID  `json:"payment"`
	Kind       inventory.ZombieKind `json:"kind"`
	Amount     inventory.Money      `json:"amount"`
	CapturedAt time.Time            `json:"capturedAt"`
	Since      time.Time            `json:"since"`
	DecideBy   time.Time            `json:"decideBy,omitzero"`
	LateBy     span                 `json:"lateBy"`
	Policy     inventory.LatePolicy `json:"policy,omitzero"`
	Venue      string               `json:"venue,omitzero"`
	Booking    *bookingView         `json:"booking"` // null for unmatched money
	Left       int                  `json:"left"`    // places on its day now, -1 where there is no day
	CanRevive  bool                 `json:"canRevive"`
	WhyNot     string               `json:"whyNot,omitzero"`
	Version    int                  `json:"version"`
}

func viewZombie(z inventory.Zombie) zombieView {
	v := zombieView{
		Payment: z.Payment.ID, Kind: z.Payment.ZombieKind, Amount: z.Payment.Captured, CapturedAt: z.Payment.CapturedAt,
		Since: z.Payment.ZombieSince, DecideBy: z.Payment.DecideBy, LateBy: span(z.LateBy.Round(time.Second)), Policy: z.Policy,
		Venue: z.Venue, Left: z.Left, CanRevive: z.CanGo == nil, Version: z.Payment.Version,
	}
	if z.CanGo != nil {
		v.WhyNot = inventory.Message(z.CanGo)
	}
	if z.Booking.ID != (inventory.BookingID{}) {
		b := viewBooking(z.Booking)
		v.Booking = &b
	}
	return v
}

// ofBooking reads a value of the booking, "" for unmatched money.
func ofBooking(f func(bookingView) string) func(zombieView) string {
	return func(z zombieView) string {
		if z.Booking == nil {
			return ""
		}
		return f(*z.Booking)
	}
}

var zombieColumns = []output.Column[zombieView]{
	{Name: "payment", Value: func(z zombieView) string { return z.Payment.String() }},
	{Name: "kind", Value: func(z zombieView) string { return string(z.Kind) }},
	{Name: "amount", Number: true, Value: func(z zombieView) string { return z.Amount.Plain() }},
	{Name: "currency", Value: func(z zombieView) string { return string(z.Amount.Currency) }},
	{Name: "since", Value: func(z zombieView) string { return instant(z.Since) }},
	{Name: "decide_by", Value: func(z zombieView) string { return instant(z.DecideBy) }},
	{Name: "pool", Title: "what", Value: ofBooking(func(b bookingView) string { return b.ref })}, // scripts know the name
	{Name: "day", Value: ofBooking(func(b bookingView) string { return b.day })},
	{Name: "quantity", Number: true, Value: ofBooking(func(b bookingView) string { return yes(b.Quantity > 0, decimal(b.Quantity)) })},
	{Name: "claim", Value: ofBooking(func(b bookingView) string { return b.claimed })},
	{Name: "revive", Value: func(z zombieView) string { return yes(z.CanRevive, "possible") + z.WhyNot }},
	{Name: "buyer", Value: ofBooking(func(b bookingView) string { return b.Buyer })},
}

func (a *app) zombieCommand() *cobra.Command {
	return group("zombie", "Captured money without a live booking: revive or refund",
		a.zombieListCommand(), a.zombieReviveCommand(), a.zombieRefundCommand())
}

func (a *app) zombieListCommand() *cobra.Command {
	var f inventory.ZombieFilter
	cmd := &cobra.Command{
		Use: "list", Short: "Open zombies, oldest first", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				list, err := s.Zombies(ctx, f)
				if err != nil {
					return err
				}
				if err := output.Rows(a.print, zombieColumns, mapped(list.Zombies, viewZombie)); err != nil {
					return err
				}
				if list.Total > len(list.Zombies) {
					return a.print.Line("%d of %d shown: see --limit.", len(list.Zombies), list.Total)
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&f.Venue, "venue", "", "only of this venue")
	limitFlag(cmd.Flags(), &f.Limit)
	return cmd
}

func (a *app) zombieReviveCommand() *cobra.Command {
	var version int
	var reason string
	cmd := &cobra.Command{
		Use: "revive PAYMENT --reason TEXT", Short: "Take its place again and confirm its booking", Args: exactly("PAYMENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := inventory.CheckReason(reason); err != nil {
				return err
			}
			return a.onPayment(cmd, args[0], func(ctx context.Context, s *pgstore.Store, id inventory.PaymentID) error {
				return a.printBooking(s.ReviveZombie(ctx, id, version, a.staff(), reason))
			})
		},
	}
	versionFlag(cmd.Flags(), &version)
	reasonFlag(cmd.Flags(), &reason)
	return cmd
}

func (a *app) zombieRefundCommand() *cobra.Command {
	var version int
	var reason string
	cmd := &cobra.Command{
		Use: "refund PAYMENT --reason TEXT", Short: "Give its money back", Args: exactly("PAYMENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := inventory.CheckReason(reason); err != nil {
				return err
			}
			return a.onPayment(cmd, args[0], func(ctx context.Context, s *pgstore.Store, id inventory.PaymentID) error {
				if _, err := s.Zombie(ctx, id); err != nil {
					return err // not found is the plainer answer; money that is applied is refunded with refund add
				}
				return a.printRefund(s.RefundZombie(ctx, id, version, a.staff(), reason))
			})
		},
	}
	versionFlag(cmd.Flags(), &version)
	reasonFlag(cmd.Flags(), &reason)
	return cmd
}

// onPayment runs fn on the payment that text names: a whole id or an ending.
func (a *app) onPayment(cmd *cobra.Command, text string, fn func(context.Context, *pgstore.Store, inventory.PaymentID) error) error {
	return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
		id, err := s.FindPayment(ctx, text)
		if err != nil {
			return err
		}
		return fn(ctx, s, id)
	})
}
