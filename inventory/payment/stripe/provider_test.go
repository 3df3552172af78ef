package stripe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"holdfast/inventory/payment/stripe"
)

func TestNewProvider(t *testing.T) {
	t.Parallel()
	good := stripe.ProviderConfig{Key: apiKey(t, testKey), Secrets: []stripe.Secret{secret(t, testSecret)}}
	for name, c := range map[string]struct {
		change func(*stripe.ProviderConfig)
		want   string // in the error; "" = none
	}{
		"good":           {func(*stripe.ProviderConfig) {}, ""},
		"noKey":          {func(c *stripe.ProviderConfig) { c.Key = stripe.APIKey{} }, "no API key"},
		"noSecret":       {func(c *stripe.ProviderConfig) { c.Secrets = nil }, "no webhook secret"},
		"emptySecret":    {func(c *stripe.ProviderConfig) { c.Secrets = append(c.Secrets, stripe.Secret{}) }, "empty webhook secret"},
		"testKeyOnLive":  {func(c *stripe.ProviderConfig) { c.Live = true }, "for test mode, and live mode is configured"},
		"notAnAddress":   {func(c *stripe.ProviderConfig) { c.BaseURL = "api.stripe.com" }, "plain http or https address"},
		"addressWithKey": {func(c *stripe.ProviderConfig) { c.BaseURL = "https://k@api.stripe.com" }, "plain http or https address"},
		"liveInTheClear": {func(c *stripe.ProviderConfig) {
			c.Key, c.Live, c.BaseURL = apiKey(t, "sk_live_abc"), true, "http://127.0.0.1:1"
		}, "live mode needs https"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := good
			cfg.Secrets = append([]stripe.Secret{}, good.Secrets...)
			c.change(&cfg)
			p, err := stripe.NewProvider(cfg)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("NewProvider = %v", err)
			case c.want == "" && (p.Name() != "stripe" || p.KeyLifetime() >= 24*time.Hour || p.KeyLifetime() < 12*time.Hour):
				t.Errorf("Name %q, KeyLifetime %s; Stripe promises 24 hours at least", p.Name(), p.KeyLifetime())
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("NewProvider = %v, want %q", err, c.want)
			}
		})
	}
}

func TestSecrets_refused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "sk_test_", "pk_test_abc", "sk_prod_abc", "sk_live_a b", "sk_live_abc\n", " sk_live_abc", "whsec_0123456789abc"} {
		if _, err := stripe.NewAPIKey(text); err == nil {
			t.Errorf("NewAPIKey(%q) was accepted", text)
		}
	}
	for _, text := range []string{"", "whsec_", "whsec_short", "0123456789abcdefghij", "whsec_0123456789abc\n", testKey} {
		if _, err := stripe.NewSecret(text); err == nil {
			t.Errorf("NewSecret(%q) was accepted", text)
		} else if len(text) > 6 && strings.Contains(err.Error(), text) {
			t.Errorf("the error repeats it: %v", err)
		}
	}
}

func TestSecrets_areNeverPrinted(t *testing.T) {
	t.Parallel()
	cfg := stripe.ProviderConfig{Key: apiKey(t, testKey), Secrets: []stripe.Secret{secret(t, testSecret)}}
	text, err := json.Marshal([]any{cfg.Key, cfg.Secrets})
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{string(text), fmt.Sprint(cfg), fmt.Sprintf("%+v", cfg), fmt.Sprintf("%#v", cfg), fmt.Sprintf("%s %q", cfg.Key, cfg.Secrets)} {
		if strings.Contains(shown, "4eC39") || strings.Contains(shown, "0123456789") || !strings.Contains(shown, "***") {
			t.Errorf("a secret is printed: %s", shown)
		}
	}
}
