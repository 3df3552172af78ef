package pgstore

import (
	"cmp"
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"holdfast/inventory"
)

// How often a callback is tried before it is parked for a person to look at.
const (
	maxApplications = 12 // one that fails
	maxLooks        = 20 // one that names nothing we know: about half a day

	// maxEventAmount keeps sums of money inside a bigint, whatever a provider says.
	maxEventAmount = 1_000_000_000_000_000
)

// StoreEvent keeps a verified callback before anything is decided about it.
// fresh is false if the same provider and event id are there already. An event
// with a Problem is parked at once: kept and visible, never applied.
func (s *Store) StoreEvent(ctx context.Context, e inventory.ProviderEvent) (fresh bool, err error) {
	if e.Provider == "" || e.ID == "" || len(e.ID) > 255 {
		return false, inventory.Invalid("id", "an event needs a provider and an id of 1 to 255 characters")
	}
	if e.Amount.Minor > maxEventAmount && e.Problem == "" {
		e.Problem = "the amount is beyond anything that can be paid"
	}
	err = s.inTx(ctx, "store event "+e.ID, beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sqlEventStore, pgx.StrictNamedArgs{
			"provider": e.Provider, "id": e.ID, "kind": e.Kind, "live": e.Live,
			"provider_payment": e.ProviderPayment, "provider_refund": e.ProviderRefund, "reference": e.Reference,
			"minor": numberOrNull(int64(e.Amount.Minor)), "currency": e.Amount.Currency, "body": e.Body, "reason": e.Reason, "problem": e.Problem,
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
		rows, _ := tx.Query(ctx, sqlInboxGet, pgx.StrictNamedArgs{"provider": provider, "id": id})
		var err error
		e, err = pgx.CollectExactlyOneRow(rows, scanInboxEvent)
		return err
	})
	if err != nil {
		return err
	}
	if e.Problem != "" {
		return nil // parked: a person decides
	}
	var note string
	switch e.Kind {
	case inventory.EventRefundSucceeded, inventory.EventRefundFailed, inventory.EventRefundPending:
		note, err = s.settleRefund(ctx, e)
	case inventory.EventPaymentSucceeded, inventory.EventPaymentFailed, inventory.EventPaymentCancelled, inventory.EventPaymentProcessing:
		note, err = s.settle(ctx, e)
	case inventory.EventDisputeOpened, inventory.EventDisputeWon, inventory.EventDisputeLost:
		note, err = s.settleDispute(ctx, e)
	default:
		err = inventory.Invalid("type", "%q is not a kind of event we know", e.Kind)
	}
	state := inventory.InboxApplied
	switch {
	case errors.Is(err, errUnmatched):
		state, note = inventory.InboxUnmatched, errUnmatched.Error()
	case errors.Is(err, inventory.ErrBusy), errors.Is(err, inventory.ErrUnavailable), errors.Is(err, inventory.ErrUnknownOutcome):
		return err // the row is due again by itself
	case err != nil:
		state, note = inventory.InboxStored, err.Error()
	}
	markErr := s.inTx(ctx, "mark event "+id, beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sqlEventMark, pgx.StrictNamedArgs{
			"provider": provider, "id": id, "state": state, "note": note, "failures": maxApplications, "looks": maxLooks, "now": s.now,
		})
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
		var payment string
		err := tx.QueryRow(ctx, sqlRefundByProvider, pgx.StrictNamedArgs{
			"provider": e.Provider, "reference": referenceArg(e.Reference), "provider_refund": textOrNull(e.ProviderRefund),
		}).Scan(&id, (*zeronull.Text)(&payment))
		if isNoRows(err) {
			payment = e.ProviderPayment
			id, err = s.recordExternalRefund(ctx, tx, e)
		}
		switch {
		case err != nil:
			return err
		case e.ProviderPayment != "" && payment != "" && e.ProviderPayment != payment:
			return inventory.Invalid("payment", "the refund belongs to payment %s there, and the event names %s", payment, e.ProviderPayment)
		}
		answer := inventory.ProviderRefund{ID: e.ProviderRefund, State: state, Amount: e.Amount}
		if state == inventory.RefundFailed {
			answer.Reason = cmp.Or(e.Reason, "the provider reported a failure and no reason")
		}
		_, changed, err := s.applyRefund(ctx, tx, id, answer)
		note = changedOr(changed, "refund "+string(state))
		return err
	})
	return note, err
}

