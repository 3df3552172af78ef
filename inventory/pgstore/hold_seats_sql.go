package pgstore

const sqlEventLook = `-- event.look
SELECT e.venue_id, v.slug, e.slug, e.name, e.local_start, v.currency, e.hold_ttl, least(v.hold_jitter, e.hold_ttl),
       event_admission(e, coalesce(@now::timestamptz, statement_timestamp()))
  FROM event e
  JOIN venue v ON v.id = e.venue_id
 WHERE e.id = @event`

const sqlSeatsLook = `-- seats.look
SELECT s.id, s.state,
       -- an overdue hold is no obstacle: it is expired under the lock
       CASE WHEN b.state = 'HELD' AND b.expires_at <= coalesce(@now::timestamptz, statement_timestamp()) THEN b.id END
  FROM seat s
  LEFT JOIN booking b ON b.id = s.booking_id
 WHERE s.event_id = @event AND s.id = ANY (@seats::bigint[])
 ORDER BY s.id`

const sqlSeatsToChoose = `-- seats.toChoose
SELECT s.id, s.section, s."row", s.number, s.category,
       CASE WHEN b.state = 'HELD' AND b.expires_at <= coalesce(@now::timestamptz, statement_timestamp()) THEN 'AVAILABLE'
            -- an owner or a live claim contradicts AVAILABLE: the seat needs repair and is not offered
            WHEN s.state = 'AVAILABLE' AND (s.booking_id IS NOT NULL OR EXISTS (SELECT FROM booking_seat bs WHERE bs.seat_id = s.id AND bs.live)) THEN 'HELD'
            ELSE s.state END
  FROM seat s
  LEFT JOIN booking b ON b.id = s.booking_id
 WHERE s.event_id = @event
 ORDER BY s.id`

const sqlSeatsLock = `-- seats.lock
SELECT s.id
  FROM seat s
 WHERE s.event_id = @event
   AND (s.id = ANY (@seats::bigint[]) OR s.booking_id = ANY (@bookings::uuid[]))
 ORDER BY s.id -- the lock order of every transaction
   FOR NO KEY UPDATE`

// The seats are locked. Each is taken if it is free and the event is on sale;
// the booking is stored only if all were.
const sqlSeatsTake = `-- seats.take
WITH clock AS MATERIALIZED (
    SELECT coalesce(@now::timestamptz, statement_timestamp()) AS now -- begins after the locks were held
), took AS (
    UPDATE seat s
       SET state = @seat_state, booking_id = @id, version = s.version + 1
      FROM clock, event e
     WHERE e.id = @event AND event_admission(e, clock.now) IS NULL
       AND s.event_id = @event AND s.id = ANY (@seats::bigint[])
       AND s.state = 'AVAILABLE' AND s.booking_id IS NULL -- an owner contradicts it: the seat needs repair
    RETURNING s.id, s.section, s."row", s.number, s.category, s.price_minor, s.state, s.version
), placed AS (
    INSERT INTO booking (id, venue_id, event_id, quantity, buyer, state, expires_at,
                         amount_minor, currency, one_per_buyer, client_id, idempotency_key,
                         last_cause, last_actor, last_reason, created_at, updated_at)
    SELECT @id, @venue, @event, all_seats.count, @buyer, @state,
           -- never before the TTL, and not all in the same second
           now + @ttl::bigint * interval '1 microsecond' + random() * @jitter::bigint * interval '1 microsecond',
           all_seats.price, @currency, false, @client, @key,
           @cause, @actor, @reason, now, now
      FROM clock, (SELECT count(*)::int AS count, sum(price_minor)::bigint AS price FROM took) all_seats
     WHERE all_seats.count = cardinality(@seats::bigint[])
    RETURNING id, state, expires_at, created_at, amount_minor
), claimed AS (
    INSERT INTO booking_seat (booking_id, seat_id, price_minor, live)
    SELECT placed.id, took.id, took.price_minor, true
      FROM took, placed
), keyed AS (
    INSERT INTO idempotency (client_id, key, fingerprint, booking_id, answer)
    SELECT coalesce(@client, 0), @key, @print, id, jsonb_build_object('state', state, 'expires_at', expires_at)
      FROM placed
     WHERE @key::text IS NOT NULL
)
SELECT expires_at, created_at, amount_minor,
       (SELECT json_agg(json_build_array(id, section, "row", number, category, price_minor, state, @id::uuid, version) ORDER BY id) FROM took)
  FROM placed`

const sqlSeatsInTheWay = `-- seats.inTheWay
SELECT id
  FROM seat
 WHERE event_id = @event AND id = ANY (@seats::bigint[])
   AND booking_id IS DISTINCT FROM @booking -- what this very transaction took is not in the way
 ORDER BY id`

const sqlSeatsRetake = `-- seats.retake
WITH took AS (
    UPDATE seat s
       SET state = 'BOOKED', booking_id = @id, version = s.version + 1
     WHERE s.id IN (SELECT seat_id FROM booking_seat WHERE booking_id = @id)
       AND s.state = 'AVAILABLE' AND s.booking_id IS NULL -- an owner contradicts it: the seat needs repair
    RETURNING s.id
)
UPDATE booking_seat bs
   SET live = true
  FROM took
 WHERE bs.booking_id = @id AND bs.seat_id = took.id`

// What is locked by somebody else is being paid, released or moved right now:
// it is left for the next pass. Seats are locked before bookings, and a booking
// is expired only with all of its seats.
const sqlExpireOverdueSeats = `-- sweep.expireSeats
WITH due AS (
    SELECT b.id, b.quantity
      FROM booking b
     WHERE b.state = 'HELD' AND b.event_id IS NOT NULL
       AND b.expires_at <= coalesce(@now::timestamptz, statement_timestamp())
       AND (@bookings::uuid[] IS NULL OR b.id = ANY (@bookings::uuid[]))
     ORDER BY b.expires_at
     LIMIT @limit
), locked AS (
    SELECT s.id, s.booking_id
      FROM seat s
     WHERE s.booking_id IN (SELECT id FROM due)
     ORDER BY s.id
       FOR NO KEY UPDATE SKIP LOCKED
), whole AS (
    SELECT due.id
      FROM due
     WHERE due.quantity = (SELECT count(*) FROM locked WHERE locked.booking_id = due.id)
), overdue AS (
    SELECT b.id
      FROM booking b
     WHERE b.id IN (SELECT id FROM whole)
       AND b.state = 'HELD' AND b.expires_at <= coalesce(@now::timestamptz, statement_timestamp())
     ORDER BY b.id
       FOR NO KEY UPDATE SKIP LOCKED
), expired AS (
    UPDATE booking b
       SET state = 'EXPIRED', version = version + 1,
           last_cause = 'expired', last_actor = @actor, last_reason = '',
           updated_at = coalesce(@now::timestamptz, statement_timestamp())
      FROM overdue
     WHERE b.id = overdue.id
       AND b.state = 'HELD' -- the transition: nobody else may have moved it; its seats follow by a trigger
    RETURNING b.event_id
)
SELECT count(*)::int, count(DISTINCT event_id)::int
  FROM expired`
