package pgstore

const sqlHoldLook = `-- hold.look
SELECT p.id, v.id, p.name, p.price_minor, v.currency, p.max_per_buyer, v.hold_ttl, v.hold_jitter,
       d.pool_id IS NOT NULL,
       admission(d, @quantity, coalesce(@now::timestamptz, statement_timestamp())),
       EXISTS (SELECT FROM booking b
                WHERE b.pool_id = p.id AND b.day = @day::date AND b.state = 'HELD'
                  AND b.expires_at <= coalesce(@now::timestamptz, statement_timestamp())),
       mine.live, mine.holds
  FROM pool p
  JOIN venue v ON v.id = p.venue_id
  LEFT JOIN pool_day d ON d.pool_id = p.id AND d.day = @day::date
  LEFT JOIN LATERAL (
       SELECT count(*)::int AS live, count(*) FILTER (WHERE b.state <> 'CONFIRMED')::int AS holds
         FROM booking b
        WHERE b.pool_id = p.id AND b.day = @day::date AND b.buyer = @buyer
          AND b.client_id IS NOT DISTINCT FROM @client
          AND (b.state IN ('PAYMENT_PENDING', 'CONFIRMED')
               -- an overdue hold is no obstacle: it is expired under the lock
               OR b.state = 'HELD' AND b.expires_at > coalesce(@now::timestamptz, statement_timestamp()))) mine ON true
 WHERE v.slug = @venue AND p.slug = @pool`

const sqlDayLock = `-- day.lock
SELECT day
  FROM pool_day
 WHERE pool_id = @pool AND day = @day::date
   FOR NO KEY UPDATE -- not FOR UPDATE: bookings' foreign keys may share it`

// The row is locked: nothing can change between the rule and the count. The
// time is that of this statement, which began after the lock was held.
const sqlDayTake = `-- day.take
UPDATE pool_day d
   SET taken = taken + @quantity
 WHERE pool_id = @pool AND day = @day::date
   AND admission(d, @quantity, coalesce(@now::timestamptz, statement_timestamp())) IS NULL`

const sqlDayRefusal = `-- day.refusal
SELECT admission(d, @quantity, coalesce(@now::timestamptz, statement_timestamp()))
  FROM pool_day d
 WHERE pool_id = @pool AND day = @day::date`

const sqlBuyerLive = `-- booking.buyerLive
SELECT count(*)::int, count(*) FILTER (WHERE state <> 'CONFIRMED')::int
  FROM booking
 WHERE pool_id = @pool AND day = @day::date AND buyer = @buyer
   AND client_id IS NOT DISTINCT FROM @client
   AND state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED')`

// The day is locked. One statement applies the admission rule and the limit
// per buyer, counts, stores the booking and what its key answers: no row comes
// back if a rule stands in the way, and then nothing was changed.
const sqlHoldPlace = `-- hold.place
WITH clock AS MATERIALIZED (
    SELECT coalesce(@now::timestamptz, statement_timestamp()) AS now -- begins after the lock was held
), took AS (
    UPDATE pool_day d
       SET taken = d.taken + @quantity
      FROM clock
     WHERE d.pool_id = @pool AND d.day = @day::date
       AND admission(d, @quantity, clock.now) IS NULL
       AND (@max_per_buyer::int = 0
            OR @max_per_buyer > (SELECT count(*)
                                   FROM booking b
                                  WHERE b.pool_id = @pool AND b.day = @day::date AND b.buyer = @buyer
                                    AND b.client_id IS NOT DISTINCT FROM @client
                                    AND b.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED')))
    RETURNING clock.now
), placed AS (
    INSERT INTO booking (id, venue_id, pool_id, day, quantity, buyer, state, expires_at,
                         amount_minor, currency, one_per_buyer, client_id, idempotency_key,
                         last_cause, last_actor, last_reason, created_at, updated_at)
    SELECT @id, @venue, @pool, @day::date, @quantity, @buyer, @state,
           -- never before the TTL, and not all in the same second
           now + @ttl::bigint * interval '1 microsecond' + random() * @jitter::bigint * interval '1 microsecond',
           @amount, @currency, @max_per_buyer = 1, @client, @key,
           @cause, @actor, @reason, now, now
      FROM took
    RETURNING id, state, expires_at, created_at
), keyed AS (
    INSERT INTO idempotency (client_id, key, fingerprint, booking_id, answer)
    SELECT coalesce(@client, 0), @key, @print, id, jsonb_build_object('state', state, 'expires_at', expires_at)
      FROM placed
     WHERE @key::text IS NOT NULL
)
SELECT expires_at, created_at
  FROM placed`
