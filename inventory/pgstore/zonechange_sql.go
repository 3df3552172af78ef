package pgstore

// Days that are long over in every zone are left alone.
const sqlRezoneDaysLock = `-- rezone.lockDays
SELECT d.day
  FROM pool_day d
  JOIN pool p ON p.id = d.pool_id
 WHERE p.venue_id = @venue AND d.day >= @since::date
 ORDER BY d.pool_id, d.day -- the lock order of every transaction
   FOR NO KEY UPDATE OF d`

const sqlRezoneDays = `-- rezone.days
SELECT d.pool_id, p.name, d.day, d.sales_until
  FROM pool_day d
  JOIN pool p ON p.id = d.pool_id
 WHERE p.venue_id = @venue AND d.day >= @since::date
 ORDER BY d.pool_id, d.day`

const sqlRezoneDaysSet = `-- rezone.setDays
UPDATE pool_day d
   SET sales_until = u.until
  FROM unnest(@pools::bigint[], @days::date[], @untils::timestamptz[]) AS u (pool, day, until)
 WHERE d.pool_id = u.pool AND d.day = u.day -- locked by this transaction`

const sqlRezoneEventsLock = `-- rezone.lockEvents
SELECT id
  FROM event
 WHERE venue_id = @venue AND starts_at > @now::timestamptz
 ORDER BY id
   FOR NO KEY UPDATE`

const sqlRezoneEvents = `-- rezone.events
SELECT e.id, e.version, e.name, e.local_start, e.zone, e.starts_at, e.sales_from, e.sales_until,
       (SELECT count(*) FROM booking b WHERE b.event_id = e.id AND b.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED'))::int
  FROM event e
 WHERE e.venue_id = @venue AND e.starts_at > @now::timestamptz
 ORDER BY e.id`

const sqlRezoneEventSet = `-- rezone.setEvent
UPDATE event
   SET local_start = @local::timestamp, zone = @zone, starts_at = @starts_at, sales_until = @sales_until, version = version + 1
 WHERE id = @id AND version = @version -- no edit is laid over another`

const sqlRezoneResourcesLock = `-- rezone.lockResources
SELECT id
  FROM resource
 WHERE venue_id = @venue
 ORDER BY id -- the lock order of every transaction
   FOR NO KEY UPDATE`

// A hold that reckoned with the old zone and waits for its resource's lock finds
// another version, and begins again.
const sqlRezoneResourcesTouch = `-- rezone.touchResources
UPDATE resource
   SET version = version + 1
 WHERE venue_id = @venue`

const sqlRezoneRangesLock = `-- rezone.lockRanges
SELECT b.id
  FROM booking b
 WHERE b.resource_id IN (SELECT r.id FROM resource r WHERE r.venue_id = @venue)
   AND b.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED')
   AND b.blocked && tstzrange(@now::timestamptz, NULL)
 ORDER BY b.id
   FOR NO KEY UPDATE`

// Those that were over lately may stand where another one would come to lie.
const sqlRezoneRanges = `-- rezone.ranges
SELECT b.id, b.version, b.resource_id, v.slug, r.slug, r.name, b.buyer, b.amount_minor, b.currency,
       lower(b.during), upper(b.during), upper(b.blocked), b.local_from, b.local_to, b.zone
  FROM booking b
  JOIN resource r ON r.id = b.resource_id
  JOIN venue v ON v.id = r.venue_id
 WHERE r.venue_id = @venue
   AND b.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED')
   AND b.blocked && tstzrange(@now::timestamptz - interval '48 hours', NULL)
 ORDER BY b.resource_id, lower(b.during)`

const sqlRezoneRangeSet = `-- rezone.setRange
UPDATE booking
   SET during = tstzrange(@from::timestamptz, @to::timestamptz), blocked = tstzrange(@from::timestamptz, @blocked_to::timestamptz),
       local_from = @local_from::timestamp, local_to = @local_to::timestamp, zone = @zone,
       version = version + 1, last_cause = @cause, last_actor = @actor, last_reason = @reason, last_data = @data::jsonb,
       updated_at = @now::timestamptz
 WHERE id = @id AND version = @version -- locked by this transaction`

// The function, and not AT TIME ZONE, which means pg_catalog's whatever a test
// has put in its place.
const sqlZoneOffsets = `-- zone.offsets
SELECT extract(epoch FROM timezone(@zone, t.at) - timezone('UTC', t.at))::int
  FROM unnest(@at::timestamptz[]) WITH ORDINALITY AS t (at, place)
 ORDER BY t.place`
