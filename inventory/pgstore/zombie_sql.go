package pgstore

const sqlZombieList = `-- zombie.list
SELECT pm.id, pm.booking_id, pm.attempt, pm.provider, pm.provider_payment, pm.provider_key,
       pm.amount_minor, pm.currency, pm.captured_minor, pm.captured_currency,
       pm.state, pm.standing, pm.zombie_kind, pm.client_secret, pm.url,
       pm.created_at, pm.captured_at, pm.zombie_since, pm.decide_by,
       pm.ask_tries, pm.next_ask_at, pm.last_error, pm.dispute, pm.version,
       b.venue_id, v.slug, coalesce(p.late_policy, v.late_policy),
       greatest(0, d.capacity + d.overbook_limit - d.taken),
       CASE WHEN b.id IS NOT NULL THEN retake_refusal(b, coalesce(@now::timestamptz, statement_timestamp())) END,
       coalesce(p.max_per_buyer > 0 AND p.max_per_buyer <= (
           SELECT count(*) FROM booking other
            WHERE other.pool_id = b.pool_id AND other.day = b.day AND other.buyer = b.buyer
              AND other.client_id IS NOT DISTINCT FROM b.client_id AND other.id <> b.id
              AND other.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED'))
           OR b.one_per_buyer AND EXISTS (
           SELECT FROM booking rival
            WHERE rival.pool_id = b.pool_id AND rival.day = b.day AND rival.buyer = b.buyer
              AND rival.client_id IS NOT DISTINCT FROM b.client_id AND rival.id <> b.id AND rival.one_per_buyer
              AND rival.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED')), false),
       -- what can never be revived: a booking that was, and money of which a part went back
       EXISTS (SELECT FROM journal j
                WHERE j.booking_id = b.id AND j.to_state = 'CONFIRMED' AND j.from_state IN ('EXPIRED', 'CANCELLED'))
       OR EXISTS (SELECT FROM refund r WHERE r.payment_id = pm.id AND r.state <> 'FAILED')
  FROM payment pm
  LEFT JOIN booking b ON b.id = pm.booking_id
  LEFT JOIN venue v ON v.id = b.venue_id
  LEFT JOIN pool p ON p.id = b.pool_id
  LEFT JOIN pool_day d ON d.pool_id = b.pool_id AND d.day = b.day
 WHERE pm.standing = 'zombie'
   AND (@venue::text IS NULL OR v.slug = @venue)
   AND (@payment::uuid IS NULL OR pm.id = @payment)
 ORDER BY pm.zombie_since, pm.id
 LIMIT @limit`

const sqlZombieTotals = `-- zombie.totals
SELECT pm.captured_currency, count(*)::int, sum(pm.captured_minor)::bigint
  FROM payment pm
  LEFT JOIN booking b ON b.id = pm.booking_id
  LEFT JOIN venue v ON v.id = b.venue_id
 WHERE pm.standing = 'zombie'
   AND (@venue::text IS NULL OR v.slug = @venue)
 GROUP BY pm.captured_currency
 ORDER BY pm.captured_currency`

const sqlReviveFacts = `-- zombie.reviveFacts
SELECT coalesce(p.id, 0), coalesce(p.max_per_buyer, 0),
       EXISTS (SELECT FROM journal j
                WHERE j.booking_id = b.id AND j.to_state = 'CONFIRMED' AND j.from_state IN ('EXPIRED', 'CANCELLED'))
  FROM booking b
  LEFT JOIN pool p ON p.id = b.pool_id
 WHERE b.id = @id`

const sqlReviveRival = `-- zombie.reviveRival
SELECT b.one_per_buyer AND EXISTS (
       SELECT FROM booking rival
        WHERE rival.pool_id = b.pool_id AND rival.day = b.day AND rival.buyer = b.buyer
          AND rival.client_id IS NOT DISTINCT FROM b.client_id AND rival.id <> b.id AND rival.one_per_buyer
          AND rival.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED'))
  FROM booking b
 WHERE b.id = @id -- its day is locked: no rival can appear`
