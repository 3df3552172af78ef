package pgstore

// Every list is read in the order of a partial index and ends at @most, so that
// neither a long history nor a backlog makes this dear. A retried message moves
// back in its index: beyond @most open messages the oldest may be missed.
const sqlVitalsRead = `-- vitals.read
WITH clock AS MATERIALIZED (
    SELECT coalesce(@now::timestamptz, statement_timestamp()) AS now
), overdue AS (
    SELECT count(*)::int AS n, min(expires_at) AS since
      FROM (SELECT b.expires_at
              FROM booking b
             WHERE b.state = 'HELD' AND b.expires_at <= (SELECT now FROM clock)
             ORDER BY b.expires_at
             LIMIT @most) o
), doubtful AS (
    SELECT count(*)::int AS n
      FROM (SELECT b.doubt_until
              FROM booking b
             WHERE b.state = 'PAYMENT_PENDING' AND b.doubt_until <= (SELECT now FROM clock)
             ORDER BY b.doubt_until
             LIMIT @most) d
), outbox AS (
    SELECT count(*)::int AS n, min(at) AS since
      FROM (SELECT j.at
              FROM journal j
             WHERE j.topic IS NOT NULL AND j.published_at IS NULL AND j.parked_at IS NULL
             ORDER BY coalesce(j.next_try_at, j.at)
             LIMIT @most) o
), parked AS (
    SELECT count(*)::int AS n
      FROM (SELECT FROM journal j WHERE j.parked_at IS NOT NULL ORDER BY j.parked_at LIMIT @most) p
), inbox AS (
    SELECT (count(*) FILTER (WHERE state = 'STORED'))::int AS stored, (count(*) FILTER (WHERE state = 'UNMATCHED'))::int AS unmatched,
           min(received_at) FILTER (WHERE state = 'STORED') AS since
      FROM (SELECT e.state, e.received_at
              FROM webhook_event e
             WHERE e.state IN ('STORED', 'UNMATCHED')
             ORDER BY e.next_try_at
             LIMIT @most) e
), zombie AS (
    SELECT coalesce(array_agg(kind), '{}') AS kinds, coalesce(array_agg(currency), '{}') AS currencies,
           coalesce(array_agg(n), '{}') AS counts, coalesce(array_agg(minor), '{}') AS minors
      FROM (SELECT zombie_kind AS kind, captured_currency AS currency, count(*)::int AS n, sum(captured_minor)::bigint AS minor
              FROM (SELECT p.zombie_kind, p.captured_currency, p.captured_minor
                      FROM payment p
                     WHERE p.standing = 'zombie'
                     ORDER BY p.zombie_since, p.id
                     LIMIT @most) one
             GROUP BY zombie_kind, captured_currency
             ORDER BY zombie_kind, captured_currency) z
), deadline AS (
    SELECT (SELECT p.decide_by
              FROM payment p
             WHERE p.standing = 'zombie' AND p.decide_by IS NOT NULL
             ORDER BY p.decide_by
             LIMIT 1) AS at
), refunds AS (
    SELECT coalesce(array_agg(state), '{}') AS states, coalesce(array_agg(n), '{}') AS counts
      FROM (SELECT state, count(*)::int AS n
              FROM ((SELECT r.state
                       FROM refund r
                      WHERE r.state IN ('REQUESTED', 'PENDING')
                      ORDER BY r.next_try_at
                      LIMIT @most)
                    UNION ALL
                    (SELECT r.state
                       FROM refund r
                      WHERE r.done_at IS NOT NULL AND r.done_at > (SELECT now FROM clock) - interval '24 hours'
                        -- a scalar: NOT EXISTS could become a hash of all refunds
                        AND (r.state <> 'FAILED' OR (SELECT again.id FROM refund again WHERE again.retry_of = r.id) IS NULL)
                      ORDER BY r.done_at DESC
                      LIMIT @most)) one
             GROUP BY state) r
), rooms AS (
    SELECT (count(*) FILTER (WHERE r.open))::int AS open,
           coalesce(sum(l.given - l.admitted) FILTER (WHERE r.open), 0)::bigint AS waiting,
           coalesce(sum(l.admitted), 0)::bigint AS admitted,
           coalesce(sum(s.active) FILTER (WHERE r.open), 0)::bigint AS active
      FROM waiting_room r
      JOIN waiting_line l ON l.room_id = r.id
     CROSS JOIN LATERAL (
           SELECT sum(s.last_number - s.first_number + 1 - s.used) AS active
             FROM waiting_step s
            WHERE s.room_id = r.id AND s.expires_at > (SELECT now FROM clock)) s
), jobs AS (
    SELECT array_agg(j.name) AS names, array_agg(j.paused_at IS NOT NULL) AS paused,
           array_agg(run.n > 0) AS ran, array_agg(run.at) AS times
      FROM (SELECT name, paused_at FROM job ORDER BY name) j
     CROSS JOIN LATERAL (
           SELECT count(*) AS n, max(r.finished_at) FILTER (WHERE r.outcome = 'ok') AS at
             FROM (SELECT r.finished_at, r.outcome
                     FROM job_run r
                    WHERE r.job = j.name
                    ORDER BY r.started_at DESC
                    LIMIT 100) r) run
), checked AS (
    SELECT done, finished_at
      FROM (SELECT r.done, r.finished_at, r.outcome, r.started_at
              FROM job_run r
             WHERE r.job = 'check'
             ORDER BY r.started_at DESC
             LIMIT 100) r
     WHERE outcome = 'ok' OR done > 0 -- else it could not look
     ORDER BY started_at DESC
     LIMIT 1
)
SELECT clock.now, overdue.n, overdue.since, doubtful.n,
       outbox.n, outbox.since, parked.n,
       inbox.stored, inbox.unmatched, inbox.since,
       zombie.kinds, zombie.currencies, zombie.counts, zombie.minors, deadline.at,
       refunds.states, refunds.counts,
       rooms.open, rooms.waiting, rooms.active, rooms.admitted,
       jobs.names, jobs.paused, jobs.ran, jobs.times,
       coalesce(checked.done, 0), checked.finished_at
  FROM clock, overdue, doubtful, outbox, parked, inbox, zombie, deadline, refunds, rooms, jobs
  LEFT JOIN checked ON true`
