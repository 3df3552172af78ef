package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/timezone"
)

type venueView struct {
	Venue        string               `json:"venue"`
	Name         string               `json:"name"`
	Zone         string               `json:"zone"`
	Currency     inventory.Currency   `json:"currency"`
	HoldTTL      span                 `json:"holdTtl"`
	HoldJitter   span                 `json:"holdJitter"`
	HoldMaxLife  span                 `json:"holdMaxLife"`
	LatePolicy   inventory.LatePolicy `json:"latePolicy"`
	LateDeadline span                 `json:"lateDeadline"`
	DoubtAfter   span                 `json:"doubtAfter"`
	DoubtCap     span                 `json:"doubtCap"`
	Version      int                  `json:"version"`
}

func viewVenue(v inventory.Venue) venueView {
	return venueView{
		v.Slug, v.Name, v.Zone, v.Currency, span(v.HoldTTL), span(v.HoldJitter), span(v.HoldMaxLife),
		v.LatePolicy, span(v.LateDeadline), span(v.DoubtAfter), span(v.DoubtCap), v.Version,
	}
}

var venueColumns = []output.Column[venueView]{
	{Name: "venue", Value: func(v venueView) string { return v.Venue }},
	{Name: "zone", Value: func(v venueView) string { return v.Zone }},
	{Name: "currency", Value: func(v venueView) string { return string(v.Currency) }},
	{Name: "hold_ttl", Value: func(v venueView) string { return v.HoldTTL.String() }},
	{Name: "hold_jitter", Value: func(v venueView) string { return v.HoldJitter.String() }},
	{Name: "hold_max_life", Value: func(v venueView) string { return v.HoldMaxLife.String() }},
	{Name: "late_policy", Value: func(v venueView) string { return string(v.LatePolicy) }},
	{Name: "late_deadline", Value: func(v venueView) string { return v.LateDeadline.String() }},
	{Name: "doubt_after", Value: func(v venueView) string { return v.DoubtAfter.String() }},
	{Name: "doubt_cap", Value: func(v venueView) string { return v.DoubtCap.String() }},
	{Name: "version", Number: true, Value: func(v venueView) string { return decimal(v.Version) }},
	{Name: "name", Value: func(v venueView) string { return v.Name }},
}

func (a *app) venueCommand() *cobra.Command {
	return group("venue", "Places with a time zone, a currency and their rules",
		a.venueAddCommand(), a.venueListCommand(), a.venueShowCommand(), a.venueSetCommand(), a.venueZoneCommand())
}

// venueFlags are the flags of venue add and venue set. A flag that was not
// given leaves the venue as it is.
type venueFlags struct {
	name, zone, currency, policy                       string
	ttl, jitter, maxLife, deadline, doubtFor, doubtCap time.Duration
	version                                            int
	reason                                             string
}

func (f *venueFlags) declare(flags *pflag.FlagSet) {
	flags.StringVar(&f.name, "name", "", "name for people (default the slug)")
	flags.StringVar(&f.zone, "zone", "", "IANA time zone, such as Europe/Berlin")
	flags.StringVar(&f.currency, "currency", "", "ISO 4217 code, such as EUR")
	flags.DurationVar(&f.ttl, "hold-ttl", inventory.DefaultHoldTTL, "how long a hold lasts")
	flags.DurationVar(&f.jitter, "hold-jitter", inventory.DefaultHoldJitter, "each hold lasts up to this much longer, at random")
	flags.DurationVar(&f.maxLife, "hold-max-life", inventory.DefaultHoldMaxLife, "how long a hold can be made to last")
	flags.StringVar(&f.policy, "late-policy", string(inventory.LateAsk), "what happens to late payments: ask, revive or refund")
	flags.DurationVar(&f.deadline, "late-deadline", inventory.DefaultLateDeadline, "how long `ask` waits for a decision")
	flags.DurationVar(&f.doubtFor, "doubt-after", inventory.DefaultDoubtAfter, "how long a payment without an answer keeps its place before the provider is asked")
	flags.DurationVar(&f.doubtCap, "doubt-cap", inventory.DefaultDoubtCap, "how long it keeps its place at most, if the provider never says")
}

