package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

// process is a daemon or a simulator that runs until the test ends.
type process struct {
	cmd    *exec.Cmd
	log    *bytes.Buffer // complete after wait
	exited chan error
}

// start runs the binary in the background and returns when it says ready.
func start(t *testing.T, bin string, env []string, ready string, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := invocation{args: args, env: env}.command(ctx, bin)
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	p := &process{cmd: cmd, log: &bytes.Buffer{}, exited: make(chan error, 1)}
	up := make(chan struct{})
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		saidReady := false
		for scanner := bufio.NewScanner(r); scanner.Scan(); {
			p.log.WriteString(scanner.Text() + "\n")
			if !saidReady && strings.Contains(scanner.Text(), ready) {
				saidReady = true
				close(up)
			}
		}
	}()
	go func() {
		err := cmd.Wait()
		_ = w.Close()
		<-logged
		p.exited <- err
	}()
	t.Cleanup(cancel)
	select {
	case <-up:
	case err := <-p.exited:
		t.Fatalf("holdfast %v ended: %v\n%s", args, err, p.log)
	case <-time.After(time.Minute):
		t.Fatalf("holdfast %v is not ready", args)
	}
	return p
}

// stop sends SIGTERM and wants a clean end within the stated time.
func (p *process) stop(t *testing.T) {
	t.Helper()
	from := time.Now()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-p.exited:
		if err != nil {
			t.Errorf("after SIGTERM: %v\n%s", err, p.log)
		}
	case <-time.After(25 * time.Second):
		t.Fatal("25 s after SIGTERM it still runs")
	}
	t.Logf("stopped in %v", time.Since(from))
}

// freeAddress is a loopback address that nobody used a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// installation is a database with a venue and a pool, and what a binary needs
// to find it and the simulator.
type installation struct {
	bin string
	db  *pgtest.Database
	env []string
	api []string // addresses of the daemons
	sim string
}

func newInstallation(t *testing.T, bin string, daemons int, venue ...string) *installation {
	t.Helper()
	db := pgtest.DB(t)
	in := &installation{bin: bin, db: db, sim: freeAddress(t)}
	in.env = []string{
		"HOLDFAST_DB=" + db.URL, "HOLDFAST_ACTOR=mira", "HOLDFAST_SIM_SECRET=" + plantedSecret, "HOLDFAST_PROVIDER_URL=http://" + in.sim,
	}
	for range daemons {
		in.api = append(in.api, freeAddress(t))
	}
	must(t, bin, in.env, append([]string{"venue", "add", "harbour", "--zone", "Europe/Berlin", "--currency", "EUR"}, venue...)...)
	must(t, bin, in.env, "pool", "add", "harbour/main", "--price", "25", "--capacity", "10", "--overbook", "2", "--horizon", "400", "--max-per-buyer", "0")
	return in
}

func (in *installation) daemon(t *testing.T, n int, args ...string) *process {
	t.Helper()
	return start(t, in.bin, in.env, "the daemon is ready",
		append([]string{"daemon", "--listen", in.api[n], "--metrics-listen", "off", "--insecure-no-auth"}, args...)...)
}

// post sends a JSON body and returns the status and the answer.
func post(ctx context.Context, url, key string, body any) (int, map[string]any, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	var answer map[string]any
	err = json.NewDecoder(res.Body).Decode(&answer)
	return res.StatusCode, answer, err
}

func holdBody(day, buyer string, quantity int) map[string]any {
	return map[string]any{"pool": "harbour/main", "day": day, "buyer": buyer, "quantity": quantity}
}

func testDaemon(t *testing.T, bin string) {
	t.Helper()
	t.Run("moneyFromHoldToRefund", func(t *testing.T) { t.Parallel(); testMoney(t, bin) })
	t.Run("200BuyersTwoDaemons", func(t *testing.T) { t.Parallel(); testCrowd(t, bin) })
	t.Run("B01_manyBuyersOnePlace", func(t *testing.T) { t.Parallel(); testOnePlace(t, bin) })
	t.Run("B01_manyBuyersOneSeatOneHour", func(t *testing.T) { t.Parallel(); testOneSeat(t, bin) })
	t.Run("sigtermUnderLoad", func(t *testing.T) { t.Parallel(); testSigterm(t, bin) })
	t.Run("killedAtEachStep", func(t *testing.T) { t.Parallel(); testKills(t, bin) })
	t.Run("tokensAndMetrics", func(t *testing.T) { t.Parallel(); testTokens(t, bin) })
}

