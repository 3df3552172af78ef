package signature_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"holdfast/inventory/payment/signature"
	"holdfast/timezone"
)

var now = time.Date(2027, time.January, 15, 19, 30, 0, 0, time.UTC)

func secret(t *testing.T, text string) signature.Secret {
	t.Helper()
	s, err := signature.NewSecret(text)
	if err != nil {
		t.Fatalf("NewSecret(%q) = %v", text, err)
	}
	return s
}

func verifier(t *testing.T, secrets ...signature.Secret) *signature.Verifier {
	t.Helper()
	v, err := signature.NewVerifier(timezone.FixedClock(now), secrets...)
	if err != nil {
		t.Fatalf("NewVerifier = %v", err)
	}
	return v
}

func sign(t *testing.T, s signature.Secret, at time.Time, body string) http.Header {
	t.Helper()
	h := http.Header{}
	if err := signature.NewSigner(s).Sign(h, "evt_1", at, []byte(body)); err != nil {
		t.Fatalf("Sign = %v", err)
	}
	return h
}

// Case B19: the signature is over the exact bytes, whatever JSON would make of
// them.
func TestVerify_B19_exactBytes(t *testing.T) {
	t.Parallel()
	s := secret(t, "test-secret-A")
	for name, body := range map[string]string{
		"twoSpacesAfterColons": `{"type":  "payment.succeeded",  "amount":  2500}`,
		"keysInReverseOrder":   `{"type":"x","id":"evt_1","amount":2500}`,
		"numberWithPoint":      `{"amount":2500.0}`,
		"unicodeEscapes":       `{"name":"Jos\u00E9 \u001B[31m"}`,
		"trailingNewline":      "{\"amount\":2500}\n",
		"crlf":                 "{\r\n\"amount\":2500\r\n}\r\n",
		"byteOrderMark":        "\ufeff{\"amount\":2500}",
		"doubledKey":           `{"amount":2500,"amount":1}`,
		"gzip":                 "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\xae\x05\x00\x43\xbf\xa6\xa3\x02\x00\x00\x00",
		"notUTF8":              "{\"name\":\"\xff\xfe\"}",
		"empty":                "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, h := verifier(t, s), sign(t, s, now, body)
			if err := v.Verify(h, []byte(body)); err != nil {
				t.Errorf("Verify = %v, want nil", err)
			}
			for i := range len(body) {
				flipped := []byte(body)
				flipped[i] ^= 1
				if err := v.Verify(h, flipped); !errors.Is(err, signature.ErrNotAuthentic) {
					t.Fatalf("byte %d flipped: Verify = %v, want ErrNotAuthentic", i, err)
				}
			}
			if err := v.Verify(h, []byte(body+" ")); !errors.Is(err, signature.ErrNotAuthentic) {
				t.Errorf("one blank more: Verify = %v, want ErrNotAuthentic", err)
			}
		})
	}
}

func TestVerify_tolerance(t *testing.T) {
	t.Parallel()
	s := secret(t, "test-secret-A")
	for off, ok := range map[time.Duration]bool{
		0: true, 299 * time.Second: true, 300 * time.Second: true, -300 * time.Second: true,
		301 * time.Second: false, -301 * time.Second: false, 10 * time.Minute: false, -10 * time.Minute: false,
	} {
		err := verifier(t, s).Verify(sign(t, s, now.Add(off), "{}"), []byte("{}"))
		if (err == nil) != ok {
			t.Errorf("signed %s from now: Verify = %v, want ok = %t", off, err, ok)
		}
	}
}

func TestVerify_headers(t *testing.T) {
	t.Parallel()
	s := secret(t, "test-secret-A")
	good := func() http.Header { return sign(t, s, now, "{}") }
	sig := good().Get(signature.HeaderSignature)
	stamp := strconv.FormatInt(now.Unix(), 10)
	for name, c := range map[string]struct {
		change func(http.Header)
		ok     bool
	}{
		"asSigned":           {func(http.Header) {}, true},
		"oneOfTwoFits":       {func(h http.Header) { h.Set(signature.HeaderSignature, "v1,AAAA "+sig) }, true},
		"unknownVersionToo":  {func(h http.Header) { h.Set(signature.HeaderSignature, "v1a,xyz "+sig) }, true},
		"noSignature":        {func(h http.Header) { h.Del(signature.HeaderSignature) }, false},
		"emptySignature":     {func(h http.Header) { h.Set(signature.HeaderSignature, "") }, false},
		"wrongSignature":     {func(h http.Header) { h.Set(signature.HeaderSignature, "v1,AAAA") }, false},
		"v0Only":             {func(h http.Header) { h.Set(signature.HeaderSignature, "v0"+sig[2:]) }, false},
		"withoutVersion":     {func(h http.Header) { h.Set(signature.HeaderSignature, sig[3:]) }, false},
		"truncatedByOne":     {func(h http.Header) { h.Set(signature.HeaderSignature, sig[:len(sig)-1]) }, false},
		"otherCase":          {func(h http.Header) { h.Set(signature.HeaderSignature, "v1,"+strings.ToUpper(sig[3:])) }, false},
		"twoSignatureFields": {func(h http.Header) { h.Add(signature.HeaderSignature, sig) }, false},
		"twoTimestamps":      {func(h http.Header) { h.Add(signature.HeaderTimestamp, stamp) }, false},
		"noTimestamp":        {func(h http.Header) { h.Del(signature.HeaderTimestamp) }, false},
		"signedTimestamp":    {func(h http.Header) { h.Set(signature.HeaderTimestamp, "+"+stamp) }, false},
		"paddedTimestamp":    {func(h http.Header) { h.Set(signature.HeaderTimestamp, "0"+stamp) }, false},
		"hugeTimestamp":      {func(h http.Header) { h.Set(signature.HeaderTimestamp, strings.Repeat("9", 40)) }, false},
		"wordForTimestamp":   {func(h http.Header) { h.Set(signature.HeaderTimestamp, "now") }, false},
		"noID":               {func(h http.Header) { h.Del(signature.HeaderID) }, false},
		"otherID":            {func(h http.Header) { h.Set(signature.HeaderID, "evt_2") }, false},
		"twoIDs":             {func(h http.Header) { h.Add(signature.HeaderID, "evt_1") }, false},
		"nothing":            {func(h http.Header) { clear(h) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := good()
			c.change(h)
			err := verifier(t, s).Verify(h, []byte("{}"))
			if (err == nil) != c.ok || err != nil && !errors.Is(err, signature.ErrNotAuthentic) {
				t.Errorf("Verify = %v, want ok = %t", err, c.ok)
			}
		})
	}
}

