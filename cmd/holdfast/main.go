// Command holdfast holds, sells and refunds places by the day: the console, the
// daemon and every command of a venue in one binary.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"holdfast/migrations/localdb"
	"holdfast/tui/quietterm" // before anything that asks the terminal; see there
)

func main() {
	// The private PostgreSQL belongs to this binary executed again.
	if supervisor, exit := localdb.Reexec(); supervisor {
		os.Exit(exit)
	}
	quietterm.Restore()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the process at once
	}()
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr))
}
