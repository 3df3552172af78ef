package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestPlain_Allowed(t *testing.T) {
	t.Parallel()

	for line, want := range map[string]string{
		"hold list":                          "",
		"--db x zombie list --venue harbour": "",
		"day changes harbour/main":           "",
		"help":                               "",
		"dance":                              "", // running it says what is wrong
		"hold":                               "",
		"hold release 1":                     "started with --read-only",
		"--db x hold release 1":              "started with --read-only",
		"--db list hold release 1":           "started with --read-only",
		"--db=list hold release 1":           "started with --read-only",
		"-o table hold release 1":            "started with --read-only",
		"--config show hold release 1":       "started with --read-only",
		"hold --db list release 1":           "started with --read-only",
		"hold --raw release list":            "started with --read-only",
		"client add list":                    "started with --read-only",
		"venue set show":                     "started with --read-only",
		"demo":                               "demo does not run inside",
		"--db x demo":                        "demo does not run inside",
		"cron":                               "daemon does not run inside",
		"--raw console":                      "console does not run inside",
	} {
		err := new(app).allowed(strings.Fields(line), true)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q is refused: %v", line, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want that it %q", line, err, want)
		}
	}
	if err := new(app).allowed([]string{"hold", "release", "1"}, false); err != nil {
		t.Errorf("a prompt that may write refuses to: %v", err)
	}
}

// The lists name commands that exist: one that was renamed must not be forgotten.
func TestPlain_ListsNameCommands(t *testing.T) {
	t.Parallel()

	root := new(app).root()
	root.InitDefaultHelpCmd()
	var all []string
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		all = append(all, strings.TrimPrefix(cmd.CommandPath(), "holdfast "))
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(root)
	for _, name := range slices.Concat(looking, running) {
		if !slices.Contains(all, name) {
			t.Errorf("there is no command %q", name)
		}
	}
	for _, name := range all {
		if strings.HasSuffix(name, " list") && !slices.Contains(looking, name) {
			t.Errorf("a read-only prompt refuses %q", name)
		}
	}
}
