package pgstore

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// StoreEvent keeps a verified callback before anything is decided about it.
// fresh is false if the same provider and event id are there already.
func (s *Store) StoreEvent(ctx context.Context, e inventory.ProviderEvent) (fresh bool, err error) {
	if e.Provider == "" || e.ID == "" || len(e.ID) > 255 {
		return false, inventory.Invalid("id", "an event needs a provider and an id of 1 to 255 characters")
	}
	err = s.inTx(ctx, "store event "+e.ID, beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sqlEventStore, pgx.StrictNamedArgs{
			"provider": e.Provider, "id": e.ID, "kind": e.Kind, "live": e.Live,
			"provider_payment": e.ProviderPayment, "provider_refund": e.ProviderRefund, "reference": e.Reference,
			"minor": numberOrNull(int64(e.Amount.Minor)), "currency": e.Amount.Currency, "body": e.Body,
		})
		fresh = tag.RowsAffected() == 1
		return err
	})
	return fresh, err
}

// ApplyEvent decides what a stored event means, by the state graph. Applying
// it again changes nothing. An event that names nothing we know is marked
// unmatched and looked at again later; one that fails is kept with the reason
// and tried again.
func (s *Store) ApplyEvent(ctx context.Context, provider, id string) error {
	var e inventory.ProviderEvent
	err := s.read(ctx, "read event "+id, func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlEventGet, pgx.StrictNamedArgs{"provider": provider, "id": id})
		var err error
		e, err = pgx.CollectExactlyOneRow(rows, scanEvent)
		return err
	})
	if err != nil {
		return err
	}
	var note string
	switch e.Kind {
	case inventory.EventRefundSucceeded, inventory.EventRefundFailed, inventory.EventRefundPending:
		note, err = s.settleRefund(ctx, e)
	case inventory.EventPaymentSucceeded, inventory.EventPaymentFailed, inventory.EventPaymentCancelled, inventory.EventPaymentProcessing:
		note, err = s.settle(ctx, e)
	default:
		err = inventory.Invalid("type", "%q is not a kind of event we know", e.Kind)
	}
	state := "APPLIED"
	switch {
	case errors.Is(err, errUnmatched):
		state, note = "UNMATCHED", errUnmatched.Error()
	case errors.Is(err, inventory.ErrBusy), errors.Is(err, inventory.ErrUnavailable), errors.Is(err, inventory.ErrUnknownOutcome):
		return err // the row is due again by itself
	case err != nil:
		state, note = "STORED", err.Error()
	}
	markErr := s.inTx(ctx, "mark event "+id, beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sqlEventMark, pgx.StrictNamedArgs{"provider": provider, "id": id, "state": state, "note": note, "now": s.now})
		return err
	})
	if errors.Is(err, errUnmatched) {
		err = nil
	}
	return errors.Join(err, markErr)
}

// ApplyPendingEvents applies stored events that are due, at most limit, and
// returns how many it looked at. It is the safety net behind the listener.
func (s *Store) ApplyPendingEvents(ctx context.Context, limit int) (int, error) {
	type key struct{ provider, id string }
	var due []key
	err := s.inTx(ctx, "claim events", beginJob, func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlEventClaim, pgx.StrictNamedArgs{"limit": limit, "now": s.now})
		var err error
		due, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (k key, err error) { return k, row.Scan(&k.provider, &k.id) })
		return err
	})
	if err != nil {
		return 0, err
	}
	var failed []error
	for _, k := range due {
		if err := s.ApplyEvent(ctx, k.provider, k.id); err != nil {
			failed = append(failed, err) // one poison event does not stop the others
		}
	}
	return len(due), errors.Join(failed...)
}

// settleRefund applies what a provider says of one of our refunds.
func (s *Store) settleRefund(ctx context.Context, e inventory.ProviderEvent) (note string, err error) {
	state := map[inventory.EventKind]inventory.RefundState{
		inventory.EventRefundSucceeded: inventory.RefundSucceeded,
		inventory.EventRefundFailed:    inventory.RefundFailed,
		inventory.EventRefundPending:   inventory.RefundPending,
	}[e.Kind]
	err = s.inTx(ctx, "settle "+string(e.Kind), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		var id inventory.RefundID
		err := tx.QueryRow(ctx, sqlRefundByProvider, pgx.StrictNamedArgs{
			"provider": e.Provider, "reference": e.Reference, "provider_refund": textOrNull(e.ProviderRefund),
		}).Scan(&id)
		if isNoRows(err) {
			return errUnmatched
		}
		if err != nil {
			return err
		}
		reason := ""
		if state == inventory.RefundFailed {
			reason = "the provider reported a failure"
		}
		_, changed, err := s.applyRefund(ctx, tx, id, inventory.ProviderRefund{ID: e.ProviderRefund, State: state, Amount: e.Amount, Reason: reason})
		note = changedOr(changed, "refund "+string(state), "no change")
		return err
	})
	return note, err
}

func scanEvent(row pgx.CollectableRow) (e inventory.ProviderEvent, err error) {
	return e, row.Scan(&e.Provider, &e.ID, &e.Kind, &e.Live, &e.ProviderPayment, &e.ProviderRefund, &e.Reference,
		&e.Amount.Minor, &e.Amount.Currency)
}

const sqlEventStore = `-- event.store
INSERT INTO webhook_event (provider, event_id, kind, live, provider_payment, provider_refund, reference, amount_minor, currency, body)
VALUES (@provider, @id, @kind, @live, @provider_payment, @provider_refund, @reference, @minor, @currency, @body)
    ON CONFLICT (provider, event_id) DO NOTHING`

const sqlEventGet = `-- event.get
SELECT provider, event_id, kind, live, provider_payment, provider_refund, reference, coalesce(amount_minor, 0), currency
  FROM webhook_event
 WHERE provider = @provider AND event_id = @id`

// Each look puts the next one off: 5 s, 10 s ... about an hour.
const sqlEventClaim = `-- event.claim
WITH due AS (
    SELECT provider, event_id
      FROM webhook_event
     WHERE state IN ('STORED', 'UNMATCHED')
       AND next_try_at <= coalesce(@now::timestamptz, statement_timestamp()) - interval '2 seconds' -- leave the listener its turn
     ORDER BY next_try_at
     LIMIT @limit
       FOR UPDATE SKIP LOCKED
)
UPDATE webhook_event e
   SET tries = tries + 1,
       next_try_at = coalesce(@now::timestamptz, statement_timestamp()) + interval '5 seconds' * power(2, least(tries, 10))
  FROM due
 WHERE e.provider = due.provider AND e.event_id = due.event_id
RETURNING e.provider, e.event_id`

const sqlEventMark = `-- event.mark
UPDATE webhook_event
   SET state = @state, note = left(@note, 500),
       applied_at = CASE WHEN @state = 'APPLIED' THEN coalesce(@now::timestamptz, statement_timestamp()) END
 WHERE provider = @provider AND event_id = @id
   AND state <> 'APPLIED'`
