package simulated_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/payment"
	"holdfast/inventory/payment/signature"
	"holdfast/inventory/payment/simulated"
	"holdfast/timezone"
)

func TestProvider_Refund(t *testing.T) {
	t.Parallel()

	t.Run("succeeds", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		p := b.create(t)
		task := refundOf(p, 2500)
		for range 3 { // the same refund again is the same refund
			r, err := b.provider.Refund(t.Context(), task)
			if err != nil || r.State != inventory.RefundSucceeded || r.Reference != task.Refund.ID.String() || r.Amount != price || r.Payment != p.ID {
				t.Fatalf("Refund = %+v, %v", r, err)
			}
		}
		l := b.server.Ledger()
		if len(l.Refunds) != 1 || l.Refunds[0].Key != task.Refund.ID.String() {
			t.Errorf("refunds = %+v, want one under its own id", l.Refunds)
		}
		for _, e := range b.shop.wait(t, 2) {
			if e.Kind == inventory.EventRefundSucceeded && (e.ProviderRefund != l.Refunds[0].ID || e.Reference != task.Refund.ID.String() || e.Amount != price) {
				t.Errorf("event = %+v", e)
			}
		}
	})

	t.Run("neverMoreThanWasCaptured", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		p := b.create(t)
		b.server.SetBehaviour("", 1, simulated.Behaviour{Mode: simulated.ModePending}) // pending counts
		for _, minor := range []inventory.Minor{1000, 1500} {
			if r, err := b.provider.Refund(t.Context(), refundOf(p, minor)); err != nil || r.State == inventory.RefundFailed {
				t.Fatalf("Refund(%d) = %+v, %v", minor, r, err)
			}
		}
		r, err := b.provider.Refund(t.Context(), refundOf(p, 1))
		if err != nil || r.State != inventory.RefundFailed || r.Reason != "refund_exceeds_payment" {
			t.Errorf("one cent more = %+v, %v, want a failed refund with its reason", r, err)
		}
		if all, err := b.provider.ListRefunds(t.Context(), p.ID); err != nil || len(all) != 2 {
			t.Errorf("ListRefunds = %+v, %v", all, err)
		}
	})

	t.Run("notCaptured", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.control(t, `{"mode":"pending"}`)
		r, err := b.provider.Refund(t.Context(), refundOf(b.create(t), 2500))
		if err != nil || r.State != inventory.RefundFailed {
			t.Errorf("Refund = %+v, %v, want failed", r, err)
		}
	})

	t.Run("failedGivesTheAmountBack", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		p := b.create(t)
		b.server.SetBehaviour("", 1, simulated.Behaviour{Mode: simulated.ModeDecline})
		if r, err := b.provider.Refund(t.Context(), refundOf(p, 2500)); err != nil || r.State != inventory.RefundFailed || r.Reason == "" {
			t.Fatalf("Refund = %+v, %v", r, err)
		}
		if r, err := b.provider.Refund(t.Context(), refundOf(p, 2500)); err != nil || r.State != inventory.RefundSucceeded {
			t.Errorf("the second refund = %+v, %v", r, err)
		}
	})

	t.Run("pendingThenFailedThenReturnedByTheBank", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		p := b.create(t)
		b.control(t, `{"mode":"pending"}`)
		r, err := b.provider.Refund(t.Context(), refundOf(p, 2500))
		if err != nil || r.State != inventory.RefundPending {
			t.Fatalf("Refund = %+v, %v", r, err)
		}
		for _, outcome := range []string{"succeeded", "failed"} {
			if status, answer := b.post(t, "/control/settle", "", `{"refund":"`+r.ID+`","outcome":"`+outcome+`"}`); status != http.StatusOK {
				t.Fatalf("settle = %d %v", status, answer)
			}
		}
		all, err := b.provider.ListRefunds(t.Context(), p.ID)
		if err != nil || len(all) != 1 || all[0].State != inventory.RefundFailed || all[0].Reason == "" {
			t.Errorf("ListRefunds = %+v, %v", all, err)
		}
	})

	t.Run("timeoutAfterEffectIsUnknownAndListed", func(t *testing.T) {
		t.Parallel()
		b := setupFor(t, 300*time.Millisecond)
		p := b.create(t)
		task := refundOf(p, 2500)
		b.server.SetBehaviour(task.Refund.ID.String(), 0, simulated.Behaviour{Mode: simulated.ModeTimeoutAfterEffect})
		_, err := b.provider.Refund(t.Context(), task)
		wantUnknown(t, "Refund", err)
		all, err := b.provider.ListRefunds(t.Context(), p.ID)
		if err != nil || len(all) != 1 || all[0].Reference != task.Refund.ID.String() {
			t.Errorf("ListRefunds = %+v, %v", all, err)
		}
	})
}

