package pgstore_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

// How to break each invariant behind the back of constraints and triggers.
var seeds = map[string]string{
	"I1_counter_drift":            `UPDATE pool_day SET taken = taken + 1 WHERE taken > 0`,
	"I2_over_limit":               `ALTER TABLE pool_day DROP CONSTRAINT pool_day_not_oversold; UPDATE pool_day SET taken = 99 WHERE taken > 0`,
	"I5_two_live_bookings":        `DROP INDEX booking_one_live_per_buyer; INSERT INTO booking SELECT (jsonb_populate_record(b, jsonb_build_object('id', gen_random_uuid()))).* FROM booking b WHERE buyer = 'u-held'`,
	"I3_seat":                     `UPDATE seat SET state = 'BOOKED' WHERE state = 'HELD'`,
	"I3_claim":                    `UPDATE booking_seat SET live = false`,
	"I4_overlap":                  `ALTER TABLE booking DROP CONSTRAINT booking_range_free; INSERT INTO booking SELECT (jsonb_populate_record(b, jsonb_build_object('id', gen_random_uuid()))).* FROM booking b WHERE buyer = 'u-range'`,
	"I4_shape":                    `ALTER TABLE booking DROP CONSTRAINT booking_during_shape; UPDATE booking SET during = tstzrange(lower(during), upper(during), '[]') WHERE buyer = 'u-range'`,
	"I6_edge":                     `UPDATE journal SET from_state = 'CONFIRMED', to_state = 'HELD' WHERE seq = 2`,
	"I6_chain":                    `UPDATE journal SET seq = seq + 5 WHERE seq = 2`,
	"I6_head":                     `UPDATE booking SET version = 9`,
	"I7_applied_elsewhere":        `UPDATE booking SET state = 'EXPIRED' WHERE buyer = 'u-paid'`,
	"I7_captured_unowned":         `ALTER TABLE payment DROP CONSTRAINT payment_standing_iff_captured; UPDATE payment SET standing = NULL WHERE standing = 'zombie'`,
	"I7_refunding_without_refund": `UPDATE payment SET standing = 'refunding' WHERE standing = 'zombie'`,
	"I7_in_doubt_without_payment": `UPDATE booking SET state = 'PAYMENT_PENDING', doubt_until = now() WHERE buyer = 'u-held'`,
	"I7_all_given_back":           `UPDATE refund SET amount_minor = 2500`,
	"I7_zombie_given_back":        `UPDATE refund SET amount_minor = 2500; UPDATE payment SET standing = 'zombie', zombie_kind = 'late', zombie_since = now() WHERE provider_payment = 'pay_refunded'`,
	"I7_applied_mismatch":         `UPDATE payment SET captured_minor = 1 WHERE provider_payment = 'pay_paid'`,
	"I8_confirmed_unpaid":         `UPDATE booking SET state = 'CONFIRMED' WHERE buyer = 'u-held'`,
	"I9_refunded_too_much":        `UPDATE refund SET amount_minor = 9999`,
	"I10_revived_twice":           `DROP INDEX journal_revived_once; INSERT INTO journal (booking_id, seq, from_state, to_state, cause, actor, at, topic) SELECT booking_id, seq + 7, from_state, to_state, cause, actor, at, topic FROM journal WHERE cause = 'revived'`,
	"I11_order":                   `UPDATE journal SET published_at = now() WHERE topic = 'payment.late'`,
	"I11_no_message":              `UPDATE journal SET topic = NULL WHERE topic = 'booking.confirmed'`,
	"I12_no_audit":                `DELETE FROM audit WHERE action = 'booking.revived'`,
	"I13_key_without_booking":     `UPDATE idempotency SET booking_id = gen_random_uuid()`,
	"I14_capture_not_applied":     `UPDATE webhook_event SET state = 'PARKED', received_at = now() - interval '1 hour'`,
	"I15_expired_early":           `UPDATE booking SET last_cause = 'expired', expires_at = updated_at + interval '1 hour' WHERE state = 'EXPIRED'`,
	"I15_confirmed_late":          `UPDATE booking SET expires_at = created_at - interval '1 hour' WHERE buyer = 'u-paid'`,
	"I17_currency":                `UPDATE refund SET currency = 'USD'`,
	"I17_booking_currency":        `UPDATE booking SET currency = 'USD'`,
	"I18_unknown_client":          `UPDATE booking SET client_id = 4711`,
	"A1_in_both":                  `INSERT INTO booking_archive SELECT * FROM booking WHERE state = 'EXPIRED'`,
	"A2_archived_alive":           `ALTER TABLE booking_archive DROP CONSTRAINT booking_archive_over; INSERT INTO booking_archive SELECT * FROM booking WHERE buyer = 'u-held'`,
	"A3_chain":                    `INSERT INTO journal_archive SELECT * FROM journal WHERE seq > 1`,
	"A3_head":                     `INSERT INTO booking_archive SELECT * FROM booking WHERE state = 'EXPIRED'; INSERT INTO journal_archive SELECT * FROM journal WHERE seq = 1`,
}

