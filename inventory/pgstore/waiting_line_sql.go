package pgstore

// Decided in Go, on what was read: it is stored only if nobody moved the line
// meanwhile. Numbers that were given out and passes that were used since then
// are for the next time.
const sqlWaitingLineMove = `-- waitingLine.move
UPDATE waiting_line
   SET admitted = @admitted, credit = @credit, moved_at = @moved_at
 WHERE room_id = @room AND admitted = @seen_admitted AND moved_at = @seen_at`

const sqlWaitingStepWrite = `-- waitingStep.write
INSERT INTO waiting_step (room_id, first_number, last_number, expires_at)
VALUES (@room, @first, @last, @expires_at)
    ON CONFLICT (room_id, first_number) DO UPDATE
   SET last_number = excluded.last_number`

// Locks are taken in one order by everybody: room, line, steps by their first
// numbers, passes.
const sqlWaitingStepLock = `-- waitingStep.lock
SELECT
  FROM waiting_step
 WHERE room_id = @room
 ORDER BY first_number
   FOR NO KEY UPDATE`

// Steps that are over are few, their passes may be many: what is beyond the limit
// is left to pass.forget.
const sqlWaitingStepForget = `-- waitingStep.forget
WITH gone AS (
    DELETE FROM waiting_step
     WHERE room_id = @room AND expires_at < @before -- locked by this transaction
    RETURNING first_number, last_number
)
DELETE FROM waiting_pass
 WHERE room_id = @room
   AND number IN (SELECT p.number
                    FROM gone g
                    JOIN waiting_pass p ON p.room_id = @room AND p.number BETWEEN g.first_number AND g.last_number
                   LIMIT @limit)`

const sqlWaitingLineDraw = `-- waitingLine.draw
UPDATE waiting_line
   SET given = given + @n::int
 WHERE room_id = @room
RETURNING given - @n::int + 1`

// The key of the request that has the pass tells what became of it: a row in
// idempotency is a hold that was placed, none is a refusal or a request that is
// still under way. A pass is taken over from a hold that is over, from a request
// that gave it back, and from one that left no trace for long.
const sqlPassClaim = `-- pass.claim
WITH seen AS (
    SELECT set_config('synchronous_commit', 'off', true) AS is_set, -- until the end of this statement
           coalesce(@now::timestamptz, statement_timestamp()) AS now,
           EXISTS (SELECT FROM idempotency WHERE client_id = @client AND key = @key) AS replay
), claimed AS (
    INSERT INTO waiting_pass AS p (room_id, number, client_id, key, claimed_at)
    SELECT @room::bigint, @number::bigint, @client::bigint, @key::text, now
      FROM seen
     WHERE NOT replay AND is_set IS NOT NULL
        ON CONFLICT (room_id, number) DO UPDATE
       SET client_id = excluded.client_id, key = excluded.key, claimed_at = excluded.claimed_at
     WHERE CASE WHEN EXISTS (SELECT FROM idempotency i WHERE i.client_id = p.client_id AND i.key = p.key)
                THEN NOT EXISTS (SELECT
                                   FROM idempotency i
                                   JOIN booking b ON b.id = i.booking_id
                                  WHERE i.client_id = p.client_id AND i.key = p.key
                                    AND (b.state IN ('PAYMENT_PENDING', 'CONFIRMED') OR b.state = 'HELD' AND b.expires_at > excluded.claimed_at))
                ELSE p.claimed_at < excluded.claimed_at - @patience::interval
                END
    RETURNING number
)
SELECT replay, EXISTS (SELECT FROM claimed),
       NOT EXISTS (SELECT
                     FROM waiting_pass p
                    WHERE p.room_id = @room AND p.number = @number AND (p.client_id <> @client OR p.key <> @key))
  FROM seen`

const sqlPassReturn = `-- pass.return
UPDATE waiting_pass
   SET claimed_at = '-infinity'
 WHERE room_id = @room AND number = @number AND client_id = @client AND key = @key
RETURNING set_config('synchronous_commit', 'off', true) IS NOT NULL -- if it is lost, the pass is free a little later`

const sqlPassAnswered = `-- pass.answered
SELECT EXISTS (SELECT FROM idempotency WHERE client_id = @client AND key = @key)`

// The steps of some numbers, before their passes are touched.
const sqlPassLockSteps = `-- pass.lockSteps
SELECT
  FROM waiting_step s
 WHERE EXISTS (SELECT
                 FROM unnest(@rooms::bigint[], @numbers::bigint[]) AS u (room, number)
                WHERE u.room = s.room_id AND u.number BETWEEN s.first_number AND s.last_number)
 ORDER BY s.room_id, s.first_number
   FOR NO KEY UPDATE`

// Passes in the order of their numbers, as every daemon takes them; their steps
// are locked by this transaction.
const sqlPassPlaced = `-- pass.placed
WITH placed AS (
    INSERT INTO waiting_pass AS p (room_id, number, client_id, key, claimed_at, placed)
    SELECT DISTINCT ON (u.room, u.number) u.room, u.number, u.client, u.key, coalesce(@now::timestamptz, statement_timestamp()), true
      FROM unnest(@rooms::bigint[], @numbers::bigint[], @clients::bigint[], @keys::text[]) AS u (room, number, client, key)
     ORDER BY u.room, u.number
        ON CONFLICT (room_id, number) DO UPDATE
       SET placed = true
     WHERE NOT p.placed
    RETURNING room_id, number
), counted AS (
    SELECT s.room_id, s.first_number, count(*) AS n
      FROM placed p
      JOIN waiting_step s ON s.room_id = p.room_id AND p.number BETWEEN s.first_number AND s.last_number
     GROUP BY s.room_id, s.first_number
)
UPDATE waiting_step s
   SET used = s.used + c.n
  FROM counted c
 WHERE s.room_id = c.room_id AND s.first_number = c.first_number`