func TestProvider_Cancel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.server.SetBehaviour("", 1, simulated.Behaviour{Mode: simulated.ModePending})
	open, captured := b.create(t), b.create(t)
	for range 2 {
		if p, err := b.provider.Cancel(t.Context(), open.ID); err != nil || p.State != inventory.PaymentCancelled {
			t.Errorf("Cancel of an open one = %+v, %v", p, err)
		}
	}
	if p, err := b.provider.Cancel(t.Context(), captured.ID); err != nil || p.State != inventory.PaymentSucceeded {
		t.Errorf("Cancel of a captured one = %+v, %v, want it as it stands", p, err)
	}
	if _, err := b.provider.Cancel(t.Context(), "pay_none"); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("Cancel of an unknown one = %v", err)
	}
	if _, err := b.provider.Get(t.Context(), "pay_none"); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("Get of an unknown one = %v", err)
	}
	kinds := map[inventory.EventKind]int{}
	for _, e := range b.shop.wait(t, 3) {
		kinds[e.Kind]++
	}
	if kinds[inventory.EventPaymentCancelled] != 1 {
		t.Errorf("events = %v, want one cancellation", kinds)
	}
}

// F9: whatever comes back, no answer is never a failure.
func TestProvider_F9_badAnswers(t *testing.T) {
	t.Parallel()
	a := attempt()
	good := func(change func(string) string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, change(fmt.Sprintf(
				`{"id":"pay_1","reference":%q,"amountMinor":2500,"currency":"EUR","state":"succeeded"}`, a.ID)))
		}
	}
	replace := func(old, with string) http.HandlerFunc {
		return good(func(s string) string { return strings.Replace(s, old, with, 1) })
	}
	status := func(n int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(n)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   error // nil: it is fine
	}{
		"asExpected":         {good(func(s string) string { return s }), nil},
		"memberUnknownToUs":  {replace(`{`, `{"fee":3,`), nil},
		"500":                {status(500, `{"code":"internal_error"}`), payment.ErrNoAnswer},
		"502FromAProxy":      {status(502, "<html>"), payment.ErrNoAnswer},
		"429":                {status(429, `{"code":"rate_limit"}`), payment.ErrNoAnswer},
		"409KeyInUse":        {status(409, `{"code":"idempotency_key_in_use"}`), payment.ErrNoAnswer},
		"403FromAProxy":      {status(403, "<html>"), payment.ErrNoAnswer},
		"404FromAProxy":      {status(404, "404 page not found"), payment.ErrNoAnswer},
		"redirect307":        {status(307, ""), payment.ErrNoAnswer},
		"redirect302":        {status(302, `{}`), payment.ErrNoAnswer},
		"422WithACode":       {status(422, `{"code":"idempotency_error","message":"x"}`), payment.ErrRefused},
		"400WithACode":       {status(400, `{"code":"invalid_request"}`), payment.ErrRefused},
		"notJSON":            {status(201, "<html>"), payment.ErrWrongAnswer},
		"halfADocument":      {status(201, `{"id":"pay_1"`), payment.ErrWrongAnswer},
		"nothing":            {status(201, ""), payment.ErrWrongAnswer},
		"doubledMember":      {replace(`"id":"pay_1"`, `"id":"pay_1","id":"pay_2"`), payment.ErrWrongAnswer},
		"amountIsText":       {replace(`2500`, `"2500"`), payment.ErrWrongAnswer},
		"amountWithAPoint":   {replace(`2500`, `2500.0`), payment.ErrWrongAnswer},
		"otherAmount":        {replace(`2500`, `1`), payment.ErrWrongAnswer},
		"otherCurrency":      {replace(`EUR`, `JPY`), payment.ErrWrongAnswer},
		"otherReference":     {replace(a.ID.String(), "someone-else"), payment.ErrWrongAnswer},
		"unknownState":       {replace(`"succeeded"`, `"magic"`), payment.ErrWrongAnswer},
		"noID":               {replace(`pay_1`, ``), payment.ErrWrongAnswer},
		"tenMegabytes":       {replace(`{`, `{"pad":"`+strings.Repeat("x", 10<<20)+`",`), payment.ErrNoAnswer},
		"headersOfAMegabyte": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) }, payment.ErrNoAnswer},
		"cutInTheMiddle":     {cut, payment.ErrNoAnswer},
		"cutBeforeAnAnswer":  {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, payment.ErrNoAnswer},
		"oneByteNowAndThen":  {dribble, payment.ErrNoAnswer},
		"acceptsAndSaysNothing": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, payment.ErrNoAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var redirected atomic.Bool
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/v1/payments" {
					redirected.Store(true)
				}
				c.answer(w, r)
			}))
			defer api.Close()
			p := provider(t, simulated.ProviderConfig{BaseURL: api.URL, CallTimeout: time.Second})
			got, err := p.Create(t.Context(), a)
			if c.want == nil {
				if err != nil || got.State != inventory.PaymentSucceeded {
					t.Errorf("Create = %+v, %v", got, err)
				}
				return
			}
			if !errors.Is(err, c.want) || got != (inventory.ProviderPayment{}) {
				t.Errorf("Create = %+v, %v, want %v", got, err, c.want)
			}
			if payment.Unknown(err) == errors.Is(err, payment.ErrRefused) {
				t.Errorf("%v is both unknown and refused, or neither", err)
			}
			if redirected.Load() {
				t.Error("a redirect was followed")
			}
		})
	}
}

