package main

import (
	"log/slog"

	"holdfast/inventory"
	"holdfast/inventory/notify"
	"holdfast/inventory/payment/signature"
	"holdfast/jobs"
	"holdfast/timezone"
)

// sink is where the journal is published: every configured receiver. Without
// any it is nil and messages wait: a process that was set up wrongly must not
// call them published. stop ends its connections.
func (a *app) sink(log *slog.Logger) (sink jobs.OutboxSink, stop func(), err error) {
	var sinks []notify.NamedSink
	stop = func() {}
	if a.cfg.OutboxURL != "" {
		w, err := a.webhookSink()
		if err != nil {
			return nil, nil, err
		}
		sinks = append(sinks, notify.NamedSink{Name: "webhook", Sink: w})
	}
	if a.cfg.OutboxNATS != "" {
		n, err := notify.NewNATS(notify.NATSConfig{
			URL: a.cfg.OutboxNATS, Stream: a.cfg.OutboxStream, CredentialsFile: a.cfg.OutboxNATSCreds, Log: log,
		})
		if err != nil {
			return nil, nil, err
		}
		sinks = append(sinks, notify.NamedSink{Name: "nats", Sink: n})
	}
	if a.cfg.OutboxLog {
		sinks = append(sinks, notify.NamedSink{Name: "log", Sink: notify.NewLog(log)})
	}
	if len(sinks) == 0 {
		return nil, stop, nil
	}
	all, err := notify.NewFanOut(log, sinks...)
	if err != nil {
		return nil, nil, err
	}
	return all, all.Close, nil
}

func (a *app) webhookSink() (*notify.Webhook, error) {
	allow, err := notify.ParseAllow("outbox-allow", a.cfg.OutboxAllow)
	if err != nil {
		return nil, err
	}
	endpoint, err := notify.ParseEndpoint("outbox-url", a.cfg.OutboxURL, allow)
	if err != nil {
		return nil, err
	}
	secrets, err := outboxSecrets(a.cfg.OutboxSecret.Reveal(), a.cfg.OutboxOldSecret.Reveal())
	if err != nil {
		return nil, err
	}
	return notify.NewWebhook(notify.WebhookConfig{Endpoint: endpoint, Allow: allow, Secrets: secrets, Clock: timezone.SystemClock{}})
}

// outboxSecrets are the secrets that sign: during a rotation the old one signs
// too.
func outboxSecrets(present, old string) ([]signature.Secret, error) {
	first, err := signature.NewSecret(present)
	if err != nil {
		return nil, inventory.Invalid("HOLDFAST_OUTBOX_SECRET", "%s", err)
	}
	if old == "" {
		return []signature.Secret{first}, nil
	}
	second, err := signature.NewSecret(old)
	if err != nil {
		return nil, inventory.Invalid("HOLDFAST_OUTBOX_OLD_SECRET", "%s", err)
	}
	return []signature.Secret{first, second}, nil
}
