package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"holdfast/inventory"
)

// Booking returns a booking with its payments, always exact, also from the
// archive, or ErrNotFound.
func (s *Store) Booking(ctx context.Context, id inventory.BookingID) (inventory.Booking, error) {
	var b inventory.Booking
	err := s.read(ctx, "read booking "+id.String(), func(ctx context.Context, tx pgx.Tx) error {
		var err error
		if b, err = getBookingWithPayments(ctx, tx, id); isNoRows(err) {
			b, err = archivedBooking(ctx, tx, id)
		}
		return err
	})
	return b, err
}

// Journal returns every transition of a booking, oldest first, also of one in
// the archive.
func (s *Store) Journal(ctx context.Context, id inventory.BookingID) ([]inventory.JournalEntry, error) {
	var out []inventory.JournalEntry
	err := s.read(ctx, "read journal of "+id.String(), func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlJournalOf, pgx.StrictNamedArgs{"id": id})
		var err error
		out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (j inventory.JournalEntry, err error) {
			return j, row.Scan(&j.BookingID, &j.Seq, &j.From, &j.To, &j.Cause, &j.Actor, &j.At, &j.Reason, &j.Topic)
		})
		return err
	})
	return out, err
}

// Bookings returns the bookings that match f, at most f.Limit of them, with
// the counts of all holds at f's venue and pool.
func (s *Store) Bookings(ctx context.Context, f inventory.BookingFilter) (inventory.BookingList, error) {
	limit := bounded(f.Limit, 200, 1000)
	states := f.States
	if len(states) == 0 {
		states = []inventory.BookingState{inventory.StateHeld, inventory.StatePaymentPending}
	}
	var list inventory.BookingList
	err := s.read(ctx, "list bookings", func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlBookingList, pgx.StrictNamedArgs{
			"venue": textOrNull(f.Venue), "pool": textOrNull(f.Pool), "states": states,
			"buyer": textOrNull(f.Buyer), "search": textOrNull(likePattern(f.Search)),
			"newest": f.Order == inventory.OrderByNewest, "limit": limit + 1,
		})
		var err error
		if list.Bookings, err = pgx.CollectRows(rows, scanBooking); err != nil {
			return err
		}
		if list.More = len(list.Bookings) > limit; list.More {
			list.Bookings = list.Bookings[:limit]
		}
		list.Counts, list.AsOf, err = s.countHolds(ctx, tx, f.Venue, f.Pool)
		return err
	})
	return list, err
}

func (s *Store) countHolds(ctx context.Context, tx pgx.Tx, venue, pool string) (c inventory.HoldCounts, asOf time.Time, err error) {
	if err := tx.QueryRow(ctx, sqlNow, pgx.StrictNamedArgs{"now": s.now}).Scan(&asOf); err != nil {
		return c, asOf, err
	}
	rows, _ := tx.Query(ctx, sqlHoldCounts, pgx.StrictNamedArgs{"venue": textOrNull(venue), "pool": textOrNull(pool), "now": s.now})
	for rows.Next() {
		var held, paying, due int
		var m inventory.Money
		if err := rows.Scan(&m.Currency, &held, &paying, &due, &m.Minor); err != nil {
			rows.Close()
			return c, asOf, err
		}
		c.Held, c.Paying, c.Due = c.Held+held, c.Paying+paying, c.Due+due
		c.AtStake = append(c.AtStake, m)
	}
	return c, asOf, rows.Err()
}

// FindBooking resolves what a person typed: a whole id, or an ending of at
// least 6 characters that only one booking has.
func (s *Store) FindBooking(ctx context.Context, text string) (inventory.BookingID, error) {
	if id, err := inventory.ParseBookingID(text); err == nil {
		return id, nil
	}
	var ids []inventory.BookingID
	err := s.findByEnding(ctx, "booking", text, sqlBookingFind, func(row pgx.CollectableRow) error {
		var id inventory.BookingID
		err := row.Scan(&id)
		ids = append(ids, id)
		return err
	})
	if err != nil {
		return inventory.BookingID{}, err
	}
	return ids[0], nil
}

