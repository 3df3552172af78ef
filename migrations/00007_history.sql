-- +goose Up

-- What is over must cost nothing: the sweep of many overdue holds, what may be
-- forgotten, and where old bookings go.

-- ---- the journal is written once a statement ----

-- What a message says of a booking of places. One expression, so that a
-- statement that expires a thousand of them runs no query for each.
-- +goose StatementBegin
CREATE FUNCTION booking_data_of_places(b booking, pool text) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'kind', 'pool', 'pool', pool, 'day', b.day, 'quantity', b.quantity, 'buyer', b.buyer,
        'amount', jsonb_build_object('minor', b.amount_minor, 'currency', b.currency))
$$;

CREATE FUNCTION refuse_transition(id uuid, from_state text, from_version integer, to_state text, to_version integer)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'not an allowed transition: %: % v% -> % v%', id, from_state, from_version, to_state, to_version
        USING ERRCODE = 'check_violation', CONSTRAINT = 'booking_transition';
END $$;

-- As before, in one pass over the rows. A full join, because it cannot become a
-- loop in a loop, whatever the number of rows was when its plan was made.
CREATE OR REPLACE FUNCTION booking_write_journal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF current_setting('holdfast.restoring', true) <> '' THEN
            -- Back from the archive with its journal: no transition, and nothing else.
            IF EXISTS (SELECT FROM new_row n
                        WHERE NOT EXISTS (SELECT FROM booking_archive a WHERE a.id = n.id AND ROW (a.*) IS NOT DISTINCT FROM ROW (n.*))) THEN
                RAISE EXCEPTION 'not a booking of the archive' USING ERRCODE = 'insufficient_privilege';
            END IF;
            RETURN NULL;
        END IF;
        INSERT INTO journal (booking_id, seq, from_state, to_state, cause, actor, reason, at, topic, data)
        SELECT n.id, 1, 'NONE', n.state, n.last_cause, n.last_actor, n.last_reason, n.updated_at, t.topic,
               CASE WHEN t.topic IS NOT NULL THEN booking_data(n) || coalesce(n.last_data, '{}') END
          FROM new_row n
          LEFT JOIN allowed_transition a ON a.from_state = 'NONE' AND a.to_state = n.state
         CROSS JOIN LATERAL (
               SELECT CASE WHEN a.to_state IS NULL OR n.version <> 1 THEN refuse_transition(n.id, 'NONE', 0, n.state, n.version)
                           ELSE journal_topic('NONE', n.state, n.last_cause) END AS topic) t;
    ELSE
        INSERT INTO journal (booking_id, seq, from_state, to_state, cause, actor, reason, at, topic, data)
        SELECT n.id, n.version, o.state, n.state, n.last_cause, n.last_actor, n.last_reason, n.updated_at, t.topic,
               CASE WHEN t.topic IS NULL THEN NULL
                    WHEN n.pool_id IS NOT NULL AND (n.state <> o.state OR n.last_data IS NULL) THEN booking_data_of_places(n, v.slug || '/' || p.slug)
                    ELSE booking_data(n) || coalesce(CASE WHEN n.state = o.state THEN n.last_data END, '{}') END
          FROM new_row n
          FULL JOIN old_row o ON o.id = n.id
          LEFT JOIN venue v ON v.id = n.venue_id
          LEFT JOIN pool p ON p.id = n.pool_id
          LEFT JOIN allowed_transition a ON a.from_state = o.state AND a.to_state = n.state
         CROSS JOIN LATERAL (
               SELECT CASE WHEN a.to_state IS NULL OR n.version IS DISTINCT FROM o.version + 1 THEN refuse_transition(coalesce(n.id, o.id), o.state, o.version, n.state, n.version)
                           ELSE journal_topic(o.state, n.state, n.last_cause) END AS topic) t;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- The head of a booking's line is found by its primary key, too: a booking has
