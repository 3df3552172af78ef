-- +goose Up

-- How a daemon's sales go, every other second while there are any: what the
-- console and `holdfast sale show` read, since they ask this database only. It
-- is a note, not a record: it decides nothing, and what is older than an hour
-- is removed by whoever writes next.
CREATE TABLE sale_pulse (
    instance     text        NOT NULL CHECK (length(instance) BETWEEN 1 AND 200),
    at           timestamptz NOT NULL, -- the end of the time that it tells of
    seconds      real        NOT NULL CHECK (seconds > 0 AND seconds <= 3600),
    placed       integer     NOT NULL CHECK (placed >= 0), -- holds
    refused      jsonb       NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(refused) = 'object' AND length(refused::text) <= 4000), -- code: number
    -- Null where nothing was measured.
    p50_ms       real        CHECK (p50_ms BETWEEN 0 AND 3600000),
    p95_ms       real        CHECK (p95_ms BETWEEN 0 AND 3600000),
    p99_ms       real        CHECK (p99_ms BETWEEN 0 AND 3600000),
    batch_mean   real        CHECK (batch_mean BETWEEN 0 AND 1000000),
    batch_max    integer     CHECK (batch_max BETWEEN 0 AND 1000000),
    lock_wait_ms real        CHECK (lock_wait_ms BETWEEN 0 AND 3600000), -- 95 of 100 waited no longer
    queue        integer     NOT NULL DEFAULT 0 CHECK (queue >= 0), -- holds that waited at its end
    PRIMARY KEY (instance, at)
);
CREATE INDEX sale_pulse_at ON sale_pulse (at);

-- Staff can pause a waiting room: nobody is let in, and those who are in stay in.
ALTER TABLE waiting_room DROP CONSTRAINT waiting_room_rate_check;
ALTER TABLE waiting_room ADD CONSTRAINT waiting_room_rate_check CHECK (rate = 0 OR rate BETWEEN 0.01 AND 100000);
