package stripe_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/payment"
	"holdfast/inventory/payment/stripe"
)

func TestProvider_Create(t *testing.T) {
	t.Parallel()
	p := attempt()
	a := open(t, says(200, intent(anID, "requires_payment_method", p.ID.String()).String()))
	got, err := a.provider(t).Create(t.Context(), p)
	want := inventory.ProviderPayment{ID: anID, Reference: p.ID.String(), Amount: price, State: inventory.PaymentPending, ClientSecret: planted}
	if err != nil || got != want {
		t.Errorf("Create = %+v, %v; want %+v", got, err, want)
	}
	call := a.seen()[0]
	if call.String() != "POST /v1/payment_intents" {
		t.Errorf("called %s", call)
	}
	for name, want := range map[string]string{
		"amount": "2500", "currency": "eur", "automatic_payment_methods[enabled]": "true",
		"metadata[" + stripe.MetadataReference + "]": p.ID.String(), "metadata[holdfast_booking]": p.BookingID.String(),
	} {
		if call.form[name] != want {
			t.Errorf("%s = %q, want %q", name, call.form[name], want)
		}
	}
	if len(call.form) != 5 {
		t.Errorf("parameters = %v; one that varies would spoil the key", call.form)
	}
	for name, want := range map[string]string{
		"Idempotency-Key": p.ProviderKey, "Authorization": "Bearer " + testKey,
		"X-Stripe-Client-User-Agent": "", "X-Stripe-Client-Telemetry": "",
	} {
		if got := call.header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if call.header.Get("Stripe-Version") == "" {
		t.Error("the API version is not pinned")
	}
}

func TestProvider_Create_nothingIsSent(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*inventory.Payment){
		"thirdDecimalOfKWD": func(p *inventory.Payment) { p.Amount = inventory.Money{Minor: 5124, Currency: "KWD"} },
		"unknownUnit":       func(p *inventory.Payment) { p.Amount = inventory.Money{Minor: 5000, Currency: "IQD"} },
		"noKey":             func(p *inventory.Payment) { p.ProviderKey = "" },
	} {
		p, a := attempt(), open(t, says(200, "{}"))
		change(&p)
		_, err := a.provider(t).Create(t.Context(), p)
		if !errors.Is(err, payment.ErrRefused) || payment.Unknown(err) || len(a.seen()) != 0 {
			t.Errorf("%s: Create = %v after %d calls, want a refusal after none", name, err, len(a.seen()))
		}
	}
}

// Case: Stripe's units are not those of ISO 4217.
func TestProvider_Create_unitsOfStripe(t *testing.T) {
	t.Parallel()
	p := attempt()
	p.Amount = inventory.Money{Minor: 4990, Currency: "ISK"}
	a := open(t, says(200, intent(anID, "requires_payment_method", p.ID.String()).with("amount", 499000).with("currency", "isk").String()))
	got, err := a.provider(t).Create(t.Context(), p)
	if err != nil || got.Amount != p.Amount || a.seen()[0].form["amount"] != "499000" {
		t.Errorf("Create = %+v, %v with amount %s", got, err, a.seen()[0].form["amount"])
	}
}

func TestProvider_Get_states(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]inventory.PaymentState{
		"requires_payment_method": inventory.PaymentPending,
		"requires_confirmation":   inventory.PaymentPending,
		"requires_action":         inventory.PaymentPending,
		"processing":              inventory.PaymentPending,
		"requires_capture":        inventory.PaymentPending,
		"canceled":                inventory.PaymentCancelled,
		"succeeded":               inventory.PaymentSucceeded,
	} {
		a := open(t, says(200, intent(anID, status, ourPayment).with("amount_received", 2400).String()))
		got, err := a.provider(t).Get(t.Context(), anID)
		amount := price
		if want == inventory.PaymentSucceeded {
			amount.Minor = 2400 // what was received, not what was asked for
		}
		if err != nil || got.State != want || got.Amount != amount || got.Reference != ourPayment {
			t.Errorf("%s: Get = %+v, %v; want %s", status, got, err, want)
		}
	}
	for _, id := range []string{"", "ch_1", "pi_1 ", "pi_\x1b"} {
		a := open(t, says(200, list("list", false).String()))
		if _, err := a.provider(t).Get(t.Context(), id); !errors.Is(err, inventory.ErrNotFound) || len(a.seen()) != 0 {
			t.Errorf("Get(%q) = %v after %d calls", id, err, len(a.seen()))
		}
	}
}