func cut(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	w.WriteHeader(http.StatusCreated)
	_, _ = io.WriteString(w, `{"id":`)
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func dribble(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusCreated)
	for r.Context().Err() == nil {
		_, _ = io.WriteString(w, " ")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func TestProvider_unreachable(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(http.NotFoundHandler())
	api.Close()
	_, err := provider(t, simulated.ProviderConfig{BaseURL: api.URL}).Create(t.Context(), attempt())
	wantUnknown(t, "Create", err)
}

func TestProvider_callerGoesAway(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.control(t, `{"mode":"timeout_after_effect"}`)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := b.provider.Create(ctx, attempt())
	wantUnknown(t, "Create", err)
}

// A provider that hangs holds a bounded number of calls; one more fails at
// once instead of queueing behind them.
func TestProvider_bulkhead(t *testing.T) {
	t.Parallel()
	inside, release := make(chan struct{}), make(chan struct{})
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		inside <- struct{}{}
		<-release
		w.WriteHeader(http.StatusInternalServerError)
	}))
	defer api.Close()
	p := provider(t, simulated.ProviderConfig{BaseURL: api.URL, CallTimeout: 30 * time.Second, Limits: payment.Limits{InFlight: 2}})
	results := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := p.Get(t.Context(), "pay_1")
			results <- err
		}()
		<-inside
	}
	_, err := p.Get(t.Context(), "pay_1")
	if !payment.Unknown(err) || !strings.Contains(err.Error(), "2 calls are in flight") {
		t.Errorf("the third call = %v, want a refusal for want of room", err)
	}
	close(release)
	for range 2 {
		<-results
	}
	go func() { <-inside }()
	if _, err := p.Get(t.Context(), "pay_1"); err == nil || strings.Contains(err.Error(), "in flight") {
		t.Errorf("after the others ended: %v, want the provider's own answer", err)
	}
}

func TestProvider_ignoresTheProxyOfTheEnvironment(t *testing.T) {
	var proxied atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { proxied.Store(true) }))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("HTTPS_PROXY", proxy.URL)
	p := provider(t, simulated.ProviderConfig{BaseURL: "http://provider.invalid", CallTimeout: 5 * time.Second})
	_, err := p.Get(t.Context(), "pay_1")
	wantUnknown(t, "Get", err)
	if proxied.Load() {
		t.Error("the call went through HTTP_PROXY")
	}
}

