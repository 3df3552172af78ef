package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
)

type clientView struct {
	Name       string    `json:"name"`
	Scopes     []string  `json:"scopes"`
	CreatedAt  time.Time `json:"createdAt"`
	LastUsedAt time.Time `json:"lastUsedAt,omitzero"`
	RevokedAt  time.Time `json:"revokedAt,omitzero"`
}

func viewClient(c inventory.ClientRecord) clientView {
	return clientView{c.Name, c.Scopes, c.CreatedAt, c.LastUsedAt, c.RevokedAt}
}

var clientColumns = []output.Column[clientView]{
	{Name: "name", Value: func(c clientView) string { return c.Name }},
	{Name: "scopes", Value: func(c clientView) string { return strings.Join(c.Scopes, ",") }},
	{Name: "created_at", Value: func(c clientView) string { return instant(c.CreatedAt) }},
	{Name: "last_used_at", Value: func(c clientView) string { return instant(c.LastUsedAt) }},
	{Name: "revoked_at", Value: func(c clientView) string { return instant(c.RevokedAt) }},
}

// newClientView holds the token, which is shown this once.
type newClientView struct {
	Name   string   `json:"name"`
	Scopes []string `json:"scopes"`
	Token  string   `json:"token"`
}

var newClientColumns = []output.Column[newClientView]{
	{Name: "name", Value: func(c newClientView) string { return c.Name }},
	{Name: "scopes", Value: func(c newClientView) string { return strings.Join(c.Scopes, ",") }},
	{Name: "token", Value: func(c newClientView) string { return c.Token }},
}

func (a *app) clientCommand() *cobra.Command {
	return group("client", "Shops that call the API, and their tokens",
		a.clientAddCommand(), a.clientListCommand(), a.clientRevokeCommand())
}

func (a *app) clientAddCommand() *cobra.Command {
	var scopes []string
	cmd := &cobra.Command{
		Use: "add NAME", Short: "Add a client; its token is shown once and stored nowhere", Args: exactly("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, s := range scopes {
				if !slices.Contains(inventory.Scopes, s) {
					return inventory.Invalid("scope", "%q is none of %s", s, strings.Join(inventory.Scopes, ", "))
				}
			}
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				c, token, err := s.AddClient(ctx, a.staff(), args[0], scopes)
				if err != nil {
					return err
				}
				if err := output.One(a.print, newClientColumns, newClientView{c.Name, c.Scopes, token}); err != nil {
					return err
				}
				return a.print.Line("Keep the token now: it is shown this once.")
			})
		},
	}
	cmd.Flags().StringSliceVar(&scopes, "scope", []string{inventory.ScopeHolds}, "what it may do: "+strings.Join(inventory.Scopes, ", "))
	return cmd
}

func (a *app) clientListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "All clients, revoked ones too", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				clients, err := s.Clients(ctx)
				if err != nil {
					return err
				}
				return output.Rows(a.print, clientColumns, mapped(clients, viewClient))
			})
		},
	}
}

func (a *app) clientRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "revoke NAME", Short: "End a client's token at once", Args: exactly("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				if err := s.RevokeClient(ctx, a.staff(), args[0]); err != nil {
					return err
				}
				clients, err := s.Clients(ctx)
				if err != nil {
					return err
				}
				for _, c := range clients {
					if c.Name == args[0] {
						return output.One(a.print, clientColumns, viewClient(c))
					}
				}
				return nil
			})
		},
	}
}
