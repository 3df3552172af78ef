package stripe

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	stripego "github.com/stripe/stripe-go/v82"

	"holdfast/inventory/payment"
	"holdfast/timezone"
)

// Name is how the daemon knows this provider.
const Name = "stripe"

// MetadataReference is the metadata member that carries our reference. A shop
// that takes the money itself puts the booking id there.
const MetadataReference = "holdfast_reference"

// Further metadata, for whoever looks at the payment in Stripe's dashboard.
const (
	metadataBooking = "holdfast_booking"
	metadataPayment = "holdfast_payment"
)

const (
	// DefaultCallTimeout bounds each call to Stripe. It leaves room for two
	// database steps inside the 15 seconds that a whole answer of ours may take.
	DefaultCallTimeout = 8 * time.Second

	// keyLifetime is an hour less than the 24 for which Stripe keeps a key at
	// least, so that neither a slow call nor a clock that is off decides.
	keyLifetime = 23 * time.Hour

	// maxAnswer holds a page of a hundred PaymentIntents.
	maxAnswer = 2 << 20
)

// ProviderConfig is what a Provider needs.
type ProviderConfig struct {
	Key         APIKey         // required
	Live        bool           // the mode that Key must be of, and every answer and event
	Secrets     []Secret       // any of them verifies an event; at least one
	Clock       timezone.Clock // nil = the machine's
	CallTimeout time.Duration  // 0 = DefaultCallTimeout
	Limits      payment.Limits // MaxAnswer 0 = 2 MiB
	BaseURL     string         // "" = Stripe; tests give theirs
}

// Provider takes and returns money through Stripe. A call that got no usable
// answer ends in an error for which payment.Unknown is true: what Stripe did is
// then not known, and it is never reported as a failure.
type Provider struct {
	api      *stripego.Client
	lists    lists
	live     bool
	verifier verifier
	clock    timezone.Clock
	timeout  time.Duration
}

// NewProvider returns a Provider, or an error that says what in cfg is wrong.
// It does not call Stripe.
func NewProvider(cfg ProviderConfig) (*Provider, error) {
	if cfg.Clock == nil {
		cfg.Clock = timezone.SystemClock{}
	}
	if cfg.CallTimeout == 0 {
		cfg.CallTimeout = DefaultCallTimeout
	}
	if cfg.Limits.MaxAnswer <= 0 {
		cfg.Limits.MaxAnswer = maxAnswer
	}
	if cfg.BaseURL == "" {
		cfg.BaseURL = stripego.APIURL
	}
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("stripe: %w", err)
	}
	backend := newBackend(cfg)
	return &Provider{
		api:   stripego.NewClient(cfg.Key.text, stripego.WithBackends(&stripego.Backends{API: backend})),
		lists: lists{backend, cfg.Key}, live: cfg.Live,
		verifier: verifier{cfg.Clock, cfg.Secrets}, clock: cfg.Clock, timeout: cfg.CallTimeout,
	}, nil
}

func (cfg ProviderConfig) check() error {
	var errs []error
	switch {
	case cfg.Key.text == "":
		errs = append(errs, errors.New("no API key"))
	case cfg.Key.live != cfg.Live:
		errs = append(errs, fmt.Errorf("the API key is for %s mode, and %s mode is configured", mode(cfg.Key.live), mode(cfg.Live)))
	}
	if len(cfg.Secrets) == 0 {
		errs = append(errs, errors.New("no webhook secret"))
	}
	for _, s := range cfg.Secrets {
		if len(s.key) == 0 {
			errs = append(errs, errors.New("empty webhook secret"))
		}
	}
	u, err := url.Parse(cfg.BaseURL)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || (u.Scheme != "https" && u.Scheme != "http") {
		errs = append(errs, errors.New("the address of the API must be a plain http or https address"))
	} else if u.Scheme != "https" && cfg.Live {
		errs = append(errs, errors.New("live mode needs https"))
	}
	return errors.Join(errs...)
}

// Name is how the daemon and the database know this provider.
func (p *Provider) Name() string { return Name }

// KeyLifetime is how long Stripe surely remembers an idempotency key. After that
// the same key pays, or refunds, a second time: list first.
func (p *Provider) KeyLifetime() time.Duration { return keyLifetime }
