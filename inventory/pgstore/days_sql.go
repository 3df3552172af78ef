package pgstore

// Held and the last edit are looked up per day: both are index scans, and only
// lists ask for them.
const dayColumns = `d.pool_id, d.day, d.capacity, d.overbook_limit, d.taken, d.stop_sell, d.sales_from, d.sales_until, d.version,
       coalesce((SELECT sum(b.quantity) FROM booking b
                  WHERE b.pool_id = d.pool_id AND b.day = d.day AND b.state IN ('HELD', 'PAYMENT_PENDING')), 0)::int AS held,
       coalesce(c.actor, '') AS edited_by, c.at AS edited_at
  FROM pool_day d
  LEFT JOIN LATERAL (SELECT s.actor, s.at
                       FROM change_set_day cd JOIN change_set s ON s.id = cd.change_set_id
                      WHERE s.pool_id = d.pool_id AND cd.day = d.day
                      ORDER BY s.id DESC LIMIT 1) c ON true`

const sqlDayList = `-- day.list
SELECT ` + dayColumns + `
 WHERE d.pool_id = @pool AND d.day BETWEEN @from::date AND @to::date
 ORDER BY d.day`

const sqlDayPick = `-- day.pick
SELECT ` + dayColumns + `
 WHERE d.pool_id = @pool AND d.day = ANY (@days::date[])
 ORDER BY d.day`

const sqlDayLockMany = `-- day.lockMany
SELECT day
  FROM pool_day
 WHERE pool_id = @pool AND day = ANY (@days::date[])
 ORDER BY pool_id, day -- the lock order of every transaction
   FOR NO KEY UPDATE`

const sqlDayUpdate = `-- day.update
UPDATE pool_day
   SET capacity = @capacity, overbook_limit = @overbook, stop_sell = @stop_sell, version = version + 1
 WHERE pool_id = @pool AND day = @day::date -- locked, and its version compared, in this transaction
RETURNING version`

const sqlDayMake = `-- day.make
INSERT INTO pool_day (pool_id, day, capacity, overbook_limit, stop_sell, sales_until)
VALUES (@pool, @day::date, @capacity, @overbook, @stop_sell, @until)
RETURNING version`

const sqlChangeSetInsert = `-- changeSet.insert
INSERT INTO change_set (pool_id, actor, reason, undoes)
VALUES (@pool, @actor, @reason, @undoes)
RETURNING id, at`

const sqlChangeSetDayInsert = `-- changeSet.dayInsert
INSERT INTO change_set_day (change_set_id, day, made, before, after, version_after)
VALUES (@set, @day::date, @made, @before, @after, @version)`

const sqlChangeSetList = `-- changeSet.list
SELECT s.id, v.slug, p.slug, s.at, s.actor, s.reason, coalesce(s.undoes, 0), coalesce(u.id, 0)
  FROM change_set s
  JOIN pool p ON p.id = s.pool_id
  JOIN venue v ON v.id = p.venue_id
  LEFT JOIN change_set u ON u.undoes = s.id
 WHERE (@venue::text IS NULL OR v.slug = @venue)
   AND (@pool::text IS NULL OR p.slug = @pool)
   AND (@id::bigint IS NULL OR s.id = @id)
 ORDER BY s.id DESC
 LIMIT @limit`

const sqlChangeSetLast = `-- changeSet.last
SELECT s.id
  FROM change_set s
 WHERE s.actor = @actor AND s.undoes IS NULL
   AND NOT EXISTS (SELECT FROM change_set u WHERE u.undoes = s.id)
 ORDER BY s.id DESC
 LIMIT 1`

const sqlChangeSetDays = `-- changeSet.days
SELECT cd.change_set_id, s.pool_id, cd.day, cd.made, cd.version_after,
       (cd.before ->> 'capacity')::int, (cd.before ->> 'overbook_limit')::int, (cd.before ->> 'stop_sell')::boolean,
       (cd.after  ->> 'capacity')::int, (cd.after  ->> 'overbook_limit')::int, (cd.after  ->> 'stop_sell')::boolean
  FROM change_set_day cd
  JOIN change_set s ON s.id = cd.change_set_id
 WHERE cd.change_set_id = ANY (@ids)
 ORDER BY cd.change_set_id, cd.day`
