-- +goose Up

-- Instants are timestamptz, local dates are date, money is bigint minor units.
-- No statement names a schema: one organisation is one search_path.

CREATE TABLE venue (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug          text        NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
    name          text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    zone          text        NOT NULL CHECK (length(zone) BETWEEN 1 AND 64),
    currency      text        NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    hold_ttl      interval    NOT NULL DEFAULT '10 minutes' CHECK (hold_ttl BETWEEN '1 second' AND '24 hours'),
    hold_jitter   interval    NOT NULL DEFAULT '30 seconds' CHECK (hold_jitter BETWEEN '0' AND '24 hours'),
    hold_max_life interval    NOT NULL DEFAULT '1 hour'     CHECK (hold_max_life BETWEEN '1 second' AND '168 hours'),
    late_policy   text        NOT NULL DEFAULT 'ask' CHECK (late_policy IN ('ask', 'revive', 'refund')),
    late_deadline interval    NOT NULL DEFAULT '24 hours'   CHECK (late_deadline BETWEEN '0' AND '720 hours'),
    doubt_after   interval    NOT NULL DEFAULT '15 minutes' CHECK (doubt_after BETWEEN '1 second' AND '24 hours'),
    version       integer     NOT NULL DEFAULT 1, -- counts staff edits
    created_at    timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE pool (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    venue_id      bigint      NOT NULL REFERENCES venue,
    slug          text        NOT NULL CHECK (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
    name          text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    price_minor   bigint      NOT NULL CHECK (price_minor >= 0),
    max_per_buyer integer     NOT NULL DEFAULT 1 CHECK (max_per_buyer >= 0), -- 0: no limit
    horizon_days  integer     NOT NULL DEFAULT 90 CHECK (horizon_days BETWEEN 0 AND 730),
    version       integer     NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL DEFAULT now(),
    UNIQUE (venue_id, slug)
);

-- What a new pool day starts with, by ISO weekday (1 is Monday).
CREATE TABLE pool_week (
    pool_id        bigint   NOT NULL REFERENCES pool,
    iso_weekday    smallint NOT NULL CHECK (iso_weekday BETWEEN 1 AND 7),
    capacity       integer  NOT NULL CHECK (capacity BETWEEN 0 AND 1000000),
    overbook_limit integer  NOT NULL CHECK (overbook_limit BETWEEN 0 AND 1000000),
    closed         boolean  NOT NULL DEFAULT false,
    PRIMARY KEY (pool_id, iso_weekday)
);

CREATE TABLE pool_day (
    pool_id        bigint      NOT NULL REFERENCES pool,
    day            date        NOT NULL CHECK (day BETWEEN '2000-01-01' AND '2199-12-31'),
    capacity       integer     NOT NULL CHECK (capacity BETWEEN 0 AND 1000000),
    overbook_limit integer     NOT NULL CHECK (overbook_limit BETWEEN 0 AND 1000000),
    taken          integer     NOT NULL DEFAULT 0 CHECK (taken >= 0),
    stop_sell      boolean     NOT NULL DEFAULT false,
    sales_from     timestamptz,          -- null: on sale as soon as the day exists
    sales_until    timestamptz NOT NULL, -- the end of the local day, reckoned once, in Go
    oversold_by_edit integer   NOT NULL DEFAULT 0 CHECK (oversold_by_edit >= 0),
    version        integer     NOT NULL DEFAULT 1, -- counts staff edits, never sales
    PRIMARY KEY (pool_id, day),
    -- The admission rule keeps sales below the sell limit; this is the last line
    -- behind it. Staff may lower a day below what is sold: the trigger below then
    -- writes down by how much, so that only an edit can ever raise the bound.
    CONSTRAINT pool_day_not_oversold CHECK (taken <= capacity + overbook_limit + oversold_by_edit)
) WITH (fillfactor = 70); -- taken changes all day long: leave room for HOT updates

-- +goose StatementBegin
CREATE FUNCTION pool_day_note_oversold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.oversold_by_edit := greatest(0, NEW.taken - NEW.capacity - NEW.overbook_limit);
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER pool_day_note_oversold BEFORE UPDATE OF capacity, overbook_limit ON pool_day
    FOR EACH ROW EXECUTE FUNCTION pool_day_note_oversold();

-- The admission rule: null admits, anything else is the code of the refusal.
-- The same rule in Go is inventory.PoolDay.Admit; a property test compares them.
-- +goose StatementBegin
CREATE FUNCTION admission(d pool_day, quantity integer, at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN d.stop_sell THEN 'STOP_SELL'
        WHEN at < d.sales_from THEN 'NOT_ON_SALE'
        WHEN at >= d.sales_until THEN 'CUTOFF_PASSED'
        WHEN d.taken::bigint + quantity > d.capacity::bigint + d.overbook_limit THEN 'SOLD_OUT'
    END
$$;
-- +goose StatementEnd

CREATE TABLE allowed_transition (
    from_state text NOT NULL,
    to_state   text NOT NULL,
    PRIMARY KEY (from_state, to_state)
);
INSERT INTO allowed_transition (from_state, to_state) VALUES
    ('NONE', 'HELD'), ('NONE', 'CONFIRMED'),
    ('HELD', 'HELD'), ('HELD', 'PAYMENT_PENDING'), ('HELD', 'CONFIRMED'), ('HELD', 'EXPIRED'), ('HELD', 'CANCELLED'),
    ('PAYMENT_PENDING', 'PAYMENT_PENDING'), ('PAYMENT_PENDING', 'CONFIRMED'), ('PAYMENT_PENDING', 'HELD'),
    ('PAYMENT_PENDING', 'EXPIRED'), ('PAYMENT_PENDING', 'CANCELLED'),
    ('CONFIRMED', 'CONFIRMED'), ('CONFIRMED', 'CANCELLED'),
    ('EXPIRED', 'EXPIRED'), ('EXPIRED', 'CONFIRMED'),
    ('CANCELLED', 'CANCELLED'), ('CANCELLED', 'CONFIRMED');

CREATE TABLE api_client (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name         text        NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 63),
    token_prefix text        NOT NULL UNIQUE, -- public part, for the look-up
    token_hash   bytea       NOT NULL,        -- SHA-256; the token itself is stored nowhere
    scopes       text[]      NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    revoked_at   timestamptz
);

CREATE TABLE booking (
    id              uuid        PRIMARY KEY,
    venue_id        bigint      NOT NULL, -- no foreign key: every hold would lock the venue's row
    pool_id         bigint,
    day             date,
    quantity        integer     CHECK (quantity BETWEEN 1 AND 10000),
    buyer           text        NOT NULL CHECK (length(buyer) BETWEEN 1 AND 200),
    state           text        NOT NULL CHECK (state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED', 'EXPIRED', 'CANCELLED')),
    expires_at      timestamptz,
    doubt_until     timestamptz,
    amount_minor    bigint      NOT NULL CHECK (amount_minor >= 0),
    currency        text        NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    one_per_buyer   boolean     NOT NULL, -- the pool's rule when the booking was made
    client_id       bigint,               -- null: by staff, or without authentication
    idempotency_key text        CHECK (length(idempotency_key) BETWEEN 1 AND 255),
    last_cause      text        NOT NULL, -- why it is in this state; the journal trigger copies it
    last_actor      text        NOT NULL,
    last_reason     text        NOT NULL DEFAULT '',
    version         integer     NOT NULL DEFAULT 1 CHECK (version >= 1), -- number of transitions = last journal.seq
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    FOREIGN KEY (pool_id, day) REFERENCES pool_day, -- the same transaction has locked that row
    CONSTRAINT booking_one_claim CHECK (num_nonnulls(pool_id, day, quantity) = 3),
    CONSTRAINT booking_hold_ends CHECK (state <> 'HELD' OR expires_at IS NOT NULL),
    CONSTRAINT booking_doubt_ends CHECK (state <> 'PAYMENT_PENDING' OR (doubt_until IS NOT NULL AND expires_at IS NOT NULL))
) WITH (fillfactor = 85);

-- One live booking per buyer and pool day, where the pool says so.
CREATE UNIQUE INDEX booking_one_live_per_buyer ON booking (pool_id, day, buyer, client_id) NULLS NOT DISTINCT
    WHERE one_per_buyer AND state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED');
-- The live bookings of a day: limits per buyer, screens, the invariants.
CREATE INDEX booking_live_of_day ON booking (pool_id, day, buyer)
    WHERE state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED');
-- The sweep's work list, and the console's list of holds by time left.
CREATE INDEX booking_held_ends ON booking (expires_at, id) WHERE state = 'HELD';
CREATE INDEX booking_pending_doubt ON booking (doubt_until, id) WHERE state = 'PAYMENT_PENDING';
-- Overdue holds of one day, for reclaim on demand and the sweep's batches.
CREATE INDEX booking_held_of_day ON booking (pool_id, day, expires_at) WHERE state = 'HELD';

-- Same key, same answer. A refused hold leaves no row here either.
CREATE TABLE idempotency (
    client_id   bigint      NOT NULL, -- 0: no authentication
    key         text        NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    fingerprint bytea       NOT NULL, -- SHA-256 over operation and decoded request
    booking_id  uuid,
    payment_id  uuid,
    answer      jsonb,                -- the first answer, where it cannot be read from the rows again
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (client_id, key)
);

CREATE TABLE payment (
    id               uuid        PRIMARY KEY,
    booking_id       uuid        REFERENCES booking, -- null: money that matches nothing we know
    attempt          integer     NOT NULL DEFAULT 1 CHECK (attempt >= 1),
    provider         text        NOT NULL,
    provider_payment text,       -- the provider's id, once known
    provider_key     text        UNIQUE, -- our idempotency key there; null for shop-driven payments
    amount_minor     bigint      NOT NULL CHECK (amount_minor > 0),
    currency         text        NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    captured_minor   bigint      CHECK (captured_minor > 0),
    captured_currency text       CHECK (captured_currency ~ '^[A-Z]{3}$'),
    state            text        NOT NULL CHECK (state IN ('CREATED', 'PENDING', 'FAILED', 'CANCELLED', 'SUCCEEDED')),
    standing         text        CHECK (standing IN ('applied', 'zombie', 'refunding', 'refunded')),
    zombie_kind      text        CHECK (zombie_kind IN ('late', 'duplicate', 'mismatch', 'unmatched')),
    client_secret    text        NOT NULL DEFAULT '',
    url              text        NOT NULL DEFAULT '',
    created_at       timestamptz NOT NULL DEFAULT now(),
    captured_at      timestamptz,
    zombie_since     timestamptz,
    decide_by        timestamptz, -- policy `ask`: refunded then, if staff did not decide
    version          integer     NOT NULL DEFAULT 1,
    UNIQUE (provider, provider_payment),
    CONSTRAINT payment_standing_iff_captured CHECK (
        (state = 'SUCCEEDED') = (standing IS NOT NULL) AND (state = 'SUCCEEDED') = (captured_at IS NOT NULL)
        AND (state = 'SUCCEEDED') = (captured_minor IS NOT NULL)),
    CONSTRAINT payment_zombie_is_told CHECK (standing IS DISTINCT FROM 'zombie' OR (zombie_kind IS NOT NULL AND zombie_since IS NOT NULL)),
    CONSTRAINT payment_unmatched_never_applied CHECK (booking_id IS NOT NULL OR standing IS DISTINCT FROM 'applied')
);
-- Two captures for one booking: one applies, the other is a zombie.
CREATE UNIQUE INDEX payment_one_applied ON payment (booking_id) WHERE standing = 'applied';
CREATE UNIQUE INDEX payment_attempt ON payment (booking_id, attempt);
CREATE INDEX payment_zombies ON payment (zombie_since, id) WHERE standing = 'zombie';
CREATE INDEX payment_decide_by ON payment (decide_by) WHERE standing = 'zombie' AND decide_by IS NOT NULL;

CREATE TABLE refund (
    id              uuid        PRIMARY KEY, -- also its key at the provider, for life
    payment_id      uuid        NOT NULL REFERENCES payment,
    amount_minor    bigint      NOT NULL CHECK (amount_minor > 0),
    currency        text        NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    state           text        NOT NULL CHECK (state IN ('REQUESTED', 'PENDING', 'SUCCEEDED', 'FAILED')),
    provider_refund text,
    reason          text        NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
    requested_by    text        NOT NULL,
    requested_at    timestamptz NOT NULL,
    done_at         timestamptz,
    tries           integer     NOT NULL DEFAULT 0,
    next_try_at     timestamptz,
    last_error      text        NOT NULL DEFAULT '',
    CONSTRAINT refund_done_at CHECK ((state IN ('SUCCEEDED', 'FAILED')) = (done_at IS NOT NULL)),
    CONSTRAINT refund_open_has_next CHECK (state NOT IN ('REQUESTED', 'PENDING') OR next_try_at IS NOT NULL)
);
CREATE INDEX refund_of_payment ON refund (payment_id);
CREATE INDEX refund_due ON refund (next_try_at, id) WHERE state IN ('REQUESTED', 'PENDING');

-- The inbox: stored before anything is decided, once per event.
CREATE TABLE webhook_event (
    provider         text        NOT NULL,
    event_id         text        NOT NULL CHECK (length(event_id) BETWEEN 1 AND 255),
    kind             text        NOT NULL,
    live             boolean     NOT NULL,
    provider_payment text        NOT NULL DEFAULT '',
    provider_refund  text        NOT NULL DEFAULT '',
    reference        text        NOT NULL DEFAULT '',
    amount_minor     bigint,
    currency         text        NOT NULL DEFAULT '',
    body             bytea       NOT NULL,
    state            text        NOT NULL DEFAULT 'STORED' CHECK (state IN ('STORED', 'APPLIED', 'UNMATCHED', 'PARKED')),
    note             text        NOT NULL DEFAULT '', -- what applying it did, or why it is parked
    tries            integer     NOT NULL DEFAULT 0,
    next_try_at      timestamptz NOT NULL DEFAULT now(),
    received_at      timestamptz NOT NULL DEFAULT now(),
    applied_at       timestamptz,
    PRIMARY KEY (provider, event_id)
);
CREATE INDEX webhook_event_due ON webhook_event (next_try_at) WHERE state IN ('STORED', 'UNMATCHED');

CREATE TABLE journal (
    booking_id uuid        NOT NULL,
    seq        integer     NOT NULL CHECK (seq >= 1),
    from_state text        NOT NULL,
    to_state   text        NOT NULL,
    cause      text        NOT NULL,
    actor      text        NOT NULL,
    reason     text        NOT NULL DEFAULT '',
    at         timestamptz NOT NULL,
    topic      text, -- null: nothing is published
    PRIMARY KEY (booking_id, seq)
);
-- One revive per booking, ever.
CREATE UNIQUE INDEX journal_revived_once ON journal (booking_id)
    WHERE to_state = 'CONFIRMED' AND from_state IN ('EXPIRED', 'CANCELLED');

-- Every insert and update of a booking is a transition: it must be an edge of
-- the graph, it counts in the version, and its journal row is written here, so
-- that no statement can forget it. Statement level: one insert per batch.
-- +goose StatementBegin
CREATE FUNCTION booking_write_journal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE bad text;
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT format('%s: NONE -> %s at version %s', n.id, n.state, n.version) INTO bad
          FROM new_row n
         WHERE n.version <> 1
            OR NOT EXISTS (SELECT FROM allowed_transition WHERE from_state = 'NONE' AND to_state = n.state)
         LIMIT 1;
    ELSE
        SELECT format('%s: %s v%s -> %s v%s', n.id, o.state, o.version, n.state, n.version) INTO bad
          FROM new_row n JOIN old_row o USING (id)
         WHERE n.version <> o.version + 1
            OR NOT EXISTS (SELECT FROM allowed_transition WHERE from_state = o.state AND to_state = n.state)
         LIMIT 1;
    END IF;
    IF bad IS NOT NULL THEN
        RAISE EXCEPTION 'not an allowed transition: %', bad
            USING ERRCODE = 'check_violation', CONSTRAINT = 'booking_transition';
    END IF;
    IF TG_OP = 'INSERT' THEN
        INSERT INTO journal (booking_id, seq, from_state, to_state, cause, actor, reason, at, topic)
        SELECT n.id, 1, 'NONE', n.state, n.last_cause, n.last_actor, n.last_reason, n.updated_at,
               CASE WHEN n.state = 'CONFIRMED' THEN 'booking.confirmed' END
          FROM new_row n;
    ELSE
        INSERT INTO journal (booking_id, seq, from_state, to_state, cause, actor, reason, at, topic)
        SELECT n.id, n.version, o.state, n.state, n.last_cause, n.last_actor, n.last_reason, n.updated_at,
               CASE WHEN n.state <> o.state THEN
                   CASE n.state WHEN 'CONFIRMED' THEN 'booking.confirmed'
                                WHEN 'EXPIRED'   THEN 'booking.expired'
                                WHEN 'CANCELLED' THEN 'booking.cancelled' END
               END
          FROM new_row n JOIN old_row o USING (id);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER booking_journal_insert AFTER INSERT ON booking
    REFERENCING NEW TABLE AS new_row FOR EACH STATEMENT EXECUTE FUNCTION booking_write_journal();
CREATE TRIGGER booking_journal_update AFTER UPDATE ON booking
    REFERENCING OLD TABLE AS old_row NEW TABLE AS new_row FOR EACH STATEMENT EXECUTE FUNCTION booking_write_journal();

CREATE TABLE change_set (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    pool_id   bigint      NOT NULL REFERENCES pool,
    at        timestamptz NOT NULL DEFAULT now(),
    actor     text        NOT NULL,
    reason    text        NOT NULL DEFAULT '',
    undoes    bigint      UNIQUE REFERENCES change_set -- taken back at most once
);
CREATE TABLE change_set_day (
    change_set_id  bigint  NOT NULL REFERENCES change_set,
    day            date    NOT NULL,
    made           boolean NOT NULL, -- the edit made the day; undo then closes it
    before         jsonb   NOT NULL,
    after          jsonb   NOT NULL,
    version_after  integer NOT NULL,
    PRIMARY KEY (change_set_id, day)
);

CREATE TABLE audit (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      timestamptz NOT NULL DEFAULT now(),
    login   text        NOT NULL DEFAULT session_user, -- the database login that did it
    actor   text        NOT NULL,                      -- the person it was done for
    action  text        NOT NULL,
    subject text        NOT NULL,
    before  jsonb,
    after   jsonb,
    reason  text        NOT NULL DEFAULT ''
);
CREATE INDEX audit_subject ON audit (subject text_pattern_ops, id);
CREATE INDEX audit_actor ON audit (actor, id);

-- +goose StatementBegin
CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
-- +goose StatementEnd
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER journal_append_only BEFORE DELETE OR TRUNCATE ON journal
    FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- Who acts, for the audit: set for one transaction by the store.
CREATE FUNCTION acting() RETURNS text LANGUAGE sql STABLE AS
    $$ SELECT coalesce(nullif(current_setting('holdfast.actor', true), ''), 'login:' || session_user) $$;
CREATE FUNCTION acting_reason() RETURNS text LANGUAGE sql STABLE AS
    $$ SELECT coalesce(current_setting('holdfast.reason', true), '') $$;

-- Configuration edits write the audit in the same transaction, whoever makes
-- them. Only the columns that changed are kept.
-- +goose StatementBegin
CREATE FUNCTION audit_configuration() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    o jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
    n jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END;
    what text;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        SELECT jsonb_object_agg(key, value) INTO o FROM jsonb_each(to_jsonb(OLD)) WHERE value IS DISTINCT FROM n -> key;
        SELECT jsonb_object_agg(key, value) INTO n FROM jsonb_each(to_jsonb(NEW)) WHERE value IS DISTINCT FROM to_jsonb(OLD) -> key;
        IF n IS NULL THEN RETURN NULL; END IF;
    END IF;
    CASE TG_TABLE_NAME
        WHEN 'venue' THEN what := 'venue ' || (coalesce(NEW, OLD)).slug;
        WHEN 'pool' THEN SELECT 'pool ' || v.slug || '/' || (coalesce(NEW, OLD)).slug INTO what FROM venue v WHERE v.id = (coalesce(NEW, OLD)).venue_id;
        WHEN 'pool_week' THEN SELECT 'pool ' || v.slug || '/' || p.slug || ' week' INTO what FROM pool p JOIN venue v ON v.id = p.venue_id WHERE p.id = (coalesce(NEW, OLD)).pool_id;
        WHEN 'pool_day' THEN SELECT 'day ' || v.slug || '/' || p.slug || ' ' || (coalesce(NEW, OLD)).day INTO what FROM pool p JOIN venue v ON v.id = p.venue_id WHERE p.id = (coalesce(NEW, OLD)).pool_id;
        WHEN 'api_client' THEN what := 'client ' || (coalesce(NEW, OLD)).name; o := o - 'token_hash'; n := n - 'token_hash';
        WHEN 'job' THEN what := 'job ' || (coalesce(NEW, OLD)).name;
    END CASE;
    INSERT INTO audit (actor, action, subject, before, after, reason)
    VALUES (acting(), TG_TABLE_NAME || '.' || lower(TG_OP), what, o, n, acting_reason());
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER venue_audit AFTER INSERT OR UPDATE OR DELETE ON venue FOR EACH ROW EXECUTE FUNCTION audit_configuration();
CREATE TRIGGER pool_audit AFTER INSERT OR UPDATE OR DELETE ON pool FOR EACH ROW EXECUTE FUNCTION audit_configuration();
CREATE TRIGGER pool_week_audit AFTER UPDATE OR DELETE ON pool_week FOR EACH ROW EXECUTE FUNCTION audit_configuration();
-- Sales change taken only and are no edits; the horizon's inserts are none either.
CREATE TRIGGER pool_day_audit AFTER UPDATE OF capacity, overbook_limit, stop_sell, version ON pool_day
    FOR EACH ROW EXECUTE FUNCTION audit_configuration();
CREATE TRIGGER pool_day_audit_delete AFTER DELETE ON pool_day FOR EACH ROW EXECUTE FUNCTION audit_configuration();
CREATE TRIGGER api_client_audit AFTER INSERT OR UPDATE OF scopes, revoked_at OR DELETE ON api_client
    FOR EACH ROW EXECUTE FUNCTION audit_configuration();

-- What staff do to bookings and money is audited from the rows themselves.
-- +goose StatementBegin
CREATE FUNCTION audit_staff_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit (actor, action, subject, before, after, reason)
    VALUES (NEW.actor, 'booking.' || NEW.cause, 'booking ' || NEW.booking_id,
            jsonb_build_object('state', NEW.from_state), jsonb_build_object('state', NEW.to_state, 'version', NEW.seq), NEW.reason);
    RETURN NULL;
END $$;
CREATE FUNCTION audit_staff_refund() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit (actor, action, subject, after, reason)
    VALUES (NEW.requested_by, 'refund.request', 'payment ' || NEW.payment_id,
            jsonb_build_object('refund', NEW.id, 'amount_minor', NEW.amount_minor, 'currency', NEW.currency), NEW.reason);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER journal_audit AFTER INSERT ON journal FOR EACH ROW
    WHEN (NEW.actor LIKE 'staff:%') EXECUTE FUNCTION audit_staff_transition();
CREATE TRIGGER refund_audit AFTER INSERT ON refund FOR EACH ROW
    WHEN (NEW.requested_by LIKE 'staff:%') EXECUTE FUNCTION audit_staff_refund();

CREATE TABLE job (
    name         text PRIMARY KEY,
    paused_at    timestamptz,
    paused_by    text NOT NULL DEFAULT '',
    pause_reason text NOT NULL DEFAULT ''
);
INSERT INTO job (name) VALUES ('sweep'), ('reconcile'), ('refund'), ('relay'), ('horizon'), ('check'), ('purge');
CREATE TRIGGER job_audit AFTER UPDATE ON job FOR EACH ROW EXECUTE FUNCTION audit_configuration();

CREATE TABLE job_run (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job         text        NOT NULL REFERENCES job,
    instance    text        NOT NULL,
    started_at  timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    outcome     text        CHECK (outcome IN ('ok', 'failed')),
    done        integer     NOT NULL DEFAULT 0,
    detail      text        NOT NULL DEFAULT '',
    error       text        NOT NULL DEFAULT '',
    CHECK ((finished_at IS NULL) = (outcome IS NULL))
);
CREATE INDEX job_run_latest ON job_run (job, started_at DESC);
