package pgstore

// resourceColumns reads a resource with its hours, and the closed days since
// @since, or all of them for null.
const resourceColumns = `r.id, r.venue_id, v.slug, r.slug, r.name, v.zone, r.slot, r.turnaround, r.min_stay, r.max_stay,
       r.price_per_hour_minor, v.currency, r.stop_sell, r.version,
       ARRAY (SELECT h.iso_weekday FROM resource_hours h WHERE h.resource_id = r.id ORDER BY h.iso_weekday),
       ARRAY (SELECT h.opens       FROM resource_hours h WHERE h.resource_id = r.id ORDER BY h.iso_weekday),
       ARRAY (SELECT h.closes      FROM resource_hours h WHERE h.resource_id = r.id ORDER BY h.iso_weekday),
       ARRAY (SELECT c.day FROM resource_closed_day c
               WHERE c.resource_id = r.id AND (@since::date IS NULL OR c.day >= @since::date) ORDER BY c.day)
  FROM resource r
  JOIN venue v ON v.id = r.venue_id`

const sqlResourceGet = `-- resource.get
SELECT ` + resourceColumns + `
 WHERE v.slug = @venue AND r.slug = @resource`

const sqlResourceLock = `-- resource.lock
SELECT r.id
  FROM resource r
  JOIN venue v ON v.id = r.venue_id
 WHERE v.slug = @venue AND r.slug = @resource
   FOR NO KEY UPDATE OF r -- holds lock it too: they reckon with its hours and its turnaround`

const sqlResourceList = `-- resource.list
SELECT ` + resourceColumns + `
 WHERE (@venue::text IS NULL OR v.slug = @venue)
 ORDER BY v.slug, r.name, r.slug`

const sqlResourceInsert = `-- resource.insert
INSERT INTO resource (venue_id, slug, name, slot, turnaround, min_stay, max_stay, price_per_hour_minor, stop_sell)
VALUES (@venue, @slug, @name, @slot, @turnaround, @min_stay, @max_stay, @price, @stop_sell)
RETURNING id, version`

const sqlResourceUpdate = `-- resource.update
UPDATE resource
   SET name = @name, slot = @slot, turnaround = @turnaround, min_stay = @min_stay, max_stay = @max_stay,
       price_per_hour_minor = @price, stop_sell = @stop_sell, version = version + 1
 WHERE id = @id AND version = @version -- no edit is laid over another
RETURNING version`

const sqlHoursSet = `-- resource.setHours
INSERT INTO resource_hours (resource_id, iso_weekday, opens, closes)
VALUES (@resource, @weekday, @opens, @closes)
    ON CONFLICT (resource_id, iso_weekday) DO UPDATE
   SET opens = excluded.opens, closes = excluded.closes`

const sqlHoursClear = `-- resource.clearHours
DELETE FROM resource_hours
 WHERE resource_id = @resource AND iso_weekday = @weekday`

const sqlClosedDaysAdd = `-- resource.closeDays
INSERT INTO resource_closed_day (resource_id, day, reason)
SELECT @resource::bigint, d, @reason
  FROM unnest(@days::date[]) d
    ON CONFLICT (resource_id, day) DO NOTHING -- closed already`

const sqlClosedDaysRemove = `-- resource.openDays
DELETE FROM resource_closed_day
 WHERE resource_id = @resource AND day = ANY (@days::date[])`

// What keeps a resource from being taken between two instants: live bookings
// with their turnaround, but for overdue holds, which a hold would reclaim.
const sqlResourceBusy = `-- resource.busy
SELECT id, lower(during), upper(during), upper(blocked)
  FROM booking
 WHERE resource_id = @resource
   AND blocked && tstzrange(@from::timestamptz, @to::timestamptz)
   AND state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED')
   AND NOT (state = 'HELD' AND expires_at <= @now::timestamptz)
 ORDER BY lower(during)`

const sqlResourceBookings = `-- resource.bookings
SELECT ` + bookingColumns + bookingTables + `
 WHERE b.resource_id = ANY (@resources::bigint[])
   AND b.blocked && tstzrange(@from::timestamptz, @to::timestamptz) -- for the index of the exclusion constraint
   AND b.during && tstzrange(@from::timestamptz, @to::timestamptz)
   AND b.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED')
 ORDER BY lower(b.during), b.id`
