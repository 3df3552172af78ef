package pgstore

const sqlMoveFacts = `-- move.facts
SELECT p.id, p.price_minor, p.max_per_buyer
  FROM booking b
  JOIN pool p ON p.id = b.pool_id
 WHERE b.id = @id`

const sqlMoveDaysLock = `-- move.lockDays
SELECT day::text
  FROM pool_day
 WHERE pool_id = @pool AND day = ANY (@days::text::date[])
 ORDER BY pool_id, day -- the lock order of every transaction
   FOR NO KEY UPDATE`

const sqlMoveGiveBack = `-- move.giveBack
UPDATE pool_day
   SET taken = taken - @quantity
 WHERE pool_id = @pool AND day = @day::date -- locked by this transaction`

// What every move sets beside its claim.
const moveStep = `amount_minor = @amount,
       version = version + 1, last_cause = 'moved', last_actor = @actor, last_reason = @reason, last_data = @data::jsonb,
       updated_at = coalesce(@now::timestamptz, statement_timestamp())
 WHERE id = @id AND version = @version`

const sqlMoveDay = `-- move.day
UPDATE booking
   SET day = @day::date, quantity = @quantity, ` + moveStep

// All seats are locked. Those that the booking leaves are free again, those
// that it takes are its own now; the answer is how many it got.
const sqlMoveSeats = `-- move.seats
WITH left_behind AS (
    DELETE FROM booking_seat
     WHERE booking_id = @id AND seat_id = ANY (@gone::bigint[])
    RETURNING seat_id
), freed AS (
    UPDATE seat s
       SET state = 'AVAILABLE', booking_id = NULL, version = s.version + 1
      FROM left_behind
     WHERE s.id = left_behind.seat_id AND s.booking_id = @id
), took AS (
    UPDATE seat s
       SET state = CASE b.state WHEN 'CONFIRMED' THEN 'BOOKED' ELSE 'HELD' END, booking_id = b.id, version = s.version + 1
      FROM booking b, event e
     WHERE b.id = @id AND e.id = @event
       AND event_admission(e, coalesce(@now::timestamptz, statement_timestamp())) IS NULL
       AND s.event_id = @event AND s.id = ANY (@added::bigint[])
       AND s.state = 'AVAILABLE'
    RETURNING s.id, s.price_minor
), claimed AS (
    INSERT INTO booking_seat (booking_id, seat_id, price_minor, live)
    SELECT @id, took.id, took.price_minor, true
      FROM took
)
SELECT count(*)::int
  FROM took`

const sqlMoveSeatsPrice = `-- move.seatsPrice
SELECT coalesce(sum(price_minor), 0)::bigint
  FROM booking_seat
 WHERE booking_id = @id`

const sqlMoveSeatsDone = `-- move.seatsDone
UPDATE booking
   SET quantity = @quantity, ` + moveStep

const sqlMoveRange = `-- move.range
UPDATE booking
   SET resource_id = @resource,
       during = tstzrange(@from::timestamptz, @to::timestamptz), blocked = tstzrange(@from::timestamptz, @blocked_to::timestamptz),
       local_from = @local_from::text::timestamp, local_to = @local_to::text::timestamp, zone = @zone, ` + moveStep
