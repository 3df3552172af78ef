package pgstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

const (
	// sellingSample is how many of the newest bookings say what is busy, and
	// sellingSpan how old they may be.
	sellingSample = 2000
	sellingSpan   = 5 * time.Minute
	// sellingNext is how many events are listed although nothing happens: the
	// seats of each are counted, of a large hall 10,000.
	sellingNext = 3

	// As for the vitals: rather no answer than one that reads everything.
	beginSelling = "begin read only; set local statement_timeout = '2s'; set local enable_seqscan = off; set local jit = off"
)

// Selling returns at most limit pool days and events that sell now or next: the
// busiest first, then those with an open waiting room, then by date. Of events
// for which nobody waits or asks it lists only the next few. venue "" means all.
// It reads none of the bookings that are over or confirmed but the newest few.
func (s *Store) Selling(ctx context.Context, venue string, limit int) (inventory.SellingList, error) {
	var out inventory.SellingList
	err := s.inTxThatTakes(ctx, "read what sells", beginSelling, func(ctx context.Context, tx pgx.Tx) error {
		args := pgx.StrictNamedArgs{"now": s.now, "span": sellingSpan.Microseconds(), "sample": sellingSample}
		if err := tx.QueryRow(ctx, sqlSellingSince, args).Scan(&out.AsOf, &out.Since); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, sqlSellingList, pgx.StrictNamedArgs{
			"now": out.AsOf, "since": out.Since, "venue": textOrNull(venue), "sample": sellingSample,
			"most": inventory.SellingMost, "next": sellingNext, "limit": bounded(limit, 20, 100),
		})
		var err error
		out.Rows, err = pgx.CollectRows(rows, scanSelling)
		return err
	})
	return out, err
}

func scanSelling(row pgx.CollectableRow) (r inventory.Selling, err error) {
	var venue, slug string
	var isPool bool
	err = row.Scan(&isPool, &venue, &slug, &r.Name, &r.Day, &r.Limit, &r.Taken, &r.Held, &r.Holds, &r.Paying, &r.Zombies,
		&r.Recent, &r.StopSell, orNull(&r.SalesFrom), &r.SalesUntil, &r.Version)
	if isPool {
		r.Kind, r.Pool = inventory.ClaimPool, inventory.PoolRef{Venue: venue, Pool: slug}
	} else {
		r.Kind, r.Event = inventory.ClaimSeats, inventory.EventRef{Venue: venue, Event: slug}
	}
	return r, err
}

// Ids of bookings rise with time, so the newest are at one end of the primary
// key. Where the sample is full, it reaches less far back.
const sqlSellingSince = `-- selling.since
SELECT c.now, CASE WHEN count(l.created_at) < @sample THEN c.now - @span::bigint * interval '1 microsecond'
                   ELSE greatest(least(min(l.created_at), c.now), c.now - @span::bigint * interval '1 microsecond') END
  FROM (SELECT coalesce(@now::timestamptz, statement_timestamp()) AS now) c
  LEFT JOIN (SELECT created_at FROM booking ORDER BY id DESC LIMIT @sample) l ON true
 GROUP BY c.now`

