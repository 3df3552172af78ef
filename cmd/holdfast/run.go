package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"holdfast/cmd/holdfast/config"
	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
)

// run is the whole program: it returns the exit status and touches nothing of
// the process but what it is given.
func run(ctx context.Context, args []string, getenv func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{getenv: getenv, stdin: stdin, stdout: stdout, stderr: stderr}
	return a.execute(ctx, args)
}

// execute runs one command line.
func (a *app) execute(ctx context.Context, args []string) int {
	// Until the configuration is read: even what is wrong with it is reported in
	// the format asked for.
	a.print = output.New(a.stdout, askedFormat(args, a.getenv), false)
	root := a.root() //nolint:contextcheck // commands get theirs from cobra
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	if err != nil && !a.understood {
		err = usage("%s", err)
	}
	a.report(err)
	return statusOf(err)
}

// app is one run of the program.
type app struct {
	getenv         func(string) string
	stdin          io.Reader
	stdout, stderr io.Writer

	understood bool // the command line was: what fails from then on is not its fault
	configFile string
	cfg        config.Config
	print      *output.Printer
	inherit    *config.Config // of the console whose prompt this command was typed at
}

func (a *app) root() *cobra.Command {
	root := group("holdfast", "Places by the day: holds, payments, zombies, refunds",
		a.demoCommand(), a.daemonCommand(), a.consoleCommand(), a.migrateCommand(),
		a.venueCommand(), a.timezoneCommand(), a.poolCommand(), a.dayCommand(),
		a.eventCommand(), a.seatCommand(), a.resourceCommand(), a.slotCommand(), a.admissionCommand(),
		a.saleCommand(), a.holdCommand(), a.bookingCommand(), a.zombieCommand(), a.refundCommand(), a.inboxCommand(), a.outboxCommand(),
		a.jobCommand(), a.auditCommand(), a.checkCommand(), a.clientCommand(),
		a.providerSimCommand(), a.benchCommand(), a.opsCommand(), a.versionCommand(), a.completionCommand())
	root.CompletionOptions.DisableDefaultCmd = true // it takes any shell for an answer
	root.SilenceErrors, root.SilenceUsage = true, true
	root.PersistentPreRunE = a.configure

	flags := root.PersistentFlags()
	flags.StringVar(&a.configFile, "config", "", "configuration file in TOML (default HOLDFAST_CONFIG, else ~/.config/holdfast/config.toml)")
	settingFlag(flags, "db", "", "", "PostgreSQL URL or keywords, without a password (default: a private local database)")
	settingFlag(flags, "output", "o", "table", "format of what is printed: table, json or csv")
	settingBool(flags, "raw", "csv without the guard against spreadsheet formulas")
	return root
}

// group is a command that only has sub-commands.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	names := make([]string, len(children))
	for i, c := range children {
		names[i] = c.Name()
	}
	cmd := &cobra.Command{
		Use: use, Short: short,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("%sunknown command %q; there are %s", place(cmd), args[0], strings.Join(names, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usage("%sa command is needed: %s", place(cmd), strings.Join(names, ", "))
		},
	}
	cmd.AddCommand(children...)
	return cmd
}

// place names a command in front of what is wrong with it: "venue add: ".
func place(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return ""
	}
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ") + ": "
}

// exactly wants one argument for each name.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return usage("%stakes %s, not %d arguments", place(cmd), listOf(names), len(args))
		}
		return nil
	}
}

func listOf(names []string) string {
	if len(names) == 0 {
		return "no arguments"
	}
	return strings.Join(names, " ")
}

const settingAnnotation = "holdfast_setting"

// settingFlag declares a flag that is a key of the configuration.
func settingFlag(flags *pflag.FlagSet, key, short, preset, text string) {
	name := strings.ReplaceAll(key, "_", "-")
	flags.StringP(name, short, preset, text)
	flags.Lookup(name).Annotations = map[string][]string{settingAnnotation: {key}}
}

func settingBool(flags *pflag.FlagSet, key, text string) {
	name := strings.ReplaceAll(key, "_", "-")
	flags.Bool(name, false, text)
	flags.Lookup(name).Annotations = map[string][]string{settingAnnotation: {key}}
}

// askedFormat guesses the format from a command line that nobody has read yet.
func askedFormat(args []string, getenv func(string) string) output.Format {
	asked := getenv("HOLDFAST_OUTPUT")
	for i, arg := range args {
		switch name, value, joined := strings.Cut(arg, "="); {
		case joined && (name == "--output" || name == "-o"):
			asked = value
		case (arg == "--output" || arg == "-o") && i+1 < len(args):
			asked = args[i+1]
		case strings.HasPrefix(arg, "-o") && !strings.HasPrefix(arg, "--"):
			asked = arg[2:]
		}
	}
	if f, err := output.ParseFormat(asked); err == nil {
		return f
	}
	return output.Table
}

// withoutConfig marks commands that must work whatever the configuration is.
const withoutConfig = "holdfast_without_config"

// configure runs before every command.
func (a *app) configure(cmd *cobra.Command, _ []string) error {
	a.understood = true
	if needsNoConfig(cmd) {
		return nil
	}
	given := map[string]string{}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if key := f.Annotations[settingAnnotation]; len(key) == 1 {
			given[key[0]] = f.Value.String()
		}
	})
	cfg, err := config.Load(config.Source{Flags: given, Getenv: a.getenv, File: a.configFile, User: systemUser})
	if err != nil {
		return err
	}
	if a.inherit != nil {
		cfg.DB = a.inherit.DB // the prompt's own --db
	}
	a.cfg, a.print = cfg, output.New(a.stdout, cfg.Output, cfg.Raw)
	return nil
}

func needsNoConfig(cmd *cobra.Command) bool {
	for c := cmd; c != nil; c = c.Parent() {
		if c.Annotations[withoutConfig] != "" || strings.HasPrefix(c.Name(), "__complete") {
			return true
		}
	}
	return false
}

// systemUser is the login, or the number of an account without a name.
func systemUser() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return fmt.Sprintf("uid-%d", os.Getuid())
}

// staff is who acts in commands.
func (a *app) staff() inventory.Actor { return inventory.Staff(a.cfg.Actor) }

// report writes an error for whoever reads standard error.
func (a *app) report(err error) {
	if err == nil || errors.Is(err, errQuiet) {
		return
	}
	if a.print.Format() == output.JSON {
		line, _ := output.MarshalLine(struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		}{codeOf(err), explain(err)})
		_, _ = a.stderr.Write(line)
		return
	}
	for line := range strings.Lines(explain(err)) {
		_, _ = fmt.Fprintln(a.stderr, "holdfast: "+clean(strings.TrimRight(line, "\n")))
	}
}
