package pgstore

// Pools and events of one venue may have the same slug, so which is meant is
// said.
const sqlWaitingClaim = `-- waitingRoom.claim
SELECT p.id, e.id
  FROM venue v
  LEFT JOIN pool p ON @is_pool AND p.venue_id = v.id AND p.slug = @name
  LEFT JOIN event e ON NOT @is_pool AND e.venue_id = v.id AND e.slug = @name
 WHERE v.slug = @venue AND num_nonnulls(p.id, e.id) = 1`

// Two who set up the same room at once: one makes it, the other finds it.
const sqlWaitingRoomInsert = `-- waitingRoom.insert
WITH room AS (
    INSERT INTO waiting_room (pool_id, event_id, rate, max_active, pass_life)
    VALUES (@pool, @event, @rate, @max_active, @pass_life)
        ON CONFLICT DO NOTHING
    RETURNING id
)
INSERT INTO waiting_line (room_id, moved_at, turned_at)
SELECT id, coalesce(@now::timestamptz, statement_timestamp()), coalesce(@now::timestamptz, statement_timestamp())
  FROM room`

// Whoever moves the line has the line and asks for the room, as a step refers to
// it: that must not wait for an edit, which has the room and asks for the line.
const sqlWaitingRoomLock = `-- waitingRoom.lock
SELECT id
  FROM waiting_room
 WHERE pool_id = @pool OR event_id = @event
   FOR NO KEY UPDATE`

const sqlWaitingRoomUpdate = `-- waitingRoom.update
UPDATE waiting_room
   SET rate = @rate, max_active = @max_active, pass_life = @pass_life, open = @open, version = version + 1
 WHERE id = @room -- locked, and its version compared, by this transaction`

// Who waited before has no place in the new line: numbers go on, and all up to
// the last are over, also those whose signed passes say something else. The line
// and its steps are locked by this transaction.
const sqlWaitingLineAnew = `-- waitingLine.anew
WITH steps AS (
    DELETE FROM waiting_step WHERE room_id = @room -- their passes, which may be many, are forgotten by and by
)
UPDATE waiting_line
   SET admitted = given, begins_after = given
 WHERE room_id = @room`

// Time while the room was closed earns nothing.
const sqlWaitingLineTurn = `-- waitingLine.turn
UPDATE waiting_line
   SET moved_at = @now, turned_at = @now, credit = 0
 WHERE room_id = @room`

const sqlWaitingRoomList = `-- waitingRoom.list
SELECT r.id, v.slug, coalesce(p.slug, e.slug) AS name, r.pool_id IS NOT NULL AS is_pool, r.event_id,
       r.rate, r.max_active, r.pass_life, r.open, r.version,
       l.given, l.admitted, l.credit, l.moved_at, l.turned_at, l.begins_after,
       ARRAY (SELECT s.first_number FROM waiting_step s WHERE s.room_id = r.id ORDER BY s.first_number),
       ARRAY (SELECT s.last_number  FROM waiting_step s WHERE s.room_id = r.id ORDER BY s.first_number),
       ARRAY (SELECT s.used         FROM waiting_step s WHERE s.room_id = r.id ORDER BY s.first_number),
       ARRAY (SELECT s.expires_at   FROM waiting_step s WHERE s.room_id = r.id ORDER BY s.first_number)
  FROM waiting_room r
  JOIN waiting_line l ON l.room_id = r.id
  LEFT JOIN pool p ON p.id = r.pool_id
  LEFT JOIN event e ON e.id = r.event_id
  JOIN venue v ON v.id = coalesce(p.venue_id, e.venue_id)
 WHERE (r.open OR NOT @only_open)
   AND (@room::bigint IS NULL OR r.id = @room)
 ORDER BY v.slug, name, is_pool`
