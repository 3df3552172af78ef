package pgstore

const sqlHoldLook = `-- hold.look
SELECT p.id, v.id, p.price_minor, v.currency, p.max_per_buyer, v.hold_ttl, v.hold_jitter,
       d.pool_id IS NOT NULL,
       admission(d, @quantity, coalesce(@now::timestamptz, statement_timestamp())),
       EXISTS (SELECT FROM booking b
                WHERE b.pool_id = p.id AND b.day = @day::date AND b.state = 'HELD'
                  AND b.expires_at <= coalesce(@now::timestamptz, statement_timestamp()))
  FROM pool p
  JOIN venue v ON v.id = p.venue_id
  LEFT JOIN pool_day d ON d.pool_id = p.id AND d.day = @day::date
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

const sqlBookingInsert = `-- booking.insert
INSERT INTO booking (id, venue_id, pool_id, day, quantity, buyer, state, expires_at,
                     amount_minor, currency, one_per_buyer, client_id, idempotency_key,
                     last_cause, last_actor, last_reason, created_at, updated_at)
SELECT @id, @venue, @pool, @day::date, @quantity, @buyer, @state,
       -- never before the TTL, and not all in the same second
       t.now + @ttl::bigint * interval '1 microsecond' + random() * @jitter::bigint * interval '1 microsecond',
       @amount, @currency, @one, @client, @key,
       @cause, @actor, @reason, t.now, t.now
  FROM (SELECT coalesce(@now::timestamptz, statement_timestamp()) AS now) t`

const sqlKeyGet = `-- idempotency.get
SELECT fingerprint, booking_id, payment_id, answer
  FROM idempotency
 WHERE client_id = @client AND key = @key`

const sqlKeyClaim = `-- idempotency.claim
INSERT INTO idempotency (client_id, key, fingerprint)
VALUES (@client, @key, @print)
    ON CONFLICT (client_id, key) DO NOTHING -- waits for a first use that is still running`

const sqlKeyAnswer = `-- idempotency.answer
UPDATE idempotency
   SET booking_id = @booking, answer = @answer::jsonb
 WHERE client_id = @client AND key = @key`