// testMoney follows money through the daemon, the simulator and the desk's
// commands: in time, late and revived, late and refunded, a part given back.
func testMoney(t *testing.T, bin string) {
	t.Helper()
	in := newInstallation(t, bin, 1, "--hold-ttl", "1s", "--hold-jitter", "0s")
	sim := start(t, bin, in.env, "simulated provider on", "provider-sim", "--listen", in.sim, "--webhook", "http://"+in.api[0]+"/payments/webhook")
	d := in.daemon(t, 0)

	hold := func(buyer string) string {
		status, b, err := post(t.Context(), "http://"+in.api[0]+"/holds", buyer, holdBody("2027-06-01", buyer, 2))
		if err != nil || status != http.StatusCreated {
			t.Fatalf("hold: %d %v %v", status, b, err)
		}
		return b["bookingId"].(string)
	}
	charge := func(booking string) {
		status, p, err := post(t.Context(), "http://"+in.sim+"/v1/payments", "pay-"+booking,
			map[string]any{"reference": booking, "amountMinor": 5000, "currency": "EUR"})
		if err != nil || status >= 300 {
			t.Fatalf("charge: %d %v %v", status, p, err)
		}
	}
	await := func(want string, args ...string) string {
		t.Helper()
		for deadline := time.Now().Add(30 * time.Second); ; {
			out := must(t, bin, in.env, args...)
			if strings.Contains(out, want) {
				return out
			}
			if time.Now().After(deadline) {
				t.Fatalf("holdfast %v never showed %q:\n%s", args, want, out)
			}
		}
	}
	zombieOf := func(buyer string) string {
		t.Helper()
		var zombies []struct {
			Payment   string `json:"payment"`
			CanRevive bool   `json:"canRevive"`
			Booking   struct {
				Buyer string `json:"buyer"`
			} `json:"booking"`
		}
		if err := json.Unmarshal([]byte(await(buyer, "zombie", "list", "-o", "json")), &zombies); err != nil {
			t.Fatal(err)
		}
		for _, z := range zombies {
			if z.Booking.Buyer == buyer && z.CanRevive {
				return z.Payment
			}
		}
		t.Fatalf("no zombie of %s that can be revived: %+v", buyer, zombies)
		return ""
	}

	inTime := hold("in-time")
	charge(inTime)
	await("CONFIRMED", "booking", "show", inTime)

	lateOne, lateTwo := hold("late-one"), hold("late-two")
	await("EXPIRED", "booking", "show", lateOne)
	await("EXPIRED", "booking", "show", lateTwo)
	charge(lateOne)
	charge(lateTwo)
	revived := zombieOf("late-one")
	must(t, bin, in.env, "zombie", "revive", revived, "--reason", "he called")
	if r := (invocation{args: []string{"zombie", "revive", revived, "--reason", "again"}, env: in.env}).run(t, bin); r.status != statusRefused {
		t.Errorf("reviving twice: status %d, %s", r.status, r.stderr)
	}
	if r := (invocation{args: []string{"zombie", "refund", revived, "--reason", "no zombie any more"}, env: in.env}).run(t, bin); r.status != statusNotFound {
		t.Errorf("refunding a revived zombie: status %d, %s", r.status, r.stderr)
	}
	must(t, bin, in.env, "zombie", "refund", zombieOf("late-two"), "--reason", "she found another evening")
	await("SUCCEEDED", "refund", "list") // the daemon's job sends it

	must(t, bin, in.env, "refund", "add", revived, "--amount", "10.00", "--reason", "the heating failed")
	await(`"minor": 1000`, "refund", "list", "--state", "succeeded", "-o", "json")
	if r := (invocation{args: []string{"refund", "add", revived, "--amount", "41", "--reason", "too much"}, env: in.env}).run(t, bin); r.status != statusUsage || !strings.Contains(r.stderr, "EUR 40.00") {
		t.Errorf("giving back more than is left: status %d, %s", r.status, r.stderr)
	}
	await(`"standing": "applied"`, "booking", "show", lateOne, "-o", "json")
	if out := must(t, bin, in.env, "check"); out != "0 violations\n" {
		t.Error(out)
	}

	// A provider that is gone is no failure of a refund.
	sim.stop(t)
	must(t, bin, in.env, "booking", "cancel", inTime, "--refund", "--reason", "ill")
	must(t, bin, in.env, "job", "run", "refund")
	await("REQUESTED", "refund", "list", "--state", "requested")
	d.stop(t)
	for _, p := range []*process{d, sim} {
		if strings.Contains(p.log.String(), plantedSecret) {
			t.Error("a log shows the secret")
		}
	}
}

// testCrowd lets 200 buyers at one day through two daemons.
func testCrowd(t *testing.T, bin string) {
	t.Helper()
	in := newInstallation(t, bin, 2)
	for i := range in.api {
		defer in.daemon(t, i).stop(t)
	}
	for quantity, want := range map[int]int64{1: 12, 3: 4, 5: 2} {
		day := fmt.Sprintf("2027-06-%02d", quantity)
		var won, lost atomic.Int64
		var buyers sync.WaitGroup
		gate := make(chan struct{})
		for i := range 200 {
			buyers.Go(func() {
				<-gate
				key := fmt.Sprintf("q%d-%d", quantity, i)
				status, answer, err := post(t.Context(), "http://"+in.api[i%2]+"/holds", key, holdBody(day, key, quantity))
				switch {
				case err == nil && status == http.StatusCreated:
					won.Add(1)
				case err == nil && status == http.StatusConflict && answer["code"] == "SOLD_OUT":
					lost.Add(1)
				default:
					t.Errorf("buyer %d: %d %v %v", i, status, answer, err)
				}
			})
		}
		close(gate)
		buyers.Wait()
		if won.Load() != want || lost.Load() != 200-want {
			t.Errorf("quantity %d: %d won and %d lost, want %d and %d", quantity, won.Load(), lost.Load(), want, 200-want)
		}
	}
}

