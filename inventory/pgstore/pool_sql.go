package pgstore

const sqlPoolInsert = `-- pool.insert
INSERT INTO pool (venue_id, slug, name, price_minor, max_per_buyer, horizon_days, late_policy, late_deadline)
VALUES (@venue, @slug, @name, @price, @max_per_buyer, @horizon, @late_policy, @late_deadline::bigint * interval '1 microsecond')
RETURNING id, version`

const sqlPoolUpdate = `-- pool.update
UPDATE pool
   SET name = @name, price_minor = @price, max_per_buyer = @max_per_buyer, horizon_days = @horizon,
       late_policy = @late_policy, late_deadline = @late_deadline::bigint * interval '1 microsecond',
       version = version + 1
 WHERE id = @id -- locked, and its version compared, by pool.lock in this transaction`

const sqlPoolWeekWrite = `-- pool.weekWrite
INSERT INTO pool_week (pool_id, iso_weekday, capacity, overbook_limit, closed)
VALUES (@pool, @weekday, @capacity, @overbook, @closed)
    ON CONFLICT (pool_id, iso_weekday) DO UPDATE
   SET capacity = excluded.capacity, overbook_limit = excluded.overbook_limit, closed = excluded.closed`

const poolColumns = `p.id, v.slug, p.slug, p.name, p.price_minor, v.currency, p.max_per_buyer, p.horizon_days, p.late_policy, coalesce(p.late_deadline, '0'), p.version,
       ARRAY (SELECT capacity       FROM pool_week w WHERE w.pool_id = p.id ORDER BY iso_weekday),
       ARRAY (SELECT overbook_limit FROM pool_week w WHERE w.pool_id = p.id ORDER BY iso_weekday),
       ARRAY (SELECT closed         FROM pool_week w WHERE w.pool_id = p.id ORDER BY iso_weekday)
  FROM pool p
  JOIN venue v ON v.id = p.venue_id`

const sqlPoolGet = `-- pool.get
SELECT ` + poolColumns + `
 WHERE v.slug = @venue AND p.slug = @pool`

const sqlPoolLock = `-- pool.lock
SELECT ` + poolColumns + `
 WHERE v.slug = @venue AND p.slug = @pool
   FOR NO KEY UPDATE OF p`

const sqlPoolList = `-- pool.list
SELECT ` + poolColumns + `
 WHERE (@venue::text IS NULL OR v.slug = @venue)
 ORDER BY v.slug, p.slug`
