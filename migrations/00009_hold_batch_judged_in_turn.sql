-- +goose Up

-- hold_batch anew, with the promise of 00005_hold_batch.sql: everything is looked
-- up at once, judged hold by hold in the order of the queue, and written at once.
-- The statement before this one judged all of them together, in window after
-- window; and its look for used keys turned into a scan of all keys once there
-- were many. What is looked up here can only be looked up in an index.
--
-- What is left of a day goes to whoever it is enough for, first come, first
-- admitted: the admission rule itself judges each by what those before it took.
-- SOLD_OUT says that no overdue hold stands in the way either. KEY_TAKEN is new: the
-- hold was counted and then not placed, because its key was used meanwhile; it is
-- asked again alone, and so are those that it left too little for.
-- LOCKED is new, too: somebody else keeps the day locked, another daemon's batch
-- perhaps. Asked again with patient, the holds of that day wait for it together,
-- for 300 ms at most.
DROP FUNCTION hold_batch(uuid[], text[], text[], date[], integer[], text[], bigint[], text[], bytea[], text[]);
-- +goose StatementBegin
CREATE FUNCTION hold_batch(
    ids uuid[], venues text[], pools text[], days date[], quantities integer[], buyers text[],
    clients bigint[], keys text[], prints bytea[], actors text[], patient boolean)
RETURNS TABLE (place integer, outcome text, venue_id bigint, pool_name text, amount bigint, currency text, expires_at timestamptz, created_at timestamptz)
LANGUAGE plpgsql VOLATILE
SET lock_timeout = '50ms' -- for a key that is in use elsewhere: days are not waited for
-- Planning this anew, or compiling it, costs more than running it; and a plan that
-- was made while a table was empty must do when it is full.
SET plan_cache_mode = force_generic_plan
SET jit = off
SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
    locked  pool_day[];
    w       record;
    d       pool_day;
    b       booking;
    won     booking[] := '{}';
    places  integer[] := '{}'; -- of won, in the arrays of the call
    names   text[] := '{}';    -- of their pools
    served  text[] := '{}';    -- buyers of won on the day at hand
    is_held boolean;           -- the day is locked by this transaction
    is_clear boolean;          -- no overdue hold stands in the way on the day at hand
    at      timestamptz;
    kept    uuid[];            -- of won: those whose keys were free
