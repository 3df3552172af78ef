package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"holdfast/inventory"
)

const (
	defaultNATSTimeout   = 5 * time.Second
	defaultSubjectPrefix = "holdfast"
	natsReconnectWait    = 2 * time.Second
)

// NATSConfig is what a NATS sink needs.
type NATSConfig struct {
	URL             string        // nats:// or tls://, several separated by commas; no credentials in it
	SubjectPrefix   string        // a message goes to PREFIX.TOPIC; default "holdfast"
	Stream          string        // refuse to publish into any other stream; "" = whichever takes the subject
	CredentialsFile string        // of the NATS tools; "" = none
	RootCAFile      string        // PEM; "" = the system's
	Timeout         time.Duration // of one delivery, the ack included; default 5s
	Log             *slog.Logger  // connection lost and found; required
}

// NATS publishes messages to JetStream. It is safe for use by several
// goroutines. Close ends it.
type NATS struct {
	conn    *nats.Conn
	js      jetstream.JetStream
	prefix  string
	stream  string
	timeout time.Duration
}

// NewNATS returns a sink that connects in the background and goes on trying,
// so that a broker that is away does not keep the program from starting. It
// fails with FieldErrors if cfg cannot work. The stream is the operator's: it
// is neither made nor changed here.
func NewNATS(cfg NATSConfig) (*NATS, error) {
	if cfg.SubjectPrefix == "" {
		cfg.SubjectPrefix = defaultSubjectPrefix
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = defaultNATSTimeout
	}
	if cfg.Log == nil {
		return nil, errors.New("nats: no log")
	}
	if err := errors.Join(checkNATSURL(cfg.URL), checkSubject("nats.subject_prefix", cfg.SubjectPrefix)); err != nil {
		return nil, err
	}
	conn, err := nats.Connect(cfg.URL, natsOptions(cfg)...)
	if err != nil {
		return nil, fmt.Errorf("nats: %w", err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("nats: %w", err)
	}
	return &NATS{conn, js, cfg.SubjectPrefix, cfg.Stream, cfg.Timeout}, nil
}

func natsOptions(cfg NATSConfig) []nats.Option {
	options := []nats.Option{
		nats.Name("holdfast relay"),
		nats.RetryOnFailedConnect(true),
		nats.IgnoreAuthErrorAbort(), // or two refused logins would end the connection for good
		nats.MaxReconnects(-1),
		nats.ReconnectWait(natsReconnectWait),
		// Nothing is kept for later while there is no connection: the journal keeps
		// it, and would send it again beside the buffered copy.
		nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				cfg.Log.Warn("the connection to NATS is lost", slog.Any("error", err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			cfg.Log.Info("the connection to NATS is back")
		}),
		// Without a handler the library writes to stderr, across the console.
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			cfg.Log.Warn("NATS reports an error", slog.Any("error", err))
		}),
	}
	if cfg.CredentialsFile != "" {
		options = append(options, nats.UserCredentials(cfg.CredentialsFile))
	}
	if cfg.RootCAFile != "" {
		options = append(options, nats.RootCAs(cfg.RootCAFile))
	}
	return options
}

// Deliver publishes m and returns nil once the stream has stored it, or has
// found that it stored it before: the id of m is the Nats-Msg-Id. It fails
// with a DownError without a connection, a stream for the subject, or an ack
// in time; only a message too large for the stream is an error about m.
func (n *NATS) Deliver(ctx context.Context, m inventory.OutboxMessage) error {
	if err := checkSubject("topic", m.Topic); err != nil {
		return fmt.Errorf("message %s: %w", m.ID(), err)
	}
	body, err := encode(m)
	if err != nil {
		return err
	}
	if !n.conn.IsConnected() {
		return &DownError{problem: "no connection to NATS"}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, n.timeout, fmt.Errorf("nats.publish took over %s", n.timeout))
	defer cancel()
	options := []jetstream.PublishOpt{jetstream.WithMsgID(m.ID())}
	if n.stream != "" {
		options = append(options, jetstream.WithExpectStream(n.stream))
	}
	msg := nats.NewMsg(n.prefix + "." + m.Topic)
	msg.Header.Set("Content-Type", "application/json")
	msg.Data = body
	_, err = n.js.PublishMsg(ctx, msg, options...)
	return publishProblem(ctx, m, err)
}

// publishProblem sorts what publishing can end in. A broker does not look into
// messages, so only size can be a message's own fault.
func publishProblem(ctx context.Context, m inventory.OutboxMessage, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, nats.ErrMaxPayload), errors.Is(err, jetstream.ErrStreamMessageExceedsMaximum):
		return fmt.Errorf("message %s is too large for the stream: %w", m.ID(), err)
	case ctx.Err() != nil:
		return &DownError{problem: "no ack: " + context.Cause(ctx).Error(), cause: ctx.Err()}
	case errors.Is(err, nats.ErrReconnectBufExceeded): // lost just now
		return &DownError{problem: "no connection to NATS"}
	case errors.Is(err, jetstream.ErrNoStreamResponse):
		return &DownError{problem: "no stream of NATS takes this subject"}
	}
	return &DownError{problem: err.Error()}
}

// Close ends the connection. What was not acknowledged stays in the journal.
func (n *NATS) Close() { n.conn.Close() }

func checkNATSURL(list string) error {
	const field = "nats.url"
	if strings.TrimSpace(list) == "" {
		return inventory.Invalid(field, "is missing")
	}
	for text := range strings.SplitSeq(list, ",") {
		u, err := url.Parse(strings.TrimSpace(text))
		switch {
		case err != nil || u.Hostname() == "" || u.Scheme != "nats" && u.Scheme != "tls":
			return inventory.Invalid(field, "must be nats://HOST:PORT or tls://HOST:PORT, several separated by commas")
		case u.User != nil:
			return inventory.Invalid(field, "must not hold credentials; name a credentials file instead")
		}
	}
	return nil
}

// checkSubject accepts literal subjects only: tokens of letters, digits, _ and
// - joined by dots, so that no message can be published to a wildcard or into
// the broker's own space.
func checkSubject(field, subject string) error {
	for token := range strings.SplitSeq(subject, ".") {
		if token == "" || strings.Trim(token, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
			return inventory.Invalid(field, "must be words of letters, digits, _ and - joined by dots")
		}
	}
	return nil
}