-- few rows, and each row that a sweep writes has one index less to go into.
DROP INDEX journal_open;
-- What waited longest goes first. The time alone: what one statement writes has
-- one time, and goes to the end of the index without a search.
DROP INDEX journal_due;
CREATE INDEX journal_due ON journal (coalesce(next_try_at, at)) WHERE topic IS NOT NULL AND published_at IS NULL AND parked_at IS NULL;

-- ---- the sweep ----

-- Overdue holds of seats and of ranges, without a look at those of places.
CREATE INDEX booking_held_seats_end ON booking (expires_at, id) WHERE state = 'HELD' AND event_id IS NOT NULL;
CREATE INDEX booking_held_ranges_end ON booking (expires_at, id) WHERE state = 'HELD' AND resource_id IS NOT NULL;

-- Holds that are over leave their entries in the index of what is held until a
-- vacuum. A fifth of a long history, which is the default, comes too seldom.
ALTER TABLE booking SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE journal SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);

-- Expires those of these holds that are overdue, and gives their places back.
-- The days are locked first, in the order of every transaction, and time is judged
-- by a clock that was read afterwards. A day that somebody else keeps locked is
-- passed over and named, and a booking that is locked is left: it is being paid,
-- released or extended right now.
--
-- The holds are named by where they were seen, because thousands of look-ups by
-- id cost more than all the rest of the search. Whatever is there now is expired
-- only if it is an overdue hold, and of a day that is locked here: another hold may
-- have come to lie there since, and no booking is ever locked before its day.
--
-- Holds come in the order in which they ended, which is about the order in which
-- they were stored: the next ones lie where the last ones were, in the table and
-- in each index. Day by day, each hold would be a page of its own to read and
-- write, five times slower once the table is larger than PostgreSQL's memory.
-- +goose StatementBegin
CREATE FUNCTION sweep_batch(seen tid[], pools bigint[], days date[], actor text, at timestamptz,
                            OUT expired integer, OUT given_pools bigint[], OUT given_days date[], OUT busy_pools bigint[], OUT busy_days date[])
LANGUAGE plpgsql VOLATILE
-- One plan, always by index, whatever the statistics were when it was made.
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off AS $$
#variable_conflict use_column
DECLARE
    locked_pools bigint[];
    locked_days  date[];
    rows         tid[];
    judged       timestamptz;
BEGIN
    busy_pools := '{}';
    busy_days := '{}';
    SELECT array_agg(l.pool_id), array_agg(l.day) INTO locked_pools, locked_days
      FROM (SELECT d.pool_id, d.day
              FROM unnest(pools, days) k (pool_id, day)
              JOIN pool_day d ON d.pool_id = k.pool_id AND d.day = k.day
             ORDER BY d.pool_id, d.day
               FOR NO KEY UPDATE OF d SKIP LOCKED) l;
    IF coalesce(cardinality(locked_pools), 0) < cardinality(pools) THEN
        SELECT array_agg(k.pool_id), array_agg(k.day) INTO busy_pools, busy_days
          FROM (SELECT * FROM unnest(pools, days) EXCEPT SELECT * FROM unnest(locked_pools, locked_days)) k (pool_id, day);
    END IF;
    judged := coalesce(at, clock_timestamp());
    SELECT array_agg(o.ctid) INTO rows
      FROM (SELECT b.ctid
              FROM booking b
             WHERE b.ctid = ANY (seen)
               AND b.pool_id IS NOT NULL AND b.state = 'HELD' AND b.expires_at <= judged
               AND ((b.pool_id, b.day) IN (SELECT * FROM unnest(locked_pools, locked_days))) IS TRUE -- IS TRUE: hashed once, not joined
               FOR NO KEY UPDATE OF b SKIP LOCKED) o;
    WITH gone AS (
        UPDATE booking b
           SET state = 'EXPIRED', version = version + 1,
               last_cause = 'expired', last_actor = actor, last_reason = '', updated_at = judged
         WHERE b.ctid = ANY (rows) -- nobody can move what is locked here
           AND b.state = 'HELD' -- the transition: nobody else may have moved it
        RETURNING b.pool_id, b.day, b.quantity
    ), given_back AS (
        UPDATE pool_day d
           SET taken = d.taken - e.quantity
          FROM (SELECT pool_id, day, sum(quantity)::integer AS quantity FROM gone GROUP BY pool_id, day) e
         WHERE d.pool_id = e.pool_id AND d.day = e.day
        RETURNING d.pool_id, d.day
    )
    SELECT (SELECT count(*) FROM gone), coalesce(array_agg(pool_id), '{}'), coalesce(array_agg(day), '{}')
      INTO expired, given_pools, given_days
      FROM given_back;