// First which days and events, then only their holds and seats are counted.
const sqlSellingList = `-- selling.list
WITH busy AS MATERIALIZED (
    SELECT l.pool_id, l.day, l.event_id, count(*)::int AS n
      FROM (SELECT pool_id, day, event_id, created_at FROM booking ORDER BY id DESC LIMIT @sample) l
     WHERE l.created_at >= @since::timestamptz AND (l.pool_id IS NOT NULL OR l.event_id IS NOT NULL)
     GROUP BY l.pool_id, l.day, l.event_id
), paying AS MATERIALIZED (
    SELECT p.pool_id, p.day, p.event_id, count(*)::int AS n, sum(p.quantity)::int AS places
      FROM (SELECT pool_id, day, event_id, quantity
              FROM booking
             WHERE state = 'PAYMENT_PENDING'
             ORDER BY doubt_until
             LIMIT @most) p
     GROUP BY p.pool_id, p.day, p.event_id
), zombie AS MATERIALIZED (
    SELECT b.pool_id, b.day, b.event_id, count(*)::int AS n
      FROM (SELECT booking_id FROM payment WHERE standing = 'zombie' ORDER BY zombie_since LIMIT @most) z
      JOIN booking b ON b.id = z.booking_id
     GROUP BY b.pool_id, b.day, b.event_id
), day AS (
    SELECT p.id AS pool_id, d.day, NULL::uuid AS event_id, v.slug AS venue, p.slug, p.name,
           d.capacity + d.overbook_limit AS "limit", d.taken, d.stop_sell, d.sales_from, d.sales_until, d.version,
           d.sales_until AS ends, coalesce(n.n, 0) AS recent, EXISTS (SELECT FROM waiting_room r WHERE r.pool_id = p.id AND r.open) AS queued
      FROM pool p
      JOIN venue v ON v.id = p.venue_id
     CROSS JOIN LATERAL (
           (SELECT x.*
              FROM pool_day x
             WHERE x.pool_id = p.id AND x.sales_until > @now::timestamptz
               AND x.day >= (@now::timestamptz - interval '2 days')::date -- whatever the zone
             ORDER BY x.day
             LIMIT 2)
            UNION
           (SELECT x.*
              FROM busy n
              JOIN pool_day x ON x.pool_id = n.pool_id AND x.day = n.day
             WHERE n.pool_id = p.id)) d
      LEFT JOIN busy n ON n.pool_id = d.pool_id AND n.day = d.day
     WHERE @venue::text IS NULL OR v.slug = @venue
), event_of AS (
    SELECT NULL::bigint AS pool_id, e.local_start::date AS day, e.id AS event_id, v.slug AS venue, e.slug, e.name,
           0 AS "limit", 0 AS taken, e.stop_sell, e.sales_from, e.sales_until, e.version,
           e.sales_until AS ends, coalesce(n.n, 0) AS recent, EXISTS (SELECT FROM waiting_room r WHERE r.event_id = e.id AND r.open) AS queued
      FROM event e
      JOIN venue v ON v.id = e.venue_id
      LEFT JOIN busy n ON n.event_id = e.id
     WHERE (@venue::text IS NULL OR v.slug = @venue) AND (e.sales_until > @now::timestamptz OR n.n > 0)
), happening AS (
    SELECT *
      FROM event_of
     ORDER BY recent DESC, queued DESC, ends, venue, slug
     LIMIT greatest(@next::bigint, (SELECT count(*) FROM event_of WHERE recent > 0 OR queued))
), chosen AS MATERIALIZED (
    SELECT *
      FROM (SELECT * FROM day UNION ALL SELECT * FROM happening) c
     ORDER BY c.recent DESC, c.queued DESC, c.ends, c.venue, c.slug, c.day
     LIMIT @limit
)
SELECT c.pool_id IS NOT NULL, c.venue, c.slug, c.name, c.day,
       CASE WHEN c.event_id IS NULL THEN c."limit" ELSE coalesce(s.total, 0) END,
       CASE WHEN c.event_id IS NULL THEN c.taken ELSE coalesce(s.taken, 0) END,
       CASE WHEN c.event_id IS NULL THEN coalesce(h.places, 0) + coalesce(p.places, 0) ELSE coalesce(s.held, 0) END,
       coalesce(h.n, 0), coalesce(p.n, 0), coalesce(z.n, 0),
       c.recent, c.stop_sell, c.sales_from, c.sales_until, c.version
  FROM chosen c
  LEFT JOIN LATERAL (
       SELECT count(*)::int AS n, sum(l.quantity)::int AS places
         FROM ((SELECT b.quantity
                  FROM booking b
                 WHERE c.pool_id IS NOT NULL AND b.pool_id = c.pool_id AND b.day = c.day AND b.state = 'HELD'
                 LIMIT @most)
                UNION ALL
               (SELECT b.quantity
                  FROM booking b
                 WHERE c.event_id IS NOT NULL AND b.event_id = c.event_id AND b.state = 'HELD'
                 LIMIT @most)) l) h ON true
  LEFT JOIN LATERAL (
       SELECT count(*) FILTER (WHERE s.state <> 'KILLED')::int AS total,
              count(*) FILTER (WHERE s.state IN ('HELD', 'BOOKED'))::int AS taken,
              count(*) FILTER (WHERE s.state = 'HELD')::int AS held
         FROM seat s
        WHERE c.event_id IS NOT NULL AND s.event_id = c.event_id) s ON true
  LEFT JOIN paying p ON p.pool_id = c.pool_id AND p.day = c.day OR p.event_id = c.event_id
  LEFT JOIN zombie z ON z.pool_id = c.pool_id AND z.day = c.day OR z.event_id = c.event_id
 ORDER BY c.recent DESC, c.queued DESC, c.ends, c.venue, c.slug, c.day`
