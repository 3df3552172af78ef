package pgstore

// Those that ended first, in the order in which they lie in the table.
const sqlOverdueHolds = `-- sweep.overdueHolds
SELECT ctid::text, pool_id, day::text
  FROM (SELECT ctid, pool_id, day
          FROM booking
         WHERE state = 'HELD' AND pool_id IS NOT NULL
           AND expires_at <= coalesce(@now::timestamptz, statement_timestamp())
         ORDER BY expires_at
         LIMIT @limit) first
 ORDER BY first.ctid`

const sqlSweepBatch = `-- sweep.batch
SELECT expired, given_pools, given_days::text[], busy_pools, busy_days::text[]
  FROM sweep_batch(@seen::text[]::tid[], @pools::bigint[], @days::text[]::date[], @actor, @now::timestamptz)`

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
