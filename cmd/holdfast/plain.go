package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"holdfast/cmd/holdfast/output"
)

// shorthand are words for the things that people ask for most.
var shorthand = map[string]string{
	"holds": "hold list", "zombies": "zombie list", "venues": "venue list", "pools": "pool list",
	"refunds": "refund list", "jobs": "job list", "audit": "audit list", "events": "event list", "resources": "resource list",
}

// looking are the commands that a read-only prompt takes. A command that is not
// named here may change something.
var looking = []string{
	"venue list", "venue show", "pool list", "event list", "event show", "seat map", "seat list", "admission list", "admission show", "resource list", "resource show",
	"slot list", "admission list", "admission show", "sale show", "timezone lint", "day list", "day changes", "hold list", "hold show", "booking show",
	"zombie list", "refund list", "inbox list", "outbox list", "job list", "audit list", "client list",
	"migrate status", "check", "version", "completion", "help",
}

// running are the commands that do not run inside the console.
var running = []string{"console", "demo", "daemon", "provider-sim"}

// plainConsole is the console for screen readers, dumb terminals and scripts:
// it takes the commands of the command line, one a line, and prints what they
// print. There is nothing to redraw and no escape byte.
func (a *app) plainConsole(ctx context.Context, readOnly bool) error {
	if a.print.Format() != output.Table {
		return usage("console --plain prints tables only")
	}
	if err := a.print.Line("Type a command, such as holds, zombies, venues, or help. Type quit to leave."); err != nil {
		return err
	}
	a.stderr = a.stdout // one stream, read in order
	lines := make(chan string)
	ended := make(chan error, 1)
	go func() { // ends with its input, or with the process
		scanner := bufio.NewScanner(a.stdin)
		for scanner.Scan() {
			select {
			case lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
		ended <- scanner.Err()
	}()
	for {
		if _, err := io.WriteString(a.stdout, "holdfast> "); err != nil {
			return err
		}
		select {
		case line := <-lines:
			if leave := a.plainLine(ctx, line, readOnly); leave {
				return nil
			}
		case err := <-ended:
			return errors.Join(err, a.print.Line(""))
		case <-ctx.Done():
			return a.print.Line("")
		}
	}
}

// plainLine runs one line and reports whether the person wants to leave.
func (a *app) plainLine(ctx context.Context, line string, readOnly bool) (leave bool) {
	words, err := splitWords(line)
	if err != nil {
		a.report(err)
		return false
	}
	if len(words) == 0 {
		return false
	}
	if full, ok := shorthand[words[0]]; ok && len(words) == 1 {
		words = strings.Fields(full)
	}
	if slices.Contains([]string{"quit", "exit", "q"}, words[0]) {
		return true
	}
	args := words
	if a.configFile != "" {
		args = append([]string{"--config", a.configFile}, words...)
	}
	child := &app{getenv: a.getenv, stdin: strings.NewReader(""), stdout: a.stdout, stderr: a.stdout, inherit: &a.cfg}
	if err := child.allowed(args, readOnly); err != nil { //nolint:contextcheck // commands get theirs when they run
		a.report(err)
		return false
	}
	if status := child.execute(ctx, args); status == statusDone {
		_ = a.print.Line("Done.")
	}
	return false
}

// allowed says why a prompt does not run a command. What the command is, is for
// the command tree to say: flags may stand before it, and words of theirs may look
// like commands.
func (a *app) allowed(args []string, readOnly bool) error {
	root := a.root()
	root.InitDefaultHelpCmd()
	cmd, _, unknown := root.Find(args)
	if unknown != nil || cmd.HasSubCommands() {
		return nil //nolint:nilerr // no command: running it says what is wrong
	}
	name := strings.TrimPrefix(cmd.CommandPath(), root.Name()+" ")
	switch {
	case slices.Contains(running, name):
		return usage("%s does not run inside the console", name)
	case readOnly && !slices.Contains(looking, name):
		return usage("this console was started with --read-only")
	}
	return nil
}

// splitWords splits a line at blanks; quotes keep blanks together.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, open := rune(0), false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, open = r, true
		case r == ' ' || r == '\t':
			if open || word.Len() > 0 {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, usage("a quote %c is not closed", quote)
	}
	if open || word.Len() > 0 {
		words = append(words, word.String())
	}
	return words, nil
}
