package pgstore

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"holdfast/inventory"
)

// capture applies captured money by the verdict of the domain. The booking is
// locked, and its day too if withClaim.
func (s *Store) capture(ctx context.Context, tx pgx.Tx, p inventory.Payment, b inventory.Booking, e inventory.ProviderEvent, withClaim bool) (string, error) {
	if p.State == inventory.PaymentSucceeded {
		return "no change: captured already", nil
	}
	now, err := s.clock(ctx, tx)
	if err != nil {
		return "", err
	}
	rule, err := lateRule(ctx, tx, b.ID)
	if err != nil {
		return "", err
	}
	verdict := inventory.JudgeCapture(b, e.Amount, rule.Policy, now)
	if verdict.Action.NeedsClaim() && !withClaim {
		return "", errNeedsClaim
	}
	c := capture{Store: s, tx: tx, event: e, by: providerOf(e), now: now, rule: rule, withClaim: withClaim}
	switch verdict.Action {
	case inventory.ActConfirm:
		return c.confirm(ctx, p, b, inventory.CausePaid)
	case inventory.ActConfirmLate:
		return c.confirm(ctx, p, b, inventory.CauseLateButStillHeld)
	case inventory.ActExpireAndRefund:
		b, err := s.leave(ctx, tx, b, step{to: inventory.StateExpired, cause: inventory.CauseExpired, actor: c.by, at: now})
		if err != nil {
			return "", err
		}
		return c.refund(ctx, p, b, verdict.Kind, "late: policy refund")
	case inventory.ActRefund:
		return c.refund(ctx, p, b, verdict.Kind, string(verdict.Kind)+": policy "+string(rule.Policy))
	case inventory.ActRevive:
		return c.revive(ctx, p, b)
	case inventory.ActKeepZombie:
	}
	return c.keep(ctx, p, b, verdict.Kind)
}

// capture is one moment in which we learn of captured money, inside its
// transaction.
type capture struct {
	*Store
	tx        pgx.Tx
	event     inventory.ProviderEvent
	by        inventory.Actor
	now       time.Time
	rule      inventory.LateRule
	withClaim bool
}

func (c capture) confirm(ctx context.Context, p inventory.Payment, b inventory.Booking, cause inventory.Cause) (string, error) {
	if _, err := c.move(ctx, c.tx, b, step{to: inventory.StateConfirmed, cause: cause, actor: c.by, at: c.now}); err != nil {
		return "", err
	}
	_, _, err := c.markCaptured(ctx, c.tx, p, c.event, inventory.StandingApplied, "", 0)
	return "confirmed (" + string(cause) + ")", err
}

// refund keeps the money as a zombie for no longer than it takes to ask for its
// refund.
func (c capture) refund(ctx context.Context, p inventory.Payment, b inventory.Booking, kind inventory.ZombieKind, why string) (string, error) {
	p, _, err := c.markCaptured(ctx, c.tx, p, c.event, inventory.StandingZombie, kind, c.rule.Deadline)
	if err != nil {
		return "", err
	}
	if _, err := c.noteLate(ctx, c.tx, b, p, c.by); err != nil {
		return "", err
	}
	_, err = c.requestRefund(ctx, c.tx, p, 0, why, inventory.Job(string(inventory.JobRefund)))
	if errors.Is(err, inventory.ErrDisputed) {
		return "captured: zombie (" + string(kind) + "), and the payer disputes it", nil
	}
	return "captured, refund requested (" + why + ")", err
}

// revive takes the place again under the day's lock, or sends the money back
// where admission or the buyer's newer hold stand in the way.
func (c capture) revive(ctx context.Context, p inventory.Payment, b inventory.Booking) (string, error) {
	_, err := c.Store.revive(ctx, c.tx, b, c.by, "policy revive")
	switch {
	case refusal(err):
		return c.refund(ctx, p, b, inventory.ZombieLate, "late: "+inventory.Message(err))
	case err != nil:
		return "", err
	}
	_, _, err = c.markCaptured(ctx, c.tx, p, c.event, inventory.StandingApplied, "", 0)
	return "revived (policy revive)", err
}

// keep leaves the decision to staff. The attempt is over all the same: a
// booking that waited for it does not wait any longer.
func (c capture) keep(ctx context.Context, p inventory.Payment, b inventory.Booking, kind inventory.ZombieKind) (string, error) {
	p, _, err := c.markCaptured(ctx, c.tx, p, c.event, inventory.StandingZombie, kind, c.rule.Deadline)
	if err != nil {
		return "", err
	}
	if b, err = c.noteLate(ctx, c.tx, b, p, c.by); err != nil {
		return "", err
	}
	return "captured: zombie (" + string(kind) + "), staff decide", c.endAttempt(ctx, c.tx, b, c.by, c.now, c.withClaim)
}

// markCaptured makes a payment SUCCEEDED with its standing; changed is false
// if another callback did so before. decideAfter is how long a zombie waits for
// staff, 0 for no deadline.
func (s *Store) markCaptured(ctx context.Context, tx pgx.Tx, p inventory.Payment, e inventory.ProviderEvent, standing inventory.Standing, kind inventory.ZombieKind, decideAfter time.Duration) (inventory.Payment, bool, error) {
	rows, _ := tx.Query(ctx, sqlPaymentCapture, pgx.StrictNamedArgs{
		"id": p.ID, "provider_payment": textOrNull(e.ProviderPayment), "minor": e.Amount.Minor, "currency": e.Amount.Currency,
		"standing": standing, "zombie_kind": textOrNull(string(kind)),
		"decide_after": zeronull.Int8(decideAfter / time.Microsecond), "now": s.now,
	})
	after, err := pgx.CollectExactlyOneRow(rows, scanPayment)
	if isNoRows(err) {
		return p, false, nil
	}
	return after, err == nil, err
}

// lateRule is what applies to late money for a booking: its pool's rule, else
// its venue's.
func lateRule(ctx context.Context, tx pgx.Tx, booking inventory.BookingID) (r inventory.LateRule, err error) {
	err = tx.QueryRow(ctx, sqlLatePolicy, pgx.StrictNamedArgs{"booking": booking}).Scan(&r.Policy, &r.Deadline)
	return r, err
}
