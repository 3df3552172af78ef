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
	"refunds": "refund list", "jobs": "job list", "audit": "audit list",
}

// looking are the verbs that a read-only prompt takes.
var looking = []string{"list", "show", "changes", "status", "check", "version", "help"}

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
	switch words[0] {
	case "quit", "exit", "q":
		return true
	case "console", "demo", "daemon", "cron", "provider-sim":
		a.report(usage("%s does not run inside the console", words[0]))
		return false
	}
	if readOnly && !slices.ContainsFunc(words[:min(2, len(words))], func(w string) bool { return slices.Contains(looking, w) }) {
		a.report(usage("this console was started with --read-only"))
		return false
	}
	args := words
	if a.configFile != "" {
		args = append([]string{"--config", a.configFile}, words...)
	}
	child := &app{getenv: a.getenv, stdin: strings.NewReader(""), stdout: a.stdout, stderr: a.stdout, inherit: &a.cfg}
	if status := child.execute(ctx, args); status == statusDone {
		_ = a.print.Line("Done.")
	}
	return false
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