// findByEnding calls scan for the one row whose id ends with text.
func (s *Store) findByEnding(ctx context.Context, what, text, sql string, scan func(pgx.CollectableRow) error) error {
	if len(text) < 6 || len(text) > 36 || strings.Trim(text, "0123456789abcdef-") != "" {
		return inventory.Invalid(what, "must be an id, or at least the last 6 characters of one")
	}
	return s.read(ctx, "find "+what, func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sql, pgx.StrictNamedArgs{"ending": "%" + text})
		found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) { return struct{}{}, scan(row) })
		switch {
		case err != nil:
			return err
		case len(found) == 0:
			return inventory.ErrNotFound
		case len(found) > 1:
			return inventory.Invalid(what, "fits more than one id; give more characters")
		}
		return nil
	})
}

func getBooking(ctx context.Context, tx pgx.Tx, id inventory.BookingID) (inventory.Booking, error) {
	rows, _ := tx.Query(ctx, sqlBookingGet, pgx.StrictNamedArgs{"id": id})
	return pgx.CollectExactlyOneRow(rows, scanBooking)
}

// getBookings reads bookings by id; one that is not there is left out.
func getBookings(ctx context.Context, tx pgx.Tx, ids []inventory.BookingID) (map[inventory.BookingID]inventory.Booking, error) {
	found := make(map[inventory.BookingID]inventory.Booking, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	rows, _ := tx.Query(ctx, sqlBookingsByID, pgx.StrictNamedArgs{"ids": ids})
	all, err := pgx.CollectRows(rows, scanBooking)
	for _, b := range all {
		found[b.ID] = b
	}
	return found, err
}

func getBookingWithPayments(ctx context.Context, tx pgx.Tx, id inventory.BookingID) (inventory.Booking, error) {
	b, err := getBooking(ctx, tx, id)
	if err != nil {
		return b, err
	}
	rows, _ := tx.Query(ctx, sqlPaymentsOfBooking, pgx.StrictNamedArgs{"booking": id})
	b.Payments, err = pgx.CollectRows(rows, scanPayment)
	return b, err
}

// lockBooking locks a booking's row and returns it as it stands then. For
// steps that touch no stock; see lockClaim for those that do.
func lockBooking(ctx context.Context, tx pgx.Tx, id inventory.BookingID) (inventory.Booking, error) {
	tag, err := tx.Exec(ctx, sqlBookingLock, pgx.StrictNamedArgs{"id": id})
	if err != nil {
		return inventory.Booking{}, err
	}
	if tag.RowsAffected() == 0 {
		return inventory.Booking{}, inventory.ErrNotFound
	}
	return getBooking(ctx, tx, id)
}

// step is one transition to make on a locked booking.
type step struct {
	to         inventory.BookingState
	cause      inventory.Cause
	actor      inventory.Actor
	reason     string
	expiresAt  time.Time     // zero: as it is
	doubtAfter time.Duration // 0: doubt_until as it is
	at         time.Time     // when it was judged, under the lock; zero: when the statement runs
}

// move makes one transition: a conditional UPDATE that repeats the state that
// b was seen in. Zero rows means that someone was faster.
func (s *Store) move(ctx context.Context, tx pgx.Tx, b inventory.Booking, st step) (inventory.Booking, error) {
	now := s.now
	if !st.at.IsZero() {
		now = &st.at
	}
	tag, err := tx.Exec(ctx, sqlBookingMove, pgx.StrictNamedArgs{
		"id": b.ID, "from": b.State, "version": b.Version, "to": st.to,
		"cause": st.cause, "actor": st.actor.String(), "reason": st.reason,
		"expires_at": orNull(&st.expiresAt), "doubt_after": zeronull.Int8(st.doubtAfter / time.Microsecond), "now": now,
	})
	if err != nil {
		return b, err
	}
	if tag.RowsAffected() == 0 {
		return b, fmt.Errorf("booking %s is no longer %s: %w", b.ID, b.State, inventory.ErrStale)
	}
	return getBooking(ctx, tx, b.ID)
}

// clock asks PostgreSQL's clock. It is called after the lock is held, since a
// time judged by a statement that waited for a lock may be old.
func (s *Store) clock(ctx context.Context, tx pgx.Tx) (now time.Time, err error) {
	err = tx.QueryRow(ctx, sqlNow, pgx.StrictNamedArgs{"now": s.now}).Scan(&now)
	return now, err
}

// likePattern makes a LIKE pattern that finds text anywhere, literally.
func likePattern(text string) string {
	if text == "" {
		return ""
	}
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text) + "%"
}

func isNoRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }
