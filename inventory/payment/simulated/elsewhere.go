package simulated

import (
	"errors"
	"fmt"
	"net/http"

	"holdfast/inventory"
)

// What happens at a provider without a call of ours: somebody refunds in its
// dashboard, and payers complain to their banks.

// errNotPossible says that the ledger does not allow what was asked.
var errNotPossible = errors.New("not possible")

// RefundElsewhere gives amount of a captured payment back as if somebody had
// pressed a button in the provider's dashboard, with a reference that is none of
// ours, and tells the shop. The payment is given by its id or by a reference
// that only one has; amount 0 is all that is left. state is where the refund
// starts.
func (s *Server) RefundElsewhere(payment string, amount inventory.Minor, reference string, state State) (Refund, error) {
	s.mu.Lock()
	p, ok := s.books.payment(payment)
	if !ok {
		s.mu.Unlock()
		return Refund{}, fmt.Errorf("refund payment %s: %w", payment, errUnknownObject)
	}
	left := s.books.refundable(p)
	if amount == 0 {
		amount = left
	}
	if p.State != StateSucceeded || amount > left || amount <= 0 || state == StateCancelled {
		defer s.mu.Unlock()
		return Refund{}, fmt.Errorf("refund %d of payment %s, which is %s with %d left: %w", amount, p.ID, p.State, left, errNotPossible)
	}
	made := *s.books.addRefund(p, newRefund{Payment: p.ID, Reference: reference, AmountMinor: amount}, "", state)
	done := s.happenedRefund(http.StatusOK, made)
	b := s.behaviours.look(reference)
	s.mu.Unlock()
	s.tell(done.event, b)
	return made, nil
}

// Dispute moves the payer's complaint about a captured payment on and tells the
// shop: it is opened once, and then won or lost.
func (s *Server) Dispute(payment string, to DisputeState) (Payment, error) {
	s.mu.Lock()
	p, ok := s.books.payment(payment)
	if !ok {
		s.mu.Unlock()
		return Payment{}, fmt.Errorf("dispute payment %s: %w", payment, errUnknownObject)
	}
	from := map[DisputeState]DisputeState{DisputeOpened: "", DisputeWon: DisputeOpened, DisputeLost: DisputeOpened}
	before, known := from[to]
	if p.State != StateSucceeded || !known || p.Dispute != before {
		defer s.mu.Unlock()
		return *p, fmt.Errorf("dispute %q of payment %s, which is %s with dispute %q: %w", to, p.ID, p.State, p.Dispute, errNotPossible)
	}
	p.Dispute = to
	disputed := *p
	done := s.noted(http.StatusOK, disputed, func() (*Event, error) { return disputeEvent(disputed, s.clock.Now()) })
	b := s.behaviours.look(disputed.Reference)
	s.mu.Unlock()
	s.tell(done.event, b)
	return disputed, nil
}

func (s *Server) elsewhere(w http.ResponseWriter, r *http.Request) {
	asked := struct {
		Payment     string          `json:"payment"`
		AmountMinor inventory.Minor `json:"amountMinor"` // 0 = all that is left
		Reference   string          `json:"reference"`
		Outcome     string          `json:"outcome"`
	}{Outcome: "succeeded"}
	if !s.readBody(w, r, &asked) {
		return
	}
	state, ok := outcomes[asked.Outcome]
	if asked.Outcome == string(StatePending) {
		state, ok = StatePending, true
	}
	if !ok || state == StateCancelled {
		s.refuse(w, http.StatusBadRequest, codeInvalid, "outcome: must be succeeded, failed or pending")
		return
	}
	made, err := s.RefundElsewhere(asked.Payment, asked.AmountMinor, asked.Reference, state)
	s.answerControl(w, made, err)
}

func (s *Server) dispute(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Payment string       `json:"payment"`
		Outcome DisputeState `json:"outcome"`
	}
	if !s.readBody(w, r, &asked) {
		return
	}
	disputed, err := s.Dispute(asked.Payment, asked.Outcome)
	s.answerControl(w, disputed, err)
}

// answerControl answers an order to make something happen.
func (s *Server) answerControl(w http.ResponseWriter, done any, err error) {
	switch {
	case errors.Is(err, errUnknownObject):
		s.refuse(w, http.StatusNotFound, codeNotFound, err.Error())
	case err != nil:
		s.refuse(w, http.StatusConflict, codeNotSettleable, err.Error())
	default:
		s.answer(w, http.StatusOK, done)
	}
}