END $$;
-- +goose StatementEnd

-- ---- what may be forgotten ----

CREATE INDEX idempotency_created ON idempotency (created_at);
CREATE INDEX webhook_event_bodies ON webhook_event (received_at) WHERE state = 'APPLIED' AND body <> '';
CREATE INDEX job_run_started ON job_run (started_at);

-- ---- the archive ----

-- Bookings that came to nothing long ago, with their journal and their seats,
-- column for column as they were.
CREATE TABLE booking_archive (LIKE booking);
ALTER TABLE booking_archive ADD PRIMARY KEY (id), ADD CONSTRAINT booking_archive_over CHECK (state IN ('EXPIRED', 'CANCELLED'));
CREATE TABLE journal_archive (LIKE journal);
ALTER TABLE journal_archive ADD PRIMARY KEY (booking_id, seq);
CREATE TABLE booking_seat_archive (LIKE booking_seat);
ALTER TABLE booking_seat_archive ADD PRIMARY KEY (booking_id, seat_id);

-- How far the archive has looked. Ids of bookings rise with time, so that each
-- old booking is looked at once a round, and no index is kept for it.
CREATE TABLE archive_progress (
    one      boolean     PRIMARY KEY DEFAULT true CHECK (one),
    after_id uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    began_at timestamptz NOT NULL DEFAULT '-infinity' -- of this round
);
INSERT INTO archive_progress DEFAULT VALUES;

CREATE VIEW booking_all AS
SELECT b.*, false AS archived FROM booking b UNION ALL SELECT a.*, true FROM booking_archive a;
CREATE VIEW journal_all AS
SELECT j.*, false AS archived FROM journal j UNION ALL SELECT a.*, true FROM journal_archive a;
CREATE VIEW booking_seat_all AS
SELECT s.*, false AS archived FROM booking_seat s UNION ALL SELECT a.*, true FROM booking_seat_archive a;

-- Bookings and their journal are never deleted, only moved: a row may go where
-- the very same row is on the other side.
-- +goose StatementBegin
CREATE FUNCTION moved_only() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE lost boolean;
BEGIN
    CASE TG_TABLE_NAME
        WHEN 'booking' THEN
            SELECT EXISTS (SELECT FROM gone g WHERE NOT EXISTS (
                SELECT FROM booking_archive a WHERE a.id = g.id AND ROW (a.*) IS NOT DISTINCT FROM ROW (g.*))) INTO lost;
        WHEN 'booking_archive' THEN
            SELECT EXISTS (SELECT FROM gone g WHERE NOT EXISTS (
                SELECT FROM booking b WHERE b.id = g.id AND ROW (b.*) IS NOT DISTINCT FROM ROW (g.*))) INTO lost;
        WHEN 'journal' THEN
            SELECT EXISTS (SELECT FROM gone g WHERE NOT EXISTS (
                SELECT FROM journal_archive a WHERE a.booking_id = g.booking_id AND a.seq = g.seq AND ROW (a.*) IS NOT DISTINCT FROM ROW (g.*))) INTO lost;
        WHEN 'journal_archive' THEN
            SELECT EXISTS (SELECT FROM gone g WHERE NOT EXISTS (
                SELECT FROM journal j WHERE j.booking_id = g.booking_id AND j.seq = g.seq AND ROW (j.*) IS NOT DISTINCT FROM ROW (g.*))) INTO lost;
    END CASE;
    IF lost THEN
        RAISE EXCEPTION '% is append-only: rows only move to the archive and back', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER journal_append_only ON journal;
CREATE TRIGGER journal_append_only BEFORE TRUNCATE ON journal FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER journal_moved_only AFTER DELETE ON journal
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION moved_only();
CREATE TRIGGER journal_archive_append_only BEFORE UPDATE OR TRUNCATE ON journal_archive FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER journal_archive_moved_only AFTER DELETE ON journal_archive
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION moved_only();
CREATE TRIGGER booking_append_only BEFORE TRUNCATE ON booking FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER booking_moved_only AFTER DELETE ON booking
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION moved_only();
CREATE TRIGGER booking_archive_append_only BEFORE UPDATE OR TRUNCATE ON booking_archive FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER booking_archive_moved_only AFTER DELETE ON booking_archive
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION moved_only();

-- A journal row that comes back was audited when it was written.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION audit_staff_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('holdfast.restoring', true) <> ''
       AND EXISTS (SELECT FROM journal_archive a WHERE a.booking_id = NEW.booking_id AND a.seq = NEW.seq AND ROW (a.*) IS NOT DISTINCT FROM ROW (NEW.*)) THEN
        RETURN NULL;
    END IF;
    INSERT INTO audit (actor, action, subject, before, after, reason)
    VALUES (NEW.actor, 'booking.' || NEW.cause, 'booking ' || NEW.booking_id,
            jsonb_build_object('state', NEW.from_state), jsonb_build_object('state', NEW.to_state, 'version', NEW.seq), NEW.reason);
    RETURN NULL;
END $$;

