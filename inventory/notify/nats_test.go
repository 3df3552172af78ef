package notify

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"holdfast/inventory"
)

const serverStart = 20 * time.Second

// broker starts a NATS server with JetStream on loopback. port -1 takes any.
func broker(t *testing.T, dir string, port int) *server.Server {
	t.Helper()
	srv, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	t.Cleanup(func() { stopBroker(srv) })
	if !srv.ReadyForConnections(serverStart) {
		t.Fatal("the NATS server is not ready")
	}
	return srv
}

func stopBroker(srv *server.Server) {
	srv.Shutdown()
	srv.WaitForShutdown()
}

func natsSink(t *testing.T, url string, change func(*NATSConfig)) *NATS {
	t.Helper()
	cfg := NATSConfig{URL: url, Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&cfg)
	}
	sink, err := NewNATS(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sink.Close)
	return sink
}

// makeStream returns a stream over the sink's subjects and what reads it.
func makeStream(t *testing.T, srv *server.Server, cfg jetstream.StreamConfig) jetstream.Stream {
	t.Helper()
	conn, err := nats.Connect(srv.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Name, cfg.Subjects = "BOOKINGS", []string{"holdfast.>"}
	stream, err := js.CreateStream(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

func stored(t *testing.T, stream jetstream.Stream) []*jetstream.RawStreamMsg {
	t.Helper()
	info, err := stream.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []*jetstream.RawStreamMsg
	for seq := info.State.FirstSeq; seq <= info.State.LastSeq && info.State.Msgs > 0; seq++ {
		msg, err := stream.GetMsg(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, msg)
	}
	return out
}

func wantDown(t *testing.T, err error, words string) {
	t.Helper()
	var down *DownError
	if !errors.As(err, &down) || !strings.Contains(err.Error(), words) {
		t.Errorf("Deliver = %v, want a DownError with %q", err, words)
	}
}

func TestNATS_Deliver(t *testing.T) {
	t.Parallel()
	srv := broker(t, t.TempDir(), -1)
	stream := makeStream(t, srv, jetstream.StreamConfig{MaxMsgSize: 2048})
	sink := natsSink(t, srv.ClientURL(), func(c *NATSConfig) { c.Stream = "BOOKINGS" })

	for _, seq := range []int{1, 2, 2, 1, 3} { // 2 and 1 again: their acks were lost, say
		if err := sink.Deliver(t.Context(), message(t, seq)); err != nil {
			t.Fatalf("Deliver seq %d = %v", seq, err)
		}
	}
	msgs := stored(t, stream)
	if len(msgs) != 3 {
		t.Fatalf("%d messages stored, want each once", len(msgs))
	}
	for i, m := range msgs {
		if want := message(t, i+1).ID(); m.Header.Get(nats.MsgIdHdr) != want || m.Subject != "holdfast.booking.confirmed" {
			t.Errorf("message %d: id %q on %s, want %s", i, m.Header.Get(nats.MsgIdHdr), m.Subject, want)
		}
	}
	if got := string(msgs[1].Data); got != wantBody {
		t.Errorf("body = %s, want what the webhook sends", got)
	}

	large := message(t, 4)
	large.Data = []byte(`{"note":"` + strings.Repeat("x", 4096) + `"}`)
	err := sink.Deliver(t.Context(), large)
	var down *DownError
	if err == nil || errors.As(err, &down) || !strings.Contains(err.Error(), "too large") {
		t.Errorf("too large: Deliver = %v, want an error about the message", err)
	}
	wild := message(t, 4)
	for _, topic := range []string{"", "booking.*", "booking.>", "a..b", "a b", "a\r\nPUB x"} {
		wild.Topic = topic
		if err := sink.Deliver(t.Context(), wild); err == nil || errors.As(err, &down) {
			t.Errorf("topic %q: Deliver = %v, want an error about the message", topic, err)
		}
	}

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sink.Deliver(ended, message(t, 5)); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: Deliver = %v, want context.Canceled inside", err)
	}
	other := natsSink(t, srv.ClientURL(), func(c *NATSConfig) { c.Stream = "OTHER" })
	wantDown(t, other.Deliver(t.Context(), message(t, 6)), "stream")
}

func TestNATS_Deliver_fullStream(t *testing.T) {
	t.Parallel()
	srv := broker(t, t.TempDir(), -1)
	stream := makeStream(t, srv, jetstream.StreamConfig{MaxMsgs: 1, Discard: jetstream.DiscardNew})
	sink := natsSink(t, srv.ClientURL(), nil)
	if err := sink.Deliver(t.Context(), message(t, 1)); err != nil {
		t.Fatal(err)
	}
	wantDown(t, sink.Deliver(t.Context(), message(t, 2)), "maximum messages")
	if err := stream.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := sink.Deliver(t.Context(), message(t, 2)); err != nil {
		t.Errorf("once there is room: Deliver = %v", err)
	}
}

func TestNATS_Deliver_noStreamAndNoAck(t *testing.T) {
	t.Parallel()
	srv := broker(t, t.TempDir(), -1)
	sink := natsSink(t, srv.ClientURL(), func(c *NATSConfig) { c.Timeout = 2 * time.Second })
	wantDown(t, sink.Deliver(t.Context(), message(t, 1)), "no stream")

	// Somebody listens, but nobody stores: that is no delivery.
	conn, err := nats.Connect(srv.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	if _, err := conn.Subscribe("holdfast.>", func(*nats.Msg) {}); err != nil {
		t.Fatal(err)
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	wantDown(t, sink.Deliver(t.Context(), message(t, 1)), "nats.publish took over 2s")
}

// The broker goes away and comes back: what failed meanwhile is not in the
// stream, because the journal sends it again.
func TestNATS_Deliver_outage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := broker(t, dir, -1)
	addr, ok := srv.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatal("no address")
	}
	stream := makeStream(t, srv, jetstream.StreamConfig{})
	lost := make(chan struct{}, 16)
	sink := natsSink(t, srv.ClientURL(), func(c *NATSConfig) {
		c.Log = slog.New(slog.NewTextHandler(signalOn{"connection to NATS is", lost}, nil))
	})
	if err := sink.Deliver(t.Context(), message(t, 1)); err != nil {
		t.Fatal(err)
	}
	stopBroker(srv)
	<-lost
	start := time.Now()
	for range 5 {
		wantDown(t, sink.Deliver(t.Context(), message(t, 2)), "no connection")
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("5 deliveries without a connection took %s, want them to fail at once", took)
	}
	if err := sink.conn.Publish("holdfast.booking.confirmed", nil); !errors.Is(err, nats.ErrReconnectBufExceeded) {
		t.Errorf("Publish = %v, want ErrReconnectBufExceeded: the client keeps nothing for later", err)
	}

	broker(t, dir, addr.Port)
	<-lost // found again
	if err := sink.Deliver(t.Context(), message(t, 3)); err != nil {
		t.Fatalf("after the outage: Deliver = %v", err)
	}
	var seqs []string
	for _, m := range stored(t, stream) {
		seqs = append(seqs, m.Header.Get(nats.MsgIdHdr))
	}
	if want := []string{message(t, 1).ID(), message(t, 3).ID()}; strings.Join(seqs, " ") != strings.Join(want, " ") {
		t.Errorf("stored %v, want %v: nothing was kept back in the client", seqs, want)
	}
}

// signalOn is a log's writer that tells when words were written.
type signalOn struct {
	words string
	seen  chan struct{}
}

func (s signalOn) Write(p []byte) (int, error) {
	if strings.Contains(string(p), s.words) {
		s.seen <- struct{}{}
	}
	return len(p), nil
}

func TestNewNATS_startsWithoutABroker(t *testing.T) {
	t.Parallel()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "nats://" + ln.Addr().String()
	_ = ln.Close()
	wantDown(t, natsSink(t, url, nil).Deliver(t.Context(), message(t, 1)), "no connection")
}

func TestNewNATS_refuses(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	for name, c := range map[string]struct {
		cfg   NATSConfig
		field string
	}{
		"noURL":             {NATSConfig{Log: log}, "nats.url"},
		"otherScheme":       {NATSConfig{URL: "http://127.0.0.1:4222", Log: log}, "nats.url"},
		"noScheme":          {NATSConfig{URL: "127.0.0.1:4222", Log: log}, "nats.url"},
		"credentialsInURL":  {NATSConfig{URL: "nats://me:planted@127.0.0.1:4222", Log: log}, "nats.url"},
		"oneOfTwoIsWrong":   {NATSConfig{URL: "nats://127.0.0.1:4222, ftp://x", Log: log}, "nats.url"},
		"wildcardInPrefix":  {NATSConfig{URL: "nats://127.0.0.1:4222", SubjectPrefix: "holdfast.>", Log: log}, "nats.subject_prefix"},
		"brokersOwnSubject": {NATSConfig{URL: "nats://127.0.0.1:4222", SubjectPrefix: "$JS.API", Log: log}, "nats.subject_prefix"},
		"noLog":             {NATSConfig{URL: "nats://127.0.0.1:4222"}, ""},
	} {
		sink, err := NewNATS(c.cfg)
		if err == nil {
			sink.Close()
			t.Errorf("%s: a sink was made", name)
			continue
		}
		fields := inventory.FieldErrors(err)
		if c.field != "" && (len(fields) != 1 || fields[0].Field != c.field) || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: NewNATS = %v, want a FieldError about %s", name, err, c.field)
		}
	}
}
