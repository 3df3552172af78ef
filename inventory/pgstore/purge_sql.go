package pgstore

// Rows that somebody has locked are in use, and left for the next pass.

const sqlPurgeKeys = `-- purge.keys
WITH old AS (
    SELECT i.client_id, i.key
      FROM idempotency i
     WHERE i.created_at < coalesce(@now::timestamptz, statement_timestamp()) - @age::bigint * interval '1 microsecond'
       AND NOT EXISTS (SELECT FROM booking b WHERE b.id = i.booking_id AND b.state IN ('HELD', 'PAYMENT_PENDING'))
       AND NOT EXISTS (SELECT FROM payment p WHERE p.id = i.payment_id AND p.state IN ('CREATED', 'PENDING'))
     ORDER BY i.created_at
     LIMIT @limit
       FOR UPDATE OF i SKIP LOCKED
), gone AS (
    DELETE FROM idempotency i
     USING old
     WHERE i.client_id = old.client_id AND i.key = old.key
    RETURNING 1
)
SELECT count(*)::int FROM gone`

const sqlEmptyCallbacks = `-- purge.callbacks
WITH old AS (
    SELECT e.provider, e.event_id
      FROM webhook_event e
     WHERE e.state = 'APPLIED' AND e.body <> ''
       AND e.received_at < coalesce(@now::timestamptz, statement_timestamp()) - @age::bigint * interval '1 microsecond'
     ORDER BY e.received_at
     LIMIT @limit
       FOR NO KEY UPDATE OF e SKIP LOCKED
), emptied AS (
    UPDATE webhook_event e
       SET body = ''
      FROM old
     WHERE e.provider = old.provider AND e.event_id = old.event_id
       AND e.state = 'APPLIED'
    RETURNING 1
)
SELECT count(*)::int FROM emptied`

const sqlPurgeJobRuns = `-- purge.jobRuns
WITH kept AS (
    SELECT last.id
      FROM job j
     CROSS JOIN LATERAL (
           (SELECT r.id FROM job_run r WHERE r.job = j.name ORDER BY r.started_at DESC LIMIT 1)
           UNION ALL
           (SELECT r.id FROM job_run r WHERE r.job = j.name AND r.outcome = 'ok' ORDER BY r.started_at DESC LIMIT 1)) last
), gone AS (
    DELETE FROM job_run r
     WHERE r.id = ANY (ARRAY(
           SELECT o.id
             FROM job_run o
            WHERE o.started_at < coalesce(@now::timestamptz, statement_timestamp()) - @age::bigint * interval '1 microsecond'
              AND o.id NOT IN (SELECT id FROM kept)
            ORDER BY o.started_at
            LIMIT @limit
              FOR UPDATE OF o SKIP LOCKED))
    RETURNING 1
)
SELECT count(*)::int FROM gone`
