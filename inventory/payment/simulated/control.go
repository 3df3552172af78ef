package simulated

import (
	"errors"
	"fmt"
	"net/http"

	"holdfast/inventory"
)

// Errors of Settle and Deliver.
var (
	errUnknownObject = errors.New("the provider has no such payment, refund or event")
	errSettled       = errors.New("it is decided already")
)

// outcomes are the words for how something may be settled; the modes' words
// are taken too.
var outcomes = map[string]State{
	"succeeded": StateSucceeded, "succeed": StateSucceeded,
	"failed": StateFailed, "decline": StateFailed, "declined": StateFailed,
	"cancelled": StateCancelled, "cancel": StateCancelled,
}

// Settle decides a pending payment, given by its id or by a reference that only
// one has, and tells the shop. A failed one may still succeed, as when the
// buyer tries another card; captured and cancelled ones stay as they are.
func (s *Server) Settle(payment string, to State) (Payment, error) {
	s.mu.Lock()
	p, ok := s.books.payment(payment)
	if !ok {
		s.mu.Unlock()
		return Payment{}, fmt.Errorf("settle payment %s: %w", payment, errUnknownObject)
	}
	open := p.State == StatePending || p.State == StateFailed && to == StateSucceeded
	if !open || to == StatePending {
		defer s.mu.Unlock()
		return *p, fmt.Errorf("settle payment %s, which is %s: %w", p.ID, p.State, errSettled)
	}
	if p.State, p.Reason = to, ""; to == StateFailed {
		p.Reason = reasonDeclined
	}
	settled := *p
	done := s.happened(http.StatusOK, settled)
	b := s.behaviours.look(settled.Reference)
	s.mu.Unlock()
	s.tell(done.event, b)
	return settled, nil
}

// SettleRefund decides a pending refund and tells the shop. One that succeeded
// may still fail, as when the buyer's bank sends the money back.
func (s *Server) SettleRefund(refund string, to State) (Refund, error) {
	s.mu.Lock()
	r, ok := s.books.refunds[refund]
	if !ok {
		s.mu.Unlock()
		return Refund{}, fmt.Errorf("settle refund %s: %w", refund, errUnknownObject)
	}
	open := r.State == StatePending || r.State == StateSucceeded && to == StateFailed
	if !open || to != StateSucceeded && to != StateFailed {
		defer s.mu.Unlock()
		return *r, fmt.Errorf("settle refund %s, which is %s: %w", r.ID, r.State, errSettled)
	}
	if r.State = to; to == StateFailed {
		r.Reason = reasonNoBalance
	}
	settled := *r
	done := s.happenedRefund(http.StatusOK, settled)
	b := s.behaviours.look(settled.Reference)
	s.mu.Unlock()
	s.tell(done.event, b)
	return settled, nil
}

// Deliver sends an event that happened before, times times at once, and returns
// the shop's answers (0 where there was none).
func (s *Server) Deliver(event string, times int) ([]int, error) {
	s.mu.Lock()
	e, ok := s.books.events[event]
	s.mu.Unlock()
	if !ok {
		return nil, fmt.Errorf("deliver event %s: %w", event, errUnknownObject)
	}
	return s.sender.now(e, times), nil
}

func (s *Server) control(w http.ResponseWriter, r *http.Request) {
	var c control
	if !s.readBody(w, r, &c) {
		return
	}
	b, err := c.behaviour()
	if err != nil {
		s.refuse(w, http.StatusBadRequest, codeInvalid, inventory.Message(err))
		return
	}
	s.SetBehaviour(c.Reference, c.Calls, b)
	s.answer(w, http.StatusOK, c)
}

func (s *Server) settle(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Payment string `json:"payment"`
		Refund  string `json:"refund"`
		Outcome string `json:"outcome"`
	}
	if !s.readBody(w, r, &asked) {
		return
	}
	to, ok := outcomes[asked.Outcome]
	if !ok {
		s.refuse(w, http.StatusBadRequest, codeInvalid, "outcome: must be succeeded, failed or cancelled")
		return
	}
	if (asked.Payment == "") == (asked.Refund == "") {
		s.refuse(w, http.StatusBadRequest, codeInvalid, "payment: either it or refund is needed")
		return
	}
	var settled any
	var err error
	if asked.Payment != "" {
		settled, err = s.Settle(asked.Payment, to)
	} else {
		settled, err = s.SettleRefund(asked.Refund, to)
	}
	s.answerControl(w, settled, err)
}

func (s *Server) deliver(w http.ResponseWriter, r *http.Request) {
	asked := struct {
		Event string `json:"event"`
		Times int    `json:"times"`
	}{Times: 1}
	if !s.readBody(w, r, &asked) {
		return
	}
	if asked.Times < 1 || asked.Times > maxTimes {
		s.refuse(w, http.StatusBadRequest, codeInvalid, fmt.Sprintf("times: must be from 1 to %d", maxTimes))
		return
	}
	statuses, err := s.Deliver(asked.Event, asked.Times)
	if err != nil {
		s.refuse(w, http.StatusNotFound, codeNotFound, err.Error())
		return
	}
	s.answer(w, http.StatusOK, struct {
		Statuses []int `json:"statuses"`
	}{statuses})
}

func (s *Server) ledger(w http.ResponseWriter, _ *http.Request) {
	s.answer(w, http.StatusOK, s.Ledger())
}