func TestProvider_Cancel(t *testing.T) {
	t.Parallel()
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		a := open(t, says(200, intent(anID, "canceled", ourPayment).String()))
		p := a.provider(t)
		for range 2 {
			if got, err := p.Cancel(t.Context(), anID); err != nil || got.State != inventory.PaymentCancelled {
				t.Fatalf("Cancel = %+v, %v", got, err)
			}
		}
		calls := a.seen()
		if calls[0].String() != "POST /v1/payment_intents/pi_1/cancel" || calls[0].header.Get("Idempotency-Key") == calls[1].header.Get("Idempotency-Key") {
			t.Errorf("calls = %v; a fixed key would repeat an old refusal for a day", calls)
		}
	})
	for status, want := range map[string]inventory.PaymentState{
		"succeeded": inventory.PaymentSucceeded, "canceled": inventory.PaymentCancelled, "processing": inventory.PaymentPending,
	} {
		t.Run("meanwhile_"+status, func(t *testing.T) {
			t.Parallel()
			a := open(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					says(400, failure("invalid_request_error", "payment_intent_unexpected_state", "You cannot cancel this PaymentIntent"))(w, r)
					return
				}
				says(200, intent(anID, status, ourPayment).with("amount_received", 2500).String())(w, r)
			})
			if got, err := a.provider(t).Cancel(t.Context(), anID); err != nil || got.State != want {
				t.Errorf("Cancel = %+v, %v; want %s", got, err, want)
			}
		})
	}
}

func TestProvider_Refund_states(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status, failure string
		want            inventory.RefundState
		reason          string
	}{
		{"succeeded", "", inventory.RefundSucceeded, ""},
		{"pending", "", inventory.RefundPending, ""},
		{"requires_action", "", inventory.RefundPending, ""},
		{"failed", "lost_or_stolen_card", inventory.RefundFailed, "lost_or_stolen_card"},
		{"failed", "", inventory.RefundFailed, "Stripe gives no reason"},
		{"canceled", "", inventory.RefundFailed, "canceled at Stripe"},
	} {
		task := refundTask(anID)
		id := task.Refund.ID.String()
		a := open(t, says(200, refunded("re_1", anID, c.status, id).with("failure_reason", c.failure).String()))
		got, err := a.provider(t).Refund(t.Context(), task)
		want := inventory.ProviderRefund{ID: "re_1", Payment: anID, Reference: id, Amount: price, State: c.want, Reason: c.reason}
		if err != nil || got != want {
			t.Errorf("%s: Refund = %+v, %v; want %+v", c.status, got, err, want)
		}
		call := a.seen()[0]
		if call.header.Get("Idempotency-Key") != id || call.form["payment_intent"] != anID || call.form["amount"] != "2500" ||
			call.form["metadata["+stripe.MetadataReference+"]"] != id || len(call.form) != 4 {
			t.Errorf("called %s %v under key %q", call, call.form, call.header.Get("Idempotency-Key"))
		}
	}
}

