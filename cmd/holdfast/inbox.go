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

type inboxView struct {
	Provider        string               `json:"provider"`
	Event           string               `json:"event"`
	Kind            inventory.EventKind  `json:"kind"`
	State           inventory.InboxState `json:"state"`
	ProviderPayment string               `json:"providerPayment,omitzero"`
	ProviderRefund  string               `json:"providerRefund,omitzero"`
	Reference       string               `json:"reference,omitzero"`
	Amount          inventory.Money      `json:"amount,omitzero"`
	ReceivedAt      time.Time            `json:"receivedAt"`
	AppliedAt       time.Time            `json:"appliedAt,omitzero"`
	Tries           int                  `json:"tries"`
	Note            string               `json:"note,omitzero"`
}

func viewInbox(e inventory.InboxEvent) inboxView {
	return inboxView{
		e.Provider, e.ID, e.Kind, e.State, e.ProviderPayment, e.ProviderRefund, e.Reference, e.Amount,
		e.ReceivedAt, e.AppliedAt, e.Tries, e.Note,
	}
}

var inboxColumns = []output.Column[inboxView]{
	{Name: "received_at", Value: func(e inboxView) string { return instant(e.ReceivedAt) }},
	{Name: "provider", Value: func(e inboxView) string { return e.Provider }},
	{Name: "event", Value: func(e inboxView) string { return e.Event }},
	{Name: "kind", Value: func(e inboxView) string { return string(e.Kind) }},
	{Name: "state", Value: func(e inboxView) string { return string(e.State) }},
	{Name: "tries", Number: true, Value: func(e inboxView) string { return decimal(e.Tries) }},
	{Name: "reference", Value: func(e inboxView) string { return e.Reference }},
	{Name: "note", Value: func(e inboxView) string { return e.Note }},
}

func (a *app) inboxCommand() *cobra.Command {
	return group("inbox", "Callbacks of payment providers, and what became of them", a.inboxListCommand(), a.inboxRetryCommand())
}

func (a *app) inboxListCommand() *cobra.Command {
	var f inventory.InboxFilter
	var state string
	cmd := &cobra.Command{
		Use: "list", Short: "Callbacks, newest first", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.State = inventory.InboxState(strings.ToUpper(state))
			switch f.State {
			case "", inventory.InboxStored, inventory.InboxApplied, inventory.InboxUnmatched, inventory.InboxParked:
			default:
				return inventory.Invalid("state", "%q is none of STORED, APPLIED, UNMATCHED, PARKED", state)
			}
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				events, err := s.Inbox(ctx, f)
				if err != nil {
					return err
				}
				return output.Rows(a.print, inboxColumns, mapped(events, viewInbox))
			})
		},
	}
	cmd.Flags().StringVar(&state, "state", "", "only in this state")
	limitFlag(cmd.Flags(), &f.Limit)
	return cmd
}

func (a *app) inboxRetryCommand() *cobra.Command {
	return &cobra.Command{
		Use: "retry PROVIDER EVENT", Short: "Apply a parked or unmatched callback again", Args: exactly("PROVIDER", "EVENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				if err := s.RetryEvent(ctx, a.staff(), args[0], args[1]); err != nil {
					return err
				}
				return s.ApplyEvent(ctx, args[0], args[1])
			})
		},
	}
}
