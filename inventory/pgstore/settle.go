package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"holdfast/inventory"
)

// errNeedsClaim says that a booking was locked and what it claims is needed too.
// The transaction is rolled back and run again with the claim locked first:
// nobody ever waits for a day, a seat or a resource while holding a booking.
var errNeedsClaim = errors.New("the claim must be locked first")

// errUnmatched says that an event names nothing we know, and holds no money
// that would have to be kept.
var errUnmatched = errors.New("names no payment, booking or refund of ours")

// settle applies what a provider says of a payment: once, whatever the order
// and the number of times it is said. It returns what it did, in words. All
// automatic steps of the late-payment policy happen in the same transaction;
// only the refund call itself is left to the refund job.
func (s *Store) settle(ctx context.Context, e inventory.ProviderEvent) (note string, err error) {
	for _, withClaim := range []bool{false, true} {
		err = s.inTx(ctx, "settle "+string(e.Kind), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
			note, err = s.settleTx(ctx, tx, e, withClaim)
			return err
		})
		if !errors.Is(err, errNeedsClaim) {
			return note, err
		}
	}
	return note, err
}

func (s *Store) settleTx(ctx context.Context, tx pgx.Tx, e inventory.ProviderEvent, withClaim bool) (string, error) {
	if e.Kind == inventory.EventPaymentSucceeded && e.Amount.Minor <= 0 {
		return "", inventory.Invalid("amount", "nothing was captured")
	}
	p, bookingID, err := locatePayment(ctx, tx, e)
	if err != nil {
		return "", err
	}
	if bookingID == (inventory.BookingID{}) {
		return s.settleUnmatched(ctx, tx, p, e)
	}
	lock := lockBooking
	if withClaim {
		lock = lockClaim
	}
	b, err := lock(ctx, tx, bookingID)
	if isNoRows(err) || errors.Is(err, inventory.ErrNotFound) {
		return "", errClaimMoved // to the archive, while its lock was waited for
	}
	if err != nil {
		return "", err
	}
	if b.Kind == inventory.ClaimSeats && !withClaim {
		return "", errNeedsClaim // its seats follow every change of state
	}
	if p, err = s.lockOrAddPayment(ctx, tx, p, b, e); err != nil {
		return "", err
	}
	switch e.Kind {
	case inventory.EventPaymentSucceeded:
		return s.capture(ctx, tx, p, b, e, withClaim)
	case inventory.EventPaymentFailed:
		return s.decline(ctx, tx, p, b, e, inventory.PaymentFailed, withClaim)
	case inventory.EventPaymentCancelled:
		return s.decline(ctx, tx, p, b, e, inventory.PaymentCancelled, withClaim)
	case inventory.EventPaymentProcessing:
		changed, err := s.decide(ctx, tx, p, e, inventory.PaymentPending)
		return changedOr(changed, "pending"), err
	case inventory.EventRefundSucceeded, inventory.EventRefundFailed, inventory.EventRefundPending,
		inventory.EventDisputeOpened, inventory.EventDisputeWon, inventory.EventDisputeLost:
	}
	return "", fmt.Errorf("event kind %q is not about a payment", e.Kind)
}

// locatePayment finds what an event is about: by the provider's payment id,
// else by our reference, which is a payment id (daemon-driven) or a booking id
// (shop-driven). A second provider payment for one of our references is
// another capture for the same booking, not the same payment.
func locatePayment(ctx context.Context, tx pgx.Tx, e inventory.ProviderEvent) (inventory.Payment, inventory.BookingID, error) {
	none := inventory.BookingID{}
	if e.ProviderPayment != "" {
		rows, _ := tx.Query(ctx, sqlPaymentByProvider, pgx.StrictNamedArgs{"provider": e.Provider, "provider_payment": e.ProviderPayment})
		p, err := pgx.CollectExactlyOneRow(rows, scanPayment)
		if err == nil || !isNoRows(err) {
			return p, p.BookingID, err
		}
	}
	ref, ok := parseReference(e.Reference)
	if !ok {
		return inventory.Payment{}, none, nil
	}
	p, err := getPayment(ctx, tx, inventory.PaymentID{UUID: ref})
	switch {
	case err == nil && p.Provider == e.Provider && (p.ProviderPayment == "" || e.ProviderPayment == "" || p.ProviderPayment == e.ProviderPayment):
		return p, p.BookingID, nil
	case err == nil:
		return inventory.Payment{}, p.BookingID, nil
	case !isNoRows(err):
		return p, none, err
	}
	id := inventory.BookingID{UUID: ref}
	b, err := getBooking(ctx, tx, id)
	if isNoRows(err) {
		// Money for a booking of long ago belongs to that booking.
		restored, err := restoreBooking(ctx, tx, id)
		if err != nil || restored {
			return inventory.Payment{}, id, err
		}
		// Another event may have brought it back while this one waited for it.
		if b, err = getBooking(ctx, tx, id); isNoRows(err) {
			return inventory.Payment{}, none, nil
		}
		return inventory.Payment{}, b.ID, err
	}
	return inventory.Payment{}, b.ID, err
}

// referenceArg is a reference as one of our ids, NULL if it is none.
func referenceArg(text string) *uuid.UUID {
	id, ok := parseReference(text)
	if !ok {
		return nil
	}
	return &id
}

// parseReference reads what may be one of our ids; a shop's own words are none.
func parseReference(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil
}