func TestProvider_Refund_refused(t *testing.T) {
	t.Parallel()
	refuse := func(status int, body string, made ...object) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				says(status, body)(w, r)
				return
			}
			says(200, list("list", false, made...).String())(w, r)
		}
	}
	spent := failure("invalid_request_error", "charge_already_refunded", "Charge ch_1 has already been refunded.")

	t.Run("forGood", func(t *testing.T) {
		t.Parallel()
		for body, reason := range map[string]string{
			spent: "charge_already_refunded: Charge ch_1 has already been refunded.",
			failure("invalid_request_error", "", "Refund amount (€25.00) is greater than unrefunded amount on charge (€10.00)"): "Refund amount (€25.00) is greater than unrefunded amount on charge (€10.00)",
			failure("invalid_request_error", "charge_disputed", ""):                                                             "charge_disputed",
		} {
			task := refundTask(anID)
			got, err := open(t, refuse(400, body, refunded("re_0", anID, "succeeded", ""))).provider(t).Refund(t.Context(), task)
			want := inventory.ProviderRefund{Payment: anID, Reference: task.Refund.ID.String(), Amount: price, State: inventory.RefundFailed, Reason: reason}
			if err != nil || got != want {
				t.Errorf("Refund = %+v, %v; want %+v", got, err, want)
			}
		}
	})
	t.Run("becauseThisVeryRefundWasMadeBefore", func(t *testing.T) {
		t.Parallel()
		task := refundTask(anID)
		a := open(t, refuse(400, spent, refunded("re_0", anID, "succeeded", task.Refund.ID.String())))
		if got, err := a.provider(t).Refund(t.Context(), task); err != nil || got.State != inventory.RefundSucceeded || got.ID != "re_0" {
			t.Errorf("Refund = %+v, %v; want the refund that was made", got, err)
		}
	})
	t.Run("andTheListIsNotToBeHad", func(t *testing.T) {
		t.Parallel()
		a := open(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				says(400, spent)(w, r)
				return
			}
			says(503, "")(w, r)
		})
		_, err := a.provider(t).Refund(t.Context(), refundTask(anID))
		wantUnknown(t, "Refund", err)
	})
	t.Run("forReasonsOfWhoeverRunsThis", func(t *testing.T) {
		t.Parallel()
		for code, status := range map[string]int{"resource_missing": 400, "api_key_expired": 401, "parameter_unknown": 400, "": 403} {
			a := open(t, refuse(status, failure("invalid_request_error", code, "no"))) // a key may read and not refund
			got, err := a.provider(t).Refund(t.Context(), refundTask(anID))
			if err == nil || got != (inventory.ProviderRefund{}) || payment.Unknown(err) {
				t.Errorf("%d %s: Refund = %+v, %v; want an error, so that the refund waits", status, code, got, err)
			}
		}
	})
}

func TestProvider_ListRefunds(t *testing.T) {
	t.Parallel()
	newest := refunded("re_3", anID, "pending", ourRefund)
	second := refunded("re_2", anID, "failed", "").with("failure_reason", "declined").with("created", now.Add(-time.Minute).Unix())
	oldest := refunded("re_1", anID, "succeeded", "").with("amount", 700).with("created", now.Add(-time.Hour).Unix())
	a := open(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("starting_after") == "" {
			says(200, list("list", true, newest, second).String())(w, r)
			return
		}
		says(200, list("list", false, oldest).String())(w, r)
	})
	got, err := a.provider(t).ListRefunds(t.Context(), anID)
	want := []inventory.ProviderRefund{
		{ID: "re_1", Payment: anID, Amount: eur(700), State: inventory.RefundSucceeded}, // made in the dashboard
		{ID: "re_2", Payment: anID, Amount: price, State: inventory.RefundFailed, Reason: "declined"},
		{ID: "re_3", Payment: anID, Reference: ourRefund, Amount: price, State: inventory.RefundPending},
	}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("ListRefunds = %+v, %v; want %+v", got, err, want)
	}
	for _, call := range a.seen() {
		if call.form["payment_intent"] != anID {
			t.Errorf("listed %s?%s", call, call.query)
		}
	}
	if _, err := a.provider(t).ListRefunds(t.Context(), ""); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("ListRefunds of nothing = %v; it would be all refunds there are", err)
	}
}

// Half a list must not pass for the whole one.
func TestProvider_ListRefunds_endless(t *testing.T) {
	t.Parallel()
	page := make([]object, 100)
	for i := range page {
		page[i] = refunded("re_1", anID, "succeeded", "")
	}
	more, last := list("list", true, page...).String(), list("list", false, page...).String()
	var pages atomic.Int64
	a := open(t, func(w http.ResponseWriter, r *http.Request) {
		if pages.Add(1) > 30 {
			says(200, last)(w, r)
			return
		}
		says(200, more)(w, r)
	})
	cfg := a.config(t)
	cfg.CallTimeout = time.Minute
	_, err := provider(t, cfg).ListRefunds(t.Context(), anID)
	wantUnknown(t, "ListRefunds", err)
	if err == nil || !strings.Contains(err.Error(), "over 2000") || len(a.seen()) > 21 {
		t.Errorf("ListRefunds = %v after %d calls", err, len(a.seen()))
	}
}