func TestProvider_ParseEvent(t *testing.T) {
	t.Parallel()
	secret, err := signature.NewSecret("test-secret-A")
	if err != nil {
		t.Fatal(err)
	}
	now := timezone.SystemClock{}.Now()
	p := provider(t, simulated.ProviderConfig{BaseURL: "http://127.0.0.1:1"})
	const data = `"data":{"payment":"pay_1","reference":"r-1","amountMinor":2500,"currency":"EUR"}`
	for name, c := range map[string]struct {
		body  string
		field string // "" = accepted
	}{
		"plain":             {`{"type":"payment.succeeded","id":"evt_1","created":1,"live":false,` + data + `}`, ""},
		"keysInOtherOrder":  {`{` + data + `,"live":true,"id":"evt_1","type":"payment.failed"}`, ""},
		"escapesAndBlanks":  {"{ \"type\":  \"payment.succeeded\", \"id\":\"evt_1\", \"name\":\"Jos\\u00E9 \\u001B[31m\",\r\n" + data + "}\r\n", ""},
		"refund":            {`{"type":"refund.failed","id":"evt_1","data":{"payment":"pay_1","refund":"rf_1","reference":"x","amountMinor":1,"currency":"EUR"}}`, ""},
		"typeUnknownToUs":   {`{"type":"payout.paid","id":"evt_1","data":{}}`, ""},
		"withoutReference":  {`{"type":"payment.succeeded","id":"evt_1","data":{"payment":"pay_1","amountMinor":1,"currency":"EUR"}}`, ""},
		"amountWithPoint":   {`{"type":"payment.succeeded","id":"evt_1",` + strings.Replace(data, "2500", "2500.0", 1) + `}`, "data.amountMinor"},
		"doubledAmount":     {`{"type":"payment.succeeded","id":"evt_1",` + strings.Replace(data, `"currency"`, `"amountMinor":1,"currency"`, 1) + `}`, "data.amountMinor"},
		"doubledID":         {`{"type":"payment.succeeded","id":"evt_1","id":"evt_2",` + data + `}`, "id"},
		"negative":          {`{"type":"payment.succeeded","id":"evt_1",` + strings.Replace(data, "2500", "-2500", 1) + `}`, "data.amountMinor"},
		"withoutID":         {`{"type":"payment.succeeded",` + data + `}`, "id"},
		"withoutPayment":    {`{"type":"payment.succeeded","id":"evt_1","data":{"amountMinor":1,"currency":"EUR"}}`, "data.payment"},
		"refundWithoutItID": {`{"type":"refund.failed","id":"evt_1",` + data + `}`, "data.refund"},
		"noCurrency":        {`{"type":"payment.succeeded","id":"evt_1","data":{"payment":"pay_1","amountMinor":1}}`, "currency"},
		"byteOrderMark":     {"\ufeff{}", "body"},
		"gzip":              {"\x1f\x8b\x08\x00", "body"},
		"twoDocuments":      {`{} {}`, "body"},
		"empty":             {``, "body"},
		"list":              {`[]`, "body"},
		"notUTF8":           {"{\"type\":\"\xff\"}", "body"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{}
			if err := signature.NewSigner(secret).Sign(h, "evt_1", now, []byte(c.body)); err != nil {
				t.Fatal(err)
			}
			e, err := p.ParseEvent(h, []byte(c.body))
			fields := inventory.FieldErrors(err)
			switch {
			case c.field == "" && (err != nil || e.ID != "evt_1" || e.Provider != "simulated" || string(e.Body) != c.body):
				t.Errorf("ParseEvent = %+v, %v, want it accepted", e, err)
			case c.field != "" && (len(fields) == 0 || fields[0].Field != c.field || errors.Is(err, signature.ErrNotAuthentic)):
				t.Errorf("ParseEvent = %v, want a problem with %s", err, c.field)
			}
			if name == "typeUnknownToUs" && e.Kind != "" {
				t.Errorf("kind = %q, want none", e.Kind)
			}
			if c.body == "" {
				return
			}
			flipped := []byte(c.body)
			flipped[len(flipped)/2] ^= 1
			if _, err := p.ParseEvent(h, flipped); !errors.Is(err, signature.ErrNotAuthentic) {
				t.Errorf("one bit flipped: %v, want ErrNotAuthentic", err)
			}
		})
	}
}

func TestNewProvider_refuses(t *testing.T) {
	t.Parallel()
	secret, err := signature.NewSecret("test-secret-A")
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"", "127.0.0.1:8090", "ftp://x", "http://", "http://user:pw@host", "file:///etc/passwd"} {
		if _, err := simulated.NewProvider(simulated.ProviderConfig{BaseURL: url, Secrets: []signature.Secret{secret}}); err == nil {
			t.Errorf("NewProvider accepted the address %q", url)
		}
		if url == "" {
			continue
		}
		if _, err := simulated.NewServer(simulated.Config{Secret: secret, WebhookURL: url}); err == nil {
			t.Errorf("NewServer accepted the webhook address %q", url)
		}
	}
	if _, err := simulated.NewProvider(simulated.ProviderConfig{BaseURL: "http://127.0.0.1:1"}); err == nil {
		t.Error("NewProvider accepted no secret")
	}
}
