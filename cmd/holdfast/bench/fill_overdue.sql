-- They lie as they were made, one after the other within an hour, and end in that
-- order: ids rise with time, as the program's do.
WITH wanted AS (
    SELECT n, now() - interval '2 hours' + interval '1 hour' * n / $1::integer AS made_at, md5(random()::text) AS noise
      FROM generate_series(1, $1::integer) n
), made AS (
    INSERT INTO booking (id, venue_id, pool_id, day, quantity, buyer, state, expires_at, amount_minor, currency, one_per_buyer,
                         last_cause, last_actor, created_at, updated_at)
    SELECT (lpad(to_hex((extract(epoch FROM w.made_at) * 1000)::bigint), 12, '0') || '7' || substr(w.noise, 1, 3) || '8' || substr(w.noise, 4, 15))::uuid,
           p.venue_id, p.id, $2::date + 1 + (w.n / 2) % $3::integer, 1, 'late-' || w.noise, 'HELD',
           w.made_at + interval '30 minutes', 2500, 'EUR', true, 'hold', 'system:bench', w.made_at, w.made_at
      FROM wanted w
      JOIN pool p ON p.slug = 'pool-' || 1 + w.n % 2
     ORDER BY w.n
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