BEGIN
    IF patient THEN
        PERFORM set_config('lock_timeout', '300ms', true);
        PERFORM FROM (SELECT FROM pool_day x
                       WHERE (x.pool_id, x.day) IN (
                             SELECT p.id, q.day
                               FROM unnest(venues, pools, days) AS q (venue, pool, day)
                               JOIN venue v ON v.slug = q.venue
                               JOIN pool p ON p.venue_id = v.id AND p.slug = q.pool)
                       ORDER BY x.pool_id, x.day
                         FOR NO KEY UPDATE) x;
        PERFORM set_config('lock_timeout', '50ms', true);
    END IF;
    -- In the order of every transaction. A day that somebody else keeps locked is
    -- passed over: it must not hold up the others.
    SELECT array_agg(x) INTO locked
      FROM (SELECT x
              FROM pool_day x
             WHERE (x.pool_id, x.day) IN (
                   SELECT p.id, q.day
                     FROM unnest(venues, pools, days) AS q (venue, pool, day)
                     JOIN venue v ON v.slug = q.venue
                     JOIN pool p ON p.venue_id = v.id AND p.slug = q.pool)
             ORDER BY x.pool_id, x.day
               FOR NO KEY UPDATE SKIP LOCKED) x;
    at := clock_timestamp(); -- read after the locks: it judges everything below
    -- A new statement, which sees all that was committed before the locks were held.
    FOR w IN
        SELECT q.place::integer AS place, q.day, q.quantity, q.buyer, q.client, q.key,
               v.id AS venue_id, v.currency, v.hold_ttl, v.hold_jitter,
               p.id AS pool_id, p.name, p.price_minor, p.max_per_buyer, x AS pool_day,
               (SELECT true FROM idempotency i WHERE i.client_id = coalesce(q.client, 0) AND i.key = q.key LIMIT 1) AS is_used,
               mine.live, mine.holds, mine.overdue
          FROM unnest(venues, pools, days, quantities, buyers, clients, keys) WITH ORDINALITY
               AS q (venue, pool, day, quantity, buyer, client, key, place)
          LEFT JOIN venue v ON v.slug = q.venue
          LEFT JOIN pool p ON p.venue_id = v.id AND p.slug = q.pool
          LEFT JOIN unnest(locked) x ON x.pool_id = p.id AND x.day = q.day
          LEFT JOIN LATERAL (
               SELECT count(*)::integer AS live, (count(*) FILTER (WHERE b.state <> 'CONFIRMED'))::integer AS holds,
                      (count(*) FILTER (WHERE b.state = 'HELD' AND b.expires_at <= at))::integer AS overdue
                 FROM booking b
                WHERE p.max_per_buyer > 0 AND b.pool_id = p.id AND b.day = q.day AND b.buyer = q.buyer
                  AND b.client_id IS NOT DISTINCT FROM q.client
                  AND b.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED')) mine ON true
         ORDER BY p.id, q.day, q.place
    LOOP
        place := w.place;
        outcome := NULL;
        IF w.pool_id IS NULL THEN
            outcome := 'NOT_FOUND';
            created_at := at;
            RETURN NEXT;
            CONTINUE;
        END IF;
        IF (d.pool_id = w.pool_id AND d.day = w.day) IS NOT TRUE THEN
            d := w.pool_day;
            is_held := d.pool_id IS NOT NULL;
            d.pool_id := w.pool_id;
            d.day := w.day;
            served := '{}';
            is_clear := false;
        END IF;
        IF w.is_used THEN
            outcome := 'ALONE';
        ELSIF NOT is_held THEN
            PERFORM FROM pool_day x WHERE x.pool_id = w.pool_id AND x.day = w.day;
            outcome := CASE WHEN FOUND THEN 'LOCKED' ELSE 'NOT_ON_SALE' END;
        ELSIF w.max_per_buyer > 0 THEN
            IF w.live >= w.max_per_buyer THEN
                outcome := CASE WHEN w.overdue > 0 THEN 'ALONE' WHEN w.holds > 0 THEN 'HOLD_EXISTS' ELSE 'LIMIT_PER_BUYER' END;
            ELSIF w.buyer || ' ' || coalesce(w.client, 0) = ANY (served) THEN
                outcome := 'ALONE'; -- the answer depends on a neighbour
            END IF;
        END IF;
        IF outcome IS NULL THEN
            outcome := admission(d, w.quantity, at);
            IF outcome = 'SOLD_OUT' AND NOT is_clear THEN
                PERFORM FROM booking x WHERE x.pool_id = w.pool_id AND x.day = w.day AND x.state = 'HELD' AND x.expires_at <= at LIMIT 1;
                is_clear := NOT FOUND;
                IF FOUND THEN
                    outcome := 'ALONE'; -- it clears the way
                END IF;
            END IF;
        END IF;
        IF outcome IS NOT NULL THEN
            created_at := at;
            RETURN NEXT;
            CONTINUE;
        END IF;

        d.taken := d.taken + w.quantity; -- those behind are judged by what is left
        b.id := ids[w.place];
        b.venue_id := w.venue_id;
        b.pool_id := w.pool_id;
        b.day := w.day;
        b.quantity := w.quantity;
        b.buyer := w.buyer;
        b.expires_at := at + w.hold_ttl + random() * w.hold_jitter; -- never before the TTL, and not all in the same second
        b.amount_minor := w.price_minor * w.quantity;
        b.currency := w.currency;
        b.one_per_buyer := w.max_per_buyer = 1;
        b.client_id := w.client;
        b.idempotency_key := w.key;
        b.last_actor := actors[w.place];
        b.created_at := at;
        won := won || b;
        places := places || w.place;
        names := names || w.name;
        IF w.max_per_buyer > 0 THEN
            served := served || (w.buyer || ' ' || coalesce(w.client, 0));
        END IF;
    END LOOP;
    IF cardinality(won) = 0 THEN
        RETURN;
    END IF;

    WITH keyed AS (
        INSERT INTO idempotency (client_id, key, fingerprint, booking_id, answer)
        SELECT coalesce(x.client_id, 0), x.idempotency_key, prints[places[x.ordinality]], x.id,
               jsonb_build_object('state', 'HELD', 'expires_at', x.expires_at)
          FROM unnest(won) WITH ORDINALITY x
         WHERE x.idempotency_key IS NOT NULL
         ORDER BY x.client_id, x.idempotency_key
            ON CONFLICT DO NOTHING -- the same key twice, here or elsewhere: the other is first
        RETURNING booking_id
    )
    SELECT array_agg(booking_id) INTO kept FROM keyed;

    WITH placed AS (
        INSERT INTO booking (id, venue_id, pool_id, day, quantity, buyer, state, expires_at,
                             amount_minor, currency, one_per_buyer, client_id, idempotency_key,
                             last_cause, last_actor, created_at, updated_at)
        SELECT x.id, x.venue_id, x.pool_id, x.day, x.quantity, x.buyer, 'HELD', x.expires_at,
               x.amount_minor, x.currency, x.one_per_buyer, x.client_id, x.idempotency_key,
               'hold', x.last_actor, x.created_at, x.created_at
          FROM unnest(won) x
         WHERE x.idempotency_key IS NULL OR x.id = ANY (kept)
        RETURNING pool_id, day, quantity
    )
    UPDATE pool_day x
       SET taken = x.taken + t.quantity
      FROM (SELECT pool_id, day, sum(quantity)::integer AS quantity FROM placed GROUP BY pool_id, day) t
     WHERE x.pool_id = t.pool_id AND x.day = t.day; -- locked in the loop

    RETURN QUERY
    SELECT places[x.ordinality], CASE WHEN x.idempotency_key IS NULL OR x.id = ANY (kept) THEN 'PLACED' ELSE 'KEY_TAKEN' END,
           x.venue_id, names[x.ordinality], x.amount_minor, x.currency, x.expires_at, x.created_at
      FROM unnest(won) WITH ORDINALITY x;
END $$;
-- +goose StatementEnd

-- hold_one is hold_batch for one hold, which is what an idle venue does all day:
-- without the arrays it takes half the time. The judgement is the same, in the
-- same order.
-- +goose StatementBegin
CREATE FUNCTION hold_one(
    hold uuid, venue text, pool text, day date, quantity integer, buyer text,
    client bigint, key text, print bytea, actor text)
RETURNS TABLE (place integer, outcome text, venue_id bigint, pool_name text, amount bigint, currency text, expires_at timestamptz, created_at timestamptz)
LANGUAGE plpgsql VOLATILE
SET lock_timeout = '50ms' -- for a key that is in use elsewhere: days are not waited for
SET plan_cache_mode = force_generic_plan
SET jit = off
SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
    w       record;
    d       pool_day;
    live    integer;
    holds   integer;
    overdue integer;
BEGIN
    place := 1;
    SELECT v.id AS venue_id, v.currency, v.hold_ttl, v.hold_jitter, p.id AS pool_id, p.name, p.price_minor, p.max_per_buyer INTO w
      FROM venue v
      JOIN pool p ON p.venue_id = v.id
     WHERE v.slug = hold_one.venue AND p.slug = hold_one.pool;
    IF NOT FOUND THEN
        outcome := 'NOT_FOUND';
        created_at := clock_timestamp();
        RETURN NEXT;
        RETURN;
    END IF;
    SELECT * INTO d FROM pool_day x WHERE x.pool_id = w.pool_id AND x.day = hold_one.day FOR NO KEY UPDATE SKIP LOCKED;
    created_at := clock_timestamp(); -- read after the lock: it judges everything below
    IF NOT FOUND THEN
        PERFORM FROM pool_day x WHERE x.pool_id = w.pool_id AND x.day = hold_one.day;
        outcome := CASE WHEN FOUND THEN 'LOCKED' ELSE 'NOT_ON_SALE' END;
    END IF;
    IF hold_one.key IS NOT NULL THEN
        PERFORM FROM idempotency i WHERE i.client_id = coalesce(hold_one.client, 0) AND i.key = hold_one.key;
        IF FOUND THEN
            outcome := 'ALONE';
        END IF;
    END IF;
    IF outcome IS NULL AND w.max_per_buyer > 0 THEN
        SELECT count(*), count(*) FILTER (WHERE x.state <> 'CONFIRMED'), count(*) FILTER (WHERE x.state = 'HELD' AND x.expires_at <= hold_one.created_at)
          INTO live, holds, overdue
          FROM booking x
         WHERE x.pool_id = w.pool_id AND x.day = hold_one.day AND x.buyer = hold_one.buyer AND x.client_id IS NOT DISTINCT FROM hold_one.client
           AND x.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED');
        IF live >= w.max_per_buyer THEN
            outcome := CASE WHEN overdue > 0 THEN 'ALONE' WHEN holds > 0 THEN 'HOLD_EXISTS' ELSE 'LIMIT_PER_BUYER' END;
        END IF;
    END IF;
    IF outcome IS NULL THEN
        outcome := admission(d, hold_one.quantity, hold_one.created_at);
        IF outcome = 'SOLD_OUT' THEN
            PERFORM FROM booking x WHERE x.pool_id = w.pool_id AND x.day = hold_one.day AND x.state = 'HELD' AND x.expires_at <= hold_one.created_at LIMIT 1;
            IF FOUND THEN
                outcome := 'ALONE'; -- it clears the way
            END IF;
        END IF;
    END IF;
    IF outcome IS NOT NULL THEN
        RETURN NEXT;
        RETURN;
    END IF;

    expires_at := hold_one.created_at + w.hold_ttl + random() * w.hold_jitter; -- never before the TTL
    IF hold_one.key IS NOT NULL THEN
        INSERT INTO idempotency (client_id, key, fingerprint, booking_id, answer)
        VALUES (coalesce(hold_one.client, 0), hold_one.key, print, hold, jsonb_build_object('state', 'HELD', 'expires_at', hold_one.expires_at))
            ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            outcome := 'KEY_TAKEN';
            RETURN NEXT;
            RETURN;
        END IF;
    END IF;
    INSERT INTO booking (id, venue_id, pool_id, day, quantity, buyer, state, expires_at,
                         amount_minor, currency, one_per_buyer, client_id, idempotency_key,
                         last_cause, last_actor, created_at, updated_at)
    VALUES (hold, w.venue_id, w.pool_id, hold_one.day, hold_one.quantity, hold_one.buyer, 'HELD', hold_one.expires_at,
            w.price_minor * hold_one.quantity, w.currency, w.max_per_buyer = 1, hold_one.client, hold_one.key,
            'hold', actor, hold_one.created_at, hold_one.created_at);
    UPDATE pool_day x SET taken = x.taken + hold_one.quantity WHERE x.pool_id = w.pool_id AND x.day = hold_one.day;
    outcome := 'PLACED';
    venue_id := w.venue_id;
    pool_name := w.name;
    amount := w.price_minor * hold_one.quantity;
    currency := w.currency;
    RETURN NEXT;
END $$;
-- +goose StatementEnd

-- Which of these holds have more to be told than that the day is sold out: their
-- key was used before, or the buyer has something on the day already. It reads
-- only, and decides nothing.
-- +goose StatementBegin
CREATE FUNCTION hold_known(venues text[], pools text[], days date[], buyers text[], clients bigint[], keys text[])
RETURNS SETOF integer
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan
SET jit = off
SET enable_seqscan = off AS $$
BEGIN
    RETURN QUERY
    SELECT q.place::integer
      FROM unnest(venues, pools, days, buyers, clients, keys) WITH ORDINALITY
           AS q (venue, pool, day, buyer, client, key, place)
      LEFT JOIN venue v ON v.slug = q.venue
      LEFT JOIN pool p ON p.venue_id = v.id AND p.slug = q.pool
     WHERE (SELECT true FROM idempotency i WHERE i.client_id = coalesce(q.client, 0) AND i.key = q.key LIMIT 1)
        OR p.max_per_buyer > 0
           AND (SELECT true FROM booking b
                 WHERE b.pool_id = p.id AND b.day = q.day AND b.buyer = q.buyer AND b.client_id IS NOT DISTINCT FROM q.client
                   AND b.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED')
                 LIMIT 1);
END $$;
-- +goose StatementEnd
