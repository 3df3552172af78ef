package pgstore

// A seat needs repair if its state and the live claims on it contradict each
// other. Such a seat is neither sold nor killed, and does not keep others from
// being so. The constraints forbid it; what a person changes by hand with them
// off is what this is for.
const seatColumns = `s.id, s.section, s."row", s.number, s.category, s.price_minor, s.state, s.booking_id, s.kill_reason, s.version,
       CASE WHEN s.state IN ('HELD', 'BOOKED')
            THEN s.booking_id IS NULL OR b.id IS NULL OR b.id <> s.booking_id
                 OR b.state NOT IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED') OR (b.state = 'CONFIRMED') <> (s.state = 'BOOKED')
            ELSE s.booking_id IS NOT NULL OR bs.seat_id IS NOT NULL END`

const seatTables = `
  FROM seat s
  LEFT JOIN booking_seat bs ON bs.seat_id = s.id AND bs.live -- one at most: booking_seat_one_live
  LEFT JOIN booking b ON b.id = bs.booking_id`

const sqlSeatsOfEvent = `-- seats.ofEvent
SELECT ` + seatColumns + seatTables + `
 WHERE s.event_id = @event
 ORDER BY s.id -- the order of the hall`

const sqlSeatsByID = `-- seats.byID
SELECT ` + seatColumns + seatTables + `
 WHERE s.event_id = @event AND s.id = ANY (@seats::bigint[])
 ORDER BY s.id`

const sqlSeatsLockNamed = `-- seats.lockNamed
SELECT id
  FROM seat
 WHERE event_id = @event AND id = ANY (@seats::bigint[])
 ORDER BY id -- the lock order of every transaction
   FOR NO KEY UPDATE`

// The trigger seat_audit_kill writes a row for each.
const sqlSeatsKill = `-- seats.kill
UPDATE seat
   SET state = 'KILLED', kill_reason = @reason, version = version + 1
 WHERE id = ANY (@seats::bigint[]) AND state = 'AVAILABLE' -- locked, and judged, by this transaction`

const sqlSeatsUnkill = `-- seats.unkill
UPDATE seat
   SET state = 'AVAILABLE', kill_reason = '', version = version + 1
 WHERE id = ANY (@seats::bigint[]) AND state = 'KILLED' -- locked, and judged, by this transaction`

const sqlSeatsFirstKnown = `-- seats.firstKnown
SELECT f.ordinal
  FROM unnest(@sections::text[], @rows::text[], @numbers::integer[]) WITH ORDINALITY AS f (section, "row", number, ordinal)
  JOIN seat s ON s.event_id = @event AND (s.section, s."row", s.number) = (f.section, f."row", f.number)
 ORDER BY f.ordinal
 LIMIT 1`

// One statement for all: the trigger seat_audit_import writes one row for it.
const sqlSeatsInsert = `-- seats.insert
INSERT INTO seat (event_id, section, "row", number, category, price_minor)
SELECT @event, f.section, f."row", f.number, f.category, f.price
  FROM unnest(@sections::text[], @rows::text[], @numbers::integer[], @categories::text[], @prices::bigint[])
       WITH ORDINALITY AS f (section, "row", number, category, price, ordinal)
 ORDER BY f.ordinal -- ids ascend in the order of the file, which is the order of the hall`
