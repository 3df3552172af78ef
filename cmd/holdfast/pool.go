package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/jobs"
)

// Defaults of a new pool.
const (
	defaultMaxPerBuyer = 1
	defaultHorizon     = 90 // days
)

type poolView struct {
	Pool        string          `json:"pool"`
	Name        string          `json:"name"`
	Price       inventory.Money `json:"price"`
	MaxPerBuyer int             `json:"maxPerBuyer"`
	HorizonDays int             `json:"horizonDays"`
	Week        []weekdayView   `json:"week"`
	Late        *lateRuleView   `json:"late,omitzero"` // absent: the venue's rule
	Version     int             `json:"version"`

	week inventory.Week
}

type lateRuleView struct {
	Policy   inventory.LatePolicy `json:"policy,omitzero"`
	Deadline string               `json:"deadline,omitzero"`
}

// policy is empty where the venue's applies.
func (r *lateRuleView) policy() string {
	if r == nil {
		return ""
	}
	return string(r.Policy)
}

type weekdayView struct {
	Day           string `json:"day"`
	Capacity      int    `json:"capacity"`
	OverbookLimit int    `json:"overbookLimit"`
	Closed        bool   `json:"closed"`
}

func viewPool(p inventory.Pool) poolView {
	v := poolView{p.Ref.String(), p.Name, p.Price, p.MaxPerBuyer, p.HorizonDays, nil, viewLateRule(p.Late), p.Version, p.Week}
	for i, t := range p.Week {
		v.Week = append(v.Week, weekdayView{dayNames[i], t.Capacity, t.OverbookLimit, t.Closed})
	}
	return v
}

func viewLateRule(r inventory.LateRule) *lateRuleView {
	if r == (inventory.LateRule{}) {
		return nil
	}
	v := &lateRuleView{Policy: r.Policy}
	if r.Deadline != 0 {
		v.Deadline = r.Deadline.String()
	}
	return v
}

var poolColumns = []output.Column[poolView]{
	{Name: "pool", Value: func(p poolView) string { return p.Pool }},
	{Name: "price", Number: true, Value: func(p poolView) string { return p.Price.Plain() }},
	{Name: "currency", Value: func(p poolView) string { return string(p.Price.Currency) }},
	{Name: "max_per_buyer", Number: true, Value: func(p poolView) string { return decimal(p.MaxPerBuyer) }},
	{Name: "horizon_days", Number: true, Value: func(p poolView) string { return decimal(p.HorizonDays) }},
	{Name: "late_policy", Value: func(p poolView) string { return p.Late.policy() }},
	{Name: "version", Number: true, Value: func(p poolView) string { return decimal(p.Version) }},
	{Name: "week", Value: func(p poolView) string { return formatWeek(p.week) }},
	{Name: "name", Value: func(p poolView) string { return p.Name }},
}

func (a *app) poolCommand() *cobra.Command {
	return group("pool", "What is counted per local day at a venue",
		a.poolAddCommand(), a.poolListCommand(), a.poolSetCommand())
}

// poolFlags are the flags of pool add and pool set. A flag that was not given
// leaves the pool as it is.
type poolFlags struct {
	name, price, week, latePolicy            string
	lateDeadline                             time.Duration
	capacity, overbook, maxPerBuyer, horizon int
	version                                  int
	reason                                   string
}

func (f *poolFlags) declare(flags *pflag.FlagSet) {
	flags.StringVar(&f.name, "name", "", "name for people (default the slug)")
	flags.StringVar(&f.price, "price", "", "price of one place in the venue's currency, such as 25.00")
	flags.IntVar(&f.maxPerBuyer, "max-per-buyer", defaultMaxPerBuyer, "live bookings of one buyer on one day, 0 for no limit")
	flags.IntVar(&f.capacity, "capacity", 0, "capacity of a new day, every day of the week")
	flags.IntVar(&f.overbook, "overbook", 0, "overbook limit of a new day, every day of the week")
	flags.StringVar(&f.week, "week", "", "template of new days, such as mon-fri=80+3,sat=120,sun=closed")
	flags.StringVar(&f.latePolicy, "late-policy", "", "late payments of this pool: ask, revive or refund (default the venue's)")
	flags.DurationVar(&f.lateDeadline, "late-deadline", 0, "how long `ask` waits here (0: as at the venue)")
	flags.IntVar(&f.horizon, "horizon", defaultHorizon, "how many days ahead days are made")
}

