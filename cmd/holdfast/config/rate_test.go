package config

import (
	"slices"
	"testing"
)

func TestParseRate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"20/s burst 40": "20/s burst 40", "20/s": "20/s burst 40", "0.5/s": "0.5/s burst 1", " 1/s  burst 1 ": "1/s burst 1",
		"0": "0", "off": "0",
		"": "!", "20": "!", "20/m": "!", "-1/s": "!", "0/s": "!", "NaN/s": "!", "Inf/s": "!", "1e9/s": "!",
		"0.0001/s burst 1": "!", "0.001/s": "0.001/s burst 1", "0.001/s burst 86": "0.001/s burst 86", "0.001/s burst 87": "!", "0.0001/s burst 1000000": "!",
		"1e-300/s": "!", "12/s burst 1000000": "12/s burst 1000000", "11/s burst 1000000": "!",
		"20/s burst": "!", "20/s burst 0": "!", "20/s burst many": "!", "20/s bursts 40": "!", "20/s burst 40 x": "!",
	} {
		got, err := ParseRate(text)
		if (err != nil) != (want == "!") || err == nil && got.String() != want {
			t.Errorf("ParseRate(%q) = %s, %v; want %s", text, got, err, want)
		}
		if again, err := ParseRate(got.String()); err != nil || again != got {
			t.Errorf("%q is read as %v, %v", got.String(), again, err)
		}
	}
}

func TestLoad_trustedProxies(t *testing.T) {
	t.Parallel()
	c, err := Load(source(t, map[string]string{"trusted_proxies": "10.1.2.3/8, 192.0.2.7 2001:db8::/32 ::ffff:172.16.5.0/108 ::ffff:192.0.2.8"}, nil, "", 0))
	var got []string
	for _, p := range c.TrustedProxies {
		got = append(got, p.String())
	}
	if want := []string{"10.0.0.0/8", "192.0.2.7/32", "2001:db8::/32", "172.16.0.0/12", "192.0.2.8/32"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("trusted proxies = %v, %v; want %v", got, err, want)
	}
	for _, bad := range []string{"proxy.example", "10.0.0.0/33", "10.0.0.0/8;::1", "0.0.0.0/0", "::/0", "::ffff:0.0.0.0/96", "::ffff:10.0.0.0/95"} {
		if _, err := Load(source(t, map[string]string{"trusted_proxies": bad}, nil, "", 0)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if c, _ := Load(source(t, nil, nil, "", 0)); c.RatePerBuyer != (Rate{20, 40}) || c.RatePerIP != (Rate{}) || c.RatePerClient != (Rate{}) {
		t.Errorf("default rates = %s, %s, %s", c.RatePerBuyer, c.RatePerIP, c.RatePerClient)
	}
}
