package pgstore

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"holdfast/inventory"
)

// StartPayment opens a payment attempt for a hold: it commits the payment row
// and moves HELD to PAYMENT_PENDING, before any provider is called. While an
// attempt is open another press of pay gets the same one, so that nobody is
// charged twice. A booking with nothing to pay is confirmed at once and the
// payment is the zero value.
//
// Refusals: ErrHoldExpired (also when the end has passed and the sweep has not
// been there), ErrNotAllowed (paid already), ErrIdempotencyConflict,
// ErrInProgress.
func (s *Store) StartPayment(ctx context.Context, r inventory.PayRequest) (inventory.Booking, inventory.Payment, error) {
	if r.IdempotencyKey != "" {
		if err := inventory.CheckIdempotencyKey(r.IdempotencyKey); err != nil {
			return inventory.Booking{}, inventory.Payment{}, err
		}
	}
	print := sha256.Sum256([]byte("pay\n" + r.BookingID.String()))
	var b inventory.Booking
	var p inventory.Payment
	var err error
	for range 2 { // the second round finds the key that somebody else used meanwhile
		err = s.inTx(ctx, "start payment of "+r.BookingID.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
			first, err := findKey(ctx, tx, r.Client, r.IdempotencyKey, print[:])
			if err != nil {
				return err
			}
			if first != nil {
				b, p, err = first.payment(ctx, tx, r.BookingID)
				return err
			}
			if b, p, err = s.startPayment(ctx, tx, r); err != nil {
				return err
			}
			return useKey(ctx, tx, r.Client, r.IdempotencyKey, print[:], b, p)
		})
		if !errors.Is(err, errKeyTaken) {
			break
		}
	}
	if errors.Is(err, errKeyTaken) {
		err = inventory.ErrInProgress
	}
	return b, p, err
}

func (s *Store) startPayment(ctx context.Context, tx pgx.Tx, r inventory.PayRequest) (b inventory.Booking, p inventory.Payment, err error) {
	if b, err = lockToPay(ctx, tx, r.BookingID); err != nil {
		return b, p, err
	}
	if r.Client.ID != 0 && b.ClientID != r.Client.ID {
		return b, p, inventory.ErrNotFound
	}
	switch b.State {
	case inventory.StatePaymentPending:
		p, err = openPayment(ctx, tx, b.ID)
		return b, p, err
	case inventory.StateHeld:
	case inventory.StateExpired, inventory.StateCancelled, inventory.StateConfirmed, inventory.StateNone:
		return b, p, notHeld(b.State)
	}
	now, err := s.clock(ctx, tx)
	if err != nil {
		return b, p, err
	}
	if !now.Before(b.ExpiresAt) {
		return b, p, inventory.ErrHoldExpired
	}
	if b.Amount.Minor == 0 {
		b, err = s.move(ctx, tx, b, step{to: inventory.StateConfirmed, cause: inventory.CauseFree, actor: r.Actor, at: now})
		return b, p, err
	}
	var doubt time.Duration
	if err = tx.QueryRow(ctx, sqlDoubtAfter, pgx.StrictNamedArgs{"venue": b.VenueID}).Scan(&doubt); err != nil {
		return b, p, err
	}
	if b, err = s.move(ctx, tx, b, step{to: inventory.StatePaymentPending, cause: inventory.CausePay, actor: r.Actor, doubtAfter: doubt, at: now}); err != nil {
		return b, p, err
	}
	id := inventory.NewPaymentID()
	rows, _ := tx.Query(ctx, sqlPaymentInsert, pgx.StrictNamedArgs{
		"id": id, "booking": b.ID, "provider": r.Provider, "provider_payment": textOrNull(""),
		"provider_key": textOrNull("pay_" + id.String()), "amount": b.Amount.Minor, "currency": b.Amount.Currency, "now": s.now,
	})
	p, err = pgx.CollectExactlyOneRow(rows, scanPayment)
	return b, p, err
}

// lockToPay locks a booking for paying. Seats that cost nothing are BOOKED at
// once: only then are they wanted too.
func lockToPay(ctx context.Context, tx pgx.Tx, id inventory.BookingID) (inventory.Booking, error) {
	b, err := getBooking(ctx, tx, id)
	if err != nil {
		return b, err
	}
	if b.Kind == inventory.ClaimSeats && b.Amount.Minor == 0 {
		return lockClaim(ctx, tx, id)
	}
	return lockBooking(ctx, tx, id)
}