const sqlInvariantNames = `SELECT DISTINCT m[1] FROM regexp_matches(pg_get_viewdef('violation'::regclass), '''([AI][0-9]+_[a-z_]+)''', 'g') m`

// A check that cannot fail tells nothing: each invariant is broken on purpose,
// and the check must name it.
func TestCheck_findsEverySeededViolation(t *testing.T) {
	t.Parallel()
	s := eveningWithEverything(t)
	ctx := t.Context()
	if v, err := s.Store.Check(ctx); err != nil || len(v) != 0 {
		t.Fatalf("before anything is broken: %v, %v", v, err)
	}
	for invariant, sql := range seeds {
		if found := foundAfter(t, s, sql); !slices.Contains(found, invariant) {
			t.Errorf("%s was broken and the check says %v", invariant, found)
		}
	}
	rows, _ := s.DB.Pool.Query(ctx, sqlInvariantNames)
	defined, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(defined) < 20 {
		t.Fatalf("the view defines %v, %v", defined, err)
	}
	for _, invariant := range defined {
		if seeds[invariant] == "" {
			t.Errorf("%s has no seeded violation here", invariant)
		}
	}
}

// foundAfter is what the check would say after sql; nothing is kept of it.
func foundAfter(t *testing.T, s pgtest.Shop, sql string) []string {
	t.Helper()
	tx, err := s.DB.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if _, err := tx.Exec(t.Context(), `SET LOCAL session_replication_role = replica; `+sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	rows, _ := tx.Query(t.Context(), `SELECT DISTINCT invariant FROM violation`)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return found
}

// eveningWithEverything has bookings and money in every state that an invariant
// speaks of.
func eveningWithEverything(t *testing.T) pgtest.Shop {
	t.Helper()
	s := pgtest.OpenShopIn(t, pgtest.DB(t, pgtest.AllowViolations()))
	s.Hold(t, "u-held", 1)
	pgtest.HallIn(t, s, pgtest.Rows("PARKETT", "CAT 1", 5000, 2, "A")).HoldSeats(t, "u-seats", "A-01", "A-02")
	pgtest.StudioIn(t, s, nil).HoldRange(t, "u-range", "10:00", "11:00")
	pgtest.Deliver(t, s.Store, pgtest.Captured(s.Hold(t, "u-paid", 1), "pay_paid"))
	refunded := s.Hold(t, "u-refunded", 1)
	pgtest.Deliver(t, s.Store, pgtest.Captured(refunded, "pay_refunded"))
	if _, err := s.Store.RefundPayment(t.Context(), booking(t, s, refunded.ID).Payments[0].ID, 0, 500, mira, "goodwill"); err != nil {
		t.Fatal(err)
	}
	for _, buyer := range []string{"u-zombie", "u-revived"} {
		b := s.Hold(t, buyer, 1)
		soon := s.After(t, 0)
		if _, err := s.DB.Pool.Exec(t.Context(), `UPDATE booking SET expires_at = created_at, version = version + 1, last_cause = 'extended' WHERE id = $1`, b.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := soon.SweepHolds(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
		pgtest.Deliver(t, soon, pgtest.Captured(b, "pay_"+buyer))
		if buyer == "u-revived" {
			if _, err := soon.ReviveZombie(t.Context(), booking(t, s, b.ID).Payments[0].ID, 0, mira, "phoned"); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// A provider's absurd number does not blind the desk.
func TestStoreEvent_absurdAmountIsParked(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	lateZombie(t, s, "u-1", 1)
	e := pgtest.Captured(s.Hold(t, "u-2", 1), "pay_absurd")
	e.Amount.Minor = 9223372036854775807
	pgtest.Deliver(t, s.Store, e)
	list, err := s.Store.Zombies(t.Context(), inventory.ZombieFilter{})
	if err != nil || list.Total != 1 {
		t.Errorf("Zombies = %+v, %v", list, err)
	}
	parked, err := s.Store.Inbox(t.Context(), inventory.InboxFilter{State: inventory.InboxParked})
	if err != nil || len(parked) != 1 || parked[0].Problem == "" {
		t.Errorf("Inbox = %+v, %v", parked, err)
	}
}

// A refund event that names another payment than the refund's is not believed.
func TestSettle_refundOfAnotherPaymentIsKeptForAPerson(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	z, later := lateZombie(t, s, "u-1", 1)
	r, err := later.RefundZombie(t.Context(), z.Payment.ID, 0, mira, "late")
	if err != nil {
		t.Fatal(err)
	}
	e := inventory.ProviderEvent{
		Provider: "simulated", ID: "evt_r", Kind: inventory.EventRefundSucceeded, ProviderRefund: "rf_1", ProviderPayment: "pay_else",
		Reference: r.ID.String(), Amount: r.Amount, Body: []byte("{}"),
	}
	if _, err := later.StoreEvent(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if err := later.ApplyEvent(t.Context(), e.Provider, e.ID); len(inventory.FieldErrors(err)) != 1 {
		t.Errorf("ApplyEvent = %v, want a FieldError on the payment", err)
	}
	if got := booking(t, s, z.Booking.ID).Payments[0].Standing; got != inventory.StandingRefunding {
		t.Errorf("standing = %s", got)
	}
}
