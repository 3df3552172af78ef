package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/ops"
)

// opsCommand prints what others load into their own tools, as it was built in.
func (a *app) opsCommand() *cobra.Command {
	cmd := group("ops", "What those who watch an installation load into their tools",
		a.opsFile("dashboard", "A dashboard for Grafana, as JSON to import", ops.Dashboard),
		a.opsFile("alerts", "Alert rules for Prometheus, as YAML", ops.Alerts))
	cmd.Annotations = map[string]string{withoutConfig: "true"}
	return cmd
}

// opsFile prints a file byte for byte, whatever the format of other output.
func (a *app) opsFile(name, short string, file []byte) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			if _, err := a.stdout.Write(file); err != nil {
				return fmt.Errorf("write: %w", err)
			}
			return nil
		},
	}
}
