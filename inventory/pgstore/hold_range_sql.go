package pgstore

const sqlHoldTimes = `-- venue.holdTimes
SELECT hold_ttl, hold_jitter
  FROM venue
 WHERE id = @venue`

const sqlRangeLook = `-- range.look
SELECT resource_admission(r, tstzrange(@from::timestamptz, @to::timestamptz), coalesce(@now::timestamptz, statement_timestamp())),
       EXISTS (SELECT FROM booking b
                WHERE b.resource_id = r.id AND b.blocked && tstzrange(@from::timestamptz, @blocked_to::timestamptz)
                  AND b.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED')
                  -- an overdue hold is no obstacle: it is expired under the lock
                  AND NOT (b.state = 'HELD' AND b.expires_at <= coalesce(@now::timestamptz, statement_timestamp())))
  FROM resource r
 WHERE r.id = @resource`

const sqlResourcesLock = `-- resource.lockAll
SELECT id, version
  FROM resource
 WHERE id = ANY (@resources::bigint[])
 ORDER BY id -- the lock order of every transaction
   FOR NO KEY UPDATE`

const sqlExpireRangesInTheWay = `-- range.expireInTheWay
UPDATE booking b
   SET state = 'EXPIRED', version = version + 1,
       last_cause = 'expired', last_actor = @actor, last_reason = '',
       updated_at = coalesce(@now::timestamptz, statement_timestamp())
  FROM (SELECT id
          FROM booking
         WHERE resource_id = @resource AND blocked && tstzrange(@from::timestamptz, @blocked_to::timestamptz)
           AND state = 'HELD' AND expires_at <= coalesce(@now::timestamptz, statement_timestamp())
           AND @to::timestamptz IS NOT NULL
         ORDER BY id
           FOR NO KEY UPDATE SKIP LOCKED) overdue
 WHERE b.id = overdue.id
   AND b.state = 'HELD' -- the transition: nobody else may have moved it`

const sqlRangePlace = `-- range.place
WITH clock AS MATERIALIZED (
    SELECT coalesce(@now::timestamptz, statement_timestamp()) AS now -- begins after the lock was held
), placed AS (
    INSERT INTO booking (id, venue_id, resource_id, during, blocked, local_from, local_to, zone, quantity, buyer, state, expires_at,
                         amount_minor, currency, one_per_buyer, client_id, idempotency_key,
                         last_cause, last_actor, last_reason, created_at, updated_at)
    SELECT @id, @venue, r.id, tstzrange(@from::timestamptz, @to::timestamptz), tstzrange(@from::timestamptz, @blocked_to::timestamptz),
           @local_from::text::timestamp, @local_to::text::timestamp, @zone, 1, @buyer, @state,
           -- never before the TTL, and not all in the same second
           now + @ttl::bigint * interval '1 microsecond' + random() * @jitter::bigint * interval '1 microsecond',
           @amount, @currency, false, @client, @key,
           @cause, @actor, @reason, now, now
      FROM clock, resource r
     WHERE r.id = @resource
       AND resource_admission(r, tstzrange(@from::timestamptz, @to::timestamptz), clock.now) IS NULL
    RETURNING id, state, expires_at, created_at
), keyed AS (
    INSERT INTO idempotency (client_id, key, fingerprint, booking_id, answer)
    SELECT coalesce(@client, 0), @key, @print, id, jsonb_build_object('state', state, 'expires_at', expires_at)
      FROM placed
     WHERE @key::text IS NOT NULL
)
SELECT expires_at, created_at
  FROM placed`

const sqlRangeOfBooking = `-- range.ofBooking
SELECT resource_id, upper(blocked)
  FROM booking
 WHERE id = @id`

const sqlRangeClash = `-- range.clash
SELECT b.id, b.buyer, lower(b.during), upper(b.during)
  FROM booking b
  JOIN resource r ON r.id = b.resource_id
  JOIN venue v ON v.id = r.venue_id
 WHERE v.slug = @venue AND r.slug = @resource
   AND b.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED')
   AND b.blocked && tstzrange(@from::timestamptz, @to::timestamptz + r.turnaround)
 ORDER BY lower(b.during)
 LIMIT 1`

// What is locked by somebody else is being paid, released or moved right now:
// it is left for the next pass. A range has no count to keep: it is free as
// soon as its booking is not live.
const sqlExpireOverdueRanges = `-- sweep.expireRanges
WITH overdue AS (
    SELECT b.id
      FROM booking b
     WHERE b.state = 'HELD' AND b.resource_id IS NOT NULL
       AND b.expires_at <= coalesce(@now::timestamptz, statement_timestamp())
     ORDER BY b.expires_at
     LIMIT @limit
       FOR NO KEY UPDATE SKIP LOCKED
), expired AS (
    UPDATE booking b
       SET state = 'EXPIRED', version = version + 1,
           last_cause = 'expired', last_actor = @actor, last_reason = '',
           updated_at = coalesce(@now::timestamptz, statement_timestamp())
      FROM overdue
     WHERE b.id = overdue.id
       AND b.state = 'HELD' -- the transition: nobody else may have moved it
    RETURNING b.resource_id
)
SELECT count(*)::int, count(DISTINCT resource_id)::int
  FROM expired`
