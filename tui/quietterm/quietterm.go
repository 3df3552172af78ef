// Package quietterm keeps the libraries below the console from asking the
// terminal questions before main begins. Bubble Tea v1 asks for the background
// colour while it is initialised and waits up to five seconds for terminals
// that do not answer, in every sub-command of the one binary; the late answer
// can end up as input.
//
// Importing this package makes TERM look dumb while packages are initialised;
// main calls Restore first of all. It has no dependencies besides os, so it is
// initialised before anything that asks.
package quietterm

import "os"

var term, known = os.LookupEnv("TERM")

func init() { // nothing later is early enough
	_ = os.Setenv("TERM", "dumb")
}

// Restore gives TERM back the value it had when the program was started.
func Restore() {
	if known {
		_ = os.Setenv("TERM", term)
		return
	}
	_ = os.Unsetenv("TERM")
}
