package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss" //nolint:depguard // nothing is drawn with it: it is only kept from asking the terminal
	"github.com/charmbracelet/x/term"
)

// ErrNoTerminal means that the console was started without a terminal, or on one
// that cannot move its cursor. It is wrong usage: status 2.
var ErrNoTerminal = errors.New("the console needs a terminal")

// ErrHungUp means that the terminal went away.
var ErrHungUp = errors.New("the terminal went away")

const (
	framesPerSecond = 20
	hangUpLimit     = 1500 * time.Millisecond // after which a terminal that is gone is waited for no more
	drainLimit      = 300 * time.Millisecond  // for commands that end with their context
)

// CheckTerminal says in words why the console cannot run here; it is nil when
// it can. It writes nothing and asks the terminal nothing.
func CheckTerminal(in, out *os.File, getenv func(string) string) error {
	switch {
	case !term.IsTerminal(in.Fd()):
		return fmt.Errorf("%w: standard input is not one", ErrNoTerminal)
	case !term.IsTerminal(out.Fd()):
		return fmt.Errorf("%w: standard output is not one", ErrNoTerminal)
	case getenv("TERM") == "" || getenv("TERM") == "dumb":
		return fmt.Errorf("%w: TERM=%q cannot move the cursor", ErrNoTerminal, getenv("TERM"))
	}
	return nil
}

// Run shows the console on a terminal until the reader leaves (nil), ctx ends,
// the terminal goes away (ErrHungUp, within two seconds) or something panics
// (*CrashError). On every way out the terminal is as it was before and every
// command of the console is cancelled.
func Run(ctx context.Context, cfg Config, in, out *os.File) error {
	ctx, gone := context.WithCancelCause(ctx)
	defer gone(nil)
	stop := onHangUp(ctx, func() { gone(ErrHungUp) })
	defer stop()

	// Nothing below us may ask the terminal what its background is: the answer
	// is not needed and may never come.
	lipgloss.SetHasDarkBackground(true)

	a := New(ctx, cfg)
	defer a.Close()
	p := tea.NewProgram(a, options(ctx, cfg, &input{File: in, gone: func() { gone(ErrHungUp) }}, out)...)
	a.stop, a.send = p.Quit, p.Send

	var background sync.WaitGroup
	if cfg.Hints != nil {
		background.Go(func() {
			a.guard("hints", func() { cfg.Hints(ctx, func() { p.Send(hint{}) }) })
		})
	}
	err := runUntil(ctx, p)
	cause := context.Cause(ctx)
	gone(nil)
	a.Close()
	a.drain(&background)
	return a.verdict(cause, err)
}

func options(ctx context.Context, cfg Config, in io.Reader, out *os.File) []tea.ProgramOption {
	opts := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithAltScreen(), tea.WithReportFocus(), tea.WithFPS(framesPerSecond),
		tea.WithoutSignalHandler(), // signals end the context; two ways to end would wait for each other
		tea.WithInput(in), tea.WithOutput(out),
	}
	if cfg.Mouse {
		opts = append(opts, tea.WithMouseCellMotion())
	}
	return opts
}

// onHangUp calls fn when the terminal's line goes down, until ctx or stop.
func onHangUp(ctx context.Context, fn func()) (stop func()) {
	hups := make(chan os.Signal, 1)
	signal.Notify(hups, syscall.SIGHUP)
	go func() {
		select {
		case <-hups:
			fn()
		case <-ctx.Done():
		}
	}()
	return func() { signal.Stop(hups) }
}

// runUntil runs the program until it ends by itself, or until a moment after
// ctx if writing to a terminal that is gone holds it up.
func runUntil(ctx context.Context, p *tea.Program) error {
	ended := make(chan error, 1)
	go func() {
		_, err := p.Run()
		ended <- err
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(hangUpLimit):
		return context.Cause(ctx)
	}
}

// verdict says what the end of the program means to whoever started it; cause is
// why the context ended before the program did, if it did.
func (a *App) verdict(cause, err error) error {
	if errors.Is(err, tea.ErrProgramPanic) && a.crash == nil {
		a.crash = &crash{where: "program", value: err}
	}
	switch {
	case a.crash != nil:
		return a.report(a.session.Clock.Now())
	case errors.Is(cause, ErrHungUp):
		return ErrHungUp
	case cause != nil:
		return fmt.Errorf("run the console: %w", cause)
	case err != nil && !errors.Is(err, tea.ErrInterrupted):
		return fmt.Errorf("run the console: %w", err)
	}
	return nil
}

// drain waits a moment for what has been cancelled, so that connections are
// given back in order; what does not listen is left behind.
func (a *App) drain(background *sync.WaitGroup) {
	limit := time.After(drainLimit)
	done := make(chan struct{})
	go func() {
		background.Wait()
		close(done)
	}()
	poll := time.NewTicker(drainLimit / 30)
	defer poll.Stop()
	for {
		select {
		case <-limit:
			return
		case <-poll.C:
		}
		select {
		case <-done:
			if a.running.Load() == 0 {
				return
			}
		default:
		}
	}
}

// input is the terminal as the program reads it; it notices when the terminal
// is gone, which the program below would take for silence.
type input struct {
	*os.File
	gone func()
}

func (i *input) Read(p []byte) (int, error) {
	n, err := i.File.Read(p)
	if err != nil && (errors.Is(err, io.EOF) || errors.Is(err, syscall.EIO)) {
		i.gone()
	}
	return n, err
}