// lockOrAddPayment locks the payment, or adds the row of one that we hear of
// for the first time. The booking is locked already.
func (s *Store) lockOrAddPayment(ctx context.Context, tx pgx.Tx, p inventory.Payment, b inventory.Booking, e inventory.ProviderEvent) (inventory.Payment, error) {
	if p.ID != (inventory.PaymentID{}) {
		return lockPayment(ctx, tx, p.ID)
	}
	expected := b.Amount
	if expected.Minor == 0 {
		expected = e.Amount
	}
	return s.addPayment(ctx, tx, b.ID, e, expected)
}

func (s *Store) addPayment(ctx context.Context, tx pgx.Tx, booking inventory.BookingID, e inventory.ProviderEvent, expected inventory.Money) (inventory.Payment, error) {
	if e.ProviderPayment == "" {
		return inventory.Payment{}, errUnmatched
	}
	rows, _ := tx.Query(ctx, sqlPaymentInsert, pgx.StrictNamedArgs{
		"id": inventory.NewPaymentID(), "booking": idOrNull(booking.UUID), "provider": e.Provider,
		"provider_payment": textOrNull(e.ProviderPayment), "provider_key": textOrNull(""),
		"amount": expected.Minor, "currency": expected.Currency, "now": s.now,
	})
	p, err := pgx.CollectExactlyOneRow(rows, scanPayment)
	if isNoRows(err) { // an equal callback was faster: it is committed, so this finds it
		rows, _ := tx.Query(ctx, sqlPaymentByProvider, pgx.StrictNamedArgs{"provider": e.Provider, "provider_payment": e.ProviderPayment})
		if p, err = pgx.CollectExactlyOneRow(rows, scanPayment); err == nil {
			return lockPayment(ctx, tx, p.ID)
		}
	}
	return p, err
}

// settleUnmatched keeps captured money that names nothing we know as a zombie;
// anything else about an unknown payment has nothing to keep.
func (s *Store) settleUnmatched(ctx context.Context, tx pgx.Tx, p inventory.Payment, e inventory.ProviderEvent) (string, error) {
	if e.Kind != inventory.EventPaymentSucceeded || e.Amount.Minor <= 0 {
		return "", errUnmatched
	}
	if p.ID == (inventory.PaymentID{}) {
		var err error
		if p, err = s.addPayment(ctx, tx, inventory.BookingID{}, e, e.Amount); err != nil {
			return "", err
		}
	}
	_, changed, err := s.markCaptured(ctx, tx, p, e, inventory.StandingZombie, inventory.ZombieUnmatched, 0)
	return changedOr(changed, "captured, belongs to nothing we know: zombie (unmatched)"), err
}

// decline ends an attempt, not the booking: a hold with time left can be paid
// in another way.
func (s *Store) decline(ctx context.Context, tx pgx.Tx, p inventory.Payment, b inventory.Booking, e inventory.ProviderEvent, to inventory.PaymentState, withClaim bool) (string, error) {
	changed, err := s.decide(ctx, tx, p, e, to)
	if err != nil || !changed {
		return "no change", err
	}
	now, err := s.clock(ctx, tx)
	if err != nil {
		return "", err
	}
	return "attempt " + string(to), s.endAttempt(ctx, tx, b, providerOf(e), now, withClaim)
}

// endAttempt moves a booking that waited for payments on, if none is open any
// more: back to HELD while its time lasts, else to EXPIRED.
func (s *Store) endAttempt(ctx context.Context, tx pgx.Tx, b inventory.Booking, by inventory.Actor, now time.Time, withClaim bool) error {
	if b.State != inventory.StatePaymentPending {
		return nil
	}
	_, err := openPayment(ctx, tx, b.ID)
	if err == nil || !isNoRows(err) {
		return err
	}
	st := step{to: inventory.StateHeld, cause: inventory.CauseDeclined, actor: by, at: now}
	if now.Before(b.ExpiresAt) {
		_, err := s.move(ctx, tx, b, st)
		return err
	}
	if !withClaim {
		return errNeedsClaim
	}
	st.to = inventory.StateExpired
	_, err = s.leave(ctx, tx, b, st)
	return err
}

// decide moves a payment's state forward; changed is false if it was there or
// further already.
func (s *Store) decide(ctx context.Context, tx pgx.Tx, p inventory.Payment, e inventory.ProviderEvent, to inventory.PaymentState) (changed bool, err error) {
	tag, err := tx.Exec(ctx, sqlPaymentDecide, pgx.StrictNamedArgs{"id": p.ID, "state": to, "provider_payment": textOrNull(e.ProviderPayment)})
	return tag.RowsAffected() == 1, err
}

// stand moves captured money from the standing that p was seen with.
func (s *Store) stand(ctx context.Context, tx pgx.Tx, p inventory.Payment, to inventory.Standing, kind inventory.ZombieKind, decideAfter time.Duration) (inventory.Payment, error) {
	rows, _ := tx.Query(ctx, sqlPaymentStand, pgx.StrictNamedArgs{
		"id": p.ID, "from": p.Standing, "standing": to, "zombie_kind": textOrNull(string(kind)),
		"decide_after": zeronull.Int8(decideAfter / time.Microsecond), "now": s.now,
	})
	after, err := pgx.CollectExactlyOneRow(rows, scanPayment)
	if isNoRows(err) {
		return p, fmt.Errorf("payment %s is no longer %s: %w", p.ID, p.Standing, inventory.ErrNotAllowed)
	}
	return after, err
}

// providerOf is who speaks in an event.
func providerOf(e inventory.ProviderEvent) inventory.Actor {
	return inventory.Actor{Name: e.Provider, Kind: inventory.ActorProvider}
}

// changedOr is the note of an event that changed something, or nothing.
func changedOr(changed bool, note string) string {
	if changed {
		return note
	}
	return "no change"
}
