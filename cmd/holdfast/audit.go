package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/timezone"
)

type auditView struct {
	ID      int64           `json:"id"`
	At      time.Time       `json:"at"`
	Login   string          `json:"login"`
	Actor   string          `json:"actor"`
	Action  string          `json:"action"`
	Subject string          `json:"subject"`
	Before  json.RawMessage `json:"before"`
	After   json.RawMessage `json:"after"`
	Reason  string          `json:"reason,omitzero"`
}

func viewAudit(e inventory.AuditEntry) auditView {
	return auditView{e.ID, e.At, e.Login, e.Actor, e.Action, e.Subject, rawJSON(e.Before), rawJSON(e.After), e.Reason}
}

var auditColumns = []output.Column[auditView]{
	{Name: "at", Value: func(e auditView) string { return instant(e.At) }},
	{Name: "actor", Value: func(e auditView) string { return e.Actor }},
	{Name: "login", Value: func(e auditView) string { return e.Login }},
	{Name: "action", Value: func(e auditView) string { return e.Action }},
	{Name: "subject", Value: func(e auditView) string { return e.Subject }},
	{Name: "reason", Value: func(e auditView) string { return e.Reason }},
	{Name: "before", Value: func(e auditView) string { return string(e.Before) }},
	{Name: "after", Value: func(e auditView) string { return string(e.After) }},
}

func (a *app) auditCommand() *cobra.Command {
	return group("audit", "Staff actions and edits of the configuration", a.auditListCommand())
}

func (a *app) auditListCommand() *cobra.Command {
	var f inventory.AuditFilter
	var since string
	cmd := &cobra.Command{
		Use: "list", Short: "The audit, newest first", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				now, err := s.DatabaseNow(ctx)
				if err != nil {
					return err
				}
				if f.Since, err = parseSince(since, now); err != nil {
					return err
				}
				entries, err := s.Audit(ctx, f)
				if err != nil {
					return err
				}
				return output.Rows(a.print, auditColumns, mapped(entries, viewAudit))
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Who, "who", "", "only by this login or actor, such as staff:mira")
	flags.StringVar(&f.Subject, "subject", "", `only what begins so, such as "pool harbour/main"`)
	flags.StringVar(&since, "since", "", "only from then on: 90m, 2027-01-15 (UTC) or 2027-01-15T09:00:00Z")
	limitFlag(flags, &f.Limit)
	return cmd
}

// parseSince reads a length of time before now, a day in UTC, or an instant.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	day, err := timezone.ParseDay(text)
	if err != nil {
		return time.Time{}, inventory.Invalid("since", "must be a length such as 90m, a day or an instant with an offset")
	}
	start, _ := timezone.DayStart(day, timezone.UTC())
	return start, nil
}
