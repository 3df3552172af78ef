package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/demo"
	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/timezone"
	tuiapp "holdfast/tui/app"
)

// headlessFor is how long a demo without a console lasts if nobody says.
const headlessFor = 30 * time.Second

// checkLimit bounds the check at the end, which also runs after an interrupt.
const checkLimit = 30 * time.Second

// statusTime is a time of day in UTC, as the Z says: the demo's venues are in
// several zones.
const statusTime = "15:04:05Z"

type demoFlags struct {
	headless bool
	length   time.Duration
	speed    float64
}

func (a *app) demoCommand() *cobra.Command {
	var f demoFlags
	cmd := &cobra.Command{
		Use: "demo", Short: "A whole installation with buyers and late payments, in a temporary database", Args: exactly(),
		Long: `A whole installation with buyers and late payments, in a temporary database.

On a terminal the console comes on top. Otherwise, or with --headless, it prints a
status line a second with the time in UTC, then what happened and whether every
invariant holds; the exit status is 1 if one does not.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.length < 0 || f.speed <= 0 || f.speed > 50 {
				return usage("--for must not be negative and --speed must be above 0 and at most 50")
			}
			in, out, terminal := a.terminal()
			if f.headless || !terminal {
				return a.headlessDemo(cmd.Context(), f)
			}
			return a.consoleDemo(cmd.Context(), f, in, out)
		},
	}
	cmd.Flags().BoolVar(&f.headless, "headless", false, "no console, even on a terminal")
	cmd.Flags().DurationVar(&f.length, "for", 0, "how long buyers come in (default 30s without a console, else until you leave)")
	cmd.Flags().Float64Var(&f.speed, "speed", 1, "times as many buyers")
	return cmd
}

// terminal gives the terminal that a console could run on, if there is one.
func (a *app) terminal() (in, out *os.File, ok bool) {
	in, inOK := a.stdin.(*os.File)
	out, outOK := a.stdout.(*os.File)
	return in, out, inOK && outOK && tuiapp.CheckTerminal(in, out, a.getenv) == nil
}

func (a *app) headlessDemo(ctx context.Context, f demoFlags) error {
	if f.length == 0 {
		f.length = headlessFor
	}
	log := slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: cleanAttr}))
	if err := a.print.Line("starting a private PostgreSQL ..."); err != nil {
		return err
	}
	d, err := demo.Open(ctx, demo.Options{
		For: f.length, Speed: f.speed, Log: log,
		Status: func(line string) {
			_ = a.print.Line("%s  %s", timezone.SystemClock{}.Now().Format(statusTime), line)
		},
	})
	if err != nil {
		return err
	}
	defer d.Close()
	if err := a.print.Line("selling for %s at %s", span(f.length), d.URL()); err != nil {
		return err
	}
	return errors.Join(d.Run(ctx), a.demoVerdict(ctx, d))
}

// demoVerdict prints what happened and what the check finds, last of all the
// number of violations.
func (a *app) demoVerdict(ctx context.Context, d *demo.Demo) error {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), checkLimit, fmt.Errorf("check took over %s", checkLimit))
	defer cancel()
	found, err := d.Check(ctx)
	if err != nil {
		return err
	}
	if err := a.printDemo(d.Summary(), found); err != nil {
		return err
	}
	if len(found) > 0 {
		return errQuiet
	}
	return nil
}

func (a *app) printDemo(summary []string, found []inventory.Violation) error {
	if a.print.Format() != output.Table {
		return a.printViolations(found)
	}
	if err := a.print.Line(""); err != nil {
		return err
	}
	for _, line := range summary {
		if err := a.print.Line("%s", line); err != nil {
			return err
		}
	}
	return a.printViolations(found)
}

// consoleDemo runs the demonstration behind the console until the person leaves
// it, or --for is over.
func (a *app) consoleDemo(ctx context.Context, f demoFlags, in, out *os.File) (err error) {
	file, err := os.CreateTemp("", "holdfast-demo-*.log")
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer func() {
		_ = file.Close()
		if err == nil || errors.Is(err, tuiapp.ErrHungUp) {
			_ = os.Remove(file.Name()) // nobody needs the log of a demo that went well, or whose person has gone
		} else {
			err = fmt.Errorf("%w (the log is %s)", err, file.Name())
		}
	}()
	if err := a.print.Line("starting a private PostgreSQL ..."); err != nil {
		return err
	}
	log := jsonLog(file, slog.LevelInfo)
	d, err := demo.Open(ctx, demo.Options{For: f.length, Speed: f.speed, Watched: true, Log: log})
	if err != nil {
		return err
	}
	defer d.Close()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ran := make(chan error, 1)
	go func() { ran <- d.Run(ctx) }()
	consoleErr := a.runConsole(ctx, d.Store(), consoleFlags{environment: "demo", venue: demo.MainVenue}, log, in, out)
	cancel()
	return errors.Join(consoleErr, <-ran, a.demoVerdict(ctx, d))
}
