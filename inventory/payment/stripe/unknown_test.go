package stripe_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/payment"
	"holdfast/inventory/payment/stripe"
)

const (
	planted = "pi_1_secret_hush" // in every body of an intent; must turn up in no error
	anID    = "pi_1"
)

// operation is one method with arguments for which an answer about pi_1 over
// EUR 25.00 would be right, but for the reference.
type operation func(context.Context, *stripe.Provider) error

func operations() map[string]operation {
	return map[string]operation{
		"Create": func(ctx context.Context, p *stripe.Provider) error {
			_, err := p.Create(ctx, attempt())
			return err
		},
		"Get": func(ctx context.Context, p *stripe.Provider) error {
			_, err := p.Get(ctx, anID)
			return err
		},
		"Cancel": func(ctx context.Context, p *stripe.Provider) error {
			_, err := p.Cancel(ctx, anID)
			return err
		},
		"Refund": func(ctx context.Context, p *stripe.Provider) error {
			_, err := p.Refund(ctx, refundTask(anID))
			return err
		},
		"ListRefunds": func(ctx context.Context, p *stripe.Provider) error {
			_, err := p.ListRefunds(ctx, anID)
			return err
		},
		"FindByReference": func(ctx context.Context, p *stripe.Provider) error {
			_, err := p.FindByReference(ctx, ourPayment)
			return err
		},
	}
}

// No usable answer leaves open what happened, whichever method asked. Nothing is
// tried again and no client secret gets into an error.
func TestProvider_noAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	pi := intent(anID, "succeeded", ourPayment)
	for name, answer := range map[string]http.HandlerFunc{
		"500":                says(500, failure("api_error", "", "oops")),
		"502fromAProxy":      says(502, "<html>bad gateway</html>"),
		"503Empty":           says(503, ""),
		"429":                says(429, failure("invalid_request_error", "rate_limit", "slow down")),
		"lockTimeout":        says(429, failure("invalid_request_error", "lock_timeout", "locked")),
		"keyInUse":           says(409, failure("invalid_request_error", "idempotency_key_in_use", "still running")),
		"otherConflict":      says(409, failure("invalid_request_error", "", "something else changes it")),
		"408":                says(408, failure("invalid_request_error", "", "late")),
		"bare403":            says(403, "<html>forbidden by the firewall</html>"),
		"bare404":            says(404, "not here"),
		"400WithoutType":     says(400, `{"error":{"message":"from who knows where"}}`),
		"400OtherJSON":       says(400, `{"error":"invalid"}`),
		"redirectWithAnswer": says(302, pi.String()),
		"html":               says(200, "<html>hello "+planted+"</html>"),
		"empty":              says(200, ""),
		"cutJSON":            says(200, pi.String()[:40]),
		"wrongType":          says(200, pi.with("amount", "2500").with("data", "x").String()),
		"null":               says(200, "null"),
		"424":                says(424, failure("card_error", "", "somebody behind us failed")),
		"400OfTheirs":        says(400, failure("api_error", "", "we do not know ourselves")),
		"listWithoutData":    says(200, `{"object":"list","has_more":false}`),
		"emptyObject":        says(200, "{}"),
		"array":              says(200, "[]"),
		"emptyWithMore":      says(200, list("list", true).with("id", "").String()),
		"listOfNull":         says(200, `{"object":"list","has_more":false,"data":[null],"id":null}`),
		"listOfNothingKnown": says(200, list("list", false, object{"id": "pi_1", "client_secret": planted, "metadata": object{stripe.MetadataReference: ourPayment}}).String()),
		"otherMode":          says(200, list("list", false, pi.with("livemode", true)).with("id", anID).with("status", "succeeded").with("currency", "eur").with("livemode", true).String()),
		"tooLarge":           says(200, `{"id":"pi_1","junk":"`+strings.Repeat("x", 10<<20)+`"}`),
		"cutConnection": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, pi.String()[:100])
			panic(http.ErrAbortHandler)
		},
	} {
		for method, call := range operations() {
			t.Run(name+"/"+method, func(t *testing.T) {
				t.Parallel()
				a := open(t, answer)
				err := call(t.Context(), a.provider(t))
				wantUnknown(t, method, err)
				if errors.Is(err, payment.ErrRefused) || errors.Is(err, inventory.ErrNotFound) {
					t.Errorf("%v reads as a definite answer", err)
				}
				if err != nil && (strings.Contains(err.Error(), "hush") || len(err.Error()) > 600) {
					t.Errorf("the error tells too much: %v", err)
				}
				again := map[string]int{}
				for _, c := range a.seen() {
					if again[c.String()]++; again[c.String()] > 1 {
						t.Errorf("%s was tried again", c)
					}
				}
			})
		}
	}
}

