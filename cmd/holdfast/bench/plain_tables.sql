CREATE SCHEMA $plain;
CREATE TABLE $plain.pool_day (LIKE $schema.pool_day INCLUDING ALL);
CREATE TABLE $plain.booking (LIKE $schema.booking INCLUDING ALL);
CREATE TABLE $plain.journal (LIKE $schema.journal INCLUDING ALL);
CREATE TABLE $plain.idempotency (LIKE $schema.idempotency INCLUDING ALL);
-- Storage parameters are not copied.
ALTER TABLE $plain.pool_day SET (fillfactor = 70);
ALTER TABLE $plain.booking SET (fillfactor = 85);
INSERT INTO $plain.pool_day (pool_id, day, capacity, overbook_limit, taken, sales_until)
SELECT p, date '$today' + d, 1000000, 0, 0, now() + interval '10 years'
  FROM generate_series(1, 2) p, generate_series(0, 499) d;
ANALYZE $plain.pool_day;
