package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
)

type refundView struct {
	Refund         inventory.RefundID    `json:"refund"`
	Payment        inventory.PaymentID   `json:"payment"`
	State          inventory.RefundState `json:"state"`
	Amount         inventory.Money       `json:"amount"`
	Provider       string                `json:"provider,omitzero"`
	ProviderRefund string                `json:"providerRefund,omitzero"`
	RequestedBy    string                `json:"requestedBy"`
	RequestedAt    time.Time             `json:"requestedAt"`
	DoneAt         time.Time             `json:"doneAt,omitzero"`
	Tries          int                   `json:"tries"`
	NextTryAt      time.Time             `json:"nextTryAt,omitzero"`
	LastError      string                `json:"lastError,omitzero"`
	Reason         string                `json:"reason"`
	External       bool                  `json:"external,omitzero"` // made at the provider
}

func viewRefund(r inventory.Refund) refundView {
	return refundView{
		r.ID, r.PaymentID, r.State, r.Amount, r.Provider, r.ProviderRefund, r.RequestedBy, r.RequestedAt,
		r.DoneAt, r.Tries, r.NextTryAt, r.LastError, r.Reason, r.External,
	}
}

var refundColumns = []output.Column[refundView]{
	{Name: "refund", Value: func(r refundView) string { return r.Refund.String() }},
	{Name: "payment", Value: func(r refundView) string { return r.Payment.String() }},
	{Name: "state", Value: func(r refundView) string { return string(r.State) }},
	{Name: "amount", Number: true, Value: func(r refundView) string { return r.Amount.Plain() }},
	{Name: "currency", Value: func(r refundView) string { return string(r.Amount.Currency) }},
	{Name: "requested_at", Value: func(r refundView) string { return instant(r.RequestedAt) }},
	{Name: "tries", Number: true, Value: func(r refundView) string { return decimal(r.Tries) }},
	{Name: "requested_by", Value: func(r refundView) string { return r.RequestedBy }},
	{Name: "last_error", Value: func(r refundView) string { return r.LastError }},
	{Name: "reason", Value: func(r refundView) string { return r.Reason }},
}

func (a *app) refundCommand() *cobra.Command {
	return group("refund", "Money on its way back",
		a.refundListCommand(), a.refundAddCommand(), a.refundRetryCommand())
}

func (a *app) refundListCommand() *cobra.Command {
	var f inventory.RefundFilter
	var state string
	cmd := &cobra.Command{
		Use: "list", Short: "Refunds, newest first", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.State = inventory.RefundState(strings.ToUpper(state))
			switch f.State {
			case "", inventory.RefundRequested, inventory.RefundPending, inventory.RefundSucceeded, inventory.RefundFailed:
			default:
				return inventory.Invalid("state", "%q is none of REQUESTED, PENDING, SUCCEEDED, FAILED", state)
			}
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				refunds, err := s.Refunds(ctx, f)
				if err != nil {
					return err
				}
				return output.Rows(a.print, refundColumns, mapped(refunds, viewRefund))
			})
		},
	}
	cmd.Flags().StringVar(&f.Venue, "venue", "", "only of this venue")
	cmd.Flags().StringVar(&state, "state", "", "only in this state")
	limitFlag(cmd.Flags(), &f.Limit)
	return cmd
}

func (a *app) refundAddCommand() *cobra.Command {
	var amount, reason string
	var version int
	cmd := &cobra.Command{
		Use: "add PAYMENT --reason TEXT", Short: "Give back a captured payment, or a part of it with --amount", Args: exactly("PAYMENT"),
		Long: `Give back a captured payment, or a part of it with --amount.

Without --amount all that is left of the payment goes back. If it paid for a booking
that stands, that also cancels the booking and frees its places, as does an --amount
that is all that is left; a smaller one leaves the booking as it is.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := inventory.CheckReason(reason); err != nil {
				return err
			}
			return a.onPayment(cmd, args[0], func(ctx context.Context, s *pgstore.Store, id inventory.PaymentID) error {
				minor, err := refundAmount(ctx, s, id, amount, cmd.Flags().Changed("amount"))
				if err != nil {
					return err
				}
				return a.printRefund(s.RefundPayment(ctx, id, version, minor, a.staff(), reason))
			})
		},
	}
	cmd.Flags().StringVar(&amount, "amount", "", "a part of it, in its currency, such as 10.00 (default all that is left, which also cancels its booking)")
	versionFlag(cmd.Flags(), &version)
	reasonFlag(cmd.Flags(), &reason)
	return cmd
}

// refundAmount reads a part of a payment; 0 means all of it.
func refundAmount(ctx context.Context, s *pgstore.Store, id inventory.PaymentID, text string, given bool) (inventory.Minor, error) {
	if !given {
		return 0, nil
	}
	p, err := s.Payment(ctx, id)
	if err != nil {
		return 0, err
	}
	minor, err := inventory.ParseMinor(text, p.Amount.Currency)
	switch {
	case err != nil:
		return 0, inventory.Invalid("amount", "%s", err)
	case minor == 0:
		return 0, inventory.Invalid("amount", "must be more than nothing")
	}
	return minor, nil
}

func (a *app) refundRetryCommand() *cobra.Command {
	return &cobra.Command{
		Use: "retry ID", Short: "Ask again for a refund that failed, as a new one", Args: exactly("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				id, err := s.FindRefund(ctx, args[0])
				if err != nil {
					return err
				}
				return a.printRefund(s.RetryRefund(ctx, id, a.staff()))
			})
		},
	}
}

func (a *app) printRefund(r inventory.Refund, err error) error {
	if err != nil {
		return err
	}
	return output.One(a.print, refundColumns, viewRefund(r))
}
