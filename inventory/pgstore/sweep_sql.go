package pgstore

// The sample bounds the work when a sweep was dead for long.
const sqlOverdueDays = `-- sweep.overdueDays
SELECT pool_id, day::text, sum(count(*)) OVER ()::int
  FROM (SELECT pool_id, day, expires_at
          FROM booking
         WHERE state = 'HELD' AND pool_id IS NOT NULL
           AND expires_at <= coalesce(@now::timestamptz, statement_timestamp())
         ORDER BY expires_at
         LIMIT @limit) overdue
 GROUP BY pool_id, day
 ORDER BY min(expires_at)`

const sqlSweepDays = `-- sweep.days
SELECT expired, touched, finished, locked
  FROM sweep_days(@pools::bigint[], @days::text[]::date[], @most, @span::bigint * interval '1 microsecond', @actor, @now::timestamptz)`

// Days are locked before this runs. A booking that somebody else has locked is
// being paid, released or extended right now: it is left for the next pass.
// Those that are over longest go first, in the order of an index.
const sqlExpireOverdue = `-- sweep.expireOverdue
WITH overdue AS (
    SELECT o.id
      FROM unnest(@pools::bigint[], @days::text[]) k (pool_id, day)
     CROSS JOIN LATERAL (
           SELECT b.id
             FROM booking b
            WHERE b.pool_id = k.pool_id AND b.day = k.day::date
              AND b.state = 'HELD' AND b.expires_at <= coalesce(@now::timestamptz, statement_timestamp())
              AND (@buyer::text IS NULL OR b.buyer = @buyer)
            ORDER BY b.expires_at
            LIMIT @limit
              FOR NO KEY UPDATE OF b SKIP LOCKED) o
     LIMIT @limit
), expired AS (
    UPDATE booking b
       SET state = 'EXPIRED', version = version + 1,
           last_cause = 'expired', last_actor = @actor, last_reason = '',
           updated_at = coalesce(@now::timestamptz, statement_timestamp())
     WHERE b.id = ANY (ARRAY(SELECT id FROM overdue))
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
