package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"holdfast/inventory"
	"holdfast/inventory/payment"
	"holdfast/migrations/localdb"
	"holdfast/timezone"
	tuiapp "holdfast/tui/app"
	"holdfast/tui/canvas"
)

// Exit statuses of CONTRACT.md 1.
const (
	statusDone        = 0
	statusFailed      = 1 // failed, or violations found
	statusUsage       = 2
	statusRefused     = 3 // by a rule
	statusNotFound    = 4
	statusUnreachable = 5 // the database or the provider
	statusUnknown     = 6 // whether it was done
)

// errQuiet is a failure that the output has told already.
var errQuiet = errors.New("failed")

// usageError is a command line that cannot be understood.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usage(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// statuses maps the words of outcomes to exit statuses; what is not here is a
// rule that said no.
var statuses = map[string]int{
	"":         statusDone,
	"INTERNAL": statusFailed,
	"INVALID":  statusUsage,

	"LOCAL_TIME_MISSING": statusUsage,
	"LOCAL_TIME_DOUBLED": statusUsage,

	"NOT_FOUND":       statusNotFound,
	"UNAVAILABLE":     statusUnreachable,
	"BUSY":            statusUnreachable,
	"UNKNOWN_OUTCOME": statusUnknown,
}

func statusOf(err error) int {
	if err == nil {
		return statusDone
	}
	if s, known := statuses[codeOf(err)]; known {
		return s
	}
	return statusRefused
}

// codeOf is the stable word for an error of any part of the program.
func codeOf(err error) string {
	var connect *pgconn.ConnectError
	var usage *usageError
	var input *timezone.InputError
	code := inventory.Code(err)
	switch {
	case code == "INVALID" && localTimeCode(err) != "":
		return localTimeCode(err)
	case code != "INTERNAL":
		return code
	case errors.As(err, &usage), errors.As(err, &input), errors.Is(err, tuiapp.ErrNoTerminal):
		return "INVALID"
	case errors.As(err, &connect), errors.Is(err, localdb.ErrNoBinaries), payment.Unknown(err):
		return "UNAVAILABLE"
	}
	return code
}

// explain says an error to the person at the command line: more than a buyer
// may see, but without a driver's words where the outcome says it all.
func explain(err error) string {
	var days *inventory.StaleDays
	var clash *clashError
	switch code := inventory.Code(err); {
	case errors.As(err, &days):
		return days.Error()
	case errors.As(err, &clash):
		return clash.Error()
	case code == "INVALID":
		lines := make([]string, 0, 4)
		for _, f := range inventory.FieldErrors(err) {
			lines = append(lines, f.Error())
		}
		return strings.Join(lines, "\n")
	case code == "INTERNAL", code == "UNAVAILABLE":
		return firstAttempt(err)
	}
	outcome, whole := inventory.Message(err), err.Error()
	if at := strings.Index(whole, outcome); at >= 0 {
		return whole[:at+len(outcome)]
	}
	return outcome
}

// firstAttempt says err with only the first of the attempts to connect that it
// tells of: the driver tries an address twice, with TLS and without, and lists
// every attempt on a line of its own.
func firstAttempt(err error) string {
	whole := err.Error()
	connect, ok := errors.AsType[*pgconn.ConnectError](err)
	if !ok {
		return whole
	}
	first, _, _ := strings.Cut(connect.Unwrap().Error(), "\n")
	return strings.Replace(whole, connect.Error(),
		fmt.Sprintf("cannot connect to the database %s as %s: %s", connect.Config.Database, connect.Config.User, first), 1)
}

func clean(s string) string { return canvas.Clean(s) }
