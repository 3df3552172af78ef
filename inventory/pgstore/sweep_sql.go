package pgstore

const sqlOverdueDays = `-- sweep.overdueDays
SELECT pool_id, day::text
  FROM (SELECT pool_id, day, expires_at
          FROM booking
         WHERE state = 'HELD' AND pool_id IS NOT NULL
           AND expires_at <= coalesce(@now::timestamptz, statement_timestamp())
         ORDER BY expires_at
         LIMIT 10000) overdue -- bounds the work when a sweep was dead for long
 GROUP BY pool_id, day
 ORDER BY min(expires_at)
 LIMIT @limit`

const sqlDaysLockFree = `-- sweep.lockFree
SELECT d.pool_id, d.day::text
  FROM pool_day d
  JOIN unnest(@pools::bigint[], @days::text[]) k (pool_id, day) ON d.pool_id = k.pool_id AND d.day = k.day::date
 ORDER BY d.pool_id, d.day -- the lock order of every transaction
   FOR NO KEY UPDATE OF d SKIP LOCKED -- other sweeps and buyers go on`

// Days are locked before this runs. A booking that somebody else has locked is
// being paid, released or extended right now: it is left for the next pass.
const sqlExpireOverdue = `-- sweep.expireOverdue
WITH overdue AS (
    SELECT b.id
      FROM booking b
      JOIN unnest(@pools::bigint[], @days::text[]) k (pool_id, day) ON b.pool_id = k.pool_id AND b.day = k.day::date
     WHERE b.state = 'HELD' AND b.expires_at <= coalesce(@now::timestamptz, statement_timestamp())
       AND (@buyer::text IS NULL OR b.buyer = @buyer)
     ORDER BY b.id
     LIMIT @limit
       FOR NO KEY UPDATE OF b SKIP LOCKED
), expired AS (
    UPDATE booking b
       SET state = 'EXPIRED', version = version + 1,
           last_cause = 'expired', last_actor = @actor, last_reason = '',
           updated_at = coalesce(@now::timestamptz, statement_timestamp())
      FROM overdue
     WHERE b.id = overdue.id
       AND b.state = 'HELD' -- the transition: nobody else may have moved it
    RETURNING b.pool_id, b.day, b.quantity
), given_back AS (
    UPDATE pool_day d
       SET taken = d.taken - e.quantity
      FROM (SELECT pool_id, day, sum(quantity)::int AS quantity FROM expired GROUP BY pool_id, day) e
     WHERE d.pool_id = e.pool_id AND d.day = e.day
    RETURNING d.day
)
SELECT (SELECT count(*) FROM expired)::int, (SELECT count(*) FROM given_back)::int`