// testOnePlace is case B01: 50 buyers, one place, the same moment, 20 times,
// against two daemons of which one has a single processor.
func testOnePlace(t *testing.T, bin string) {
	t.Helper()
	in := newInstallation(t, bin, 2)
	must(t, bin, in.env, "day", "set", "harbour/main", "2027-06", "--capacity", "1", "--overbook", "0")
	env := in.env
	for i := range in.api {
		in.env = append(env[:len(env):len(env)], fmt.Sprintf("GOMAXPROCS=%d", i+1))
		defer in.daemon(t, i).stop(t)
	}
	for round := 1; round <= 20; round++ {
		day := fmt.Sprintf("2027-06-%02d", round)
		var mu sync.Mutex
		answers := map[string]int{}
		var buyers sync.WaitGroup
		gate := make(chan struct{})
		for i := range 50 {
			buyers.Go(func() {
				<-gate
				key := fmt.Sprintf("r%d-%d", round, i)
				status, answer, err := post(t.Context(), "http://"+in.api[i%2]+"/holds", key, holdBody(day, key, 1))
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Errorf("buyer %d: %v", i, err)
				}
				answers[fmt.Sprint(status, " ", answer["code"])]++
			})
		}
		close(gate)
		buyers.Wait()
		if len(answers) != 2 || answers["201 <nil>"] != 1 || answers["409 SOLD_OUT"] != 49 {
			t.Errorf("round %d: %v, want one 201 and 49 x 409 SOLD_OUT", round, answers)
		}
	}
}

// testSigterm stops a daemon while buyers keep asking: every answer that says
// 201 is a hold, and nothing that was taken in is left without an answer.
func testSigterm(t *testing.T, bin string) {
	t.Helper()
	in := newInstallation(t, bin, 1)
	must(t, bin, in.env, "day", "set", "harbour/main", "2027-06", "--capacity", "100000")
	d := in.daemon(t, 0)
	var placed, cut atomic.Int64
	var buyers sync.WaitGroup
	warm := make(chan struct{})
	for w := range 8 {
		buyers.Go(func() {
			for n := 0; ; n++ {
				key := fmt.Sprintf("w%d-%d", w, n)
				status, _, err := post(t.Context(), "http://"+in.api[0]+"/holds", key, holdBody("2027-06-15", key, 1))
				switch {
				case err != nil && strings.Contains(err.Error(), "connection refused"):
					return // it is gone, and said so
				case err != nil:
					cut.Add(1)
					return
				case status == http.StatusCreated:
					if placed.Add(1) == 50 {
						close(warm)
					}
				}
			}
		})
	}
	<-warm
	d.stop(t)
	buyers.Wait()
	var held []struct {
		ID inventory.BookingID `json:"bookingId"`
	}
	out := must(t, bin, in.env, "hold", "list", "--limit", "1000", "-o", "json")
	if err := json.Unmarshal([]byte(out), &held); err != nil {
		t.Fatal(err)
	}
	// A connection that is closed while idle, just as a client reuses it, is the
	// client's to open again: at most one for each of them.
	if n := placed.Load(); int64(len(held)) < min(n, 1000) || cut.Load() > 8 {
		t.Errorf("%d answers said 201 and there are %d holds; %d requests were cut off", n, len(held), cut.Load())
	}
}

// testTokens wants a token where nobody opened the door, and the metrics on
// their own address.
func testTokens(t *testing.T, bin string) {
	t.Helper()
	in := newInstallation(t, bin, 1)
	metrics := freeAddress(t)
	d := start(t, bin, in.env, "the daemon is ready", "cron", "--listen", in.api[0], "--metrics-listen", metrics)
	get := func(url, token string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(body)
	}
	var client struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal([]byte(must(t, bin, in.env, "client", "add", "shop", "-o", "json")), &client); err != nil {
		t.Fatal(err)
	}
	days := "http://" + in.api[0] + "/venues/harbour/pools/main/days?from=2027-06-01&to=2027-06-02"
	if status, _ := get(days, ""); status != http.StatusUnauthorized {
		t.Errorf("without a token: %d", status)
	}
	if status, body := get(days, client.Token); status != http.StatusOK {
		t.Errorf("with a token: %d %s", status, body)
	}
	if status, _ := get("http://"+in.api[0]+"/readyz", ""); status != http.StatusOK {
		t.Errorf("readyz: %d", status)
	}
	if status, _ := get("http://"+in.api[0]+"/metrics", ""); status != http.StatusNotFound {
		t.Errorf("metrics on the public listener: %d", status)
	}
	for deadline := time.Now().Add(20 * time.Second); ; {
		if _, body := get("http://"+metrics+"/metrics", ""); strings.Contains(body, `holdfast_job_runs_total{name="sweep",outcome="ok"}`) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the metrics never counted a sweep")
		}
	}
	d.stop(t)
	if strings.Contains(d.log.String(), client.Token) {
		t.Error("the log shows the token")
	}
}
