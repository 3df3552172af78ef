package pgstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"

	"holdfast/inventory"
)

// constraints maps the name of a constraint that a caller can run into to its
// outcome. Any other violation is a bug and stays an internal error.
var constraints = map[string]error{
	"booking_one_live_per_buyer": inventory.ErrHoldExists,
	"booking_transition":         inventory.ErrNotAllowed,
	"booking_range_free":         inventory.ErrRangeTaken,
	"booking_seat_one_live":      inventory.ErrSeatTaken,
	"venue_slug_key":             inventory.ErrAlreadyExists,
	"pool_venue_id_slug_key":     inventory.ErrAlreadyExists,
	"resource_venue_id_slug_key": inventory.ErrAlreadyExists,
	"event_venue_id_slug_key":    inventory.ErrAlreadyExists,
	"seat_place":                 inventory.ErrAlreadyExists,
	"api_client_name_key":        inventory.ErrAlreadyExists,
	"change_set_undoes_key":      inventory.ErrNotAllowed,
	"journal_revived_once":       inventory.ErrNotAllowed,
	"refund_retried_once":        inventory.ErrNotAllowed,
	"pool_day_pkey":              inventory.ErrStale, // the horizon made the day meanwhile
}

// again reports whether the whole transaction may simply be run once more.
func again(err error) bool {
	if errors.Is(err, errClaimMoved) {
		return true
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40001" || pg.Code == "40P01") // serialization_failure, deadlock_detected
}

// translate turns a driver's error into an outcome of the domain, by SQLSTATE
// and constraint name, never by text. It is the only place that does.
func (s *Store) translate(err error) error {
	if err == nil || inventory.Code(err) != "INTERNAL" {
		return err // an outcome already
	}
	if errors.Is(err, errClaimMoved) {
		return fmt.Errorf("%w: %w", inventory.ErrBusy, err)
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return translateConnection(err)
	}
	if outcome, known := constraints[pg.ConstraintName]; known {
		return fmt.Errorf("%w: %w", outcome, err)
	}
	switch {
	case pg.Code == "55P03", // lock_not_available
		pg.Code == "57014", // query_canceled: statement_timeout
		pg.Code == "40001", pg.Code == "40P01":
		return fmt.Errorf("%w: %w", inventory.ErrBusy, err)
	case pg.Code == "25006": // read_only_sql_transaction: the primary was demoted under us
		s.pool.Reset()
		return fmt.Errorf("%w: %w", inventory.ErrUnavailable, err)
	case strings.HasPrefix(pg.Code, "53"), // disk full, out of memory, too many connections
		strings.HasPrefix(pg.Code, "57P"), // shutdown, crash, starting up
		strings.HasPrefix(pg.Code, "08"),  // connection exceptions
		pg.Code == "25P03":                // idle_in_transaction_session_timeout
		return fmt.Errorf("%w: %w", inventory.ErrUnavailable, err)
	case pg.Code == "22021", pg.Code == "22P02": // bad encoding, bad text representation
		return fmt.Errorf("%w: %w", inventory.Invalid("input", "holds characters that cannot be stored"), err)
	}
	return err
}

// translateConnection handles what is not an answer of the server. Nothing
// that reaches it was committed: a lost answer to COMMIT is already marked
// unknown.
func translateConnection(err error) error {
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("%w: %w", inventory.ErrNotFound, err)
	case lostConnection(err):
		return fmt.Errorf("%w: %w", inventory.ErrUnavailable, err)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), pgconn.Timeout(err):
		return fmt.Errorf("%w: %w", inventory.ErrBusy, err)
	}
	return err // ours, such as a scan into the wrong type
}

// lostConnection reports that there was no connection, or is none any more.
func lostConnection(err error) bool {
	if _, connecting := errors.AsType[*pgconn.ConnectError](err); connecting {
		return true
	}
	if network, ok := errors.AsType[net.Error](err); ok && !network.Timeout() {
		return true
	}
	for _, lost := range []error{pgconn.ErrConnClosed, puddle.ErrClosedPool, io.EOF, io.ErrUnexpectedEOF, syscall.EPIPE, syscall.ECONNRESET} {
		if errors.Is(err, lost) {
			return true
		}
	}
	return false
}

// isLockTimeout reports that a statement gave up waiting for a lock.
// isKeyBusy reports that a statement gave up on an idempotency key that another
// transaction had not decided about.
func isKeyBusy(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "55P03" && strings.Contains(pg.Where, `"idempotency_pkey"`)
}

func isLockTimeout(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "55P03"
}