-- May this booking go? It came to nothing before that time, no payment was ever
-- made for it (money keeps its booking where every decision about money looks),
-- and all its messages are out.
CREATE FUNCTION may_archive(b booking, before timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT b.state IN ('EXPIRED', 'CANCELLED') AND b.updated_at < before
       AND NOT EXISTS (SELECT FROM payment p WHERE p.booking_id = b.id)
       AND NOT EXISTS (SELECT FROM journal j WHERE j.booking_id = b.id AND j.topic IS NOT NULL AND j.published_at IS NULL)
$$;

-- Looks at the next old bookings, at most that many, and moves those that may
-- go. looked = 0 means that the round is over, or that somebody else is at it.
-- A key that still answers for a booking keeps it. No key is younger than the end of
-- what it answers for, and so the old ones are all: few, since keys are forgotten
-- sooner. Where many wait to be forgotten, the archive goes no further than they do.
CREATE FUNCTION archive_bookings(older timestamptz, most integer, OUT archived integer, OUT looked integer)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off AS $$
#variable_conflict use_column
DECLARE
    progress archive_progress;
    before   timestamptz := coalesce((SELECT i.created_at FROM idempotency i WHERE i.created_at < older ORDER BY i.created_at OFFSET 10000 LIMIT 1), older);
    kept     uuid[] := ARRAY(SELECT i.booking_id FROM idempotency i WHERE i.created_at < before AND i.booking_id IS NOT NULL ORDER BY i.created_at);
    -- The first id that a booking made then can have.
    until_id uuid := (lpad(to_hex(floor(extract(epoch FROM before) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;
    seen     uuid[];
    ids      uuid[];
BEGIN
    archived := 0; looked := 0;
    SELECT * INTO progress FROM archive_progress FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    SELECT array_agg(w.id ORDER BY w.id), array_agg(w.id ORDER BY w.id) FILTER (WHERE w.may) INTO seen, ids
      FROM (SELECT b.id, may_archive(b, before) AS may
              FROM booking b
             WHERE b.id > progress.after_id AND b.id < until_id
             ORDER BY b.id
             LIMIT most) w;
    looked := coalesce(cardinality(seen), 0);
    IF looked = 0 THEN
        -- What could not go may have become able to: a new round, once a month.
        UPDATE archive_progress SET after_id = '00000000-0000-0000-0000-000000000000', began_at = older
         WHERE progress.began_at < older - interval '30 days';
        RETURN;
    END IF;
    PERFORM FROM booking b WHERE b.id = ANY (ids) ORDER BY b.id FOR UPDATE;
    -- Judged again, now that nobody else can touch them.
    SELECT array_agg(b.id) INTO ids
      FROM booking b
     WHERE b.id = ANY (ids) AND may_archive(b, before)
       AND (b.id IN (SELECT unnest(kept))) IS FALSE; -- IS FALSE: hashed once, not joined
    IF ids IS NOT NULL THEN
        INSERT INTO booking_archive SELECT b.* FROM booking b WHERE b.id = ANY (ids);
        GET DIAGNOSTICS archived = ROW_COUNT;
        INSERT INTO journal_archive SELECT j.* FROM journal j WHERE j.booking_id = ANY (ids);
        INSERT INTO booking_seat_archive SELECT s.* FROM booking_seat s WHERE s.booking_id = ANY (ids);
        DELETE FROM booking_seat s WHERE s.booking_id = ANY (ids);
        DELETE FROM journal j WHERE j.booking_id = ANY (ids);
        DELETE FROM booking b WHERE b.id = ANY (ids);
    END IF;
    UPDATE archive_progress SET after_id = seen[looked];
END $$;

-- Brings a booking back, as it was: money came for it after all. False if the
-- archive does not have it.
CREATE FUNCTION restore_booking(wanted uuid) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM FROM booking_archive a WHERE a.id = wanted FOR UPDATE; -- two at once: the second finds nothing here
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM set_config('holdfast.restoring', wanted::text, true);
    INSERT INTO booking SELECT a.* FROM booking_archive a WHERE a.id = wanted;
    INSERT INTO journal SELECT a.* FROM journal_archive a WHERE a.booking_id = wanted;
    INSERT INTO booking_seat SELECT a.* FROM booking_seat_archive a WHERE a.booking_id = wanted;
    PERFORM set_config('holdfast.restoring', '', true);
    DELETE FROM booking_seat_archive a WHERE a.booking_id = wanted;
    DELETE FROM journal_archive a WHERE a.booking_id = wanted;
    DELETE FROM booking_archive a WHERE a.id = wanted;
    RETURN true;
END $$;
-- +goose StatementEnd

-- What is in the archive is over, nowhere else, and has its whole story there.
-- +goose StatementBegin
DO $$
DECLARE before text := pg_get_viewdef('violation'::regclass);
BEGIN
    EXECUTE 'CREATE OR REPLACE VIEW violation (invariant, object, detail) AS ' || rtrim(before, ' ;') || $view$
UNION ALL
SELECT 'A1_in_both', format('booking %s', a.id), 'is in the archive and among the others'
  FROM booking_archive a
 WHERE EXISTS (SELECT FROM booking b WHERE b.id = a.id)
UNION ALL
SELECT 'A2_archived_alive', format('booking %s', id), format('is %s in the archive', state)
  FROM booking_archive
 WHERE state NOT IN ('EXPIRED', 'CANCELLED')
UNION ALL
SELECT 'A3_chain', format('booking %s seq %s', booking_id, seq), format('starts at %s, the one before ended at %s', from_state, before)
  FROM (SELECT booking_id, seq, from_state,
               coalesce(lag(to_state) OVER w, 'NONE') AS before,
               row_number() OVER w AS place
          FROM journal_archive WINDOW w AS (PARTITION BY booking_id ORDER BY seq)) j
 WHERE from_state <> before OR seq <> place
UNION ALL
SELECT 'A3_head', format('booking %s', coalesce(b.id, j.booking_id)), format('%s v%s in the archive, its journal there ends with %s seq %s', b.state, b.version, j.to_state, j.seq)
  FROM booking_archive b
  FULL JOIN (SELECT DISTINCT ON (booking_id) booking_id, seq, to_state FROM journal_archive ORDER BY booking_id, seq DESC) j ON j.booking_id = b.id
 WHERE j.seq IS DISTINCT FROM b.version OR j.to_state IS DISTINCT FROM b.state
$view$;
END $$;
-- +goose StatementEnd