func TestProvider_FindByReference(t *testing.T) {
	t.Parallel()
	find := func(t *testing.T, reference string, recent, indexed []object) (*account, []inventory.ProviderPayment, error) {
		t.Helper()
		a := open(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/search"):
				says(200, list("search_result", false, indexed...).String())(w, r)
			case strings.HasSuffix(r.URL.Path, "/payment_intents"):
				says(200, list("list", false, recent...).String())(w, r)
			default: // by its id: as it stands now
				id := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
				says(200, intent(id, "canceled", reference).with("created", 1).String())(w, r)
			}
		})
		got, err := a.provider(t).FindByReference(t.Context(), reference)
		return a, got, err
	}
	// An id made an instant ago by the clock of these tests, and one made long ago.
	young := fmt.Sprintf("%08x-%04x-7000-8000-0000000000aa", now.UnixMilli()>>16, now.UnixMilli()&0xffff)
	other := intent("pi_9", "succeeded", ourRefund)

	t.Run("youngIsOnlyListed", func(t *testing.T) {
		t.Parallel()
		a, got, err := find(t, young, []object{other, intent(anID, "processing", young), intent("pi_8", "processing", strings.ToUpper(young))}, nil)
		if err != nil || len(got) != 1 || got[0].ID != anID || got[0].State != inventory.PaymentPending {
			t.Errorf("FindByReference = %+v, %v", got, err)
		}
		calls := a.seen()
		if len(calls) != 1 || calls[0].form["created[gte]"] != fmt.Sprint(now.Add(-10*time.Minute).Unix()) {
			t.Errorf("calls = %v %v; want the list since the reference was made", calls, calls[0].form)
		}
	})
	t.Run("oldIsSearchedAndAskedFor", func(t *testing.T) {
		t.Parallel()
		stale := intent("pi_2", "requires_payment_method", ourPayment)
		a, got, err := find(t, ourPayment, []object{intent(anID, "succeeded", ourPayment).with("amount_received", 2500)}, []object{stale, other})
		if err != nil || len(got) != 2 || got[0].ID != "pi_2" || got[0].State != inventory.PaymentCancelled || got[1].ID != anID {
			t.Errorf("FindByReference = %+v, %v; want the older first, as it stands now", got, err)
		}
		calls := a.seen()
		if len(calls) != 3 || calls[1].form["query"] != "metadata['holdfast_reference']:'"+ourPayment+"'" || calls[2].path != "/v1/payment_intents/pi_2" {
			t.Errorf("calls = %v", calls)
		}
		if calls[0].form["created[gte]"] != fmt.Sprint(now.Add(-90*time.Minute).Unix()) {
			t.Errorf("listed since %s; the search may be an hour behind", calls[0].form["created[gte]"])
		}
	})
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		for _, reference := range []string{ourPayment, young, "its' own \\words"} {
			if _, got, err := find(t, reference, []object{other}, []object{other}); err != nil || len(got) != 0 {
				t.Errorf("FindByReference(%q) = %+v, %v", reference, got, err)
			}
		}
	})
	t.Run("quotesAreEscaped", func(t *testing.T) {
		t.Parallel()
		a, _, _ := find(t, `x' OR status:'succeeded\`, nil, nil)
		if got, want := a.seen()[1].form["query"], `metadata['holdfast_reference']:'x\' OR status:\'succeeded\\'`; got != want {
			t.Errorf("query = %s, want %s", got, want)
		}
	})
	t.Run("inBothIsOne", func(t *testing.T) {
		t.Parallel()
		both := intent(anID, "canceled", ourPayment).with("created", 1)
		if _, got, err := find(t, ourPayment, []object{both}, []object{both}); err != nil || len(got) != 1 {
			t.Errorf("FindByReference = %+v, %v", got, err)
		}
	})
	t.Run("withoutReference", func(t *testing.T) {
		t.Parallel()
		if _, got, err := find(t, "", []object{intent(anID, "succeeded", "")}, nil); err != nil || len(got) != 0 {
			t.Errorf("FindByReference of nothing = %+v, %v", got, err)
		}
	})
}
