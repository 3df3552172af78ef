package payment

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Defaults of Limits.
const (
	DefaultInFlight  = 32
	DefaultMaxAnswer = 256 << 10

	dialTimeout         = 3 * time.Second
	idleConnTimeout     = 60 * time.Second
	tlsHandshakeTimeout = 5 * time.Second
	maxAnswerHeader     = 32 << 10
)

// Limits bounds what one provider can take from us. Zero fields mean the
// defaults.
type Limits struct {
	InFlight  int   // calls running at once; one more fails at once instead of queueing
	MaxAnswer int64 // bytes of one answer's body
}

// NewHTTPClient returns a client for one provider: it does not follow
// redirects, ignores the proxies of the environment, reads at most
// limits.MaxAnswer bytes of a body, and refuses a call with ErrNoAnswer while
// limits.InFlight others run, so that a provider that hangs holds a bounded
// number of goroutines. Deadlines are per call, by the request's context.
func NewHTTPClient(limits Limits) *http.Client {
	if limits.InFlight <= 0 {
		limits.InFlight = DefaultInFlight
	}
	if limits.MaxAnswer <= 0 {
		limits.MaxAnswer = DefaultMaxAnswer
	}
	return &http.Client{
		Transport: &bulkhead{
			next: &http.Transport{
				Proxy:                  nil, // money does not go through whatever HTTP_PROXY says
				DialContext:            (&net.Dialer{Timeout: dialTimeout}).DialContext,
				TLSHandshakeTimeout:    tlsHandshakeTimeout,
				MaxIdleConnsPerHost:    limits.InFlight,
				IdleConnTimeout:        idleConnTimeout,
				MaxResponseHeaderBytes: maxAnswerHeader,
				ForceAttemptHTTP2:      true,
			},
			slots:     make(chan struct{}, limits.InFlight),
			maxAnswer: limits.MaxAnswer,
		},
		// The answer of a redirect is handed back as it is: following it would
		// send a payment to wherever an attacker of the provider points.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// bulkhead keeps a slot from the start of a call until its body is closed.
type bulkhead struct {
	next      http.RoundTripper
	slots     chan struct{}
	maxAnswer int64
}

func (b *bulkhead) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case b.slots <- struct{}{}:
	default:
		return nil, fmt.Errorf("%w: %d calls are in flight already", ErrNoAnswer, cap(b.slots))
	}
	resp, err := b.next.RoundTrip(r)
	if err != nil {
		<-b.slots
		return nil, err
	}
	resp.Body = &cappedBody{body: resp.Body, left: b.maxAnswer, release: func() { <-b.slots }}
	return resp, nil
}

// CloseIdleConnections lets http.Client reach the transport below.
func (b *bulkhead) CloseIdleConnections() {
	if c, ok := b.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

var errAnswerTooLarge = errors.New("the answer is too large")

// cappedBody fails, instead of ending early, when there is more than it may
// read: half a document must not pass for a whole one.
type cappedBody struct {
	body    io.ReadCloser
	left    int64
	release func()
	closed  bool
}

func (c *cappedBody) Read(p []byte) (int, error) {
	if int64(len(p)) > c.left+1 {
		p = p[:c.left+1]
	}
	n, err := c.body.Read(p)
	c.left -= int64(n)
	if c.left < 0 {
		return n, errAnswerTooLarge
	}
	return n, err
}

func (c *cappedBody) Close() error {
	err := c.body.Close()
	if !c.closed {
		c.closed = true
		c.release()
	}
	return err
}
