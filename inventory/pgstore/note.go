package pgstore

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// moneyNote is what a note about a booking's money adds to its message.
type moneyNote struct {
	Payment inventory.PaymentID  `json:"payment"`
	Kind    inventory.ZombieKind `json:"kind,omitempty"`
	Refund  *inventory.RefundID  `json:"refund,omitempty"`
	Money   inventory.Money      `json:"money"`
	Reason  string               `json:"reason,omitempty"`
}

// noteLate tells the booking's journal that captured money became a zombie.
func (s *Store) noteLate(ctx context.Context, tx pgx.Tx, b inventory.Booking, p inventory.Payment, by inventory.Actor) (inventory.Booking, error) {
	return s.note(ctx, tx, b, inventory.CausePaymentLate, by, moneyNote{Payment: p.ID, Kind: p.ZombieKind, Money: p.Captured})
}

// noteRefund tells the booking's journal how a refund ended; other states are
// no news. Unmatched money has no booking to tell.
func (s *Store) noteRefund(ctx context.Context, tx pgx.Tx, b inventory.Booking, r inventory.Refund) error {
	var cause inventory.Cause
	switch r.State {
	case inventory.RefundSucceeded:
		cause = inventory.CauseRefundSucceeded
	case inventory.RefundFailed:
		cause = inventory.CauseRefundFailed
	case inventory.RefundRequested, inventory.RefundPending:
		return nil
	}
	if b.ID == (inventory.BookingID{}) {
		return nil
	}
	by := inventory.Actor{Name: r.Provider, Kind: inventory.ActorProvider}
	_, err := s.note(ctx, tx, b, cause, by, moneyNote{Payment: r.PaymentID, Refund: &r.ID, Money: r.Amount, Reason: r.LastError})
	return err
}

// note writes a step from a state to itself: it counts in the version, goes
// into the journal and the outbox, and changes nothing about the place. The
// booking is locked.
func (s *Store) note(ctx context.Context, tx pgx.Tx, b inventory.Booking, cause inventory.Cause, by inventory.Actor, data moneyNote) (inventory.Booking, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return b, err
	}
	tag, err := tx.Exec(ctx, sqlBookingNote, pgx.StrictNamedArgs{
		"id": b.ID, "version": b.Version, "cause": cause, "actor": by.String(), "data": string(text), "now": s.now,
	})
	if err != nil {
		return b, err
	}
	if tag.RowsAffected() == 0 {
		return b, fmt.Errorf("booking %s is no longer at version %d: %w", b.ID, b.Version, inventory.ErrStale)
	}
	b.Version++
	return b, nil
}

const sqlBookingNote = `-- booking.note
UPDATE booking
   SET version = version + 1, last_cause = @cause, last_actor = @actor, last_reason = '', last_data = @data::jsonb,
       updated_at = coalesce(@now::timestamptz, statement_timestamp())
 WHERE id = @id AND version = @version`
