package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
)

type violationView struct {
	Invariant string `json:"invariant"`
	Object    string `json:"object"`
	Detail    string `json:"detail"`
}

func viewViolation(v inventory.Violation) violationView {
	return violationView{v.Invariant, v.Object, v.Detail}
}

var violationColumns = []output.Column[violationView]{
	{Name: "invariant", Value: func(v violationView) string { return v.Invariant }},
	{Name: "object", Value: func(v violationView) string { return v.Object }},
	{Name: "detail", Value: func(v violationView) string { return v.Detail }},
}

func (a *app) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use: "check", Short: "Look whether every invariant holds, in one snapshot", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				found, err := s.Check(ctx)
				if err != nil {
					return err
				}
				if err := a.printViolations(found); err != nil {
					return err
				}
				if len(found) > 0 {
					return errQuiet
				}
				return nil
			})
		},
	}
}

// printViolations writes a line for each, without headings, and how many there
// are as the last line.
func (a *app) printViolations(found []inventory.Violation) error {
	switch a.print.Format() {
	case output.JSON:
		return a.print.Document(struct {
			Violations []violationView `json:"violations"`
			Count      int             `json:"count"`
		}{mapped(found, viewViolation), len(found)})
	case output.CSV:
		return output.Rows(a.print, violationColumns, mapped(found, viewViolation))
	case output.Table:
	}
	return writeViolations(a.print.Line, found)
}

func writeViolations(line func(string, ...any) error, found []inventory.Violation) error {
	for _, v := range found {
		if err := line("%s  %s  %s", v.Invariant, v.Object, v.Detail); err != nil {
			return err
		}
	}
	return line("%s", fmt.Sprintf("%d violations", len(found)))
}