func TestVerify_rotation(t *testing.T) {
	t.Parallel()
	older, newer, foreign := secret(t, "test-secret-A"), secret(t, "test-secret-B"), secret(t, "test-secret-C")
	body := []byte("{}")
	for name, c := range map[string]struct {
		known  []signature.Secret
		signed []signature.Secret
		ok     bool
	}{
		"oldBesideNew":         {[]signature.Secret{newer, older}, []signature.Secret{older}, true},
		"newBesideOld":         {[]signature.Secret{newer, older}, []signature.Secret{newer}, true},
		"oldNotYetOver":        {[]signature.Secret{newer, older.Until(now.Add(time.Hour))}, []signature.Secret{older}, true},
		"oldIsOver":            {[]signature.Secret{newer, older.Until(now.Add(-time.Hour))}, []signature.Secret{older}, false},
		"signedWithBoth":       {[]signature.Secret{older}, []signature.Secret{newer, older}, true},
		"foreign":              {[]signature.Secret{newer, older}, []signature.Secret{foreign}, false},
		"aPlainWordIsNotAKey":  {[]signature.Secret{secret(t, "testsecret12")}, []signature.Secret{secret(t, "whsec_testsecret12")}, false},
		"longBase64WorksAsKey": {[]signature.Secret{secret(t, "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")}, []signature.Secret{secret(t, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{}
			if err := signature.NewSigner(c.signed...).Sign(h, "evt_1", now, body); err != nil {
				t.Fatal(err)
			}
			if err := verifier(t, c.known...).Verify(h, body); (err == nil) != c.ok {
				t.Errorf("Verify = %v, want ok = %t", err, c.ok)
			}
		})
	}
}

// The library of the specification and we understand each other both ways.
func TestSigner_interoperates(t *testing.T) {
	t.Parallel()
	text := "whsec_" + base64.StdEncoding.EncodeToString([]byte("24 bytes of secret stuff"))
	theirs, err := standardwebhooks.NewWebhook(text)
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(`{"type":"payment.succeeded"}`)
	if err := theirs.VerifyIgnoringTimestamp(body, sign(t, secret(t, text), now, string(body))); err != nil {
		t.Errorf("the library refuses what we signed: %v", err)
	}
	sig, err := theirs.Sign("evt_1", now, body)
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	h.Set("webhook-id", "evt_1")
	h.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	h.Set("webhook-signature", sig)
	if err := verifier(t, secret(t, text)).Verify(h, body); err != nil {
		t.Errorf("we refuse what the library signed: %v", err)
	}
}

func TestNewSecret_refuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "short", "whsec_", "whsec_not base64 at all", "whsec_****************"} {
		if _, err := signature.NewSecret(text); err == nil || text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("NewSecret(%q) = %v, want an error that does not repeat it", text, err)
		}
	}
	if _, err := signature.NewVerifier(timezone.FixedClock(now)); err == nil {
		t.Error("a Verifier without secrets was made")
	}
	if _, err := signature.NewVerifier(timezone.FixedClock(now), signature.Secret{}); err == nil {
		t.Error("a Verifier with an empty secret was made")
	}
}

func TestSecret_neverPrints(t *testing.T) {
	t.Parallel()
	s := secret(t, "planted-secret-text")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if got := fmt.Sprintf(verb, s); strings.Contains(got, "planted") || strings.Contains(got, "112") {
			t.Errorf("%s printed %s", verb, got)
		}
	}
}

func FuzzVerify(f *testing.F) {
	f.Add("evt_1", "1800041400", "v1,AAAA", []byte("{}"))
	f.Add("", "", "", []byte(nil))
	f.Fuzz(func(t *testing.T, id, stamp, sig string, body []byte) {
		s := secret(t, "test-secret-A")
		h := http.Header{}
		h.Set(signature.HeaderID, id)
		h.Set(signature.HeaderTimestamp, stamp)
		h.Set(signature.HeaderSignature, sig)
		if verifier(t, s).Verify(h, body) != nil {
			return
		}
		// What was accepted must be what we would sign.
		again := http.Header{}
		seconds, err := strconv.ParseInt(stamp, 10, 64)
		if err != nil {
			t.Fatalf("accepted timestamp %q", stamp)
		}
		if err := signature.NewSigner(s).Sign(again, id, time.Unix(seconds, 0), body); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(" "+sig+" ", " "+again.Get(signature.HeaderSignature)) {
			t.Errorf("accepted %q, want %q in it", sig, again.Get(signature.HeaderSignature))
		}
	})
}
