package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/payment/signature"
	"holdfast/timezone"
)

const (
	userAgent = "holdfast-webhook/1"

	// defaultWebhookTimeout is within what receivers are advised to answer in.
	defaultWebhookTimeout = 15 * time.Second

	// maxAnswer is read of an answer's body, so that the connection can be used
	// again; it is thrown away.
	maxAnswer       = 64 << 10
	maxAnswerHeader = 32 << 10

	dialTimeout         = 5 * time.Second
	tlsHandshakeTimeout = 5 * time.Second
	idleConnTimeout     = 60 * time.Second
	maxWebhookConns     = 16
)

// WebhookConfig is what a Webhook needs.
type WebhookConfig struct {
	Endpoint Endpoint           // from ParseEndpoint; required
	Allow    Allow              // the same as ParseEndpoint was given
	Secrets  []signature.Secret // at least one; two during a rotation, and each signs
	Timeout  time.Duration      // of one delivery; default 15s
	RootCAs  *x509.CertPool     // default the system's; for receivers with a private CA
	Clock    timezone.Clock     // required
}

// Webhook posts messages to one receiver by the Standard Webhooks scheme. It
// is safe for use by several goroutines.
type Webhook struct {
	endpoint Endpoint
	signer   signature.Signer
	client   *http.Client
	timeout  time.Duration
	clock    timezone.Clock

	mu     sync.Mutex
	gone   bool
	paused time.Time // nothing is sent before, because the receiver asked for it
}

// NewWebhook returns a sink for cfg.Endpoint. It fails without an endpoint, a
// secret or a clock. Nothing is sent yet.
func NewWebhook(cfg WebhookConfig) (*Webhook, error) {
	switch {
	case cfg.Endpoint.url == nil:
		return nil, errors.New("webhook: no endpoint")
	case len(cfg.Secrets) == 0:
		return nil, errors.New("webhook: no secret to sign with")
	case cfg.Clock == nil:
		return nil, errors.New("webhook: no clock")
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = defaultWebhookTimeout
	}
	g := &guard{allow: cfg.Allow, trusted: cfg.Endpoint.trusted, own: ownAddresses}
	return newWebhook(cfg, &net.Dialer{Timeout: dialTimeout, Control: g.control}), nil
}

func newWebhook(cfg WebhookConfig, dialer *net.Dialer) *Webhook {
	return &Webhook{
		endpoint: cfg.Endpoint,
		signer:   signature.NewSigner(cfg.Secrets...),
		timeout:  cfg.Timeout,
		clock:    cfg.Clock,
		client: &http.Client{
			Transport: &http.Transport{
				Proxy:                  nil, // a proxy would resolve and dial where the guard cannot see it
				DialContext:            dialer.DialContext,
				TLSClientConfig:        &tls.Config{RootCAs: cfg.RootCAs, MinVersion: tls.VersionTLS12},
				TLSHandshakeTimeout:    tlsHandshakeTimeout,
				MaxConnsPerHost:        maxWebhookConns,
				MaxIdleConnsPerHost:    maxWebhookConns,
				IdleConnTimeout:        idleConnTimeout,
				MaxResponseHeaderBytes: maxAnswerHeader,
				DisableCompression:     true, // what is not asked for cannot blow up
				ForceAttemptHTTP2:      true,
			},
			// A redirect is an answer like any other that is not 2xx.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Deliver posts m, signed anew, and returns nil for any answer of 2xx. The
// webhook-id is the same on every attempt, so that the receiver can drop a
// repetition.
//
// It fails with a DownError if there was no answer, if a proxy or the receiver
// said that it is not available (502, 503, 504) or wants less (429), and, with
// ErrGone inside, from the first 410 on. While a Retry-After runs, and after
// a 410, nothing is sent at all. Every other answer is an error about m. No
// error repeats anything that the receiver wrote.
func (w *Webhook) Deliver(ctx context.Context, m inventory.OutboxMessage) error {
	if err := w.resting(); err != nil {
		return err
	}
	body, err := encode(m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, w.timeout, fmt.Errorf("webhook.deliver took over %s", w.timeout))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.endpoint.url.String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("message %s: make the request: %w", m.ID(), err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", userAgent)
	if err := w.signer.Sign(req.Header, m.ID(), w.clock.Now(), body); err != nil {
		return err
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return noAnswer(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.CopyN(io.Discard, resp.Body, maxAnswer)
	return w.judge(resp)
}

// Close drops idle connections.
func (w *Webhook) Close() { w.client.CloseIdleConnections() }

// resting returns the DownError of a receiver that must be left alone now.
func (w *Webhook) resting() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone {
		return &DownError{problem: ErrGone.Error(), cause: ErrGone}
	}
	left := w.paused.Sub(w.clock.Now())
	if left <= 0 || left > maxRetryAfter { // beyond that the clock was put back
		return nil
	}
	return &DownError{problem: "the receiver asked to be left alone", after: left}
}

// judge tells what an answer means, and remembers what it asks for.
func (w *Webhook) judge(resp *http.Response) error {
	status := resp.StatusCode
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusGone:
		w.mu.Lock()
		w.gone = true
		w.mu.Unlock()
		return &DownError{problem: ErrGone.Error(), cause: ErrGone}
	case status >= 300 && status < 400:
		return fmt.Errorf("the receiver answered %d; redirects are not followed", status)
	case !unavailable(status):
		return fmt.Errorf("the receiver answered %d", status)
	}
	down := &DownError{problem: fmt.Sprintf("the receiver answered %d", status)}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		now := w.clock.Now()
		if down.after = retryAfter(resp.Header, now); down.after > 0 {
			w.mu.Lock()
			w.paused = now.Add(down.after)
			w.mu.Unlock()
		}
	}
	return down
}
