package simulated

import (
	"errors"
	"time"

	"holdfast/inventory"
)

// Mode is what the provider does with a payment or a refund.
type Mode string

// The modes of CONTRACT.md 4.
const (
	ModeSucceed             Mode = "succeed"
	ModeDecline             Mode = "decline"
	ModePending             Mode = "pending"               // undecided until it is settled
	ModeTimeoutAfterEffect  Mode = "timeout_after_effect"  // does it, says so by webhook, never answers
	ModeTimeoutBeforeEffect Mode = "timeout_before_effect" // does nothing and never answers
	ModeError500            Mode = "error500"              // does nothing and answers 500
	ModeSlow                Mode = "slow"                  // as succeed, but the answer trickles for the whole delay
)

const (
	// DefaultKeyLifetime is how long an idempotency key is remembered: a day,
	// like the shortest of the well-known providers that say so.
	DefaultKeyLifetime = 1440 * time.Minute

	defaultSlow = 5 * time.Second
	maxDelay    = time.Hour
	maxTimes    = 1000
)

// Behaviour is how the provider treats calls. The zero value succeeds at once
// and sends each webhook once.
type Behaviour struct {
	Mode                Mode
	Delay               time.Duration // between the effect and the answer
	WebhookDelay        time.Duration
	WebhookTimes        int  // deliveries of each event, all at once; 0 = one
	NoWebhook           bool // events are kept for deliver and not sent
	WebhookBeforeAnswer bool
	KeyLifetime         time.Duration // of the keys of these calls; 0 = DefaultKeyLifetime
}

// control is the body of POST /control.
type control struct {
	Reference           string `json:"reference"` // "" = every call that no other control names
	Calls               int    `json:"calls"`     // payments and refunds it lasts for; 0 = until replaced
	Mode                Mode   `json:"mode"`
	DelayMs             int    `json:"delayMs"`
	WebhookDelayMs      int    `json:"webhookDelayMs"`
	WebhookTimes        *int   `json:"webhookTimes"`
	WebhookBeforeAnswer bool   `json:"webhookBeforeAnswer"`
	KeyLifetimeMs       int    `json:"keyLifetimeMs"`
}

// behaviour checks c and says it in our terms. webhookTimes 0 means none, left
// out it means one.
func (c control) behaviour() (Behaviour, error) {
	b := Behaviour{
		Mode: c.Mode, WebhookBeforeAnswer: c.WebhookBeforeAnswer,
		Delay:        time.Duration(c.DelayMs) * time.Millisecond,
		WebhookDelay: time.Duration(c.WebhookDelayMs) * time.Millisecond,
		KeyLifetime:  time.Duration(c.KeyLifetimeMs) * time.Millisecond,
	}
	var errs []error
	if b.Mode == "" {
		b.Mode = ModeSucceed
	}
	switch b.Mode {
	case ModeSucceed, ModeDecline, ModePending, ModeTimeoutAfterEffect, ModeTimeoutBeforeEffect, ModeError500, ModeSlow:
	default:
		errs = append(errs, inventory.Invalid("mode", "must be succeed, decline, pending, timeout_after_effect, timeout_before_effect, error500 or slow"))
	}
	limit := int(maxDelay / time.Millisecond)
	for _, f := range []struct {
		name     string
		n, limit int
	}{
		{"delayMs", c.DelayMs, limit},
		{"webhookDelayMs", c.WebhookDelayMs, limit},
		{"keyLifetimeMs", c.KeyLifetimeMs, 1000 * limit},
		{"calls", c.Calls, 1_000_000},
	} {
		if f.n < 0 || f.n > f.limit {
			errs = append(errs, inventory.Invalid(f.name, "must be from 0 to %d", f.limit))
		}
	}
	if c.WebhookTimes != nil {
		b.WebhookTimes, b.NoWebhook = *c.WebhookTimes, *c.WebhookTimes == 0
		if b.WebhookTimes < 0 || b.WebhookTimes > maxTimes {
			errs = append(errs, inventory.Invalid("webhookTimes", "must be from 0 to %d", maxTimes))
		}
	}
	return b, errors.Join(errs...)
}

// behaviours knows how to treat which call. The caller holds the lock.
type behaviours struct {
	always      Behaviour
	next        []counted // in front of always, oldest first
	byReference map[string]*counted
}

type counted struct {
	Behaviour
	calls int // left; 0 = for ever
}

// set replaces what is known for reference, or, without one, either adds to
// the next calls or replaces what applies always.
func (b *behaviours) set(reference string, calls int, to Behaviour) {
	switch {
	case reference != "":
		b.byReference[reference] = &counted{to, calls}
	case calls > 0:
		b.next = append(b.next, counted{to, calls})
	default:
		b.always, b.next = to, nil
	}
}

// look says how a call is treated without counting it.
func (b *behaviours) look(reference string) Behaviour {
	if c, ok := b.byReference[reference]; ok {
		return c.Behaviour
	}
	if len(b.next) > 0 {
		return b.next[0].Behaviour
	}
	return b.always
}

// peek says how a question is treated. The timeouts are about an effect, so
// what changes nothing is answered in spite of them.
func (b *behaviours) peek(reference string) Behaviour {
	found := b.look(reference)
	if found.Mode == ModeTimeoutAfterEffect || found.Mode == ModeTimeoutBeforeEffect {
		found.Mode, found.Delay = ModeSucceed, 0
	}
	return found
}

// take says how a payment or refund is treated and counts it.
func (b *behaviours) take(reference string) Behaviour {
	if c, ok := b.byReference[reference]; ok {
		if c.calls--; c.calls == 0 {
			delete(b.byReference, reference)
		}
		return c.Behaviour
	}
	if len(b.next) == 0 {
		return b.always
	}
	found := b.next[0].Behaviour
	if b.next[0].calls--; b.next[0].calls == 0 {
		b.next = b.next[1:]
	}
	return found
}
