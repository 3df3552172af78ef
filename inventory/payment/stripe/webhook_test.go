package stripe_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v82/webhook"

	"holdfast/inventory/payment/signature"
	"holdfast/inventory/payment/stripe"
	"holdfast/timezone"
)

// Every bad signature that a webhook may come with, and the few good ones
// beside them.
func TestProvider_ParseEvent_signature(t *testing.T) {
	t.Parallel()
	body := recorded(t, "payment_intent.succeeded")
	good := hmacHex(now, body, testSecret)
	other := hmacHex(now, body, "whsec_of_another_endpoint")
	stamp := strconv.FormatInt(now.Unix(), 10)
	at := func(d time.Duration) string {
		return fmt.Sprintf("t=%d,v1=%s", now.Add(d).Unix(), hmacHex(now.Add(d), body, testSecret))
	}
	for name, c := range map[string]struct {
		header string
		body   string
		ok     bool
	}{
		"asSigned":             {"t=" + stamp + ",v1=" + good, body, true},
		"twoV1OneRight":        {"t=" + stamp + ",v1=" + other + ",v1=" + good, body, true},
		"twoV1OneRightFirst":   {"t=" + stamp + ",v1=" + good + ",v1=" + other, body, true},
		"v0AsWell":             {"t=" + stamp + ",v1=" + good + ",v0=" + other, body, true},
		"unknownPartsIgnored":  {"v2=abc,t=" + stamp + ",x=,v1=" + good, body, true},
		"timestampLast":        {"v1=" + good + ",t=" + stamp, body, true},
		"oldSecretInTime":      {"t=" + stamp + ",v1=" + hmacHex(now, body, oldSecret), body, true},
		"fiveMinutesOld":       {at(-300 * time.Second), body, true},
		"fiveMinutesAhead":     {at(300 * time.Second), body, true},
		"none":                 {"", body, false},
		"wrong":                {"t=" + stamp + ",v1=" + other, body, false},
		"upperCaseHex":         {"t=" + stamp + ",v1=" + strings.ToUpper(good), body, false},
		"truncated":            {"t=" + stamp + ",v1=" + good[:len(good)-1], body, false},
		"oneDigitMore":         {"t=" + stamp + ",v1=" + good + "0", body, false},
		"emptyV1":              {"t=" + stamp + ",v1=", body, false},
		"tenMinutesOld":        {at(-10 * time.Minute), body, false},
		"tenMinutesAhead":      {at(10 * time.Minute), body, false},
		"justTooOld":           {at(-301 * time.Second), body, false},
		"justTooFarAhead":      {at(301 * time.Second), body, false},
		"v0Only":               {"t=" + stamp + ",v0=" + good, body, false},
		"twoTimestamps":        {"t=1,t=" + stamp + ",v1=" + good, body, false},
		"sameTimestampTwice":   {"t=" + stamp + ",t=" + stamp + ",v1=" + good, body, false},
		"noTimestamp":          {"v1=" + good, body, false},
		"emptyTimestamp":       {"t=,v1=" + good, body, false},
		"otherTimestamp":       {"t=" + strconv.FormatInt(now.Unix()+1, 10) + ",v1=" + good, body, false},
		"signedTimestamp":      {"t=+" + stamp + ",v1=" + good, body, false},
		"leadingZero":          {"t=0" + stamp + ",v1=" + good, body, false},
		"timestampOverflows":   {"t=99999999999999999999,v1=" + good, body, false},
		"partWithoutEquals":    {"t=" + stamp + ",v1=" + good + ",", body, false},
		"blanksBetween":        {"t=" + stamp + ", v1=" + good, body, false},
		"oneSpaceMoreInBody":   {"t=" + stamp + ",v1=" + good, strings.Replace(body, ": ", ":  ", 1), false},
		"newlineMoreAtTheEnd":  {"t=" + stamp + ",v1=" + good, body + "\n", false},
		"bodyEncodedAnew":      {"t=" + stamp + ",v1=" + good, strings.NewReplacer("\n", "", "  ", "").Replace(body), false},
		"emptyBody":            {"t=" + stamp + ",v1=" + good, "", false},
		"testSecretOnLive":     {"t=" + stamp + ",v1=" + hmacHex(now, body, liveSecret), body, false},
		"secretAfterItsEnd":    {"t=" + stamp + ",v1=" + hmacHex(now, body, "whsec_ended_0123456789"), body, false},
		"secretWithoutPrefix":  {"t=" + stamp + ",v1=" + hmacHex(now, body, strings.TrimPrefix(testSecret, "whsec_")), body, false},
		"standardWebhooksBody": {"t=" + stamp + ",v1=" + hmacHex(now, "evt_1."+stamp+"."+body, testSecret), body, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := provider(t, stripe.ProviderConfig{
				Key: apiKey(t, testKey), Clock: timezone.FixedClock(now),
				Secrets: []stripe.Secret{
					secret(t, testSecret),
					secret(t, oldSecret).Until(now.Add(time.Hour)),
					secret(t, "whsec_ended_0123456789").Until(now.Add(-time.Second)),
				},
			})
			h := http.Header{}
			if c.header != "" {
				h.Set(stripe.HeaderSignature, c.header)
			}
			e, err := p.ParseEvent(h, []byte(c.body))
			switch {
			case c.ok && (err != nil || e.ID == ""):
				t.Errorf("ParseEvent = %+v, %v; want the event", e, err)
			case !c.ok && !errors.Is(err, signature.ErrNotAuthentic):
				t.Errorf("ParseEvent = %+v, %v; want ErrNotAuthentic", e, err)
			case !c.ok && (e.ID != "" || e.Kind != ""):
				t.Errorf("what was not authentic was read all the same: %+v", e)
			}
			if err != nil && strings.Contains(err.Error(), testSecret) {
				t.Errorf("the error tells the secret: %v", err)
			}
		})
	}
}

