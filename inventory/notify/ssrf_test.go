package notify

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/timezone"
)

// fakeDNS answers every A query with whatever address the test has set.
type fakeDNS struct {
	conn    net.PacketConn
	answer  atomic.Pointer[netip.Addr]
	queries atomic.Int64
}

func newFakeDNS(t *testing.T, first string) *fakeDNS {
	t.Helper()
	conn, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &fakeDNS{conn: conn}
	d.set(first)
	done := make(chan struct{})
	go func() { defer close(done); d.serve() }()
	t.Cleanup(func() { _ = conn.Close(); <-done })
	return d
}

func (d *fakeDNS) set(text string) {
	addr := netip.MustParseAddr(text)
	d.answer.Store(&addr)
}

func (d *fakeDNS) serve() {
	buf := make([]byte, 1500)
	for {
		n, from, err := d.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		if reply := d.reply(buf[:n]); reply != nil {
			_, _ = d.conn.WriteTo(reply, from)
		}
	}
}

// reply repeats the question and, if it was for A, answers it for no time at all.
func (d *fakeDNS) reply(query []byte) []byte {
	const header = 12
	end := header
	for end < len(query) && query[end] != 0 {
		end += 1 + int(query[end])
	}
	end += 5 // the root label, type and class
	if end > len(query) {
		return nil
	}
	reply := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, query[header:end]...)
	if qtype := query[end-3]; qtype == 1 {
		d.queries.Add(1)
		reply[7] = 1
		reply = append(reply, 0xc0, header, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		reply = append(reply, d.answer.Load().AsSlice()...)
	}
	return reply
}

func (d *fakeDNS) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp4", d.conn.LocalAddr().String())
	}}
}

// named returns a sink for https://example.com on the receiver's port, as if
// that port were among those open to everybody.
func (r *receiver) named(t *testing.T, dns *fakeDNS, allowed ...string) *Webhook {
	t.Helper()
	allow, err := ParseAllow("allow", allowed)
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(r.srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	cfg := WebhookConfig{
		Endpoint: Endpoint{url: &url.URL{Scheme: "https", Host: "example.com:" + port, Path: "/hooks"}},
		Secrets:  secrets(t, newSecret), Timeout: 10 * time.Second, RootCAs: r.roots(), Clock: timezone.FixedClock(evening),
	}
	g := &guard{allow: allow, own: ownAddresses}
	w := newWebhook(cfg, &net.Dialer{Control: g.control, Resolver: dns.resolver()})
	t.Cleanup(w.Close)
	return w
}

func TestWebhook_Deliver_nameLeadsInside(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, status(http.StatusOK))
	for _, addr := range []string{"127.0.0.1", "10.0.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "192.168.1.1", "198.18.0.1"} {
		t.Run(addr, func(t *testing.T) {
			t.Parallel()
			err := r.named(t, newFakeDNS(t, addr)).Deliver(t.Context(), message(t, 1))
			var down *DownError
			if !errors.Is(err, ErrAddress) || !errors.As(err, &down) || !strings.Contains(err.Error(), addr) {
				t.Errorf("Deliver = %v, want a DownError with ErrAddress that names %s", err, addr)
			}
		})
	}
	t.Cleanup(func() {
		if n := len(r.got()); n != 0 {
			t.Errorf("%d requests arrived", n)
		}
	})
}

// The name is judged by what is dialled, each time: an address that was good
// once says nothing about the next one.
func TestWebhook_Deliver_rebinding(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, status(http.StatusOK))
	dns := newFakeDNS(t, "127.0.0.1")
	w := r.named(t, dns, "127.0.0.1")
	if err := w.Deliver(t.Context(), message(t, 1)); err != nil {
		t.Fatalf("before: Deliver = %v", err)
	}
	dns.set("127.0.0.3") // this machine answers there too, and nobody allowed it
	w.Close()            // the kept connection is one that was judged
	if err := w.Deliver(t.Context(), message(t, 2)); !errors.Is(err, ErrAddress) {
		t.Errorf("after: Deliver = %v, want ErrAddress", err)
	}
	if n := dns.queries.Load(); n < 2 {
		t.Fatalf("%d queries: the test shows nothing", n)
	}
	if n := len(r.got()); n != 1 {
		t.Errorf("%d requests, want the first only", n)
	}
}

// What a port says that speaks no HTTP must not be read by way of our errors.
func TestWebhook_Deliver_bannerIsNotShown(t *testing.T) {
	t.Parallel()
	for name, banner := range map[string]string{
		"noHTTP":       "SSH-2.0-planted words\r\n",
		"wrongStatus":  "HTTP/1.1 2x0 planted words\r\n\r\n",
		"wrongHeader":  "HTTP/1.1 200 OK\r\nplanted words\r\n\r\n",
		"reasonPhrase": "HTTP/1.1 500 planted words\r\nContent-Length: 0\r\n\r\n",
		"nothing":      "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				for {
					conn, err := ln.Accept()
					if err != nil {
						return
					}
					_, _ = conn.Read(make([]byte, 4096))
					_, _ = conn.Write([]byte(banner))
					_ = conn.Close()
				}
			}()
			t.Cleanup(func() { _ = ln.Close(); <-done })

			allow, err := ParseAllow("allow", []string{"127.0.0.1"})
			if err != nil {
				t.Fatal(err)
			}
			endpoint, err := ParseEndpoint("url", "http://"+ln.Addr().String()+"/", allow)
			if err != nil {
				t.Fatal(err)
			}
			w, err := NewWebhook(WebhookConfig{Endpoint: endpoint, Allow: allow, Secrets: secrets(t, newSecret), Clock: timezone.FixedClock(evening)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(w.Close)
			if err := w.Deliver(t.Context(), message(t, 1)); err == nil || strings.Contains(err.Error(), "planted") {
				t.Errorf("Deliver = %v, want an error that does not repeat the answer", err)
			}
		})
	}
}

func TestWebhook_Deliver_nobodyThere(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, status(http.StatusOK))
	w := r.webhook(t, nil)
	r.srv.Close()
	err := w.Deliver(t.Context(), message(t, 1))
	// The way of a caller that does not know this package.
	var down interface {
		SinkDown() bool
		RetryAfter() time.Duration
	}
	if !errors.As(fmt.Errorf("relay: %w", err), &down) || !down.SinkDown() || down.RetryAfter() != 0 || !strings.Contains(err.Error(), "refused the connection") {
		t.Errorf("Deliver = %v, want a DownError about the connection", err)
	}
}
