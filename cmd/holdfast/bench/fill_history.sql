WITH made AS (
    INSERT INTO booking (id, venue_id, pool_id, day, quantity, buyer, state, expires_at, amount_minor, currency, one_per_buyer,
                         last_cause, last_actor, version, created_at, updated_at)
    SELECT ('0190' || lpad(to_hex(n), 8, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid, p.venue_id, p.id, $2::date + 1 + (n / 2) % $3::integer, 1, 'past-' || n, 'EXPIRED',
           now() - interval '30 days', 2500, 'EUR', true, 'expired', 'job:sweep', 2, now() - interval '31 days', now() - interval '30 days'
      FROM generate_series(1, $1::integer) n
      JOIN pool p ON p.slug = 'pool-' || 1 + n % 2
    RETURNING id, created_at, updated_at
)
INSERT INTO journal (booking_id, seq, from_state, to_state, cause, actor, at, topic, published_at)
SELECT m.id, s.seq, s.was, s.became, s.cause, s.actor, CASE s.seq WHEN 1 THEN m.created_at ELSE m.updated_at END, s.topic, CASE WHEN s.topic IS NOT NULL THEN m.updated_at END
  FROM made m
 CROSS JOIN (VALUES (1, 'NONE', 'HELD', 'hold', 'system:bench', NULL),
                    (2, 'HELD', 'EXPIRED', 'expired', 'job:sweep', 'booking.expired')) s (seq, was, became, cause, actor, topic)
