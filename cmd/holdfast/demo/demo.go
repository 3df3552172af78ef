// Package demo is a whole installation in one process, with people in it: a
// private temporary database, venues in three zones, a daemon, the simulated
// payment provider, buyers of every kind, and staff who decide about zombies.
package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"holdfast/cmd/holdfast/daemon"
	"holdfast/inventory"
	"holdfast/inventory/notify"
	"holdfast/inventory/payment/signature"
	"holdfast/inventory/payment/simulated"
	"holdfast/inventory/pgstore"
	"holdfast/jobs"
	"holdfast/migrations"
	"holdfast/migrations/localdb"
	"holdfast/timezone"
)

const (
	// settleLimit bounds waiting for the buyers who are still about when the
	// doors close.
	settleLimit = 8 * time.Second
	hurryLimit  = 500 * time.Millisecond // the same, when somebody wants to leave
	closeLimit  = 10 * time.Second

	holdConns, jobConns, ownConns = 12, 6, 4
)

// Options say what kind of demonstration it is.
type Options struct {
	For   time.Duration // how long buyers come in; 0: until the context ends
	Speed float64       // times as many buyers as usual; 0 = 1
	// Watched is for a person at the console: holds last long enough to be seen,
	// and zombies of the venue whose policy is `ask` are left to the person.
	Watched bool
	Log     *slog.Logger // required
	Status  func(string) // gets a line a second; nil: nobody
}

// Demo is a demonstration that is set up.
type Demo struct {
	opts   Options
	server *localdb.Server
	store  *pgstore.Store
	close  []func() // last first

	sim      *simulated.Server
	provider *simulated.Provider
	simLn    net.Listener
	daemonLn net.Listener
	tally    tally
	sample   []stall
}

// Open starts the database, migrates it, fills it with sample venues and binds
// the listeners. The caller must Close the demo.
func Open(ctx context.Context, opts Options) (*Demo, error) {
	if opts.Speed <= 0 {
		opts.Speed = 1
	}
	d := &Demo{opts: opts}
	if err := d.open(ctx); err != nil {
		d.Close()
		return nil, fmt.Errorf("demo: %w", err)
	}
	return d, nil
}

func (d *Demo) open(ctx context.Context) error {
	server, err := localdb.Start(ctx, localdb.Options{Kind: localdb.Temporary})
	if err != nil {
		return err
	}
	d.server = server
	d.close = append(d.close, d.closeServer)
	if _, err := migrations.Up(ctx, server.URL()); err != nil {
		return err
	}
	pool, err := pgstore.Connect(ctx, server.URL(), pgstore.PoolConfig{MaxConns: ownConns, AppName: "holdfast demo"})
	if err != nil {
		return err
	}
	d.close = append(d.close, pool.Close)
	d.store = pgstore.New(pool, d.opts.Log)
	if d.sample, err = addSample(ctx, d.store, d.opts.Watched); err != nil {
		return err
	}
	return d.openProvider(ctx)
}

// openProvider makes the two ends of the payment provider. The secret between
// them is of this demo only.
func (d *Demo) openProvider(ctx context.Context) error {
	var lc net.ListenConfig
	var err error
	if d.daemonLn, err = lc.Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	d.close = append(d.close, func() { _ = d.daemonLn.Close() })
	if d.simLn, err = lc.Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	d.close = append(d.close, func() { _ = d.simLn.Close() })
	secret, err := signature.NewSecret(uuid.NewString())
	if err != nil {
		return err
	}
	d.sim, err = simulated.NewServer(simulated.Config{
		Secret: secret, WebhookURL: d.URL() + "/payments/webhook/" + simulated.Name, Log: d.opts.Log,
	})
	if err != nil {
		return err
	}
	d.close = append(d.close, d.sim.Close)
	// Every webhook comes twice, a little late.
	d.sim.SetBehaviour("", 0, simulated.Behaviour{Mode: simulated.ModeSucceed, WebhookTimes: 2, WebhookDelay: 30 * time.Millisecond})
	d.provider, err = simulated.NewProvider(simulated.ProviderConfig{
		BaseURL: "http://" + d.simLn.Addr().String(), Secrets: []signature.Secret{secret},
	})
	return err
}