// recordExternalRefund adds the row of a refund that was made in the provider's
// own dashboard, once. Giving the whole of an applied payment back there
// cancels its booking, as it would here.
func (s *Store) recordExternalRefund(ctx context.Context, tx pgx.Tx, e inventory.ProviderEvent) (inventory.RefundID, error) {
	none := inventory.RefundID{}
	if e.ProviderPayment == "" || e.ProviderRefund == "" || e.Amount.Minor <= 0 {
		return none, errUnmatched
	}
	rows, _ := tx.Query(ctx, sqlPaymentByProvider, pgx.StrictNamedArgs{"provider": e.Provider, "provider_payment": e.ProviderPayment})
	p, err := pgx.CollectExactlyOneRow(rows, scanPayment)
	if isNoRows(err) || err == nil && p.State != inventory.PaymentSucceeded {
		return none, errUnmatched // we may hear of its capture yet
	}
	if err != nil {
		return none, err
	}
	b, p, err := lockClaimOfPayment(ctx, tx, p.ID)
	if err != nil {
		return none, err
	}
	by, reason := providerOf(e), "made at the provider"
	var found inventory.RefundID
	err = tx.QueryRow(ctx, sqlRefundByProvider, pgx.StrictNamedArgs{
		"provider": e.Provider, "reference": referenceArg(e.Reference), "provider_refund": textOrNull(e.ProviderRefund),
	}).Scan(&found, new(zeronull.Text))
	if err == nil || !isNoRows(err) {
		return found, err // an equal callback was faster
	}
	st := step{to: inventory.StateCancelled, cause: inventory.CauseCancelled, actor: by, reason: reason}
	if p, err = s.freeOfBooking(ctx, tx, p, b, e.Amount.Minor, st); err != nil {
		return none, err
	}
	r, err := s.insertRefund(ctx, tx, p, newRefund{amount: e.Amount.Minor, reason: reason, by: by, external: true})
	return r.ID, err
}

// Inbox returns stored callbacks, newest first.
func (s *Store) Inbox(ctx context.Context, f inventory.InboxFilter) ([]inventory.InboxEvent, error) {
	var out []inventory.InboxEvent
	err := s.read(ctx, "list callbacks", func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlInboxList, pgx.StrictNamedArgs{"state": textOrNull(string(f.State)), "limit": bounded(f.Limit, 100, 1000)})
		var err error
		out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (e inventory.InboxEvent, err error) {
			return e, row.Scan(append(eventFields(&e.ProviderEvent), &e.State, &e.Note, &e.Tries, &e.ReceivedAt, orNull(&e.AppliedAt))...)
		})
		return err
	})
	return out, err
}

// RetryEvent brings a parked callback back, due now. One that was parked for a
// Problem stays where it is: ErrNotAllowed.
func (s *Store) RetryEvent(ctx context.Context, actor inventory.Actor, provider, id string) error {
	return s.inTx(ctx, "retry callback "+id, beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sqlEventRetry, pgx.StrictNamedArgs{"provider": provider, "id": id})
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return inventory.ErrNotAllowed
		}
		return audit(ctx, tx, actor, "inbox.retry", "event "+provider+" "+id, "")
	})
}

func scanInboxEvent(row pgx.CollectableRow) (e inventory.ProviderEvent, err error) {
	return e, row.Scan(eventFields(&e)...)
}

func eventFields(e *inventory.ProviderEvent) []any {
	return []any{
		&e.Provider, &e.ID, &e.Kind, &e.Live, &e.ProviderPayment, &e.ProviderRefund, &e.Reference,
		&e.Amount.Minor, &e.Amount.Currency, &e.Reason, &e.Problem,
	}
}

const sqlEventStore = `-- event.store
INSERT INTO webhook_event (provider, event_id, kind, live, provider_payment, provider_refund, reference, amount_minor, currency, body, reason, problem, state, note)
VALUES (@provider, @id, @kind, @live, @provider_payment, @provider_refund, @reference, @minor, @currency, @body,
        left(@reason, 500), @problem, CASE WHEN @problem = '' THEN 'STORED' ELSE 'PARKED' END, @problem)
    ON CONFLICT (provider, event_id) DO NOTHING`

const inboxColumns = `provider, event_id, kind, live, provider_payment, provider_refund, reference, coalesce(amount_minor, 0), currency, reason, problem`

const sqlInboxGet = `-- inbox.get
SELECT ` + inboxColumns + `
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
   SET state = CASE WHEN @state = 'STORED' AND tries >= @failures::int OR @state = 'UNMATCHED' AND tries >= @looks::int
                    THEN 'PARKED' ELSE @state END,
       note = left(@note, 500),
       applied_at = CASE WHEN @state = 'APPLIED' THEN coalesce(@now::timestamptz, statement_timestamp()) END
 WHERE provider = @provider AND event_id = @id
   AND state <> 'APPLIED'`

const sqlInboxList = `-- inbox.list
SELECT ` + inboxColumns + `, state, note, tries, received_at, applied_at
  FROM webhook_event
 WHERE (@state::text IS NULL OR state = @state)
 ORDER BY received_at DESC, event_id
 LIMIT @limit`

const sqlEventRetry = `-- event.retry
UPDATE webhook_event
   SET state = 'STORED', tries = 0, next_try_at = statement_timestamp()
 WHERE provider = @provider AND event_id = @id AND state IN ('PARKED', 'UNMATCHED') AND problem = ''`
