package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/payment/signature"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
)

// Case B16: the same event twenty times at once at two daemons, beside the
// retry pass, settles once; every delivery gets 2xx.
func TestWebhook_B16_twentyAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	id := b.hold(t, "u-1", 1)
	deliver := func(body string, times int) {
		t.Helper()
		var wg sync.WaitGroup
		for i := range times {
			wg.Go(func() {
				if r := b.callback(t, i%2, body); r.status != http.StatusNoContent {
					t.Errorf("delivery = %d %s, want 204", r.status, r.text)
				}
			})
		}
		for range 3 {
			wg.Go(func() {
				if _, err := b.After(t, time.Minute).ApplyPendingEvents(ctx, 100); err != nil {
					t.Errorf("retry pass: %v", err)
				}
			})
		}
		wg.Wait()
	}
	confirmations := func() int {
		return b.count(t, `select count(*) from journal where booking_id = $1 and topic = 'booking.confirmed'`, id)
	}
	check := func(after string, events int) {
		t.Helper()
		if s := b.State(t, id); s != inventory.StateConfirmed || confirmations() != 1 {
			t.Errorf("%s: %s with %d messages, want CONFIRMED with 1", after, s, confirmations())
		}
		if n := b.count(t, `select count(*) from webhook_event`); n != events {
			t.Errorf("%s: %d events stored, want %d", after, n, events)
		}
		if n := b.count(t, `select count(*) from payment where standing = 'applied'`); n != 1 {
			t.Errorf("%s: %d applied payments, want 1", after, n)
		}
	}
	deliver(event(inventory.EventPaymentSucceeded, "ev_1", "pay_1", id.String()), 20)
	check("twenty times the same event", 1)
	deliver(event(inventory.EventPaymentSucceeded, "ev_2", "pay_1", id.String()), 1)
	check("another event that says the same", 2)
	deliver(event(inventory.EventPaymentProcessing, "ev_3", "pay_1", id.String()), 1)
	check("an older event that comes later", 3)
	refund := strings.Replace(event(inventory.EventRefundPending, "ev_4", "pay_1", inventory.NewRefundID().String()), `"payment"`, `"refund":"rf_1","payment"`, 1)
	if taken := b.Taken(t); taken != 1 {
		t.Errorf("taken = %d, want 1", taken)
	}
	deliver(refund, 5)
	if confirmations() != 1 {
		t.Errorf("an event about a refund: %d messages that it is confirmed, want 1", confirmations())
	}
}

// Case B19: the signature is over the bytes received. What is signed rightly
// is never refused for its signature; one flipped byte is, and leaves no row.
func TestWebhook_B19_exactBytes(t *testing.T) {
	t.Parallel()
	b := setup(t, pgtest.PerBuyer(0))
	id := b.hold(t, "u-1", 1)
	plain := event(inventory.EventPaymentSucceeded, "evt_x", "pay_1", id.String())
	number := 0
	for name, c := range map[string]struct {
		body   string
		status int
		why    string // of a refusal
	}{
		"asWritten":            {plain, 204, ""},
		"twoSpacesAfterColons": {strings.ReplaceAll(plain, `":`, `":  `), 204, ""},
		"keysInReverseOrder":   {fmt.Sprintf(`{"data":{"currency":"EUR","amountMinor":2500,"reference":%q,"payment":"pay_1"},"live":false,"created":1,"id":"evt_x","type":"payment.succeeded"}`, id), 204, ""},
		"unicodeEscapes":       {strings.Replace(plain, `{`, `{"name":"Jos\u00E9 \u001B[31m",`, 1), 204, ""},
		"trailingNewline":      {plain + "\n", 204, ""},
		"crlf":                 {strings.ReplaceAll(plain, `,`, ",\r\n") + "\r\n", 204, ""},
		"numberWithPoint":      {strings.Replace(plain, "2500", "2500.0", 1), 400, "data.amountMinor"},
		"byteOrderMark":        {"\ufeff" + plain, 400, "body"},
		"doubledAmount":        {strings.Replace(plain, `"amountMinor"`, `"amountMinor":1,"amountMinor"`, 1), 400, "data.amountMinor"},
		"gzip":                 {"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\xae\x05\x00\x43\xbf\xa6\xa3\x02\x00\x00\x00", 400, "body"},
	} {
		number++
		body := strings.Replace(c.body, "evt_x", fmt.Sprintf("evt_%d", number), 1)
		before := b.count(t, `select count(*) from webhook_event`)
		h := http.Header{}
		if err := b.signer.Sign(h, "msg_1", timezone.SystemClock{}.Now(), []byte(body)); err != nil {
			t.Fatal(err)
		}
		send := func(body string) reply {
			return b.daemons[0].send(t, http.MethodPost, "/payments/webhook", body,
				signature.HeaderID, h.Get(signature.HeaderID), signature.HeaderTimestamp, h.Get(signature.HeaderTimestamp),
				signature.HeaderSignature, h.Get(signature.HeaderSignature))
		}
		for _, i := range []int{0, len(body) / 2, len(body) - 1} {
			flipped := []byte(body)
			flipped[i] ^= 1
			if r := send(string(flipped)); r.status != http.StatusUnauthorized {
				t.Errorf("%s with byte %d flipped = %d %s, want 401", name, i, r.status, r.text)
			}
		}
		if after := b.count(t, `select count(*) from webhook_event`); after != before {
			t.Errorf("%s: a forged callback was stored", name)
		}
		r := send(body)
		if r.status != c.status || c.why != "" && (len(r.fields()) == 0 || r.fields()[0] != c.why) {
			t.Errorf("%s = %d %s, want %d %s", name, r.status, r.text, c.status, c.why)
		}
		if after := b.count(t, `select count(*) from webhook_event`); after-before != 1 && c.status == 204 || after != before && c.status != 204 {
			t.Errorf("%s: %d rows more", name, after-before)
		}
	}
	if s := b.State(t, id); s != inventory.StateConfirmed {
		t.Errorf("state = %s, want CONFIRMED", s)
	}
}

