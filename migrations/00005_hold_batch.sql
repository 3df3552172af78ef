-- +goose Up

-- Many holds at once: the holds that wait in one process are decided, counted
-- and stored together. First come, first admitted on each day; one bad request
-- never fails its neighbours. Each gets an outcome of its own:
--
--   PLACED         stored, with its key
--   a refusal      of the admission rule or the limit per buyer, as for one hold
--   NOT_FOUND      there is no such pool
--   ALONE          not decided here: the key was used before, somebody else keeps
--                  the day locked, overdue holds stand in the way, or the answer
--                  depends on a neighbour. It is asked again as a hold of its own.
--
-- Days are locked in the order of every transaction, and one that is kept locked
-- is passed over, so that it does not hold up the others. The second statement
-- begins when the locks are held: it sees all that was committed before, and
-- judges time by a clock that was read after the locks.
-- +goose StatementBegin
CREATE FUNCTION hold_batch(
    ids uuid[], venues text[], pools text[], days date[], quantities integer[], buyers text[],
    clients bigint[], keys text[], prints bytea[], actors text[])
RETURNS TABLE (place integer, outcome text, venue_id bigint, pool_name text, amount bigint, currency text, expires_at timestamptz, created_at timestamptz)
LANGUAGE plpgsql VOLATILE
SET lock_timeout = '500ms'
-- Planning this anew, or compiling it, costs more than running it.
SET plan_cache_mode = force_generic_plan
SET jit = off AS $$
#variable_conflict use_column
DECLARE
    locked pool_day[];
    at     timestamptz;