// apply sets what was given. Old names of zones are stored as today's.
func (f *venueFlags) apply(flags *pflag.FlagSet, v *inventory.Venue) {
	set := func(name string, do func()) {
		if flags.Changed(name) {
			do()
		}
	}
	set("name", func() { v.Name = f.name })
	set("zone", func() {
		v.Zone = f.zone
		if z, err := timezone.ParseZone(f.zone); err == nil {
			v.Zone = z.Name()
		}
	})
	set("currency", func() { v.Currency = inventory.Currency(f.currency) })
	set("hold-ttl", func() {
		v.HoldTTL = f.ttl
		v.HoldJitter = min(v.HoldJitter, f.ttl) // a jitter longer than the hold would be refused
		v.HoldMaxLife = max(v.HoldMaxLife, v.HoldTTL+v.HoldJitter)
	})
	set("hold-jitter", func() { v.HoldJitter = f.jitter })
	set("hold-max-life", func() { v.HoldMaxLife = f.maxLife })
	set("late-policy", func() { v.LatePolicy = inventory.LatePolicy(f.policy) })
	set("late-deadline", func() { v.LateDeadline = f.deadline })
	set("doubt-after", func() {
		v.DoubtAfter = f.doubtFor
		v.DoubtCap = max(v.DoubtCap, v.DoubtAfter)
	})
	set("doubt-cap", func() { v.DoubtCap = f.doubtCap })
}

func (a *app) venueAddCommand() *cobra.Command {
	var f venueFlags
	cmd := &cobra.Command{
		Use: "add SLUG --zone ZONE --currency CODE", Short: "Add a venue", Args: exactly("SLUG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			v := inventory.NewVenue(args[0], args[0], "", "")
			f.apply(cmd.Flags(), &v)
			if err := v.Validate(); err != nil {
				return err // before a database is started for it
			}
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				v, err := s.AddVenue(ctx, a.staff(), v)
				if err != nil {
					return err
				}
				return output.One(a.print, venueColumns, viewVenue(v))
			})
		},
	}
	f.declare(cmd.Flags())
	return cmd
}

func (a *app) venueListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "All venues", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				venues, err := s.Venues(ctx)
				if err != nil {
					return err
				}
				return output.Rows(a.print, venueColumns, mapped(venues, viewVenue))
			})
		},
	}
}

func (a *app) venueShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show SLUG", Short: "One venue", Args: exactly("SLUG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				v, err := s.Venue(ctx, args[0])
				if err != nil {
					return err
				}
				return output.One(a.print, venueColumns, viewVenue(v))
			})
		},
	}
}

func (a *app) venueSetCommand() *cobra.Command {
	var f venueFlags
	cmd := &cobra.Command{
		Use: "set SLUG", Short: "Change a venue", Args: exactly("SLUG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				v, err := s.Venue(ctx, args[0])
				if err != nil {
					return err
				}
				if f.version != 0 {
					v.Version = f.version
				}
				f.apply(cmd.Flags(), &v)
				if v, err = s.SetVenue(ctx, a.staff(), v, f.reason); err != nil {
					return err
				}
				return output.One(a.print, venueColumns, viewVenue(v))
			})
		},
	}
	f.declare(cmd.Flags())
	versionFlag(cmd.Flags(), &f.version)
	reasonFlag(cmd.Flags(), &f.reason)
	return cmd
}

// versionFlag is the version that the caller saw.
func versionFlag(flags *pflag.FlagSet, version *int) {
	flags.IntVar(version, "if-version", 0, "only if nobody changed it since this version")
}

func reasonFlag(flags *pflag.FlagSet, reason *string) {
	flags.StringVar(reason, "reason", "", "why, for the audit")
}

// mapped applies view to each.
func mapped[T, V any](in []T, view func(T) V) []V {
	out := make([]V, len(in))
	for i, t := range in {
		out[i] = view(t)
	}
	return out
}
