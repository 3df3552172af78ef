package simulated

import (
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
)

// request is a keyed call: a payment or a refund to make.
type request struct {
	reference   string
	fingerprint string
	effect      func(b Behaviour, key string) outcome // runs under the lock
}

// outcome is what a call came to: an answer, and what to tell the shop.
type outcome struct {
	status int
	body   any
	event  *Event
}

func refused(status int, code errorCode, format string, args ...any) outcome {
	return outcome{status: status, body: apiError{code, fmt.Sprintf(format, args...)}}
}

// perform runs a keyed call once for each life of its key and misbehaves as it
// was told to. A repeated call is answered from memory and behaves: the trouble
// happened to the first.
func (s *Server) perform(w http.ResponseWriter, r *http.Request, asked request) {
	key := r.Header.Get(headerKey)
	if key == "" {
		s.refuse(w, http.StatusBadRequest, codeKeyMissing, "Idempotency-Key is missing")
		return
	}
	switch b, done, how := s.execute(key, asked); how {
	case repeated:
		s.answer(w, done.status, done.body)
	case prevented:
		s.behave(w, r, b, done)
	case executed:
		defer s.finish(key)
		s.tell(done.event, b)
		s.behave(w, r, b, done)
	}
}

// execution says what became of a keyed call.
type execution int

const (
	executed  execution = iota // it had its effect; its key is marked as running
	prevented                  // the behaviour forbids any effect
	repeated                   // there is an answer to give at once: an old one, or a refusal
)

// execute decides under one lock whether the call is new and carries it out.
func (s *Server) execute(key string, asked request) (Behaviour, outcome, execution) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	if saved, ok := s.keys.find(key, now); ok {
		return Behaviour{}, saved.replay(asked.fingerprint), repeated
	}
	b := s.behaviours.take(asked.reference)
	if b.Mode == ModeTimeoutBeforeEffect || b.Mode == ModeError500 {
		return b, refused(http.StatusInternalServerError, codeInternalFailure, "something went wrong"), prevented
	}
	done := asked.effect(b, key)
	if done.status >= http.StatusBadRequest { // not remembered, so that the request can be mended
		return b, done, repeated
	}
	life := b.KeyLifetime
	if life == 0 {
		life = DefaultKeyLifetime
	}
	s.keys.add(key, &keyed{fingerprint: asked.fingerprint, expires: now.Add(life), running: true, done: done}, now)
	return b, done, executed
}

// finish says that the first request with key is over.
func (s *Server) finish(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if saved, ok := s.keys.byKey[key]; ok {
		saved.running = false
	}
}

// tell sends e to the shop as b says.
func (s *Server) tell(e *Event, b Behaviour) {
	times := max(1, b.WebhookTimes)
	switch {
	case e == nil || b.NoWebhook:
	case b.WebhookBeforeAnswer:
		s.sender.wait(b.WebhookDelay)
		s.sender.now(e, times)
	default:
		s.sender.later(e, b.WebhookDelay, times)
	}
}

// behave gives the answer in the manner of b, or fails to.
func (s *Server) behave(w http.ResponseWriter, r *http.Request, b Behaviour, done outcome) {
	switch b.Mode {
	case ModeTimeoutAfterEffect, ModeTimeoutBeforeEffect:
		s.hang(w, r, b.Delay)
	case ModeSlow:
		s.trickle(w, r, b.Delay, done)
	default:
		if !s.pause(r, b.Delay) {
			drop(w)
			return
		}
		s.answer(w, done.status, done.body)
	}
}

// pause waits; it returns false if the caller went away or the server closes.
func (s *Server) pause(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-s.closing:
	}
	return false
}

// hang keeps the caller waiting and then closes the connection.
func (s *Server) hang(w http.ResponseWriter, r *http.Request, d time.Duration) {
	if d == 0 {
		d = defaultHang
	}
	s.pause(r, d)
	drop(w)
}

// trickle sends the answer a few bytes at a time, spread over d.
func (s *Server) trickle(w http.ResponseWriter, r *http.Request, d time.Duration, done outcome) {
	if d == 0 {
		d = defaultSlow
	}
	data, err := json.Marshal(done.body)
	if err != nil {
		drop(w)
		return
	}
	const pieces = 20
	size := len(data)/pieces + 1
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(done.status)
	control := http.NewResponseController(w)
	for len(data) > 0 {
		_ = control.Flush()
		if !s.pause(r, d/pieces) {
			drop(w)
			return
		}
		n := min(size, len(data))
		_, _ = w.Write(data[:n])
		data = data[n:]
	}
}

// drop closes the connection without an answer, or in the middle of one.
func drop(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // net/http's own way to abandon an answer
	}
	_ = conn.Close()
}
