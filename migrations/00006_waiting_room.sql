-- +goose Up

-- A waiting room lets the buyers of one pool or event in at a steady rate. Who
-- waits is told by a signed token that the buyer keeps: no row here is made for
-- anybody before a pass is used.
CREATE TABLE waiting_room (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    pool_id    bigint           UNIQUE REFERENCES pool,
    event_id   uuid             UNIQUE REFERENCES event,
    rate       double precision NOT NULL CHECK (rate BETWEEN 0.01 AND 100000), -- buyers let in a second
    max_active integer          NOT NULL CHECK (max_active BETWEEN 1 AND 1000000),
    pass_life  interval         NOT NULL CHECK (pass_life BETWEEN '10 seconds' AND '24 hours'),
    open       boolean          NOT NULL DEFAULT false,
    version    integer          NOT NULL DEFAULT 1, -- counts staff edits
    CONSTRAINT waiting_room_one_claim CHECK (num_nonnulls(pool_id, event_id) = 1)
);

-- How far its line has come: apart, since this changes all the time and is no edit.
CREATE TABLE waiting_line (
    room_id   bigint           PRIMARY KEY REFERENCES waiting_room,
    given     bigint           NOT NULL DEFAULT 0 CHECK (given >= 0), -- the last number given out
    admitted  bigint           NOT NULL DEFAULT 0,                    -- the last number let in
    credit    double precision NOT NULL DEFAULT 0 CHECK (credit >= 0 AND credit < 'Infinity'),
    moved_at  timestamptz      NOT NULL,                              -- when somebody was let in last
    turned_at timestamptz      NOT NULL,                              -- when it was last opened or closed
    begins_after bigint        NOT NULL DEFAULT 0,                    -- numbers up to it stood in lines before this one, and are over
    CONSTRAINT waiting_line_order CHECK (admitted BETWEEN 0 AND given),
    CONSTRAINT waiting_line_begin CHECK (begins_after BETWEEN 0 AND admitted)
) WITH (fillfactor = 50);

-- Numbers that were let in and whose passes end together: some 65 rows a room.
CREATE TABLE waiting_step (
    room_id      bigint      NOT NULL REFERENCES waiting_room,
    first_number bigint      NOT NULL,
    last_number  bigint      NOT NULL,
    used         bigint      NOT NULL DEFAULT 0, -- passes of it that placed a hold
    expires_at   timestamptz NOT NULL,
    PRIMARY KEY (room_id, first_number),
    CONSTRAINT waiting_step_order CHECK (first_number BETWEEN 1 AND last_number),
    CONSTRAINT waiting_step_used CHECK (used BETWEEN 0 AND last_number - first_number + 1)
) WITH (fillfactor = 50);

-- A pass that was used, and the request that has it: one hold at a time. The
-- idempotency key of that request tells what became of it.
CREATE TABLE waiting_pass (
    room_id    bigint      NOT NULL, -- no foreign key: a hold locks nothing that all share
    number     bigint      NOT NULL CHECK (number >= 1),
    client_id  bigint      NOT NULL, -- 0: no authentication
    key        text        NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    claimed_at timestamptz NOT NULL, -- -infinity: given back, after a refusal
    placed     boolean     NOT NULL DEFAULT false, -- counted in waiting_step.used
    PRIMARY KEY (room_id, number)
);

-- What tokens are signed with; every daemon reads the same.
CREATE TABLE waiting_key (
    id      smallint    PRIMARY KEY CHECK (id >= 1), -- stands in the token
    secret  bytea       NOT NULL CHECK (length(secret) = 32),
    made_at timestamptz NOT NULL DEFAULT now()
);
REVOKE ALL ON waiting_key FROM PUBLIC;
COMMENT ON TABLE waiting_key IS 'Secrets: whoever reads them can make passes. Only the login of the daemon may: grant no SELECT on all tables, nor pg_read_all_data, to logins that report or watch.';

-- +goose StatementBegin
CREATE FUNCTION waiting_room_write_audit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    o jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
    n jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END;
    r waiting_room := coalesce(NEW, OLD);
    what text;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        SELECT jsonb_object_agg(key, value) INTO o FROM jsonb_each(to_jsonb(OLD)) WHERE value IS DISTINCT FROM n -> key;
        SELECT jsonb_object_agg(key, value) INTO n FROM jsonb_each(to_jsonb(NEW)) WHERE value IS DISTINCT FROM to_jsonb(OLD) -> key;
        IF n IS NULL THEN RETURN NULL; END IF;
    END IF;
    SELECT 'waiting room of ' || c.kind || ' ' || v.slug || '/' || c.slug INTO what
      FROM (SELECT 'pool' AS kind, venue_id, slug FROM pool WHERE id = r.pool_id
            UNION ALL
            SELECT 'event', venue_id, slug FROM event WHERE id = r.event_id) c
      JOIN venue v ON v.id = c.venue_id;
    INSERT INTO audit (actor, action, subject, before, after, reason)
    VALUES (acting(), 'waiting_room.' || lower(TG_OP), what, o, n, acting_reason());
    RETURN NULL;
END $$;
-- It names the key and never says its secret: the audit is for many eyes.
CREATE FUNCTION waiting_key_write_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit (actor, action, subject, reason)
    VALUES (acting(), 'waiting_key.' || lower(TG_OP), 'waiting room key ' || (coalesce(NEW, OLD)).id, acting_reason());
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER waiting_room_audit AFTER INSERT OR UPDATE OR DELETE ON waiting_room
    FOR EACH ROW EXECUTE FUNCTION waiting_room_write_audit();
CREATE TRIGGER waiting_key_audit AFTER INSERT OR UPDATE OR DELETE ON waiting_key
    FOR EACH ROW EXECUTE FUNCTION waiting_key_write_audit();

-- What is counted as used is what was written down as used: a room that counted
-- too many would let too many in.
-- +goose StatementBegin
DO $$
DECLARE before text := pg_get_viewdef('violation'::regclass);
BEGIN
    EXECUTE 'CREATE OR REPLACE VIEW violation (invariant, object, detail) AS ' || rtrim(before, ' ;') || $view$
UNION ALL
SELECT 'W1_used', format('waiting room %s', s.room_id), format('numbers %s to %s: %s used, %s holds', s.first_number, s.last_number, s.used, c.placed)
  FROM waiting_step s
  CROSS JOIN LATERAL (SELECT count(*) AS placed FROM waiting_pass p
                       WHERE p.room_id = s.room_id AND p.placed AND p.number BETWEEN s.first_number AND s.last_number) c
 WHERE s.used <> c.placed
UNION ALL
SELECT 'W2_order', format('waiting room %s', a.room_id), format('numbers %s to %s were let in up to %s', a.first_number, a.last_number, l.admitted)
  FROM waiting_step a
  JOIN waiting_line l ON l.room_id = a.room_id
 WHERE a.last_number > l.admitted
    OR EXISTS (SELECT FROM waiting_step b WHERE b.room_id = a.room_id AND b.first_number > a.first_number AND b.first_number <= a.last_number)
$view$;
END $$;
-- +goose StatementEnd
