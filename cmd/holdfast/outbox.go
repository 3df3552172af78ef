package main

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
)

type outboxView struct {
	Booking     inventory.BookingID `json:"booking"`
	Seq         int                 `json:"seq"`
	Topic       string              `json:"topic"`
	At          time.Time           `json:"at"`
	State       string              `json:"state"` // open, published or parked
	PublishedAt time.Time           `json:"publishedAt,omitzero"`
	ParkedAt    time.Time           `json:"parkedAt,omitzero"`
	NextTryAt   time.Time           `json:"nextTryAt,omitzero"`
	Tries       int                 `json:"tries"`
	LastError   string              `json:"lastError,omitzero"`
	Data        json.RawMessage     `json:"data"`
}

func viewOutbox(m inventory.OutboxRow) outboxView {
	v := outboxView{
		m.BookingID, m.Seq, m.Topic, m.At, "open", m.PublishedAt, m.ParkedAt, m.NextTryAt, m.Attempt, m.LastError, rawJSON(m.Data),
	}
	switch {
	case !m.PublishedAt.IsZero():
		v.State = "published"
	case !m.ParkedAt.IsZero():
		v.State = "parked"
	}
	return v
}

var outboxColumns = []output.Column[outboxView]{
	{Name: "at", Value: func(m outboxView) string { return instant(m.At) }},
	{Name: "booking", Value: func(m outboxView) string { return m.Booking.String() }},
	{Name: "seq", Number: true, Value: func(m outboxView) string { return decimal(m.Seq) }},
	{Name: "topic", Value: func(m outboxView) string { return m.Topic }},
	{Name: "state", Value: func(m outboxView) string { return m.State }},
	{Name: "tries", Number: true, Value: func(m outboxView) string { return decimal(m.Tries) }},
	{Name: "next_try_at", Value: func(m outboxView) string { return instant(m.NextTryAt) }},
	{Name: "last_error", Value: func(m outboxView) string { return m.LastError }},
}

func (a *app) outboxCommand() *cobra.Command {
	return group("outbox", "Messages about bookings and money, and their delivery",
		a.outboxListCommand(), a.outboxRetryCommand(), a.outboxParkCommand())
}

func (a *app) outboxListCommand() *cobra.Command {
	var f inventory.OutboxFilter
	cmd := &cobra.Command{
		Use: "list", Short: "Messages, newest first", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				messages, err := s.Outbox(ctx, f)
				if err != nil {
					return err
				}
				return output.Rows(a.print, outboxColumns, mapped(messages, viewOutbox))
			})
		},
	}
	cmd.Flags().BoolVar(&f.Open, "open", false, "only those that wait to be published")
	cmd.Flags().BoolVar(&f.Parked, "parked", false, "only those that nobody would take")
	limitFlag(cmd.Flags(), &f.Limit)
	return cmd
}

func (a *app) outboxRetryCommand() *cobra.Command {
	return &cobra.Command{
		Use: "retry BOOKING SEQ", Short: "Publish a parked message after all", Args: exactly("BOOKING", "SEQ"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onMessage(cmd, args, func(ctx context.Context, s *pgstore.Store, id inventory.BookingID, seq int) error {
				return s.RetryMessage(ctx, a.staff(), id, seq)
			})
		},
	}
}

func (a *app) outboxParkCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "park BOOKING SEQ --reason TEXT", Short: "Set a message aside that nobody will ever take", Args: exactly("BOOKING", "SEQ"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := inventory.CheckReason(reason); err != nil {
				return err
			}
			return a.onMessage(cmd, args, func(ctx context.Context, s *pgstore.Store, id inventory.BookingID, seq int) error {
				return s.ParkMessage(ctx, a.staff(), id, seq, reason)
			})
		},
	}
	reasonFlag(cmd.Flags(), &reason)
	return cmd
}

// onMessage resolves the booking and the number of a message.
func (a *app) onMessage(cmd *cobra.Command, args []string, do func(context.Context, *pgstore.Store, inventory.BookingID, int) error) error {
	seq, err := strconv.Atoi(args[1])
	if err != nil || seq < 1 {
		return inventory.Invalid("seq", "must be a whole number from 1")
	}
	return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
		id, err := s.FindBooking(ctx, args[0])
		if err != nil {
			return err
		}
		return do(ctx, s, id, seq)
	})
}