// apply sets what was given; p.Price.Currency is the venue's.
func (f *poolFlags) apply(flags *pflag.FlagSet, p *inventory.Pool) error {
	if flags.Changed("name") {
		p.Name = f.name
	}
	if flags.Changed("price") {
		minor, err := inventory.ParseMinor(f.price, p.Price.Currency)
		if err != nil {
			return inventory.Invalid("price", "%s", err)
		}
		p.Price.Minor = minor
	}
	if flags.Changed("max-per-buyer") {
		p.MaxPerBuyer = f.maxPerBuyer
	}
	if flags.Changed("horizon") {
		p.HorizonDays = f.horizon
	}
	if flags.Changed("late-policy") {
		p.Late.Policy = inventory.LatePolicy(f.latePolicy)
	}
	if flags.Changed("late-deadline") {
		p.Late.Deadline = f.lateDeadline
	}
	for i := range p.Week {
		if flags.Changed("capacity") {
			p.Week[i].Capacity = f.capacity
		}
		if flags.Changed("overbook") {
			p.Week[i].OverbookLimit = f.overbook
		}
	}
	if !flags.Changed("week") {
		return nil
	}
	week, err := parseWeek(p.Week, f.week)
	p.Week = week
	return err
}

func (a *app) poolAddCommand() *cobra.Command {
	var f poolFlags
	cmd := &cobra.Command{
		Use: "add VENUE/POOL --price AMOUNT", Short: "Add a pool; its days are made at once", Args: exactly("VENUE/POOL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := inventory.ParsePoolRef("pool", args[0])
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("price") {
				return inventory.Invalid("price", "is missing (0 for what costs nothing)")
			}
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				return a.addPool(ctx, s, ref, cmd.Flags(), &f)
			})
		},
	}
	f.declare(cmd.Flags())
	return cmd
}

func (a *app) addPool(ctx context.Context, s *pgstore.Store, ref inventory.PoolRef, flags *pflag.FlagSet, f *poolFlags) error {
	venue, err := s.Venue(ctx, ref.Venue)
	if err != nil {
		return err
	}
	p := inventory.Pool{
		Ref: ref, Name: ref.Pool, Price: inventory.Money{Currency: venue.Currency},
		MaxPerBuyer: defaultMaxPerBuyer, HorizonDays: defaultHorizon,
	}
	if err := f.apply(flags, &p); err != nil {
		return err
	}
	if p, err = s.AddPool(ctx, a.staff(), p); err != nil {
		return err
	}
	// So that it can sell at once: the daemon's next horizon may be minutes away.
	if _, err := jobs.NewHorizon(s).Run(ctx); err != nil {
		return fmt.Errorf("the pool is added, its days are not made yet: %w", err)
	}
	return output.One(a.print, poolColumns, viewPool(p))
}

func (a *app) poolListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list [VENUE]", Short: "Pools of a venue, or all", Args: atMost("VENUE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				venue := strings.Join(args, "")
				if venue != "" {
					if _, err := s.Venue(ctx, venue); err != nil {
						return err
					}
				}
				pools, err := s.Pools(ctx, venue)
				if err != nil {
					return err
				}
				return output.Rows(a.print, poolColumns, mapped(pools, viewPool))
			})
		},
	}
}

func (a *app) poolSetCommand() *cobra.Command {
	var f poolFlags
	cmd := &cobra.Command{
		Use: "set VENUE/POOL", Short: "Change a pool; days that exist stay as they are (see day set)", Args: exactly("VENUE/POOL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := inventory.ParsePoolRef("pool", args[0])
			if err != nil {
				return err
			}
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				p, err := s.Pool(ctx, ref)
				if err != nil {
					return err
				}
				if f.version != 0 {
					p.Version = f.version
				}
				if err := f.apply(cmd.Flags(), &p); err != nil {
					return err
				}
				if p, err = s.SetPool(ctx, a.staff(), p, f.reason); err != nil {
					return err
				}
				return output.One(a.print, poolColumns, viewPool(p))
			})
		},
	}
	f.declare(cmd.Flags())
	versionFlag(cmd.Flags(), &f.version)
	reasonFlag(cmd.Flags(), &f.reason)
	return cmd
}

// atMost accepts none or one argument.
func atMost(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usage("%stakes at most one %s, not %d", place(cmd), name, len(args))
		}
		return nil
	}
}
