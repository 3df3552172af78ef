package main

import (
	"holdfast/cmd/holdfast/daemon"
	"holdfast/inventory"
	"holdfast/inventory/payment/signature"
	"holdfast/inventory/payment/simulated"
	"holdfast/inventory/payment/stripe"
	"holdfast/jobs"
	"holdfast/timezone"
)

// providers are the configured payment providers, the default one first. An
// installation without any is a normal one: its shops take the money.
func (a *app) providers() ([]daemon.Provider, error) {
	var all []daemon.Provider
	if a.cfg.StripeKey != "" {
		p, err := a.stripeProvider()
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	if a.cfg.ProviderURL != "" {
		p, err := a.simulatedProvider()
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// jobProviders are the same by the name that payments carry.
func (a *app) jobProviders() (map[string]jobs.Provider, error) {
	all, err := a.providers()
	if err != nil {
		return nil, err
	}
	byName := make(map[string]jobs.Provider, len(all))
	for _, p := range all {
		byName[p.Name()] = p
	}
	return byName, nil
}

func (a *app) simulatedProvider() (*simulated.Provider, error) {
	secret, err := signature.NewSecret(a.cfg.SimSecret.Reveal())
	if err != nil {
		return nil, inventory.Invalid("HOLDFAST_SIM_SECRET", "%s", err)
	}
	return simulated.NewProvider(simulated.ProviderConfig{BaseURL: a.cfg.ProviderURL, Secrets: []signature.Secret{secret}})
}

func (a *app) stripeProvider() (*stripe.Provider, error) {
	key, err := stripe.NewAPIKey(a.cfg.StripeKey.Reveal())
	if err != nil {
		return nil, inventory.Invalid("HOLDFAST_STRIPE_KEY", "%s", err)
	}
	secrets, err := stripeSecrets(a.cfg.StripeSecret.Reveal(), a.cfg.StripeOldSecret.Reveal())
	if err != nil {
		return nil, err
	}
	p, err := stripe.NewProvider(stripe.ProviderConfig{Key: key, Live: a.cfg.StripeLive, Secrets: secrets, Clock: timezone.SystemClock{}})
	if err != nil {
		return nil, inventory.Invalid("HOLDFAST_STRIPE_KEY", "%s", err)
	}
	return p, nil
}

// stripeSecrets verify callbacks: during a rotation the old one does too.
func stripeSecrets(present, old string) ([]stripe.Secret, error) {
	first, err := stripe.NewSecret(present)
	if err != nil {
		return nil, inventory.Invalid("HOLDFAST_STRIPE_SECRET", "%s", err)
	}
	if old == "" {
		return []stripe.Secret{first}, nil
	}
	second, err := stripe.NewSecret(old)
	if err != nil {
		return nil, inventory.Invalid("HOLDFAST_STRIPE_OLD_SECRET", "%s", err)
	}
	return []stripe.Secret{first, second}, nil
}