// URL is where the demo's daemon listens.
func (d *Demo) URL() string { return "http://" + d.daemonLn.Addr().String() }

// DSN is the address of the demo's database; it holds a password.
func (d *Demo) DSN() string { return d.server.URL() }

// Store is the demo's database as its own staff use it.
func (d *Demo) Store() *pgstore.Store { return d.store }

// Run lets buyers come in for as long as the options say or until ctx ends,
// gives those inside some time to finish, and stops everything but the
// database. It returns nil after a clean end, whatever ended it.
func (d *Demo) Run(ctx context.Context) error {
	// The daemon and the provider outlive the buyers.
	serving, stopServing := context.WithCancel(context.WithoutCancel(ctx))
	defer stopServing()
	servers, serving := errgroup.WithContext(serving)
	servers.Go(func() error { return d.serveDaemon(serving) })
	servers.Go(func() error { return d.serveSim(serving) })

	d.sell(ctx, serving)
	stopServing()
	return servers.Wait()
}

// sell is the time in which buyers and staff act. It ends early when nothing
// serves any more.
func (d *Demo) sell(ctx, serving context.Context) {
	inside, clear := context.WithCancel(serving)
	defer clear()
	doors, closeDoors := context.WithCancel(ctx)
	defer closeDoors()
	context.AfterFunc(inside, closeDoors)
	if d.opts.For > 0 {
		var cancel context.CancelFunc
		doors, cancel = context.WithTimeout(doors, d.opts.For)
		defer cancel()
	}

	var others sync.WaitGroup
	others.Go(func() { d.staff(inside) })
	others.Go(func() { d.report(inside) })
	crowd := d.openDoors(doors, inside)

	<-doors.Done()
	settle := settleLimit
	if ctx.Err() != nil {
		settle = hurryLimit
	}
	select {
	case <-crowd:
	case <-time.After(settle):
	case <-inside.Done():
	}
	clear()
	<-crowd
	others.Wait()
}

func (d *Demo) serveDaemon(ctx context.Context) error {
	return daemon.Run(ctx, daemon.Config{
		DSN: d.server.URL(), HoldConns: holdConns, JobConns: jobConns,
		Listener: d.daemonLn, NoAuth: true, Providers: []daemon.Provider{d.provider}, Sink: notify.NewLog(d.opts.Log),
		Instance: fmt.Sprintf("demo:%d", os.Getpid()), Tune: hurry, Clock: timezone.SystemClock{}, Log: d.opts.Log,
	})
}

// hurry makes jobs run as often as their holds are short.
func hurry(schedules []jobs.Schedule) []jobs.Schedule {
	for i := range schedules {
		switch schedules[i].Job.Name() {
		case inventory.JobSweep, inventory.JobRefund, inventory.JobReconcile:
			schedules[i].Every = time.Second
		case inventory.JobCheck:
			schedules[i].Every = 10 * time.Second
		case inventory.JobHorizon, inventory.JobRelay, inventory.JobPurge:
		}
	}
	return schedules
}

// serveSim serves the provider until ctx ends.
func (d *Demo) serveSim(ctx context.Context) error {
	srv := &http.Server{Handler: d.sim.Handler(), ReadHeaderTimeout: 5 * time.Second}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(d.simLn) }()
	select {
	case err := <-served:
		return fmt.Errorf("simulated provider: %w", err)
	case <-ctx.Done():
	}
	d.sim.Close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	err := srv.Shutdown(ctx)
	if cause := <-served; !errors.Is(cause, http.ErrServerClosed) {
		err = errors.Join(err, cause)
	}
	return err
}

// Close stops the database, whose directory goes with it.
func (d *Demo) Close() {
	for len(d.close) > 0 {
		last := len(d.close) - 1
		d.close[last]()
		d.close = d.close[:last]
	}
}

func (d *Demo) closeServer() {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	if err := d.server.Close(ctx); err != nil {
		d.opts.Log.LogAttrs(ctx, slog.LevelWarn, "the private database did not end in order", slog.Any("error", err))
	}
}
