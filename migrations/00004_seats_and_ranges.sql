-- +goose Up

-- Checked before the first migration, with the command for whoever may create it.
CREATE EXTENSION IF NOT EXISTS btree_gist;

-- A dated happening with numbered seats. The wall time that staff typed is the
-- truth; the instants are reckoned from it, once, in Go, by the rules of zone.
CREATE TABLE event (
    id          uuid        PRIMARY KEY,
    venue_id    bigint      NOT NULL REFERENCES venue,
    slug        text        NOT NULL CHECK (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
    name        text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    local_start timestamp   NOT NULL CHECK (local_start BETWEEN '2000-01-01' AND '2199-12-31'),
    zone        text        NOT NULL CHECK (length(zone) BETWEEN 1 AND 64),
    starts_at   timestamptz NOT NULL,
    sales_from  timestamptz,          -- null: on sale as soon as it has seats
    sales_until timestamptz NOT NULL, -- the cut-off; the start unless staff chose another
    stop_sell   boolean     NOT NULL DEFAULT false,
    hold_ttl    interval    NOT NULL DEFAULT '5 minutes' CHECK (hold_ttl BETWEEN '1 second' AND '24 hours'),
    version     integer     NOT NULL DEFAULT 1, -- counts staff edits, never sales
    created_at  timestamptz NOT NULL DEFAULT now(),
    UNIQUE (venue_id, slug),
    CONSTRAINT event_sales CHECK (sales_from < sales_until)
);

CREATE TABLE seat (
    id          bigint   GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- also the order of the hall, as imported
    event_id    uuid     NOT NULL REFERENCES event,
    section     text     NOT NULL CHECK (length(section) BETWEEN 1 AND 200),
    "row"       text     NOT NULL CHECK (length("row") BETWEEN 1 AND 200),
    number      integer  NOT NULL CHECK (number BETWEEN 1 AND 9999), -- neighbours are one apart
    category    text     NOT NULL CHECK (length(category) BETWEEN 1 AND 200),
    price_minor bigint   NOT NULL CHECK (price_minor >= 0),
    state       text     NOT NULL DEFAULT 'AVAILABLE' CHECK (state IN ('AVAILABLE', 'HELD', 'BOOKED', 'KILLED')),
    booking_id  uuid,    -- who has it
    kill_reason text     NOT NULL DEFAULT '',
    version     integer  NOT NULL DEFAULT 1, -- counts changes of state and owner
    CONSTRAINT seat_place UNIQUE (event_id, section, "row", number),
    CONSTRAINT seat_owner CHECK ((state IN ('HELD', 'BOOKED')) = (booking_id IS NOT NULL)),
    CONSTRAINT seat_killed_why CHECK ((state = 'KILLED') = (kill_reason <> ''))
) WITH (fillfactor = 80);
CREATE INDEX seat_of_event ON seat (event_id, id);
CREATE INDEX seat_of_booking ON seat (booking_id) WHERE booking_id IS NOT NULL;

-- Something bookable by [from, to). Opening hours are wall times of the venue.
CREATE TABLE resource (
    id                   bigint   GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    venue_id             bigint   NOT NULL REFERENCES venue,
    slug                 text     NOT NULL CHECK (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
    name                 text     NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    slot                 interval NOT NULL DEFAULT '0' CHECK (slot BETWEEN '0' AND '24 hours'),          -- 0: any range within the hours
    turnaround           interval NOT NULL DEFAULT '0' CHECK (turnaround BETWEEN '0' AND '24 hours'),    -- kept free after each booking
    min_stay             interval NOT NULL DEFAULT '1 minute' CHECK (min_stay BETWEEN '1 minute' AND '366 days'),
    max_stay             interval NOT NULL DEFAULT '24 hours' CHECK (max_stay BETWEEN '1 minute' AND '366 days'),
    price_per_hour_minor bigint   NOT NULL CHECK (price_per_hour_minor >= 0), -- by real hours
    stop_sell            boolean  NOT NULL DEFAULT false,
    version              integer  NOT NULL DEFAULT 1, -- counts staff edits, never sales
    created_at           timestamptz NOT NULL DEFAULT now(),
    UNIQUE (venue_id, slug),
    CONSTRAINT resource_stay CHECK (min_stay <= max_stay)
);
-- By ISO weekday (1 is Monday), in minutes of the wall clock; past 1440 is the
-- next day. No row: closed.
CREATE TABLE resource_hours (
    resource_id bigint   NOT NULL REFERENCES resource,
    iso_weekday smallint NOT NULL CHECK (iso_weekday BETWEEN 1 AND 7),
    opens       smallint NOT NULL CHECK (opens BETWEEN 0 AND 1439),
    closes      smallint NOT NULL CHECK (closes BETWEEN 1 AND 2880),
    PRIMARY KEY (resource_id, iso_weekday),
    CONSTRAINT resource_hours_order CHECK (opens < closes AND closes - opens <= 1440)
);
CREATE TABLE resource_closed_day (
    resource_id bigint NOT NULL REFERENCES resource,
    day         date   NOT NULL CHECK (day BETWEEN '2000-01-01' AND '2199-12-31'),
    reason      text   NOT NULL DEFAULT '' CHECK (length(reason) <= 500),
    PRIMARY KEY (resource_id, day)
);

ALTER TABLE booking
    ADD COLUMN event_id    uuid, -- no foreign key: every hold would lock the event's row; its seats carry it
    ADD COLUMN resource_id bigint REFERENCES resource, -- the same transaction has locked that row
    ADD COLUMN during      tstzrange, -- [from, to)
    ADD COLUMN blocked     tstzrange, -- during and the turnaround behind it
    ADD COLUMN local_from  timestamp, -- the wall times that were asked for, and by the rules of which zone:
    ADD COLUMN local_to    timestamp, -- when the rules change, staff are told what would move
    ADD COLUMN zone        text;
ALTER TABLE booking DROP CONSTRAINT booking_one_claim;
ALTER TABLE booking ADD CONSTRAINT booking_one_claim CHECK (
    num_nonnulls(pool_id, event_id, resource_id) = 1 AND quantity IS NOT NULL
    AND (pool_id IS NOT NULL) = (day IS NOT NULL)
    AND num_nonnulls(during, blocked, local_from, local_to, zone) = CASE WHEN resource_id IS NULL THEN 0 ELSE 5 END);
-- EXCLUDE takes empty and unbounded ranges as they come, so their shape is
-- checked apart.
ALTER TABLE booking ADD CONSTRAINT booking_during_shape CHECK (
    during IS NULL OR NOT isempty(during) AND lower_inc(during) AND NOT upper_inc(during)
                      AND isfinite(lower(during)) AND isfinite(upper(during)));
ALTER TABLE booking ADD CONSTRAINT booking_blocked_shape CHECK (
    blocked IS NULL OR lower(blocked) = lower(during) AND upper(blocked) >= upper(during)
                       AND lower_inc(blocked) AND NOT upper_inc(blocked) AND isfinite(upper(blocked)));
ALTER TABLE booking ADD CONSTRAINT booking_range_free
    EXCLUDE USING gist (resource_id WITH =, blocked WITH &&)
    WHERE (resource_id IS NOT NULL AND state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED'));
CREATE INDEX booking_of_event ON booking (event_id, buyer) WHERE event_id IS NOT NULL;
CREATE INDEX booking_held_of_event ON booking (event_id, expires_at) WHERE state = 'HELD' AND event_id IS NOT NULL;
CREATE INDEX booking_held_of_resource ON booking (resource_id, expires_at) WHERE state = 'HELD' AND resource_id IS NOT NULL;
DROP INDEX booking_one_live_per_buyer; -- NULLS NOT DISTINCT would take all seats for one pool day
CREATE UNIQUE INDEX booking_one_live_per_buyer ON booking (pool_id, day, buyer, client_id) NULLS NOT DISTINCT
    WHERE one_per_buyer AND pool_id IS NOT NULL AND state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED');

-- Which seats a booking claims; live as long as the booking is.
CREATE TABLE booking_seat (
    booking_id  uuid    NOT NULL REFERENCES booking,
    seat_id     bigint  NOT NULL REFERENCES seat,
    price_minor bigint  NOT NULL CHECK (price_minor >= 0), -- when it was claimed
    live        boolean NOT NULL,
    PRIMARY KEY (booking_id, seat_id)
);
CREATE UNIQUE INDEX booking_seat_one_live ON booking_seat (seat_id) WHERE live;

-- A seat follows its booking: BOOKED once confirmed, free again once the
-- booking is over. Taking a seat is never done here: that is the conditional
-- UPDATE that decides. Seats are locked before bookings, so this waits for nobody.
-- +goose StatementBegin
CREATE FUNCTION booking_seats_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state IN ('EXPIRED', 'CANCELLED') THEN
        UPDATE seat SET state = 'AVAILABLE', booking_id = NULL, version = version + 1 WHERE booking_id = NEW.id;
        UPDATE booking_seat SET live = false WHERE booking_id = NEW.id AND live;
    ELSE
        UPDATE seat SET state = CASE NEW.state WHEN 'CONFIRMED' THEN 'BOOKED' ELSE 'HELD' END, version = version + 1
         WHERE booking_id = NEW.id AND state <> CASE NEW.state WHEN 'CONFIRMED' THEN 'BOOKED' ELSE 'HELD' END;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER booking_seats_follow AFTER UPDATE OF state ON booking FOR EACH ROW
    WHEN (NEW.event_id IS NOT NULL AND NEW.state IS DISTINCT FROM OLD.state) EXECUTE FUNCTION booking_seats_follow();

-- The admission rule of an event and of a resource, beside a seat or a range
-- that is free: null admits. In Go: inventory.Event.Admit, inventory.Resource.Admit.
-- +goose StatementBegin
CREATE FUNCTION event_admission(e event, at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN e.stop_sell THEN 'STOP_SELL'
                WHEN at < e.sales_from THEN 'NOT_ON_SALE'
                WHEN at >= e.sales_until THEN 'CUTOFF_PASSED' END
$$;
CREATE FUNCTION resource_admission(r resource, during tstzrange, at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN r.stop_sell THEN 'STOP_SELL'
                WHEN at >= lower(during) THEN 'CUTOFF_PASSED' END
$$;
-- +goose StatementEnd

-- What the rules would answer if a booking took its claim again at that time.
-- Overdue holds are no obstacle: a revive expires them first.
-- +goose StatementBegin
CREATE FUNCTION retake_refusal(b booking, at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN b.pool_id IS NOT NULL THEN (
            SELECT admission((d.pool_id, d.day, d.capacity, d.overbook_limit, d.taken - o.quantity, d.stop_sell,
                              d.sales_from, d.sales_until, d.oversold_by_edit, d.version)::pool_day, b.quantity, at)
              FROM pool_day d,
                   LATERAL (SELECT coalesce(sum(h.quantity), 0)::int AS quantity
                              FROM booking h
                             WHERE h.pool_id = b.pool_id AND h.day = b.day AND h.state = 'HELD' AND h.expires_at <= at) o
             WHERE d.pool_id = b.pool_id AND d.day = b.day)
        WHEN b.event_id IS NOT NULL THEN (
            SELECT coalesce(event_admission(e, at), (
                       SELECT 'SEAT_TAKEN'
                         FROM booking_seat bs
                         JOIN seat s ON s.id = bs.seat_id
                         LEFT JOIN booking h ON h.id = s.booking_id
                        WHERE bs.booking_id = b.id AND s.state <> 'AVAILABLE'
                          AND NOT coalesce(h.state = 'HELD' AND h.expires_at <= at, false)
                        LIMIT 1))
              FROM event e
             WHERE e.id = b.event_id)
        ELSE (
            SELECT coalesce(resource_admission(r, b.during, at), (
                       SELECT 'RANGE_TAKEN'
                         FROM booking o
                        WHERE o.resource_id = b.resource_id AND o.blocked && b.blocked
                          AND o.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED')
                          AND NOT (o.state = 'HELD' AND o.expires_at <= at)
                        LIMIT 1))
              FROM resource r
             WHERE r.id = b.resource_id)
        END
$$;
-- +goose StatementEnd

-- What a message says of its booking, whatever it claims. A function of the
-- booking's row: the argument list of the old one knew pools only.
DROP FUNCTION booking_data(bigint, bigint, date, integer, text, bigint, text);
CREATE FUNCTION booking_data(b booking) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'kind', CASE WHEN b.pool_id IS NOT NULL THEN 'pool' WHEN b.event_id IS NOT NULL THEN 'seats' ELSE 'range' END,
        'pool', (SELECT v.slug || '/' || p.slug FROM pool p WHERE p.id = b.pool_id),
        'day', b.day,
        'event', b.event_id,
        'name', (SELECT e.name FROM event e WHERE e.id = b.event_id),
        'resource', (SELECT v.slug || '/' || r.slug FROM resource r WHERE r.id = b.resource_id),
        'from', lower(b.during), 'to', upper(b.during),
        'fromLocal', to_char(b.local_from, 'YYYY-MM-DD"T"HH24:MI'), 'toLocal', to_char(b.local_to, 'YYYY-MM-DD"T"HH24:MI'), 'zone', b.zone,
        'quantity', b.quantity, 'buyer', b.buyer,
        'amount', jsonb_build_object('minor', b.amount_minor, 'currency', b.currency)))
        -- an insert writes its journal before its seats are stored: a hold publishes nothing
        || coalesce((SELECT jsonb_build_object('seats', jsonb_agg(s.id::text ORDER BY s.id),
                                               'seatNames', jsonb_agg(format('%s %s-%s', s.section, s."row", lpad(s.number::text, greatest(2, length(s.number::text)), '0')) ORDER BY s.id))
                       FROM booking_seat bs JOIN seat s ON s.id = bs.seat_id WHERE bs.booking_id = b.id HAVING count(*) > 0), '{}')
      FROM venue v
     WHERE v.id = b.venue_id
$$;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION booking_write_journal() RETURNS trigger LANGUAGE plpgsql AS $$
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
        INSERT INTO journal (booking_id, seq, from_state, to_state, cause, actor, reason, at, topic, data)
        SELECT n.id, 1, 'NONE', n.state, n.last_cause, n.last_actor, n.last_reason, n.updated_at, t.topic,
               CASE WHEN t.topic IS NOT NULL THEN booking_data(n) || coalesce(n.last_data, '{}') END
          FROM new_row n, LATERAL (SELECT journal_topic('NONE', n.state, n.last_cause) AS topic) t;
    ELSE
        INSERT INTO journal (booking_id, seq, from_state, to_state, cause, actor, reason, at, topic, data)
        SELECT n.id, n.version, o.state, n.state, n.last_cause, n.last_actor, n.last_reason, n.updated_at, t.topic,
               CASE WHEN t.topic IS NOT NULL
                    THEN booking_data(n) || coalesce(CASE WHEN n.state = o.state THEN n.last_data END, '{}') END
          FROM new_row n JOIN old_row o USING (id), LATERAL (SELECT journal_topic(o.state, n.state, n.last_cause) AS topic) t;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- ---- audit of seats ----
-- A seat taken out of sale or brought back is audited one by one, whoever does
-- it; an import is one row, however many seats it adds.
-- +goose StatementBegin
CREATE FUNCTION seat_audit_kill() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit (actor, action, subject, before, after, reason)
    SELECT acting(), CASE NEW.state WHEN 'KILLED' THEN 'seat.kill' ELSE 'seat.unkill' END,
           format('seat %s/%s %s %s-%s', v.slug, e.slug, NEW.section, NEW."row", lpad(NEW.number::text, greatest(2, length(NEW.number::text)), '0')),
           jsonb_strip_nulls(jsonb_build_object('state', OLD.state, 'reason', nullif(OLD.kill_reason, ''))),
           jsonb_strip_nulls(jsonb_build_object('state', NEW.state, 'reason', nullif(NEW.kill_reason, ''))),
           acting_reason()
      FROM event e JOIN venue v ON v.id = e.venue_id
     WHERE e.id = NEW.event_id;
    RETURN NULL;
END $$;
CREATE FUNCTION seat_audit_import() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit (actor, action, subject, after, reason)
    SELECT acting(), 'seat.import', format('event %s/%s seats', v.slug, e.slug),
           jsonb_build_object('seats', n.seats, 'from_id', n.from_id, 'to_id', n.to_id), acting_reason()
      FROM (SELECT event_id, count(*) AS seats, min(id) AS from_id, max(id) AS to_id FROM new_row GROUP BY event_id) n
      JOIN event e ON e.id = n.event_id
      JOIN venue v ON v.id = e.venue_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER seat_audit_kill AFTER UPDATE OF state ON seat FOR EACH ROW
    WHEN ((OLD.state = 'KILLED') <> (NEW.state = 'KILLED')) EXECUTE FUNCTION seat_audit_kill();
CREATE TRIGGER seat_audit_import AFTER INSERT ON seat
    REFERENCING NEW TABLE AS new_row FOR EACH STATEMENT EXECUTE FUNCTION seat_audit_import();
-- ---- end of the audit of seats ----

-- The invariants of seats and ranges.
-- +goose StatementBegin
DO $$
DECLARE before text := pg_get_viewdef('violation'::regclass);
BEGIN
    EXECUTE 'CREATE OR REPLACE VIEW violation (invariant, object, detail) AS ' || rtrim(before, ' ;') || $view$
UNION ALL
SELECT 'I3_seat', format('seat %s', s.id),
       format('%s, owner %s which is %s, live claims %s', s.state, coalesce(s.booking_id::text, 'nobody'), coalesce(b.state, 'not there'), c.live)
  FROM seat s
  LEFT JOIN booking b ON b.id = s.booking_id
  CROSS JOIN LATERAL (SELECT count(*) AS live, count(*) FILTER (WHERE bs.booking_id = s.booking_id) AS own
                        FROM booking_seat bs WHERE bs.seat_id = s.id AND bs.live) c
 WHERE CASE s.state
       WHEN 'HELD'   THEN (b.state IN ('HELD', 'PAYMENT_PENDING') AND c.live = 1 AND c.own = 1) IS NOT TRUE
       WHEN 'BOOKED' THEN (b.state = 'CONFIRMED' AND c.live = 1 AND c.own = 1) IS NOT TRUE
       ELSE s.booking_id IS NOT NULL OR c.live > 0 END
UNION ALL
SELECT 'I3_claim', format('booking %s', b.id), format('%s of %s seats, %s of them live', b.state, b.quantity, c.live)
  FROM booking b
  CROSS JOIN LATERAL (SELECT count(*) AS claims, count(*) FILTER (WHERE bs.live) AS live, bool_and(s.event_id = b.event_id) AS same_event
                        FROM booking_seat bs JOIN seat s ON s.id = bs.seat_id WHERE bs.booking_id = b.id) c
 WHERE b.event_id IS NOT NULL
   AND (c.claims <> b.quantity OR NOT c.same_event
        OR c.live <> CASE WHEN b.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED') THEN b.quantity ELSE 0 END)
UNION ALL
SELECT 'I4_overlap', format('resource %s', a.resource_id), format('bookings %s and %s', a.id, b.id)
  FROM booking a
  JOIN booking b ON b.resource_id = a.resource_id AND b.blocked && a.blocked AND b.id > a.id
 WHERE a.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED') AND b.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED')
UNION ALL
SELECT 'I4_shape', format('booking %s', id), format('%s, kept free until %s', during, upper(blocked))
  FROM booking
 WHERE resource_id IS NOT NULL
   AND (isempty(during) OR NOT lower_inc(during) OR upper_inc(during) OR lower_inf(during) OR upper_inf(during)
        OR lower(blocked) <> lower(during) OR upper(blocked) < upper(during)) IS NOT FALSE
$view$;
END $$;
-- +goose StatementEnd

-- ---- audit of events and resources ----
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION audit_configuration() RETURNS trigger LANGUAGE plpgsql AS $$
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
        WHEN 'event' THEN SELECT 'event ' || v.slug || '/' || (coalesce(NEW, OLD)).slug INTO what FROM venue v WHERE v.id = (coalesce(NEW, OLD)).venue_id;
        WHEN 'resource' THEN SELECT 'resource ' || v.slug || '/' || (coalesce(NEW, OLD)).slug INTO what FROM venue v WHERE v.id = (coalesce(NEW, OLD)).venue_id;
        WHEN 'resource_hours' THEN SELECT 'resource ' || v.slug || '/' || r.slug || ' hours' INTO what FROM resource r JOIN venue v ON v.id = r.venue_id WHERE r.id = (coalesce(NEW, OLD)).resource_id;
        WHEN 'resource_closed_day' THEN SELECT 'resource ' || v.slug || '/' || r.slug || ' closed ' || (coalesce(NEW, OLD)).day INTO what FROM resource r JOIN venue v ON v.id = r.venue_id WHERE r.id = (coalesce(NEW, OLD)).resource_id;
        WHEN 'api_client' THEN what := 'client ' || (coalesce(NEW, OLD)).name; o := o - 'token_hash'; n := n - 'token_hash';
        WHEN 'job' THEN what := 'job ' || (coalesce(NEW, OLD)).name;
    END CASE;
    INSERT INTO audit (actor, action, subject, before, after, reason)
    VALUES (acting(), TG_TABLE_NAME || '.' || lower(TG_OP), what, o, n, acting_reason());
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER event_audit AFTER INSERT OR UPDATE OF name, local_start, zone, starts_at, sales_from, sales_until, stop_sell, hold_ttl, version OR DELETE ON event
    FOR EACH ROW EXECUTE FUNCTION audit_configuration();
CREATE TRIGGER resource_audit AFTER INSERT OR UPDATE OR DELETE ON resource FOR EACH ROW EXECUTE FUNCTION audit_configuration();
CREATE TRIGGER resource_hours_audit AFTER INSERT OR UPDATE OR DELETE ON resource_hours FOR EACH ROW EXECUTE FUNCTION audit_configuration();
CREATE TRIGGER resource_closed_day_audit AFTER INSERT OR UPDATE OR DELETE ON resource_closed_day
    FOR EACH ROW EXECUTE FUNCTION audit_configuration();
-- ---- end of the audit of events and resources ----