func TestWebhook_notAuthentic(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.hold(t, "u-1", 1)
	body := event(inventory.EventPaymentSucceeded, "evt_1", "pay_1", id.String())
	other, err := signature.NewSecret("test-secret-of-another-endpoint")
	if err != nil {
		t.Fatal(err)
	}
	signed := func(s signature.Signer, off time.Duration) []string {
		h := http.Header{}
		if err := s.Sign(h, "msg_1", timezone.SystemClock{}.Now().Add(off), []byte(body)); err != nil {
			t.Fatal(err)
		}
		return []string{
			signature.HeaderID, h.Get(signature.HeaderID), signature.HeaderTimestamp, h.Get(signature.HeaderTimestamp),
			signature.HeaderSignature, h.Get(signature.HeaderSignature),
		}
	}
	good := signed(b.signer, 0)
	for name, headers := range map[string][]string{
		"unsigned":          nil,
		"bearerInstead":     {"Authorization", "Bearer hf_x"},
		"otherSecret":       signed(signature.NewSigner(other), 0),
		"tenMinutesOld":     signed(b.signer, -10*time.Minute),
		"tenMinutesAhead":   signed(b.signer, 10*time.Minute),
		"twoTimestamps":     append(good[:len(good):len(good)], signature.HeaderTimestamp, "1"),
		"signatureCutByOne": {good[0], good[1], good[2], good[3], good[4], good[5][:len(good[5])-1]},
	} {
		r := b.daemons[0].send(t, http.MethodPost, "/payments/webhook", body, headers...)
		if r.status != http.StatusUnauthorized || strings.Contains(r.text, "sign") || strings.Contains(r.text, "second") {
			t.Errorf("%s = %d %s, want 401 without a reason", name, r.status, r.text)
		}
	}
	if n := b.count(t, `select count(*) from webhook_event`); n != 0 {
		t.Errorf("%d forged events stored", n)
	}
	if s := b.State(t, id); s != inventory.StateHeld {
		t.Errorf("state = %s, want HELD", s)
	}
}

// A shop that takes the money itself passes our booking id as the reference.
func TestWebhook_shopDriven(t *testing.T) {
	t.Parallel()

	t.Run("confirmsAHeldBooking", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.hold(t, "u-1", 1)
		if r := b.callback(t, 1, event(inventory.EventPaymentSucceeded, "evt_1", "pay_1", id.String())); r.status != http.StatusNoContent {
			t.Fatalf("callback = %d %s", r.status, r.text)
		}
		r := b.daemons[0].send(t, http.MethodGet, "/bookings/"+id.String(), "")
		payments, _ := r.body["payments"].([]any)
		if r.body["state"] != "CONFIRMED" || len(payments) != 1 {
			t.Fatalf("booking = %s", r.text)
		}
		p := payments[0].(map[string]any)
		if p["state"] != "SUCCEEDED" || p["standing"] != "applied" || p["minor"] != 2500.0 {
			t.Errorf("payment = %v", p)
		}
	})

	t.Run("lateMoneyIsAZombie", func(t *testing.T) {
		t.Parallel()
		b := setup(t, pgtest.HoldTTL(time.Minute))
		id := b.hold(t, "u-1", 1)
		if _, err := b.After(t, time.Hour).SweepHolds(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
		b.callback(t, 0, event(inventory.EventPaymentSucceeded, "evt_1", "pay_1", id.String()))
		r := b.daemons[0].send(t, http.MethodGet, "/bookings/"+id.String(), "")
		if r.body["state"] != "EXPIRED" || !strings.Contains(r.text, `"standing":"zombie"`) {
			t.Errorf("booking = %s", r.text)
		}
	})

	t.Run("signedLiesAreNotBelieved", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.hold(t, "u-1", 1)
		body := event(inventory.EventPaymentSucceeded, "evt_1", "pay_1", id.String())
		for i, lie := range []string{
			strings.Replace(body, "2500", "1", 1), strings.Replace(body, "EUR", "JPY", 1),
			strings.Replace(body, id.String(), inventory.NewBookingID().String(), 1),
		} {
			lie = strings.Replace(strings.Replace(lie, "evt_1", fmt.Sprintf("evt_%d", i), 1), "pay_1", fmt.Sprintf("pay_%d", i), 1)
			if r := b.callback(t, 0, lie); r.status != http.StatusNoContent {
				t.Errorf("callback %d = %d %s, want it kept", i, r.status, r.text)
			}
		}
		if s := b.State(t, id); s != inventory.StateHeld {
			t.Errorf("state = %s, want HELD", s)
		}
		if n := b.count(t, `select count(*) from payment where standing = 'zombie'`); n != 3 {
			t.Errorf("%d zombies, want 3: the money is somewhere", n)
		}
	})
}
