package main

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/bench"
	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/migrations/localdb"
)

type figureView struct {
	Scenario string  `json:"scenario"`
	Metric   string  `json:"metric"`
	Value    float64 `json:"value"`
	Unit     string  `json:"unit"`
}

var figureColumns = []output.Column[figureView]{
	{Name: "scenario", Value: func(f figureView) string { return f.Scenario }},
	{Name: "metric", Value: func(f figureView) string { return f.Metric }},
	{Name: "value", Number: true, Value: figureView.number},
	{Name: "unit", Value: func(f figureView) string { return f.Unit }},
}

// number has three digits that mean something, or all before the point.
func (f figureView) number() string {
	switch {
	case f.Value >= 100:
		return strconv.FormatFloat(f.Value, 'f', 0, 64)
	case f.Value >= 10:
		return strconv.FormatFloat(f.Value, 'f', 1, 64)
	}
	return strconv.FormatFloat(f.Value, 'f', 2, 64)
}

type benchFlags struct {
	clients   []int
	scenarios []string
	compare   string
	bench.Config
}

func (a *app) benchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use: "bench", Short: "Measure what this machine carries", Args: exactly(),
		Long: `Measure what this machine carries: daemons as processes of their own, through their
listener, on a private PostgreSQL with its defaults, or on --db in a schema of its
own that is dropped afterwards. Prints "scenario  metric  value  unit" and looks
whether every invariant holds; the exit status is 1 if one does not.

Scenarios: hot-day (one day, everybody gets a place), spread (1,000 days), sold-out,
seats (10,000 seats), seat-map, confirm (callbacks), sweep (a backlog and a long
history), on-sale (many buyers through the waiting room; only if it is named).`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runBench(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.IntSliceVar(&f.clients, "clients", []int{100}, "how many ask at once; several numbers are measured one after the other")
	flags.DurationVar(&f.For, "for", 8*time.Second, "how long each measurement takes")
	flags.StringSliceVar(&f.scenarios, "scenario", nil, "which scenarios (default all but on-sale)")
	flags.StringVar(&f.compare, "compare", "", "pgbench: the same work by pgbench in the same run, and the ratio")
	flags.IntVar(&f.Rounds, "rounds", 1, "how often each is measured; the middle one counts")
	flags.IntVar(&f.Daemons, "daemons", 1, "daemons that share the database and the load")
	flags.IntVar(&f.Overdue, "overdue", 100_000, "sweep: holds that are overdue")
	flags.IntVar(&f.History, "history", 1_000_000, "sweep: finished bookings beside them")
	flags.IntVar(&f.Buyers, "buyers", 50_000, "on-sale: buyers for 10,000 seats")
	cmd.AddCommand(&cobra.Command{
		Use: "static ETAG", Hidden: true, Args: exactly("an ETag"), Short: "Send standard input to everybody, for comparison",
		RunE: func(cmd *cobra.Command, args []string) error {
			return bench.ServeStatic(cmd.Context(), args[0], a.stdin, a.stdout)
		},
	})
	return cmd
}

func (a *app) runBench(ctx context.Context, f benchFlags) error {
	cfg := f.Config
	cfg.Clients = f.clients
	switch f.compare {
	case "":
	case "pgbench":
		cfg.PGBench = true
	default:
		return inventory.Invalid("compare", "must be pgbench")
	}
	for _, text := range f.scenarios {
		s, err := bench.ParseScenario(text)
		if err != nil {
			return err
		}
		cfg.Scenarios = append(cfg.Scenarios, s)
	}
	if len(f.scenarios) == 0 {
		cfg.Scenarios = bench.Scenarios[:len(bench.Scenarios)-1]
	}
	if err := cfg.Validate(); err != nil {
		return err
	}
	var err error
	if cfg.Binary, err = ownPath(); err != nil {
		return err
	}
	if cfg.DSN = a.cfg.DB.Reveal(); cfg.DSN == "" {
		server, err := localdb.Start(ctx, localdb.Options{Kind: localdb.Temporary, Settings: map[string]string{"max_connections": "200"}})
		if err != nil {
			return err
		}
		defer func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
			defer cancel()
			_ = server.Close(ctx)
		}()
		cfg.DSN = server.URL()
	} else if err := checkDSN(cfg.DSN); err != nil {
		return err
	}
	cfg.Log = a.commandLog()
	var all []figureView
	cfg.Say = func(f bench.Figure) {
		v := figureView(f)
		all = append(all, v)
		if a.print.Format() == output.Table {
			_ = a.print.Line("%-14s  %-38s  %12s  %s", v.Scenario, v.Metric, v.number(), v.Unit)
		}
	}
	found, err := bench.Run(ctx, cfg)
	if err != nil {
		return err
	}
	if a.print.Format() != output.Table {
		if err := output.Rows(a.print, figureColumns, all); err != nil {
			return err
		}
	} else if err := a.benchVerdict(found); err != nil {
		return err
	}
	if len(found) > 0 {
		return errQuiet
	}
	return nil
}

// benchVerdict prints some violations, which may be as many as there are
// bookings, and how many there are as the last line.
func (a *app) benchVerdict(found []inventory.Violation) error {
	const most = 20
	for _, v := range found[:min(len(found), most)] {
		if err := a.print.Line("%s  %s  %s", v.Invariant, v.Object, v.Detail); err != nil {
			return err
		}
	}
	return a.print.Line("%d violations", len(found))
}

// ownPath is where this program can be started again, under the name by which it
// was called.
func ownPath() (string, error) {
	if strings.ContainsRune(os.Args[0], os.PathSeparator) {
		return os.Args[0], nil
	}
	if path, err := exec.LookPath(os.Args[0]); err == nil {
		return path, nil
	}
	return os.Executable()
}
