package pgstore

const refundColumns = `r.id, r.payment_id, r.amount_minor, r.currency, r.state, pm.provider, r.provider_refund,
       r.reason, r.requested_by, r.requested_at, r.done_at, r.tries, r.sent_at, r.next_try_at, r.last_error, r.external`

const sqlRefundGet = `-- refund.get
SELECT ` + refundColumns + `
  FROM refund r
  JOIN payment pm ON pm.id = r.payment_id
 WHERE r.id = @id`

const sqlRefundList = `-- refund.list
SELECT ` + refundColumns + `
  FROM refund r
  JOIN payment pm ON pm.id = r.payment_id
  LEFT JOIN booking b ON b.id = pm.booking_id
  LEFT JOIN venue v ON v.id = b.venue_id
 WHERE (@venue::text IS NULL OR v.slug = @venue)
   AND (@state::text IS NULL OR r.state = @state)
 ORDER BY r.requested_at DESC, r.id DESC
 LIMIT @limit`

const sqlRefundFind = `-- refund.find
SELECT id
  FROM refund
 WHERE id::text LIKE @ending
 LIMIT 2`

const sqlRefundSum = `-- refund.sum
SELECT coalesce(sum(amount_minor), 0)::bigint
  FROM refund
 WHERE payment_id = @payment -- locked: no second refund can slip in
   AND state <> 'FAILED'`

const sqlRefundInsert = `-- refund.insert
INSERT INTO refund (id, payment_id, amount_minor, currency, state, reason, requested_by, requested_at, next_try_at, external, retry_of)
SELECT @id, @payment, @amount, @currency, 'REQUESTED', @reason, @by, t.now, t.now, @external, @retry_of
  FROM (SELECT coalesce(@now::timestamptz, statement_timestamp()) AS now) t`

const sqlRefundClaim = `-- refund.claim
WITH due AS (
    SELECT r.id
      FROM refund r
      JOIN payment pm ON pm.id = r.payment_id
     WHERE r.state IN ('REQUESTED', 'PENDING')
       AND r.next_try_at <= coalesce(@now::timestamptz, statement_timestamp())
       AND pm.provider = ANY (@providers) -- a process puts off no try that it cannot make
       AND NOT r.external -- the provider's own business
       AND coalesce(pm.dispute, 'won') = 'won' -- the bank may give the money back itself
     ORDER BY r.next_try_at, r.id
     LIMIT @limit
       FOR NO KEY UPDATE OF r SKIP LOCKED
)
UPDATE refund r
   SET tries = r.tries + 1,
       sent_at = coalesce(r.sent_at, @now::timestamptz, statement_timestamp()),
       -- 30 s, 1 min, 2 min ... 1 h, each up to half as long again
       next_try_at = coalesce(@now::timestamptz, statement_timestamp())
                   + least(interval '30 seconds' * power(2, least(r.tries, 7)), interval '1 hour') * (1 + random() / 2)
  FROM due, payment pm
 WHERE r.id = due.id AND pm.id = r.payment_id
RETURNING ` + refundColumns + `, pm.provider_payment`

// REQUESTED < PENDING < SUCCEEDED < FAILED: only forward.
const sqlRefundMove = `-- refund.move
UPDATE refund
   SET state = @state, provider_refund = coalesce(provider_refund, @provider_refund), last_error = @error,
       done_at = CASE WHEN @state IN ('SUCCEEDED', 'FAILED') THEN coalesce(@now::timestamptz, statement_timestamp()) END,
       next_try_at = CASE WHEN @state = 'PENDING' THEN next_try_at END
 WHERE id = @id
   AND array_position(ARRAY['REQUESTED', 'PENDING', 'SUCCEEDED', 'FAILED'], state)
     < array_position(ARRAY['REQUESTED', 'PENDING', 'SUCCEEDED', 'FAILED'], @state::text)`

const sqlRefundProgress = `-- refund.progress
SELECT count(*) FILTER (WHERE state IN ('REQUESTED', 'PENDING'))::int,
       coalesce(sum(amount_minor) FILTER (WHERE state = 'SUCCEEDED'), 0)::bigint
  FROM refund
 WHERE payment_id = @payment`

const sqlRefundNote = `-- refund.note
UPDATE refund
   SET last_error = left(@error, 500)
 WHERE id = @id AND state IN ('REQUESTED', 'PENDING')`

const sqlRefundByProvider = `-- refund.byProvider
SELECT r.id, pm.provider_payment
  FROM refund r
  JOIN payment pm ON pm.id = r.payment_id
 WHERE pm.provider = @provider AND (r.id = @reference OR r.provider_refund = @provider_refund)
 ORDER BY r.id IS NOT DISTINCT FROM @reference DESC -- our own id says more than the provider's
 LIMIT 1`

const sqlZombiesOverdue = `-- zombie.overdue
SELECT id
  FROM payment
 WHERE standing = 'zombie' AND decide_by <= coalesce(@now::timestamptz, statement_timestamp())
   AND coalesce(dispute, 'won') = 'won' -- the others would fill the limit and starve these
 ORDER BY decide_by
 LIMIT @limit`
