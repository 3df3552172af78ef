package pgstore

// bookingColumns reads a booking; the archive keeps seats in a table of its own.
const bookingColumns = bookingColumnsBefore + `booking_seat` + bookingColumnsAfter

const bookingColumnsBefore = `b.id, b.venue_id, v.slug, p.slug, e.slug, r.slug, coalesce(p.name, e.name, r.name),
       coalesce(b.day, e.local_start::date, b.local_from::date), b.quantity, b.event_id,
       lower(b.during), upper(b.during), b.local_from, b.local_to, b.zone,
       CASE WHEN b.event_id IS NOT NULL THEN (
           SELECT json_agg(json_build_array(s.id, s.section, s."row", s.number, s.category, bs.price_minor, s.state, s.booking_id, s.version) ORDER BY s.id)
             FROM `

const bookingColumnsAfter = ` bs
             JOIN seat s ON s.id = bs.seat_id
            WHERE bs.booking_id = b.id) END,
       b.buyer, b.state, b.expires_at, b.doubt_until, b.amount_minor, b.currency,
       b.client_id, b.idempotency_key, b.created_at, b.updated_at, b.version`

const bookingTables = `
  FROM booking b` + bookingJoins

const bookingJoins = `
  JOIN venue v ON v.id = b.venue_id
  LEFT JOIN pool p ON p.id = b.pool_id
  LEFT JOIN event e ON e.id = b.event_id
  LEFT JOIN resource r ON r.id = b.resource_id`

const sqlBookingGet = `-- booking.get
SELECT ` + bookingColumns + bookingTables + `
 WHERE b.id = @id`

const sqlBookingsByID = `-- booking.byID
SELECT ` + bookingColumns + bookingTables + `
 WHERE b.id = ANY (@ids::uuid[])`

const sqlBookingLock = `-- booking.lock
SELECT id
  FROM booking
 WHERE id = @id
   FOR NO KEY UPDATE`

const sqlBookingMove = `-- booking.move
UPDATE booking
   SET state = @to, version = version + 1,
       last_cause = @cause, last_actor = @actor, last_reason = @reason,
       expires_at = coalesce(@expires_at::timestamptz, expires_at),
       doubt_until = CASE WHEN @doubt_after::bigint IS NULL THEN doubt_until
                          ELSE coalesce(@now::timestamptz, statement_timestamp()) + @doubt_after::bigint * interval '1 microsecond' END,
       updated_at = coalesce(@now::timestamptz, statement_timestamp())
 WHERE id = @id
   AND state = @from AND version = @version -- the transition: nobody else may have moved it`

const sqlBookingList = `-- booking.list
SELECT ` + bookingColumns + bookingTables + `
 WHERE b.state = ANY (@states::text[])
   AND (@venue::text IS NULL OR v.slug = @venue)
   AND (@pool::text IS NULL OR coalesce(p.slug, e.slug, r.slug) = @pool)
   AND (@buyer::text IS NULL OR b.buyer = @buyer)
   AND (@search::text IS NULL OR b.buyer ILIKE @search OR b.id::text LIKE lower(@search) OR coalesce(p.name, e.name, r.name) ILIKE @search OR coalesce(p.slug, e.slug, r.slug) ILIKE @search)
 ORDER BY CASE WHEN @newest THEN b.created_at END DESC, b.expires_at NULLS LAST, b.id
 LIMIT @limit`

const sqlHoldCounts = `-- booking.holdCounts
SELECT b.currency,
       count(*) FILTER (WHERE b.state = 'HELD')::int,
       count(*) FILTER (WHERE b.state = 'PAYMENT_PENDING')::int,
       count(*) FILTER (WHERE b.state = 'HELD' AND b.expires_at <= coalesce(@now::timestamptz, statement_timestamp()))::int,
       sum(b.amount_minor)::bigint` + bookingTables + `
 WHERE b.state IN ('HELD', 'PAYMENT_PENDING')
   AND (@venue::text IS NULL OR v.slug = @venue)
   AND (@pool::text IS NULL OR coalesce(p.slug, e.slug, r.slug) = @pool)
 GROUP BY b.currency
 ORDER BY b.currency`

const sqlBookingFind = `-- booking.find
SELECT id
  FROM booking_all
 WHERE id::text LIKE @ending
 LIMIT 2 -- two are enough to know that the ending is not unique`

const sqlJournalOf = `-- journal.of
SELECT booking_id, seq, from_state, to_state, cause, actor, at, reason, coalesce(topic, '')
  FROM journal_all
 WHERE booking_id = @id
 ORDER BY seq`
