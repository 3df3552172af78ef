\set r random(1, 9000000000000000000)
\set n random(0, $days - 1)
\set p :n / 500 + 1
\set d :n % 500
BEGIN;
INSERT INTO idempotency (client_id, key, fingerprint, booking_id, answer) VALUES (1, 'k-' || :r::text, decode('0102030405060708010203040506070801020304050607080102030405060708', 'hex'), (lpad(to_hex((extract(epoch FROM now()) * 1000000)::bigint), 16, '0') || lpad(to_hex(:r::bigint), 16, '0'))::uuid, jsonb_build_object('state', 'HELD', 'expires_at', now() + interval '30 minutes'));
INSERT INTO booking (id, venue_id, pool_id, day, quantity, buyer, state, expires_at, amount_minor, currency, one_per_buyer, client_id, idempotency_key, last_cause, last_actor, created_at, updated_at) VALUES ((lpad(to_hex((extract(epoch FROM now()) * 1000000)::bigint), 16, '0') || lpad(to_hex(:r::bigint), 16, '0'))::uuid, 1, :p, date '$today' + :d::int, 1, 'u-' || :r::text, 'HELD', now() + interval '30 minutes', 2500, 'EUR', true, 1, 'k-' || :r::text, 'hold', 'bench', now(), now());
INSERT INTO journal (booking_id, seq, from_state, to_state, cause, actor, at) VALUES ((lpad(to_hex((extract(epoch FROM now()) * 1000000)::bigint), 16, '0') || lpad(to_hex(:r::bigint), 16, '0'))::uuid, 1, 'NONE', 'HELD', 'hold', 'bench', now());
UPDATE pool_day SET taken = taken + 1 WHERE pool_id = :p AND day = date '$today' + :d::int AND NOT stop_sell AND taken + 1 <= capacity + overbook_limit;
COMMIT;
