package pgstore

const sqlEventInsert = `-- event.insert
INSERT INTO event (id, venue_id, slug, name, local_start, zone, starts_at, sales_from, sales_until, stop_sell, hold_ttl)
VALUES (@id, @venue, @slug, @name, @local_start::timestamp, @zone, @starts_at, @sales_from, @sales_until, @stop_sell, @hold_ttl)
RETURNING version`

const sqlEventUpdate = `-- event.update
UPDATE event
   SET name = @name, sales_from = @sales_from, sales_until = @sales_until, stop_sell = @stop_sell, hold_ttl = @hold_ttl,
       version = version + 1
 WHERE id = @id AND version = @version -- no edit is laid over another
RETURNING version`

const sqlEventLock = `-- event.lock
SELECT e.id
  FROM event e
  JOIN venue v ON v.id = e.venue_id
 WHERE v.slug = @venue AND e.slug = @event
   FOR NO KEY UPDATE OF e -- seats and bookings keep their foreign keys to it`

const eventColumns = `e.id, e.venue_id, v.slug, e.slug, e.name, e.local_start, e.zone, e.starts_at, e.sales_from, e.sales_until,
       e.stop_sell, e.hold_ttl, v.currency, e.version,
       coalesce(c.available, 0), coalesce(c.held, 0), coalesce(c.booked, 0), coalesce(c.killed, 0)`

const eventCounts = `
  LEFT JOIN (SELECT s.event_id,
                    count(*) FILTER (WHERE s.state = 'AVAILABLE') AS available,
                    count(*) FILTER (WHERE s.state = 'HELD') AS held,
                    count(*) FILTER (WHERE s.state = 'BOOKED') AS booked,
                    count(*) FILTER (WHERE s.state = 'KILLED') AS killed
               FROM seat s
              WHERE s.event_id IN (SELECT e.id FROM e)
              GROUP BY s.event_id) c ON c.event_id = e.id`

const sqlEventGet = `-- event.get
  WITH e AS (SELECT e.*
               FROM event e
               JOIN venue v ON v.id = e.venue_id
              WHERE v.slug = @venue AND e.slug = @event)
SELECT ` + eventColumns + `
  FROM e
  JOIN venue v ON v.id = e.venue_id` + eventCounts

const sqlEventGetByID = `-- event.getByID
  WITH e AS (SELECT e.*
               FROM event e
              WHERE e.id = @id)
SELECT ` + eventColumns + `
  FROM e
  JOIN venue v ON v.id = e.venue_id` + eventCounts

const sqlEventList = `-- event.list
  WITH e AS (SELECT e.* -- first which events, then only their seats are counted
               FROM event e
               JOIN venue v ON v.id = e.venue_id
              WHERE (@venue::text IS NULL OR v.slug = @venue)
                AND (@from::timestamptz IS NULL OR e.starts_at >= @from)
              ORDER BY e.starts_at, e.id
              LIMIT @limit)
SELECT ` + eventColumns + `
  FROM e
  JOIN venue v ON v.id = e.venue_id` + eventCounts + `
 ORDER BY e.starts_at, e.id`
