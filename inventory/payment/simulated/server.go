package simulated

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"holdfast/inventory"
	"holdfast/inventory/payment/signature"
	"holdfast/timezone"
)

const (
	maxBody     = 64 << 10
	defaultHang = 30 * time.Second // of the timeouts, if no delay is given
)

// Config is what a Server needs.
type Config struct {
	Secret     signature.Secret // signs the webhooks; required
	WebhookURL string           // where they go; "" = nowhere, they are only kept
	Clock      timezone.Clock   // nil = the machine's
	Log        *slog.Logger     // nil = silent
}

// Server is the simulated provider. It serves HTTP through Handler and can be
// used in the same process through its methods; Close ends it. The server that
// Handler is mounted on must have no write timeout below the delays asked for.
type Server struct {
	clock   timezone.Clock
	log     *slog.Logger
	sender  *sender
	closing chan struct{}
	once    sync.Once

	mu         sync.Mutex
	books      *books
	keys       keyStore
	behaviours behaviours
}

// NewServer returns a provider with an empty ledger in which everything
// succeeds.
func NewServer(cfg Config) (*Server, error) {
	if cfg.Clock == nil {
		cfg.Clock = timezone.SystemClock{}
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.WebhookURL != "" {
		if err := checkURL(cfg.WebhookURL); err != nil {
			return nil, fmt.Errorf("webhook address: %w", err)
		}
	}
	s := &Server{
		clock: cfg.Clock, log: cfg.Log, closing: make(chan struct{}),
		books: newBooks(), keys: keyStore{byKey: map[string]*keyed{}},
		behaviours: behaviours{always: Behaviour{Mode: ModeSucceed}, byReference: map[string]*counted{}},
	}
	s.sender = newSender(cfg, s.noteDelivery)
	return s, nil
}

// Close lets go of calls that are kept waiting and returns when no webhook is
// in flight any more.
func (s *Server) Close() {
	s.once.Do(func() { close(s.closing) })
	s.sender.close()
}

// Handler serves the provider's API, its controls and its ledger.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST "+pathPayments, s.recorded(s.createPayment))
	mux.Handle("GET "+pathPayments, s.recorded(s.listPayments))
	mux.Handle("GET "+pathPayments+"/{id}", s.recorded(s.getPayment))
	mux.Handle("POST "+pathPayments+"/{id}/cancel", s.recorded(s.cancelPayment))
	mux.Handle("POST "+pathRefunds, s.recorded(s.createRefund))
	mux.Handle("GET "+pathRefunds, s.recorded(s.listRefunds))
	mux.HandleFunc("POST "+pathControl, s.control)
	mux.HandleFunc("POST "+pathSettle, s.settle)
	mux.HandleFunc("POST "+pathDeliver, s.deliver)
	mux.HandleFunc("POST "+pathElsewhere, s.elsewhere)
	mux.HandleFunc("POST "+pathDispute, s.dispute)
	mux.HandleFunc("GET "+pathLedger, s.ledger)
	return mux
}

// Ledger returns a copy of everything the provider knows.
func (s *Server) Ledger() Ledger {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.books.snapshot()
}

// SetBehaviour says how calls are treated from now on: those about reference,
// or all that no reference names. calls limits it to that many payments and
// refunds; 0 lasts until it is replaced.
func (s *Server) SetBehaviour(reference string, calls int, b Behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behaviours.set(reference, calls, b)
}

// recorded enters a call into the ledger when it arrives, and its answer when
// that is known.
func (s *Server) recorded(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call := &Call{At: s.clock.Now(), Method: r.Method, Path: r.URL.RequestURI(), Key: r.Header.Get(headerKey)}
		s.mu.Lock()
		s.books.addCall(call)
		s.mu.Unlock()
		h(&recorder{ResponseWriter: w, note: func(status int) {
			s.mu.Lock()
			defer s.mu.Unlock()
			call.Answer = status
		}}, r)
	})
}

func (s *Server) noteDelivery(event string, d Delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.books.events[event]
	e.Deliveries = append(e.Deliveries, d)
}

// readBody decodes the body strictly, or answers and returns false.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, into any) bool {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		s.refuse(w, http.StatusRequestEntityTooLarge, codeInvalid, "the body cannot be read, or is too large")
		return false
	}
	if err := decodeStrict(body, into); err != nil {
		s.refuse(w, http.StatusBadRequest, codeInvalid, inventory.Message(err))
		return false
	}
	return true
}

func (s *Server) refuse(w http.ResponseWriter, status int, code errorCode, message string) {
	s.answer(w, status, apiError{code, message})
}

func (s *Server) answer(w http.ResponseWriter, status int, body any) {
	data, err := json.Marshal(body)
	if err != nil {
		s.log.Error("cannot write an answer", slog.String("error", err.Error()))
		status, data = http.StatusInternalServerError, []byte("{}")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data) // the caller may have gone, which is his business
}

// checkURL accepts an absolute http or https address without a password.
func checkURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return errors.New("is not an address")
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.User != nil:
		return errors.New("must be http://HOST... or https://HOST... without a password")
	}
	return nil
}
