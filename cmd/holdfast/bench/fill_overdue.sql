WITH made AS (
    INSERT INTO booking (id, venue_id, pool_id, day, quantity, buyer, state, expires_at, amount_minor, currency, one_per_buyer,
                         last_cause, last_actor, created_at, updated_at)
    SELECT gen_random_uuid(), p.venue_id, p.id, $2::date + 1 + (n / 2) % $3::integer, 1, 'late-' || n || '-' || clock_timestamp(), 'HELD',
           now() - interval '1 hour' + n % 3000 * interval '1 second', 2500, 'EUR', true,
           'hold', 'system:bench', now() - interval '2 hours', now() - interval '2 hours'
      FROM generate_series(1, $1::integer) n
      JOIN pool p ON p.slug = 'pool-' || 1 + n % 2
    RETURNING id, pool_id, day, last_actor, created_at
), told AS (
    INSERT INTO journal (booking_id, seq, from_state, to_state, cause, actor, at)
    SELECT id, 1, 'NONE', 'HELD', 'hold', last_actor, created_at
      FROM made
)
UPDATE pool_day d
   SET taken = d.taken + m.n
  FROM (SELECT pool_id, day, count(*)::integer AS n FROM made GROUP BY pool_id, day) m
 WHERE d.pool_id = m.pool_id AND d.day = m.day
