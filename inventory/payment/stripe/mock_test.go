package stripe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"holdfast/inventory"
)

const stripeMock = "github.com/stripe/stripe-mock@v0.203.0"

// stripe-mock checks every request against Stripe's OpenAPI description and
// answers with its fixtures: what is not a parameter of Stripe's, or has the
// wrong form, is refused.
func TestProvider_stripeMock(t *testing.T) {
	t.Parallel()
	a := openMock(t)

	t.Run("Create", func(t *testing.T) {
		t.Parallel()
		p := attempt()
		got, err := a.provider(t).Create(t.Context(), p)
		if err != nil || got.ID == "" || got.ClientSecret == "" || got.State != inventory.PaymentPending ||
			got.Amount != price || got.Reference != p.ID.String() {
			t.Errorf("Create = %+v, %v", got, err)
		}
	})
	t.Run("Get", func(t *testing.T) {
		t.Parallel()
		if got, err := a.provider(t).Get(t.Context(), anID); err != nil || got.ID != anID || got.Amount.Minor == 0 {
			t.Errorf("Get = %+v, %v", got, err)
		}
	})
	t.Run("FindByReference", func(t *testing.T) {
		t.Parallel()
		if got, err := a.provider(t).FindByReference(t.Context(), ourPayment); err != nil || len(got) != 0 {
			t.Errorf("FindByReference = %+v, %v", got, err)
		}
	})
	t.Run("Cancel", func(t *testing.T) {
		t.Parallel()
		if got, err := a.provider(t).Cancel(t.Context(), anID); err != nil || got.ID != anID {
			t.Errorf("Cancel = %+v, %v", got, err)
		}
	})
	t.Run("Refund", func(t *testing.T) {
		t.Parallel()
		task := refundTask(anID)
		task.Refund.Amount.Currency = "USD" // its fixtures are in dollars
		got, err := a.provider(t).Refund(t.Context(), task)
		if err != nil || got.ID == "" || got.State != inventory.RefundSucceeded || got.Reference != task.Refund.ID.String() ||
			got.Amount != task.Refund.Amount || got.Payment != anID {
			t.Errorf("Refund = %+v, %v", got, err)
		}
	})
	t.Run("ListRefunds", func(t *testing.T) {
		t.Parallel()
		got, err := a.provider(t).ListRefunds(t.Context(), anID)
		if err != nil || len(got) != 1 || got[0].Amount.Minor == 0 || got[0].Payment != anID {
			t.Errorf("ListRefunds = %+v, %v", got, err)
		}
	})
	t.Run("refusesWhatIsNotOfStripe", func(t *testing.T) { // so that the tests above mean something
		t.Parallel()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.url+"/v1/payment_intents", strings.NewReader("amount=1&currency=eur&no_such=1"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Authorization", "Bearer "+testKey)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("a parameter that does not exist is answered with %d", resp.StatusCode)
		}
	})
}

// openMock builds and starts stripe-mock on a socket of its own, and stands in
// front of it. It skips the test, with the reason, where it cannot be built.
func openMock(t *testing.T) *account {
	t.Helper()
	if testing.Short() {
		t.Skip("stripe-mock is not built under -short")
	}
	dir := t.TempDir()
	binary, socket := buildMock(t, dir), filepath.Join(dir, "s")

	cmd := exec.Command(binary, "-http-unix", socket)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatalf("start stripe-mock: %v", err)
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-exited
	})
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	for {
		conn, err := dial(t.Context(), "", "")
		if err == nil {
			_ = conn.Close()
			break
		}
		select {
		case <-exited:
			t.Fatalf("stripe-mock ended: %s", out.String())
		case <-deadline.C:
			t.Fatalf("stripe-mock does not listen: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	server := httptest.NewServer(remember(dial))
	t.Cleanup(server.Close)
	return &account{url: server.URL}
}

// buildMock builds stripe-mock outside of this module, whose go.mod it would
// fill with what nobody else needs.
func buildMock(t *testing.T, dir string) string {
	t.Helper()
	if ready := os.Getenv("STRIPE_MOCK"); ready != "" {
		return ready
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "install", stripeMock)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		why := fmt.Sprintf("NOT TESTED against Stripe's description of its API: %s cannot be built (%v); set STRIPE_MOCK to a binary.\n%s", stripeMock, err, out)
		fmt.Fprintln(os.Stderr, why) // shown without -v where go test names no packages
		t.Skip(why)
	}
	return filepath.Join(dir, "stripe-mock")
}

// remember forwards to stripe-mock and puts into its answers what it forgets of
// the request: metadata, and the payment whose refunds are listed.
func remember(dial func(context.Context, string, string) (net.Conn, error)) http.Handler {
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "stripe-mock"})
	proxy.Transport = &http.Transport{DialContext: dial}
	proxy.ModifyResponse = func(resp *http.Response) error {
		asked, _ := resp.Request.Context().Value(askedKey{}).(url.Values)
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			resp.Body = io.NopCloser(bytes.NewReader(body))
			return err
		}
		var answer map[string]any
		if err := json.Unmarshal(body, &answer); err != nil {
			return errors.New("stripe-mock answered something else")
		}
		metadata := map[string]any{}
		for name := range asked {
			if inner, ok := strings.CutPrefix(name, "metadata["); ok {
				metadata[strings.TrimSuffix(inner, "]")] = asked.Get(name)
			}
		}
		if len(metadata) > 0 {
			answer["metadata"] = metadata
		}
		items, _ := answer["data"].([]any)
		for _, item := range items {
			if o, ok := item.(map[string]any); ok && o["object"] == "refund" {
				o["payment_intent"] = asked.Get("payment_intent")
			}
		}
		body, err = json.Marshal(answer)
		resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		resp.Header.Del("Content-Length")
		return err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked, _ := url.ParseQuery(string(body))
		for name, values := range r.URL.Query() {
			asked[name] = values
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), askedKey{}, asked)))
	})
}

type askedKey struct{}
