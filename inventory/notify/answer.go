package notify

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// maxRetryAfter caps what a Retry-After can ask for, so that one odd answer
// does not silence the receiver for days.
const maxRetryAfter = 15 * time.Minute

// unavailable is true for the answers that speak of the receiver as a whole,
// given by itself or by a proxy in front of it.
func unavailable(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// retryAfter reads the header as seconds or as a date. What cannot be read, or
// has passed, is 0.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if strings.Trim(value, "0123456789") == "" {
		var seconds time.Duration
		for _, digit := range value {
			seconds = seconds*10 + time.Duration(digit-'0')
			if seconds*time.Second >= maxRetryAfter {
				return maxRetryAfter
			}
		}
		return seconds * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(0, at.Sub(now)), maxRetryAfter)
}

// noAnswer says in our own words why there was none. The words of net/http may
// quote what the other side sent, which would let whoever may set the address
// read the greeting of any port that can be reached.
func noAnswer(ctx context.Context, err error) *DownError {
	var (
		name    *net.DNSError
		trust   *tls.CertificateVerificationError
		op      *net.OpError
		network net.Error
	)
	switch {
	case errors.Is(err, ErrAddress):
		return &DownError{problem: addressProblem(err), cause: ErrAddress}
	case ctx.Err() != nil:
		return &DownError{problem: "no answer: " + context.Cause(ctx).Error(), cause: ctx.Err()}
	case errors.As(err, &name):
		return &DownError{problem: "the receiver's name could not be resolved"}
	case errors.As(err, &trust):
		return &DownError{problem: "the receiver's certificate is not trusted for its name"}
	case errors.Is(err, syscall.ECONNREFUSED):
		return &DownError{problem: "the receiver refused the connection"}
	case errors.As(err, &network) && network.Timeout():
		return &DownError{problem: "no connection to the receiver in time"}
	case errors.As(err, &op) && op.Op == "dial":
		return &DownError{problem: "the receiver could not be reached"}
	}
	return &DownError{problem: "the connection broke before there was an HTTP answer"}
}

// addressProblem finds the guard's own error, which net and net/http have
// wrapped in theirs.
func addressProblem(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		return op.Err.Error()
	}
	return ErrAddress.Error()
}
