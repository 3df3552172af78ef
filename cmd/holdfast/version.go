package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/output"
)

type versionView struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitzero"`
	Modified bool   `json:"modified,omitzero"`
	Go       string `json:"go"`
	System   string `json:"system"`
}

var versionColumns = []output.Column[versionView]{
	{Name: "version", Value: func(v versionView) string { return "holdfast " + v.Version }},
	{Name: "revision", Value: func(v versionView) string { return v.Revision + yes(v.Modified, " (modified)") }},
	{Name: "go", Value: func(v versionView) string { return v.Go }},
	{Name: "system", Value: func(v versionView) string { return v.System }},
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "What this binary was built from",
		Args: exactly(), Annotations: map[string]string{withoutConfig: "true"},
		RunE: func(*cobra.Command, []string) error { return output.One(a.print, versionColumns, buildVersion()) },
	}
}

func buildVersion() versionView {
	v := versionView{Version: "(devel)", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

func (a *app) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "completion SHELL", Short: "Completion for bash, zsh, fish or powershell", Args: exactly("SHELL"),
		Annotations: map[string]string{withoutConfig: "true"},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.stdout)
			case "fish":
				return root.GenFishCompletion(a.stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.stdout)
			}
			return usage("completion: %q is none of bash, zsh, fish, powershell", args[0])
		},
	}
}
