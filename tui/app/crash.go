package app

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// crash is a panic that was caught.
type crash struct {
	where string
	value any
	stack []byte
}

// CrashError is returned by Run after a panic. By then the terminal is as it
// was before. The process should end with status 70.
type CrashError struct {
	Where  string // "update", "view", "command", or the name of a goroutine
	Value  any    // what was panicked with
	Report string // path of the report, empty when it could not be written
}

// Error says what happened and where the report is.
func (e *CrashError) Error() string {
	s := fmt.Sprintf("the console failed in %s: %v", e.Where, e.Value)
	if e.Report != "" {
		s += "; report: " + e.Report
	}
	return s
}

// crashed keeps the first panic and ends the program in order, which restores
// the terminal.
func (a *App) crashed(where string, value any) tea.Cmd {
	stack := debug.Stack()
	if c, ok := value.(crash); ok {
		where, value, stack = c.where, c.value, c.stack
	}
	if a.crash == nil {
		a.crash = &crash{where, value, stack}
	}
	return tea.Quit
}

// guard runs fn, a goroutine of the console's own, so that a panic in it ends
// the program in order instead of leaving the terminal raw.
func (a *App) guard(where string, fn func()) {
	defer func() {
		if r := recover(); r != nil {
			a.send(crash{where: where, value: r, stack: debug.Stack()})
		}
	}()
	fn()
}

// report writes down what is known about the crash, for the reader of the bug
// report, and returns it as an error.
func (a *App) report(now time.Time) error {
	c := a.crash
	e := &CrashError{Where: c.where, Value: c.value}
	var b strings.Builder
	fmt.Fprintf(&b, "holdfast console, %s\npanic in %s: %v\nscreen %dx%d\n", now.UTC().Format(time.RFC3339), c.where, c.value, a.width, a.height)
	for i, t := range a.tabs {
		for _, p := range t.pages {
			fmt.Fprintf(&b, "page %d: %s %s\n", i+1, p.route.Screen, p.route.ID)
		}
	}
	fmt.Fprintf(&b, "\n%s", c.stack)

	dir := a.cfg.ReportDir
	if dir == "" {
		dir = os.TempDir()
	}
	path := filepath.Join(dir, "holdfast-crash-"+now.UTC().Format("20060102T150405")+".txt")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err == nil {
		e.Report = path
	}
	return e
}
