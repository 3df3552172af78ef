package stripe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	stripego "github.com/stripe/stripe-go/v82"

	"holdfast/inventory"
	"holdfast/inventory/payment"
)

// ErrKeyReused says that a key was sent with other parameters than the first
// time. It is an error in this program, and it leaves open what became of the
// first request: it must be looked at, not retried and not given up.
var ErrKeyReused = errors.New("the idempotency key was used for another request before")

// maxText bounds what Stripe says in words before it goes anywhere.
const maxText = 200

// newBackend returns stripe-go's transport on our own HTTP client, without its
// retries, telemetry and log.
func newBackend(cfg ProviderConfig) stripego.Backend {
	client := payment.NewHTTPClient(cfg.Limits)
	client.Transport = guard{client.Transport}
	return stripego.GetBackendWithConfig(stripego.APIBackend, &stripego.BackendConfig{
		HTTPClient:        client,
		URL:               &cfg.BaseURL,
		MaxNetworkRetries: stripego.Int64(0),
		EnableTelemetry:   stripego.Bool(false),
		LeveledLogger:     &stripego.LeveledLogger{Level: stripego.LevelNull},
	})
}

// guard stands between stripe-go and the network.
type guard struct{ next http.RoundTripper }

// RoundTrip hides this machine's name and kernel, which stripe-go sends along;
// refuses answers that stripe-go would take for a success although they are
// none; and marks the errors of reading a body, so that they can be told from
// errors that quote it.
func (g guard) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("X-Stripe-Client-User-Agent")
	resp, err := g.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("redirected with status %d", resp.StatusCode)
	}
	resp.Body = &markedBody{resp.Body}
	return resp, nil
}

type markedBody struct{ io.ReadCloser }

func (b *markedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = &readError{err}
	}
	return n, err
}

// readError is an error of the connection in the middle of an answer.
type readError struct{ cause error }

func (e *readError) Error() string { return "read the answer: " + e.cause.Error() }
func (e *readError) Unwrap() error { return e.cause }

// call runs fn, which makes one request or pages through one list, within the
// call's own deadline, and says what its error means. It does not try again:
// whoever decides that has the key and the patience.
func (p *Provider) call(ctx context.Context, name string, fn func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, p.timeout, fmt.Errorf("%s took over %s", name, p.timeout))
	defer cancel()
	if err := fn(ctx); err != nil {
		return fmt.Errorf("%s: %w", name, meaning(ctx, err))
	}
	return nil
}

// meaning tells a definite answer from none. Errors of stripe-go are not
// wrapped: they print whole bodies.
func meaning(ctx context.Context, err error) error {
	if said, ok := errors.AsType[*stripego.Error](err); ok {
		return judge(said)
	}
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("%w: %w", payment.ErrNoAnswer, cause) // says what was late, where the transport only says that something was
	}
	if cut, ok := errors.AsType[*readError](err); ok {
		return fmt.Errorf("%w: %w", payment.ErrNoAnswer, cut)
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // without the address, which quotes references
		if !payment.Unknown(err) {
			err = fmt.Errorf("%w: %w", payment.ErrNoAnswer, err)
		}
	}
	if payment.Unknown(err) {
		return err
	}
	return fmt.Errorf("%w: it is not what Stripe answers", payment.ErrNoAnswer)
}

// judge says what an error of Stripe's API means. Only one that has Stripe's own
// type is definite; others may come from anything that stands in between.
func judge(e *stripego.Error) error {
	switch {
	case e.HTTPStatusCode >= http.StatusInternalServerError,
		e.HTTPStatusCode == http.StatusRequestTimeout,
		e.HTTPStatusCode == http.StatusConflict,         // includes idempotency_key_in_use
		e.HTTPStatusCode == http.StatusFailedDependency, // somebody behind Stripe
		e.HTTPStatusCode == http.StatusTooManyRequests,
		e.Code == stripego.ErrorCodeIdempotencyKeyInUse,
		e.Code == stripego.ErrorCodeLockTimeout,
		e.Type == "", e.Type == stripego.ErrorTypeAPI:
		return fmt.Errorf("%w: status %d %q, request %q", payment.ErrNoAnswer, e.HTTPStatusCode, cut(string(e.Code)), cut(e.RequestID))
	case e.Type == stripego.ErrorTypeIdempotency:
		return fmt.Errorf("%w: request %q", ErrKeyReused, cut(e.RequestID))
	case e.HTTPStatusCode == http.StatusNotFound && e.Code == stripego.ErrorCodeResourceMissing:
		return inventory.ErrNotFound
	}
	return &refusal{
		status: e.HTTPStatusCode, kind: e.Type, code: e.Code,
		param: cut(e.Param), message: cut(e.Msg), request: cut(e.RequestID),
	}
}

// refusal is a definite no of Stripe. It matches payment.ErrRefused.
type refusal struct {
	status  int
	kind    stripego.ErrorType
	code    stripego.ErrorCode
	param   string
	message string
	request string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("%s: %d %q %q %q: %q, request %q",
		payment.ErrRefused, r.status, cut(string(r.kind)), cut(string(r.code)), r.param, r.message, r.request)
}

func (r *refusal) Is(target error) bool { return target == payment.ErrRefused }

func refusalOf(err error) (*refusal, bool) { return errors.AsType[*refusal](err) }

// reason is what staff are told: the code, which can be looked up, and the words.
func (r *refusal) reason() string {
	switch {
	case r.code == "":
		return r.message
	case r.message == "":
		return cut(string(r.code))
	}
	return cut(string(r.code) + ": " + r.message)
}

// cut bounds text of Stripe's and makes it fit to be stored, which PostgreSQL
// refuses for NUL. It stays data: whoever shows it cleans it.
func cut(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if runes := []rune(s); len(runes) > maxText {
		return string(runes[:maxText-1]) + "…"
	}
	return s
}