BEGIN
    SELECT array_agg(d) INTO locked
      FROM (SELECT d
              FROM pool_day d
             WHERE (d.pool_id, d.day) IN (
                   SELECT p.id, w.day
                     FROM unnest(venues, pools, days) AS w (venue, pool, day)
                     JOIN venue v ON v.slug = w.venue
                     JOIN pool p ON p.venue_id = v.id AND p.slug = w.pool)
             ORDER BY d.pool_id, d.day
               FOR NO KEY UPDATE SKIP LOCKED) d;
    at := clock_timestamp();

    RETURN QUERY
    WITH wanted AS (
        SELECT w.place::integer AS place, w.id, w.day, w.quantity, w.buyer, w.client, w.key, w.print, w.actor,
               v.id AS venue_id, v.currency, v.hold_ttl, v.hold_jitter,
               p.id AS pool_id, p.name, p.price_minor, p.max_per_buyer
          FROM unnest(ids, venues, pools, days, quantities, buyers, clients, keys, prints, actors) WITH ORDINALITY
               AS w (id, venue, pool, day, quantity, buyer, client, key, print, actor, place)
          LEFT JOIN venue v ON v.slug = w.venue
          LEFT JOIN pool p ON p.venue_id = v.id AND p.slug = w.pool
    ), seen AS (
        SELECT w.*, d.pool_id IS NOT NULL AS is_locked,
               CASE WHEN d.pool_id IS NOT NULL THEN admission(d, w.quantity, at) END AS refusal,
               d.capacity::bigint + d.overbook_limit - d.taken AS left_over,
               sum(w.quantity) OVER (PARTITION BY w.pool_id, w.day ORDER BY w.place) AS wanted_so_far,
               row_number() OVER (PARTITION BY w.pool_id, w.day, w.buyer, w.client ORDER BY w.place) AS of_buyer,
               EXISTS (SELECT FROM idempotency i WHERE i.client_id = coalesce(w.client, 0) AND i.key = w.key) AS is_used,
               mine.live, mine.holds, mine.overdue
          FROM wanted w
          LEFT JOIN unnest(locked) d ON d.pool_id = w.pool_id AND d.day = w.day
          LEFT JOIN LATERAL (
               SELECT count(*) AS live, count(*) FILTER (WHERE b.state <> 'CONFIRMED') AS holds,
                      count(*) FILTER (WHERE b.state = 'HELD' AND b.expires_at <= at) AS overdue
                 FROM booking b
                WHERE w.max_per_buyer > 0 AND b.pool_id = w.pool_id AND b.day = w.day AND b.buyer = w.buyer
                  AND b.client_id IS NOT DISTINCT FROM w.client
                  AND b.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED')) mine ON true
    ), first_come AS (
        SELECT s.*,
               CASE
               WHEN s.pool_id IS NULL THEN 'NOT_FOUND'
               WHEN s.is_used THEN 'ALONE'
               WHEN NOT s.is_locked THEN CASE
                    WHEN EXISTS (SELECT FROM pool_day d WHERE d.pool_id = s.pool_id AND d.day = s.day) THEN 'ALONE'
                    ELSE 'NOT_ON_SALE' END
               WHEN s.max_per_buyer > 0 AND s.live >= s.max_per_buyer THEN CASE
                    WHEN s.overdue > 0 THEN 'ALONE'
                    WHEN s.holds > 0 THEN 'HOLD_EXISTS'
                    ELSE 'LIMIT_PER_BUYER' END
               WHEN s.refusal IS DISTINCT FROM 'SOLD_OUT' AND s.refusal IS NOT NULL THEN s.refusal
               WHEN s.max_per_buyer > 0 AND s.of_buyer > 1 THEN 'ALONE'
               WHEN s.wanted_so_far <= s.left_over THEN 'PLACED'
               WHEN EXISTS (SELECT FROM booking b
                             WHERE b.pool_id = s.pool_id AND b.day = s.day AND b.state = 'HELD' AND b.expires_at <= at) THEN 'ALONE'
               ELSE 'SOLD_OUT' END AS first_verdict,
               -- never before the TTL, and not all in the same second
               at + s.hold_ttl + random() * s.hold_jitter AS until
          FROM seen s
    ), judged AS (
        -- What does not fit behind those who came first may be small enough for
        -- what they leave.
        SELECT f.*,
               CASE WHEN f.first_verdict = 'SOLD_OUT'
                     AND f.quantity <= f.left_over - coalesce(max(f.wanted_so_far) FILTER (WHERE f.first_verdict = 'PLACED') OVER (PARTITION BY f.pool_id, f.day), 0)
                    THEN 'ALONE' ELSE f.first_verdict END AS verdict
          FROM first_come f
    ), keyed AS (
        INSERT INTO idempotency (client_id, key, fingerprint, booking_id, answer)
        SELECT coalesce(j.client, 0), j.key, j.print, j.id, jsonb_build_object('state', 'HELD', 'expires_at', j.until)
          FROM judged j
         WHERE j.verdict = 'PLACED' AND j.key IS NOT NULL
         ORDER BY 1, 2
            ON CONFLICT DO NOTHING -- the same key twice, here or elsewhere: the other is first
        RETURNING booking_id
    ), placed AS (
        INSERT INTO booking (id, venue_id, pool_id, day, quantity, buyer, state, expires_at,
                             amount_minor, currency, one_per_buyer, client_id, idempotency_key,
                             last_cause, last_actor, created_at, updated_at)
        SELECT j.id, j.venue_id, j.pool_id, j.day, j.quantity, j.buyer, 'HELD', j.until,
               j.price_minor * j.quantity, j.currency, j.max_per_buyer = 1, j.client, j.key,
               'hold', j.actor, at, at
          FROM judged j
         WHERE j.verdict = 'PLACED' AND (j.key IS NULL OR j.id IN (SELECT booking_id FROM keyed))
         ORDER BY j.place
        RETURNING id, pool_id, day, quantity
    ), took AS (
        UPDATE pool_day d
           SET taken = d.taken + t.quantity
          FROM (SELECT pool_id, day, sum(quantity)::integer AS quantity FROM placed GROUP BY pool_id, day) t
         WHERE d.pool_id = t.pool_id AND d.day = t.day -- locked by the first statement
    )
    SELECT j.place, CASE WHEN j.verdict = 'PLACED' AND p.id IS NULL THEN 'ALONE' ELSE j.verdict END,
           j.venue_id, j.name, j.price_minor * j.quantity, j.currency, j.until, at
      FROM judged j
      LEFT JOIN placed p ON p.id = j.id;
END $$;
-- +goose StatementEnd
