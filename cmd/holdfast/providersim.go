package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"holdfast/inventory"
	"holdfast/inventory/payment/signature"
	"holdfast/inventory/payment/simulated"
)

// simDrain bounds the end of the simulator; calls that it keeps waiting on
// purpose are let go first.
const simDrain = 3 * time.Second

func (a *app) providerSimCommand() *cobra.Command {
	var address, webhook string
	cmd := &cobra.Command{
		Use: "provider-sim --webhook URL", Short: "Run the simulated payment provider", Args: exactly(),
		Long: `Run the simulated payment provider with its own ledger.

It signs its webhooks with HOLDFAST_SIM_SECRET; a daemon with the same secret finds
it at HOLDFAST_PROVIDER_URL. Whoever reaches its address controls it, so that must
be a loopback one.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runProviderSim(cmd.Context(), address, webhook) },
	}
	cmd.Flags().StringVar(&address, "listen", "127.0.0.1:8090", "loopback address to listen on")
	cmd.Flags().StringVar(&webhook, "webhook", "", "where webhooks go, such as http://127.0.0.1:8080/payments/webhook")
	return cmd
}

func (a *app) runProviderSim(ctx context.Context, address, webhook string) error {
	if a.cfg.SimSecret == "" {
		return inventory.Invalid("HOLDFAST_SIM_SECRET", "is missing: the webhooks are signed with it")
	}
	secret, err := signature.NewSecret(a.cfg.SimSecret.Reveal())
	if err != nil {
		return inventory.Invalid("HOLDFAST_SIM_SECRET", "%s", err)
	}
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return inventory.Invalid("listen", "must be a loopback HOST:PORT: whoever reaches the simulator controls it")
	}
	log := jsonLog(a.stderr, a.cfg.Log)
	sim, err := simulated.NewServer(simulated.Config{Secret: secret, WebhookURL: webhook, Log: log})
	if err != nil {
		return inventory.Invalid("webhook", "%s", err)
	}
	defer sim.Close()
	ln, err := listen(ctx, address)
	if err != nil {
		return err
	}
	if err := a.print.Line("simulated provider on http://%s", ln.Addr()); err != nil {
		_ = ln.Close()
		return err
	}
	return serveSim(ctx, ln, sim)
}

// serveSim serves the simulator until ctx ends. There is no write timeout: some
// of its modes answer late on purpose.
func serveSim(ctx context.Context, ln net.Listener, sim *simulated.Server) error {
	srv := &http.Server{Handler: sim.Handler(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	select {
	case err := <-served:
		return fmt.Errorf("simulated provider: %w", err)
	case <-ctx.Done():
	}
	sim.Close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), simDrain)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		_ = srv.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
