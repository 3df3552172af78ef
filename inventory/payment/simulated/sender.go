package simulated

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"holdfast/inventory/payment/signature"
	"holdfast/timezone"
)

const (
	deliveryTimeout  = 10 * time.Second
	senderConns      = 64
	maxReceiverReply = 64 << 10
)

// retryPlan is how long the sender waits before it tries a refused delivery
// again: three days of a real provider's plan, a thousand times faster.
var retryPlan = []time.Duration{
	100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second,
	10 * time.Second, 30 * time.Second, 60 * time.Second, 120 * time.Second,
}

// sender delivers events to the shop. Close ends it.
type sender struct {
	url    string // "" = nothing is sent
	signer signature.Signer
	client *http.Client
	clock  timezone.Clock
	log    *slog.Logger
	note   func(eventID string, d Delivery)

	mu      sync.Mutex
	closed  bool
	closing chan struct{}
	running sync.WaitGroup
}

func newSender(cfg Config, note func(string, Delivery)) *sender {
	return &sender{
		url: cfg.WebhookURL, signer: signature.NewSigner(cfg.Secret), clock: cfg.Clock, log: cfg.Log,
		note: note, closing: make(chan struct{}),
		client: &http.Client{
			Transport:     &http.Transport{Proxy: nil, MaxConnsPerHost: senderConns, MaxIdleConnsPerHost: senderConns},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// later delivers e times times at once after delay, each until it is accepted.
func (s *sender) later(e *Event, delay time.Duration, times int) {
	for range times {
		s.start(func() {
			if s.wait(delay) {
				s.untilAccepted(e, s.attempt(e))
			}
		})
	}
}

// now delivers e times times at once and returns the answers to the first
// attempts; what was refused is tried again in the background.
func (s *sender) now(e *Event, times int) []int {
	statuses := make([]int, times)
	var first sync.WaitGroup
	for i := range times {
		first.Go(func() {
			statuses[i] = s.attempt(e)
			s.start(func() { s.untilAccepted(e, statuses[i]) })
		})
	}
	first.Wait()
	return statuses
}

// close stops waiting for retries and returns when nothing is in flight.
func (s *sender) close() {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.closing)
	}
	s.mu.Unlock()
	s.running.Wait()
	s.client.CloseIdleConnections()
}

func (s *sender) start(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.running.Go(f)
	}
}

// wait returns false if the sender was closed meanwhile.
func (s *sender) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.closing:
		return false
	}
}

func (s *sender) untilAccepted(e *Event, status int) {
	for _, pause := range retryPlan {
		if s.url == "" || over(status) || !s.wait(pause) {
			return
		}
		status = s.attempt(e)
	}
	if over(status) {
		return
	}
	s.log.Warn("gave up delivering a webhook", slog.String("event", e.ID), slog.Int("status", status))
}

// over reports whether an event with this answer is not sent again.
func over(status int) bool { return status >= 200 && status < 300 || status == http.StatusGone }

// attempt delivers e once, signed for this moment, and returns the status of
// the answer or 0. It outlives the call that caused the event.
func (s *sender) attempt(e *Event) int {
	if s.url == "" {
		return noAnswer
	}
	ctx, cancel := context.WithTimeout(context.Background(), deliveryTimeout)
	defer cancel()
	status, err := s.post(ctx, e)
	if err != nil {
		s.log.Debug("webhook was not answered", slog.String("event", e.ID), slog.String("error", err.Error()))
	}
	s.note(e.ID, Delivery{At: s.clock.Now(), Status: status})
	return status
}

func (s *sender) post(ctx context.Context, e *Event) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(e.body))
	if err != nil {
		return noAnswer, err
	}
	req.Header.Set("Content-Type", "application/json")
	if err := s.signer.Sign(req.Header, e.ID, s.clock.Now(), e.body); err != nil {
		return noAnswer, err
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return noAnswer, err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.CopyN(io.Discard, resp.Body, maxReceiverReply) // so that the connection can be used again
	return resp.StatusCode, nil
}
