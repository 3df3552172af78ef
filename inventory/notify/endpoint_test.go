package notify

import (
	"strings"
	"testing"

	"holdfast/inventory"
)

func TestParseEndpoint(t *testing.T) {
	t.Parallel()
	allow, err := ParseAllow("webhook.allow", []string{"10.1.0.0/16", "127.0.0.1", "ERP", "shop.internal.", "::1"})
	if err != nil {
		t.Fatal(err)
	}
	for text, ok := range map[string]bool{
		"https://shop.example.com/hooks":                          true,
		"https://shop.example.com":                                true,
		"https://shop.example.com:443/x?token=1":                  true,
		"https://shop.example.com:8443/x":                         true,
		"https://SHOP.Example.COM./x":                             true,
		"https://8.8.8.8/x":                                       true,
		"https://[2606:4700::1111]/x":                             true,
		"https://xn--bcher-kva.example/x":                         true,
		"https://10.1.2.3:9000/x":                                 true, // allowed by prefix
		"http://10.1.2.3/x":                                       true,
		"http://127.0.0.1:8080/x":                                 true,
		"http://[::1]:8080/x":                                     true,
		"http://erp:8080/x":                                       true, // allowed by name
		"http://shop.internal/x":                                  true,
		"":                                                        false,
		"shop.example.com/hooks":                                  false,
		"//shop.example.com/hooks":                                false,
		"http://shop.example.com/hooks":                           false,
		"file:///etc/passwd":                                      false,
		"gopher://shop.example.com:70/_x":                         false,
		"ftp://shop.example.com/x":                                false,
		"javascript:alert(1)":                                     false,
		"https:shop.example.com":                                  false,
		"https:///x":                                              false,
		"https://user@shop.example.com/x":                         false,
		"https://user:secret@shop.example.com/x":                  false,
		"https://shop.example.com@127.0.0.1/x":                    false,
		"https://shop.example.com/x#part":                         false,
		"https://shop.example.com/x#":                             false,
		"https://shop.example.com:5432/x":                         false,
		"https://shop.example.com:80/x":                           false,
		"https://shop.example.com:22/x":                           false,
		"https://shop.example.com:0/x":                            false,
		"https://shop.example.com:65536/x":                        false,
		"https://shop.example.com:port/x":                         false,
		"http://10.1.2.3:70000/x":                                 false,
		"https://localhost/x":                                     false,
		"https://a.localhost/x":                                   false,
		"https://intranet/x":                                      false,
		"https://127.0.0.2/x":                                     false,
		"https://169.254.169.254/latest/meta-data":                false,
		"https://0.0.0.0/x":                                       false,
		"https://10.2.0.1/x":                                      false,
		"https://100.64.0.1/x":                                    false,
		"https://[::]/x":                                          false,
		"https://[::ffff:127.0.0.1]/x":                            false,
		"https://[64:ff9b::a00:1]/x":                              false,
		"https://[2002:7f00:1::]/x":                               false,
		"https://[fe80::1%25eth0]/x":                              false,
		"https://2130706433/x":                                    false,
		"https://0x7f000001/x":                                    false,
		"https://0x7f.1/x":                                        false,
		"https://0177.0.0.1/x":                                    false,
		"https://127.1/x":                                         false,
		"https://127.0.0.0x1/x":                                   false,
		"https://shop.example.com\r\nHost: evil/x":                false,
		"https://shop example.com/x":                              false,
		"https://bücher.example/x":                                false,
		"https://①②⑦.⓪.⓪.①/x":                                     false,
		"https://-shop.example.com/x":                             false,
		"https://shop..example.com/x":                             false,
		"https://%31%32%37.0.0.1/x":                               false,
		"https://" + strings.Repeat("a.", 200) + "com":            false,
		"https://shop.example.com/" + strings.Repeat("x", maxURL): false,
	} {
		e, err := ParseEndpoint("webhook.url", text, allow)
		if (err == nil) != ok {
			t.Errorf("ParseEndpoint(%q) = %v, want ok = %t", text, err, ok)
		}
		fields := inventory.FieldErrors(err)
		if err != nil && (len(fields) == 0 || fields[0].Field != "webhook.url") {
			t.Errorf("ParseEndpoint(%q) = %v, want FieldErrors about webhook.url", text, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error repeats the password: %v", err)
		}
		if ok && strings.ContainsAny(strings.TrimPrefix(strings.TrimPrefix(e.String(), "https://"), "http://"), "/?") {
			t.Errorf("String = %s, want no more than scheme and host", e)
		}
	}
}

func TestParseEndpoint_allProblemsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := ParseEndpoint("webhook.url", "http://me:pw@10.0.0.1:5432/x#y", Allow{})
	if n := len(inventory.FieldErrors(err)); n != 5 {
		t.Errorf("%d problems, want user, fragment, http, address and port: %v", n, err)
	}
}

func TestParseAllow(t *testing.T) {
	t.Parallel()
	for entry, ok := range map[string]bool{
		"10.0.0.0/8": true, " 10.1.2.3 ": true, "fd00::/8": true, "::1": true, "erp": true, "ERP.Internal.": true, "my_host.lan": true,
		"": false, "0.0.0.0/0": false, "::/0": false, "128.0.0.0/1": false, "10.0.0.0/33": false, "10.0.0.0/x": false,
		"::ffff:10.0.0.1": false, "::ffff:10.0.0.0/104": false, "fe80::1%eth0": false, "https://erp": false, "erp:80": false, "*.internal": false,
		"2130706433": false, "127.1": false, "a b": false,
	} {
		_, err := ParseAllow("webhook.allow", []string{entry})
		if (err == nil) != ok {
			t.Errorf("ParseAllow(%q) = %v, want ok = %t", entry, err, ok)
		}
		if fields := inventory.FieldErrors(err); err != nil && (len(fields) != 1 || fields[0].Field != "webhook.allow") {
			t.Errorf("ParseAllow(%q) = %v, want a FieldError about webhook.allow", entry, err)
		}
	}
}

// What is accepted leads to a global address or to a name, never to an address
// in a spelling that only some resolver understands.
func FuzzParseEndpoint(f *testing.F) {
	for _, text := range []string{
		"https://shop.example.com/x", "https://127.1/", "https://[::1]/", "https://0x7f.1", "https://a:b@c.d", "https://1.2.3.4.", "https://１.example",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ParseEndpoint("url", text, Allow{})
		if err != nil {
			if len(inventory.FieldErrors(err)) == 0 {
				t.Errorf("ParseEndpoint(%q) = %v, want FieldErrors", text, err)
			}
			return
		}
		u := e.url
		if u.Scheme != "https" || u.User != nil || e.trusted || u.Port() != "" && u.Port() != "443" && u.Port() != "8443" {
			t.Errorf("ParseEndpoint(%q) took %s", text, u)
		}
		host := strings.TrimSuffix(u.Hostname(), ".")
		last := host[strings.LastIndexByte(host, '.')+1:]
		if last != "" && last[0] >= '0' && last[0] <= '9' && strings.Count(host, ".") != 3 && !strings.Contains(host, ":") && strings.Trim(last, "0123456789") == "" {
			t.Errorf("ParseEndpoint(%q) took a number for a name", text)
		}
	})
}