func TestProvider_ParseEvent_twoSignatureHeaders(t *testing.T) {
	t.Parallel()
	body := recorded(t, "payment_intent.succeeded")
	h := signed(now, body, testSecret)
	h.Add(stripe.HeaderSignature, h.Get(stripe.HeaderSignature))
	p := open(t, nil).provider(t)
	if _, err := p.ParseEvent(h, []byte(body)); !errors.Is(err, signature.ErrNotAuthentic) {
		t.Errorf("ParseEvent = %v, want ErrNotAuthentic", err)
	}
}

// Case B19: the signature is over the exact bytes, whatever JSON would make of
// them; what is then refused is refused for another reason, with a name.
func TestProvider_ParseEvent_B19_exactBytes(t *testing.T) {
	t.Parallel()
	p := open(t, nil).provider(t)
	const plain = `{"id":"evt_1","type":"x","livemode":false,"name":"Jos\u00E9 \u001B[31m"}`
	for name, c := range map[string]struct {
		body string
		ok   bool
	}{
		"unicodeEscapes":       {plain, true},
		"twoSpacesAfterColons": {strings.ReplaceAll(plain, ":", ":  "), true},
		"trailingNewline":      {plain + "\n", true},
		"crlf":                 {"{\r\n\"id\":\"evt_1\"\r\n}\r\n", true},
		"byteOrderMark":        {"\ufeff" + plain, false},
		"doubledKey":           {`{"id":"evt_1","id":"evt_2"}`, false},
		"secondDocument":       {plain + plain, false},
		"gzip":                 {"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", false},
		"empty":                {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := signed(now, c.body, testSecret)
			_, err := p.ParseEvent(h, []byte(c.body))
			if errors.Is(err, signature.ErrNotAuthentic) || (err == nil) != c.ok {
				t.Errorf("ParseEvent = %v, want ok = %t and never for the signature", err, c.ok)
			}
			for i := range len(c.body) {
				flipped := []byte(c.body)
				flipped[i] ^= 1
				if _, err := p.ParseEvent(h, flipped); !errors.Is(err, signature.ErrNotAuthentic) {
					t.Fatalf("byte %d flipped: ParseEvent = %v, want ErrNotAuthentic", i, err)
				}
			}
		})
	}
}

// Whatever the header looks like: what is accepted carries exactly one plain
// timestamp near now and the HMAC over it and the body, and stripe-go accepts
// it as well.
func FuzzParseEvent_header(f *testing.F) {
	stamp := strconv.FormatInt(now.Unix(), 10)
	for _, seed := range [][4]string{
		{"", stamp, ",", ""},
		{"v0=aa,", stamp, ",v1=00,", ",v1=11"},
		{"t=1,", stamp, ",", ""},
		{"", "0" + stamp, ",", ""},
		{"", stamp + " ", ",", ",v1"},
		{"", "-1", ",", ""},
		{"", stamp, ", ", ""},
		{"=,", stamp, ",=,", ",t"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], []byte(`{"id":"evt_1"}`))
	}
	key, err := stripe.NewAPIKey(testKey)
	if err != nil {
		f.Fatal(err)
	}
	sec, err := stripe.NewSecret(testSecret)
	if err != nil {
		f.Fatal(err)
	}
	p, err := stripe.NewProvider(stripe.ProviderConfig{Key: key, Secrets: []stripe.Secret{sec}, Clock: timezone.FixedClock(now)})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, before, stamp, between, after string, body []byte) {
		mac := hmac.New(sha256.New, []byte(testSecret))
		mac.Write([]byte(stamp + "." + string(body)))
		header := before + "t=" + stamp + between + "v1=" + hex.EncodeToString(mac.Sum(nil)) + after
		_, err := p.ParseEvent(headerOf(header), body)
		if errors.Is(err, signature.ErrNotAuthentic) {
			return
		}
		var stamps, signatures []string
		for _, part := range strings.Split(header, ",") {
			if v, ok := strings.CutPrefix(part, "t="); ok {
				stamps = append(stamps, v)
			}
			if v, ok := strings.CutPrefix(part, "v1="); ok {
				signatures = append(signatures, v)
			}
		}
		if len(stamps) != 1 {
			t.Fatalf("accepted with %d timestamps: %q", len(stamps), header)
		}
		unix, err := strconv.ParseUint(stamps[0], 10, 62)
		if err != nil || strconv.FormatUint(unix, 10) != stamps[0] {
			t.Fatalf("accepted with timestamp %q", stamps[0])
		}
		if off := now.Sub(time.Unix(int64(unix), 0)).Abs(); off > 300*time.Second {
			t.Fatalf("accepted %s from now", off)
		}
		mac = hmac.New(sha256.New, []byte(testSecret))
		fmt.Fprintf(mac, "%d.%s", unix, body)
		want, fits := hex.EncodeToString(mac.Sum(nil)), false
		for _, got := range signatures {
			fits = fits || got == want
		}
		if !fits {
			t.Fatalf("accepted without the HMAC %s: %q", want, header)
		}
		if strings.Count(header, "=") == strings.Count(header, ",")+1 { // stripe-go refuses a part with two =
			if err := webhook.ValidatePayloadIgnoringTolerance(body, header, testSecret); err != nil {
				t.Fatalf("stripe-go refuses %q: %v", header, err)
			}
		}
	})
}
