package pgstore_test

import (
	"errors"
	"strings"
	"testing"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

func TestClientByToken_onlyTheWholeLiveTokenOpens(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	c, token, err := s.Store.AddClient(ctx, mira, "shop", []string{inventory.ScopeHolds})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Store.ClientByToken(ctx, token)
	if err != nil || got.ID != c.ID || got.Name != "shop" {
		t.Fatalf("ClientByToken = %+v, %v", got, err)
	}
	flipped := token[:len(token)-1] + map[bool]string{true: "B", false: "A"}[strings.HasSuffix(token, "A")]
	for _, wrong := range []string{"", "hf_", flipped, token + "x", token[:len(token)-1], strings.ToUpper(token), "hf_000000000000_x"} {
		if _, err := s.Store.ClientByToken(ctx, wrong); !errors.Is(err, inventory.ErrNotFound) {
			t.Errorf("ClientByToken(%q) = %v, want ErrNotFound", wrong, err)
		}
	}
	var inAudit bool
	err = s.DB.Pool.QueryRow(ctx, `SELECT bool_or(after::text LIKE '%token_hash%') FROM audit`).Scan(&inAudit)
	if err != nil || inAudit {
		t.Errorf("the token's hash is in the audit: %v, %v", inAudit, err)
	}
	if err := s.Store.RevokeClient(ctx, mira, "shop"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.ClientByToken(ctx, token); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("after revoke: %v, want ErrNotFound", err)
	}
	if _, _, err := s.Store.AddClient(ctx, mira, "shop", nil); !errors.Is(err, inventory.ErrAlreadyExists) {
		t.Errorf("the name again: %v, want ErrAlreadyExists", err)
	}
}

func TestJobs_pauseStopsEveryDaemon(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	id, err := s.Store.StartJobRun(ctx, inventory.JobSweep, "ops-1")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Store.FinishJobRun(ctx, id, 3, "3 holds expired", nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Store.PauseJob(ctx, mira, inventory.JobSweep, "stock take"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.StartJobRun(ctx, inventory.JobSweep, "ops-2"); !errors.Is(err, inventory.ErrPaused) {
		t.Errorf("StartJobRun = %v, want ErrPaused", err)
	}
	if err := s.Store.ResumeJob(ctx, mira, inventory.JobSweep); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.StartJobRun(ctx, inventory.JobSweep, "ops-2"); err != nil {
		t.Errorf("after resume: %v", err)
	}
	if err := s.Store.PauseJob(ctx, mira, "dance", "why not"); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("PauseJob of no job = %v, want ErrNotFound", err)
	}
	jobs, err := s.Store.Jobs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		if j.Name == inventory.JobSweep && (j.LastSuccess.IsZero() || j.Paused || j.LastRun.Instance != "ops-2") {
			t.Errorf("sweep = %+v", j)
		}
	}
	audit, err := s.Store.Audit(ctx, inventory.AuditFilter{Subject: "job sweep"})
	if err != nil || len(audit) != 2 {
		t.Errorf("audit = %+v, %v; want the pause and the resume", audit, err)
	}
}

// The audit and the journal cannot be rewritten, by nobody's SQL.
func TestAudit_isAppendOnly(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	s.Hold(t, "u-1", 1)
	for _, sql := range []string{
		"UPDATE audit SET actor = 'staff:jan'", "DELETE FROM audit", "TRUNCATE audit", "DELETE FROM journal", "TRUNCATE journal",
	} {
		if _, err := s.DB.Pool.Exec(t.Context(), sql); err == nil {
			t.Errorf("%s went through", sql)
		}
	}
}

// The database itself refuses what the program must never do.
func TestSchema_refusesWhatMustNotHappen(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	b := s.Hold(t, "u-1", 1)
	pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_1"))
	for name, sql := range map[string]string{
		"oversell":            "UPDATE pool_day SET taken = capacity + overbook_limit + 1 WHERE taken > 0",
		"negative taken":      "UPDATE pool_day SET taken = -1 WHERE taken > 0",
		"edge off the graph":  "UPDATE booking SET state = 'HELD', version = version + 1",
		"version not counted": "UPDATE booking SET state = 'CANCELLED'",
		"standing lost":       "UPDATE payment SET standing = NULL",
		"two applied":         "INSERT INTO payment (id, booking_id, attempt, provider, amount_minor, currency, captured_minor, captured_currency, state, standing, captured_at) SELECT gen_random_uuid(), booking_id, 9, provider, amount_minor, currency, captured_minor, captured_currency, state, standing, captured_at FROM payment",
		"born expired":        "INSERT INTO booking (id, venue_id, pool_id, day, quantity, buyer, state, amount_minor, currency, one_per_buyer, last_cause, last_actor, created_at, updated_at) SELECT gen_random_uuid(), venue_id, pool_id, day, 1, 'u-9', 'EXPIRED', 0, 'EUR', true, 'x', 'x', now(), now() FROM booking",
	} {
		if _, err := s.DB.Pool.Exec(t.Context(), sql); err == nil {
			t.Errorf("%s went through", name)
		}
	}
}
