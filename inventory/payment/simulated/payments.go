package simulated

import (
	"fmt"
	"net/http"

	"holdfast/inventory"
)

func (s *Server) createPayment(w http.ResponseWriter, r *http.Request) {
	var asked newPayment
	if !s.readBody(w, r, &asked) {
		return
	}
	if err := asked.validate(); err != nil {
		s.refuse(w, http.StatusBadRequest, codeInvalid, inventory.Message(err))
		return
	}
	s.perform(w, r, request{
		reference: asked.Reference, fingerprint: fmt.Sprintf("%s %+v", pathPayments, asked),
		effect: func(b Behaviour, _ string) outcome {
			p := s.books.addPayment(asked, stateFor(b.Mode))
			return s.happened(http.StatusCreated, *p)
		},
	})
}

func (s *Server) createRefund(w http.ResponseWriter, r *http.Request) {
	var asked newRefund
	if !s.readBody(w, r, &asked) {
		return
	}
	if err := asked.validate(); err != nil {
		s.refuse(w, http.StatusBadRequest, codeInvalid, inventory.Message(err))
		return
	}
	s.perform(w, r, request{
		reference: asked.Reference, fingerprint: fmt.Sprintf("%s %+v", pathRefunds, asked),
		effect: func(b Behaviour, key string) outcome { return s.refund(asked, key, b.Mode) },
	})
}

// refund enters a refund, if the payment has that much left. The lock is held.
func (s *Server) refund(asked newRefund, key string, mode Mode) outcome {
	p, ok := s.books.payments[asked.Payment]
	switch {
	case !ok:
		return refused(http.StatusNotFound, codeNotFound, "no payment %s", asked.Payment)
	case p.State != StateSucceeded:
		return refused(http.StatusUnprocessableEntity, codeNotRefundable, "payment %s is %s", p.ID, p.State)
	case p.Dispute == DisputeOpened, p.Dispute == DisputeLost:
		return refused(http.StatusUnprocessableEntity, codeDisputed, "payment %s is disputed", p.ID)
	case asked.AmountMinor > s.books.refundable(p):
		return refused(http.StatusUnprocessableEntity, codeRefundTooLarge, "only %d is left of payment %s", s.books.refundable(p), p.ID)
	}
	return s.happenedRefund(http.StatusCreated, *s.books.addRefund(p, asked, key, stateFor(mode)))
}

// stateFor is where a new payment or refund starts.
func stateFor(m Mode) State {
	switch m {
	case ModeDecline:
		return StateFailed
	case ModePending:
		return StatePending
	case ModeSucceed, ModeTimeoutAfterEffect, ModeTimeoutBeforeEffect, ModeError500, ModeSlow:
	}
	return StateSucceeded
}

// happened writes the event that says where p stands now. The lock is held.
func (s *Server) happened(status int, p Payment) outcome {
	return s.noted(status, p, func() (*Event, error) { return paymentEvent(p, s.clock.Now()) })
}

func (s *Server) happenedRefund(status int, r Refund) outcome {
	return s.noted(status, r, func() (*Event, error) { return refundEvent(r, s.clock.Now()) })
}

func (s *Server) noted(status int, body any, event func() (*Event, error)) outcome {
	e, err := event()
	if err != nil {
		return refused(http.StatusInternalServerError, codeInternalFailure, "%s", err)
	}
	s.books.addEvent(e)
	return outcome{status, body, e}
}

func (s *Server) getPayment(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	p, ok := s.books.payments[r.PathValue("id")]
	var found Payment
	if ok {
		found = *p
	}
	s.mu.Unlock()
	if !ok {
		s.inform(w, r, r.PathValue("id"), refused(http.StatusNotFound, codeNotFound, "no such payment"))
		return
	}
	s.inform(w, r, found.Reference, outcome{status: http.StatusOK, body: found})
}

func (s *Server) listPayments(w http.ResponseWriter, r *http.Request) {
	reference := r.URL.Query().Get("reference")
	if reference == "" {
		s.refuse(w, http.StatusBadRequest, codeInvalid, "reference: is missing")
		return
	}
	s.mu.Lock()
	found := s.books.paymentsFor(reference)
	s.mu.Unlock()
	s.inform(w, r, reference, outcome{status: http.StatusOK, body: paymentList{found}})
}

func (s *Server) listRefunds(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("payment")
	s.mu.Lock()
	p, ok := s.books.payments[id]
	found, reference := s.books.refundsOf(id), ""
	if ok {
		reference = p.Reference
	}
	s.mu.Unlock()
	if !ok {
		s.inform(w, r, id, refused(http.StatusNotFound, codeNotFound, "no such payment"))
		return
	}
	s.inform(w, r, reference, outcome{status: http.StatusOK, body: refundList{found}})
}

// inform answers a question in the manner that is set for reference.
func (s *Server) inform(w http.ResponseWriter, r *http.Request, reference string, done outcome) {
	s.mu.Lock()
	b := s.behaviours.peek(reference)
	s.mu.Unlock()
	if b.Mode == ModeError500 {
		done = refused(http.StatusInternalServerError, codeInternalFailure, "something went wrong")
	}
	s.behave(w, r, b, done)
}

// cancelPayment cancels what is pending; what is over already stays as it is,
// and captured money is refused.
func (s *Server) cancelPayment(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	p, ok := s.books.payments[r.PathValue("id")]
	if !ok {
		s.mu.Unlock()
		s.refuse(w, http.StatusNotFound, codeNotFound, "no such payment")
		return
	}
	b := s.behaviours.look(p.Reference)
	done := outcome{status: http.StatusOK, body: *p}
	switch {
	case b.Mode == ModeError500:
		done = refused(http.StatusInternalServerError, codeInternalFailure, "something went wrong")
	case b.Mode == ModeTimeoutBeforeEffect:
	case p.State == StateSucceeded:
		done = refused(http.StatusConflict, codeNotCancellable, "payment %s is %s", p.ID, p.State)
	case p.State == StatePending:
		p.State = StateCancelled
		done = s.happened(http.StatusOK, *p)
	}
	s.mu.Unlock()
	s.tell(done.event, b)
	s.behave(w, r, b, done)
}
