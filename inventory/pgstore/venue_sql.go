package pgstore

const venueColumns = `id, slug, name, zone, currency, hold_ttl, hold_jitter, hold_max_life,
       late_policy, late_deadline, doubt_after, doubt_cap, version`

const sqlVenueInsert = `-- venue.insert
INSERT INTO venue (slug, name, zone, currency, hold_ttl, hold_jitter, hold_max_life, late_policy, late_deadline, doubt_after, doubt_cap)
VALUES (@slug, @name, @zone, @currency, @hold_ttl, @hold_jitter, @hold_max_life, @late_policy, @late_deadline, @doubt_after, @doubt_cap)
RETURNING ` + venueColumns

const sqlVenueUpdate = `-- venue.update
UPDATE venue
   SET name = @name, zone = @zone, hold_ttl = @hold_ttl, hold_jitter = @hold_jitter, hold_max_life = @hold_max_life,
       late_policy = @late_policy, late_deadline = @late_deadline, doubt_after = @doubt_after, doubt_cap = @doubt_cap,
       version = version + 1
 WHERE id = @id -- locked, and its version compared, by venue.lock in this transaction
RETURNING ` + venueColumns

const sqlVenueGet = `-- venue.get
SELECT ` + venueColumns + `
  FROM venue
 WHERE slug = @slug`

const sqlVenueLock = `-- venue.lock
SELECT ` + venueColumns + `
  FROM venue
 WHERE slug = @slug
   FOR NO KEY UPDATE -- two staff edits, one after the other; sales never lock a venue`

const sqlVenueList = `-- venue.list
SELECT ` + venueColumns + `
  FROM venue
 ORDER BY slug`

const sqlZoneKnown = `-- venue.zoneKnown
SELECT EXISTS (SELECT FROM pg_timezone_names WHERE name = @zone) -- exact: PostgreSQL itself ignores case`
