package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
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
	hup, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	ctx, gone := context.WithCancelCause(hup)
	defer gone(nil)

	// Nothing below us may ask the terminal what its background is: the answer
	// is not needed and may never come.
	lipgloss.SetHasDarkBackground(true)

	a := New(ctx, cfg)
	defer a.Close()
	opts := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithAltScreen(), tea.WithReportFocus(), tea.WithFPS(framesPerSecond),
		tea.WithInput(&input{File: in, gone: func() { gone(ErrHungUp) }}), tea.WithOutput(out),
	}
	if cfg.Mouse {
		opts = append(opts, tea.WithMouseCellMotion())
	}
	p := tea.NewProgram(a, opts...)
	a.stop, a.send = p.Quit, p.Send

	ended := make(chan error, 1)
	go func() {
		_, err := p.Run()
		ended <- err
	}()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		select {
		case err = <-ended:
		case <-time.After(hangUpLimit):
			return ErrHungUp
		}
	}
	a.Close()
	a.drain()
	return a.verdict(ctx, hup, err)
}

// verdict says what the end of the program means to whoever started it.
func (a *App) verdict(ctx, hup context.Context, err error) error {
	switch {
	case a.crash != nil:
		return a.report(a.session.Clock.Now())
	case errors.Is(err, tea.ErrProgramPanic):
		a.crash = &crash{where: "program", value: err}
		return a.report(a.session.Clock.Now())
	case errors.Is(context.Cause(ctx), ErrHungUp):
		return ErrHungUp
	case hup.Err() != nil && err != nil:
		return fmt.Errorf("%w: %w", ErrHungUp, hup.Err())
	case errors.Is(err, tea.ErrInterrupted):
		return nil
	case err != nil:
		return fmt.Errorf("run the console: %w", err)
	}
	return nil
}

// drain waits a moment for commands that notice that they were cancelled, so
// that they give their connections back in order.
func (a *App) drain() {
	deadline := time.NewTimer(drainLimit)
	defer deadline.Stop()
	for a.running.Load() > 0 {
		select {
		case <-deadline.C:
			return
		case <-time.After(drainLimit / 30):
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
	return n, err //nolint:wrapcheck // a reader hands io.EOF through as it is
}