// An answer about something else, or over other money, is none.
func TestProvider_contradictingAnswer(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(object) object{
		"otherAmount":   func(o object) object { return o.with("amount", 2501) },
		"otherCurrency": func(o object) object { return o.with("currency", "usd") },
		"noCurrency":    func(o object) object { return o.with("currency", "") },
		"otherOwner":    func(o object) object { return o.with("metadata", object{stripe.MetadataReference: ourRefund}) },
		"noMetadata":    func(o object) object { return o.with("metadata", object{}) },
		"unknownState":  func(o object) object { return o.with("status", "melted") },
		"idWithNUL":     func(o object) object { return o.with("id", o["id"].(string)+"\x00") },
		"noID":          func(o object) object { return o.with("id", "") },
	} {
		t.Run(name+"/Create", func(t *testing.T) {
			t.Parallel()
			p := attempt()
			a := open(t, says(200, change(intent(anID, "requires_payment_method", p.ID.String())).String()))
			_, err := a.provider(t).Create(t.Context(), p)
			if !errors.Is(err, payment.ErrWrongAnswer) {
				t.Errorf("Create = %v, want ErrWrongAnswer", err)
			}
		})
		t.Run(name+"/Refund", func(t *testing.T) {
			t.Parallel()
			task := refundTask(anID)
			a := open(t, says(200, change(refunded("re_1", anID, "succeeded", task.Refund.ID.String())).String()))
			_, err := a.provider(t).Refund(t.Context(), task)
			if !errors.Is(err, payment.ErrWrongAnswer) {
				t.Errorf("Refund = %v, want ErrWrongAnswer", err)
			}
		})
	}
	t.Run("refundOfAnotherPayment", func(t *testing.T) {
		t.Parallel()
		task := refundTask(anID)
		a := open(t, says(200, refunded("re_1", "pi_2", "succeeded", task.Refund.ID.String()).String()))
		if _, err := a.provider(t).Refund(t.Context(), task); !errors.Is(err, payment.ErrWrongAnswer) {
			t.Errorf("Refund = %v, want ErrWrongAnswer", err)
		}
	})
	t.Run("anotherPayment", func(t *testing.T) {
		t.Parallel()
		a := open(t, says(200, intent("pi_2", "succeeded", ourPayment).String()))
		if _, err := a.provider(t).Get(t.Context(), anID); !errors.Is(err, payment.ErrWrongAnswer) {
			t.Errorf("Get = %v, want ErrWrongAnswer", err)
		}
	})
}

func TestProvider_definiteRefusals(t *testing.T) {
	t.Parallel()
	noise := strings.Repeat("\x1b]52;c;", 100)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   error
	}{
		"revokedKey":   {says(401, failure("invalid_request_error", "", "Invalid API Key provided")), payment.ErrRefused},
		"keyMayNot":    {says(403, failure("invalid_request_error", "", "The provided key does not have the required permissions"+noise)), payment.ErrRefused},
		"noSuchObject": {says(404, failure("invalid_request_error", "resource_missing", "No such payment_intent: 'pi_1'")), inventory.ErrNotFound},
		"keyReused":    {says(400, failure("idempotency_error", "", "Keys for idempotent requests can only be used with the same parameters")), stripe.ErrKeyReused},
	} {
		for method, call := range operations() {
			t.Run(name+"/"+method, func(t *testing.T) {
				t.Parallel()
				err := call(t.Context(), open(t, c.answer).provider(t))
				if !errors.Is(err, c.want) || payment.Unknown(err) {
					t.Errorf("%s = %v, want %v and not unknown", method, err, c.want)
				}
				if name == "keyReused" && errors.Is(err, payment.ErrRefused) {
					t.Errorf("%v reads as if nothing had happened", err)
				}
				if strings.Contains(err.Error(), "\x1b") || len(err.Error()) > 800 {
					t.Errorf("what Stripe says is neither quoted nor cut: %q", err)
				}
			})
		}
	}
}

func TestProvider_redirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for method, call := range operations() {
			elsewhere := open(t, says(200, "{}"))
			a := open(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.url, status) })
			err := call(t.Context(), a.provider(t))
			wantUnknown(t, method, err)
			if got := elsewhere.seen(); len(got) != 0 {
				t.Errorf("%s followed a %d: %v", method, status, got)
			}
		}
	}
}

func TestProvider_deadlines(t *testing.T) {
	t.Parallel()
	hang := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	trickle := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, " ")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(20 * time.Millisecond):
			case <-r.Context().Done():
			}
		}
	}
	for name, answer := range map[string]http.HandlerFunc{"noHeaders": hang, "aByteAtATime": trickle} {
		for method, call := range operations() {
			t.Run(name+"/"+method, func(t *testing.T) {
				t.Parallel()
				cfg := open(t, answer).config(t)
				cfg.CallTimeout = 300 * time.Millisecond
				started := time.Now()
				err := call(t.Context(), provider(t, cfg))
				wantUnknown(t, method, err)
				if err != nil && !strings.Contains(err.Error(), "took over 300ms") {
					t.Errorf("the error does not name the deadline: %v", err)
				}
				if took := time.Since(started); took > 10*time.Second {
					t.Errorf("it took %s", took)
				}
			})
		}
	}
	t.Run("theCallersOwnIsKept", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, errors.New("pay took over 200ms"))
		defer cancel()
		_, err := open(t, hang).provider(t).Create(ctx, attempt())
		wantUnknown(t, "Create", err)
		if err != nil && !strings.Contains(err.Error(), "pay took over") {
			t.Errorf("Create = %v", err)
		}
	})
}

// A Stripe that hangs holds a bounded number of calls; one more fails at once.
func TestProvider_bulkhead(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}, 10), make(chan struct{})
	a := open(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
		says(500, "{}")(w, r)
	})
	cfg := a.config(t)
	cfg.Limits = payment.Limits{InFlight: 2}
	cfg.CallTimeout = 20 * time.Second
	p := provider(t, cfg)
	done := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := p.Get(t.Context(), anID)
			done <- err
		}()
	}
	<-arrived
	<-arrived
	_, err := p.Get(t.Context(), anID)
	wantUnknown(t, "one call more", err)
	if err == nil || !strings.Contains(err.Error(), "2 calls are in flight") {
		t.Errorf("one call more = %v, want it refused for the others", err)
	}
	close(release)
	for range 2 {
		wantUnknown(t, "Get", <-done)
	}
}
