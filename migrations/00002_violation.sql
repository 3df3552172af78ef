-- +goose Up

-- Every invariant as one statement, so that it is read from one snapshot.
-- No row means that all hold. `holdfast check` prints it, the check job alarms
-- on it, and every test ends with it.
CREATE VIEW violation (invariant, object, detail) AS

-- taken is the sum of the live bookings' quantities, always.
SELECT 'I1_counter_drift', format('pool_day %s %s', d.pool_id, d.day), format('taken %s, live bookings %s', d.taken, coalesce(b.live, 0))
  FROM pool_day d
  LEFT JOIN (SELECT pool_id, day, sum(quantity) AS live
               FROM booking WHERE state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED')
              GROUP BY pool_id, day) b USING (pool_id, day)
 WHERE d.taken <> coalesce(b.live, 0)

UNION ALL
SELECT 'I2_over_limit', format('pool_day %s %s', pool_id, day), format('taken %s, sell limit %s, of which an edit explains %s', taken, capacity + overbook_limit, oversold_by_edit)
  FROM pool_day
 WHERE taken < 0 OR taken > capacity + overbook_limit + oversold_by_edit

UNION ALL
SELECT 'I5_two_live_bookings', format('pool_day %s %s buyer %s', pool_id, day, quote_literal(buyer)), format('%s live bookings', count(*))
  FROM booking
 WHERE one_per_buyer AND state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED')
 GROUP BY pool_id, day, buyer, client_id
HAVING count(*) > 1

UNION ALL
SELECT 'I6_edge', format('booking %s seq %s', j.booking_id, j.seq), format('%s -> %s', j.from_state, j.to_state)
  FROM journal j
 WHERE NOT EXISTS (SELECT FROM allowed_transition t WHERE t.from_state = j.from_state AND t.to_state = j.to_state)

UNION ALL
SELECT 'I6_chain', format('booking %s seq %s', booking_id, seq), format('starts at %s, the one before ended at %s', from_state, before)
  FROM (SELECT booking_id, seq, from_state,
               coalesce(lag(to_state) OVER w, 'NONE') AS before,
               row_number() OVER w AS place
          FROM journal WINDOW w AS (PARTITION BY booking_id ORDER BY seq)) j
 WHERE from_state <> before OR seq <> place

UNION ALL
SELECT 'I6_head', format('booking %s', b.id), format('%s v%s, journal ends with %s seq %s', b.state, b.version, j.to_state, j.seq)
  FROM booking b
  LEFT JOIN LATERAL (SELECT to_state, seq FROM journal WHERE booking_id = b.id ORDER BY seq DESC LIMIT 1) j ON true
 WHERE j.seq IS DISTINCT FROM b.version OR j.to_state IS DISTINCT FROM b.state

UNION ALL
SELECT 'I7_applied_elsewhere', format('payment %s', p.id), format('applied to booking %s, which is %s', p.booking_id, b.state)
  FROM payment p JOIN booking b ON b.id = p.booking_id
 WHERE p.standing = 'applied' AND b.state <> 'CONFIRMED'

UNION ALL
SELECT 'I7_captured_unowned', format('payment %s', id), 'captured and without a standing'
  FROM payment
 WHERE (state = 'SUCCEEDED') <> (standing IS NOT NULL)

UNION ALL
SELECT 'I7_refunding_without_refund', format('payment %s', p.id), format('%s, refunds open or done: %s of %s', p.standing, coalesce(r.minor, 0), p.captured_minor)
  FROM payment p
  LEFT JOIN (SELECT payment_id, sum(amount_minor) AS minor, bool_and(state = 'SUCCEEDED') AS done
               FROM refund WHERE state <> 'FAILED' GROUP BY payment_id) r ON r.payment_id = p.id
 WHERE (p.standing = 'refunding' AND r.minor IS NULL)
    OR (p.standing = 'refunded' AND (r.minor IS DISTINCT FROM p.captured_minor OR NOT r.done))

UNION ALL
SELECT 'I8_confirmed_unpaid', format('booking %s', b.id), format('CONFIRMED, amount %s %s, no applied payment and no named comp', b.amount_minor, b.currency)
  FROM booking b
 WHERE b.state = 'CONFIRMED' AND b.amount_minor > 0
   AND NOT EXISTS (SELECT FROM payment p WHERE p.booking_id = b.id AND p.standing = 'applied')
   AND NOT EXISTS (SELECT FROM journal j WHERE j.booking_id = b.id AND j.cause = 'comp' AND j.reason <> '')

UNION ALL
SELECT 'I9_refunded_too_much', format('payment %s', p.id), format('refunds %s of %s captured', r.minor, p.captured_minor)
  FROM payment p
  JOIN (SELECT payment_id, sum(amount_minor) AS minor FROM refund WHERE state <> 'FAILED' GROUP BY payment_id) r ON r.payment_id = p.id
 WHERE p.captured_minor IS NULL OR r.minor > p.captured_minor

UNION ALL
SELECT 'I10_revived_twice', format('booking %s', booking_id), format('%s revives', count(*))
  FROM journal
 WHERE to_state = 'CONFIRMED' AND from_state IN ('EXPIRED', 'CANCELLED')
 GROUP BY booking_id
HAVING count(*) > 1

UNION ALL
SELECT 'I13_key_without_booking', format('client %s key %s', i.client_id, quote_literal(i.key)), 'the booking it answers with does not exist'
  FROM idempotency i
 WHERE i.booking_id IS NOT NULL AND NOT EXISTS (SELECT FROM booking b WHERE b.id = i.booking_id)

UNION ALL
SELECT 'I15_expired_early', format('booking %s', b.id), format('expired at %s, its end was %s', b.updated_at, b.expires_at)
  FROM booking b
 WHERE b.state = 'EXPIRED' AND b.last_cause = 'expired' AND b.updated_at < b.expires_at

UNION ALL
SELECT 'I15_confirmed_late', format('booking %s', j.booking_id), format('confirmed at %s after its end %s with cause %s', j.at, b.expires_at, j.cause)
  FROM journal j JOIN booking b ON b.id = j.booking_id
 WHERE j.from_state = 'HELD' AND j.to_state = 'CONFIRMED'
   AND j.at >= b.expires_at AND j.cause NOT IN ('late_but_still_held', 'comp')

UNION ALL
SELECT 'I17_currency', format('refund %s', r.id), format('refund in %s of a payment in %s', r.currency, p.captured_currency)
  FROM refund r JOIN payment p ON p.id = r.payment_id
 WHERE r.currency IS DISTINCT FROM p.captured_currency;