// PaymentAnswered records what the provider answered to a call about one of
// our payments, and applies it exactly like a callback that says the same.
func (s *Store) PaymentAnswered(ctx context.Context, id inventory.PaymentID, answer inventory.ProviderPayment) (inventory.Booking, inventory.Payment, error) {
	var p inventory.Payment
	err := s.inTx(ctx, "note the provider's answer on payment "+id.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		var err error
		if p, err = lockPayment(ctx, tx, id); err != nil {
			return err
		}
		// A callback that did not name us may have been kept as unmatched money:
		// now it is known whose it is.
		if _, err := tx.Exec(ctx, sqlPaymentAdopt, pgx.StrictNamedArgs{"provider": p.Provider, "provider_payment": answer.ID}); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, sqlPaymentNoteAnswer, pgx.StrictNamedArgs{
			"id": id, "provider_payment": textOrNull(answer.ID), "client_secret": answer.ClientSecret, "url": answer.URL,
		})
		p, err = pgx.CollectExactlyOneRow(rows, scanPayment)
		return err
	})
	if err != nil {
		return inventory.Booking{}, p, err
	}
	if kind, says := answerKind(answer.State); says {
		_, err = s.settle(ctx, inventory.ProviderEvent{
			Provider: p.Provider, Kind: kind, ProviderPayment: answer.ID, Reference: id.String(), Amount: answer.Amount,
		})
		if err != nil {
			return inventory.Booking{}, p, err
		}
	}
	var b inventory.Booking
	err = s.read(ctx, "read payment "+id.String(), func(ctx context.Context, tx pgx.Tx) error {
		if p, err = getPayment(ctx, tx, id); err != nil {
			return err
		}
		b, err = getBookingWithPayments(ctx, tx, p.BookingID)
		return err
	})
	return b, p, err
}

// answerKind is the event that says the same as a payment in this state.
func answerKind(state inventory.PaymentState) (inventory.EventKind, bool) {
	switch state {
	case inventory.PaymentSucceeded:
		return inventory.EventPaymentSucceeded, true
	case inventory.PaymentFailed:
		return inventory.EventPaymentFailed, true
	case inventory.PaymentCancelled:
		return inventory.EventPaymentCancelled, true
	case inventory.PaymentPending:
		return inventory.EventPaymentProcessing, true
	case inventory.PaymentCreated:
	}
	return "", false
}

// Payment returns one payment attempt, or ErrNotFound.
func (s *Store) Payment(ctx context.Context, id inventory.PaymentID) (inventory.Payment, error) {
	var p inventory.Payment
	err := s.read(ctx, "read payment "+id.String(), func(ctx context.Context, tx pgx.Tx) error {
		var err error
		p, err = getPayment(ctx, tx, id)
		return err
	})
	return p, err
}

// FindPayment resolves a whole id, or an ending of at least 6 characters that
// only one payment has.
func (s *Store) FindPayment(ctx context.Context, text string) (inventory.PaymentID, error) {
	if id, err := inventory.ParsePaymentID(text); err == nil {
		return id, nil
	}
	var ids []inventory.PaymentID
	err := s.findByEnding(ctx, "payment", text, sqlPaymentFind, func(row pgx.CollectableRow) error {
		var id inventory.PaymentID
		err := row.Scan(&id)
		ids = append(ids, id)
		return err
	})
	if err != nil {
		return inventory.PaymentID{}, err
	}
	return ids[0], nil
}

func getPayment(ctx context.Context, tx pgx.Tx, id inventory.PaymentID) (inventory.Payment, error) {
	rows, _ := tx.Query(ctx, sqlPaymentGet, pgx.StrictNamedArgs{"id": id})
	return pgx.CollectExactlyOneRow(rows, scanPayment)
}

// lockPayment comes after the booking's lock wherever both are taken.
func lockPayment(ctx context.Context, tx pgx.Tx, id inventory.PaymentID) (inventory.Payment, error) {
	rows, _ := tx.Query(ctx, sqlPaymentLock, pgx.StrictNamedArgs{"id": id})
	return pgx.CollectExactlyOneRow(rows, scanPayment)
}

// openPayment returns the attempt that is not decided yet.
func openPayment(ctx context.Context, tx pgx.Tx, booking inventory.BookingID) (inventory.Payment, error) {
	rows, _ := tx.Query(ctx, sqlPaymentOpen, pgx.StrictNamedArgs{"booking": booking})
	return pgx.CollectExactlyOneRow(rows, scanPayment)
}

func appliedPayment(ctx context.Context, tx pgx.Tx, booking inventory.BookingID) (inventory.Payment, bool, error) {
	rows, _ := tx.Query(ctx, sqlPaymentApplied, pgx.StrictNamedArgs{"booking": booking})
	p, err := pgx.CollectExactlyOneRow(rows, scanPayment)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, false, nil
	}
	return p, err == nil, err
}

func scanPayment(row pgx.CollectableRow) (p inventory.Payment, err error) {
	return p, row.Scan(paymentFields(&p)...)
}

// paymentFields are where the columns of paymentColumns go, in their order.
func paymentFields(p *inventory.Payment) []any {
	return []any{
		&p.ID, &p.BookingID, &p.Attempt, &p.Provider, (*zeronull.Text)(&p.ProviderPayment), (*zeronull.Text)(&p.ProviderKey),
		&p.Amount.Minor, &p.Amount.Currency, (*zeronull.Int8)(&p.Captured.Minor), (*zeronull.Text)(&p.Captured.Currency),
		&p.State, (*zeronull.Text)(&p.Standing), (*zeronull.Text)(&p.ZombieKind), &p.ClientSecret, &p.URL,
		&p.CreatedAt, orNull(&p.CapturedAt), orNull(&p.ZombieSince), orNull(&p.DecideBy),
		&p.AskTries, &p.NextAskAt, &p.LastError, (*zeronull.Text)(&p.Dispute), &p.Version,
	}
}
