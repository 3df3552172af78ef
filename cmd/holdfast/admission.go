package main

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
)

func (a *app) admissionCommand() *cobra.Command {
	return group("admission", "Waiting rooms of pools and events",
		a.admissionSetCommand(), a.admissionShowCommand(), a.admissionListCommand(), a.admissionKeyCommand())
}

// admissionFlags say which room is meant and what to change of it.
type admissionFlags struct {
	pool, event bool
	rate        float64
	maxActive   int
	pass        time.Duration
	open, close bool
	version     int
	reason      string
}

// declareKind adds the flags that tell a pool from an event of the same name.
func (f *admissionFlags) declareKind(flags *pflag.FlagSet) {
	flags.BoolVar(&f.pool, "pool", false, "the pool of this name, where there is an event of it, too")
	flags.BoolVar(&f.event, "event", false, "the event of this name")
}

func (a *app) admissionSetCommand() *cobra.Command {
	var f admissionFlags
	cmd := &cobra.Command{
		Use: "set VENUE/POOL|VENUE/EVENT", Short: "Set up, open, close or change a waiting room", Args: exactly("VENUE/POOL|VENUE/EVENT"),
		Long: `Set up, open, close or change a waiting room.

While it is open, buyers take a number and are let in at a steady rate; only then
they can place holds. --rate is how many a second, --max-active how many may be in
at once without having placed a hold, --pass how long a buyer who was let in has for
it. A closed room lets everybody by, also those who wait. One that opens again within
--pass goes on with its line; later it begins a new one.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onRoom(cmd, args[0], f, func(ctx context.Context, s *pgstore.Store, c inventory.WaitingRoomChange) error {
				if err := f.fill(cmd.Flags(), &c); err != nil {
					return err
				}
				r, err := s.SetWaitingRoom(ctx, c, a.staff())
				if err != nil {
					return err
				}
				return output.One(a.print, admissionColumns, viewAdmission(r))
			})
		},
	}
	f.declareKind(cmd.Flags())
	cmd.Flags().Float64Var(&f.rate, "rate", inventory.DefaultWaitingRate, "buyers let in a second; 0 pauses")
	cmd.Flags().IntVar(&f.maxActive, "max-active", inventory.DefaultMaxActive, "buyers who are in at once and have placed no hold")
	cmd.Flags().DurationVar(&f.pass, "pass", inventory.DefaultPassLife, "how long a buyer who was let in may place a hold")
	cmd.Flags().BoolVar(&f.open, "open", false, "buyers have to wait from now on")
	cmd.Flags().BoolVar(&f.close, "close", false, "nobody has to wait any more")
	versionFlag(cmd.Flags(), &f.version)
	reasonFlag(cmd.Flags(), &f.reason)
	return cmd
}

// fill says in c what was given.
func (f *admissionFlags) fill(flags *pflag.FlagSet, c *inventory.WaitingRoomChange) error {
	if f.open && f.close {
		return usage("--open and --close contradict each other")
	}
	if f.open || f.close {
		c.Open = &f.open
	}
	if flags.Changed("rate") {
		c.Rate = &f.rate
	}
	if flags.Changed("max-active") {
		c.MaxActive = &f.maxActive
	}
	if flags.Changed("pass") {
		c.PassLife = &f.pass
	}
	if c.Open == nil && c.Rate == nil && c.MaxActive == nil && c.PassLife == nil {
		return usage("say what to change: --rate, --max-active, --pass, --open or --close")
	}
	c.Version, c.Reason = f.version, f.reason
	return nil
}

func (a *app) admissionShowCommand() *cobra.Command {
	var f admissionFlags
	cmd := &cobra.Command{
		Use: "show VENUE/POOL|VENUE/EVENT", Short: "One waiting room and how far its line has come", Args: exactly("VENUE/POOL|VENUE/EVENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onRoom(cmd, args[0], f, func(ctx context.Context, s *pgstore.Store, c inventory.WaitingRoomChange) error {
				rooms, err := s.WaitingRooms(ctx)
				if err != nil {
					return err
				}
				for _, r := range rooms {
					if r.Venue == c.Venue && r.Name == c.Name && r.Kind == c.Kind {
						return output.One(a.print, admissionColumns, viewAdmission(r))
					}
				}
				return inventory.ErrNotFound
			})
		},
	}
	f.declareKind(cmd.Flags())
	return cmd
}

func (a *app) admissionListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list [VENUE]", Short: "Waiting rooms of a venue, or all", Args: atMost("VENUE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				venue := strings.Join(args, "")
				if venue != "" {
					if _, err := s.Venue(ctx, venue); err != nil {
						return err
					}
				}
				rooms, err := s.WaitingRooms(ctx)
				if err != nil {
					return err
				}
				views := []admissionView{}
				for _, r := range rooms {
					if venue == "" || r.Venue == venue {
						views = append(views, viewAdmission(r))
					}
				}
				return output.Rows(a.print, admissionColumns, views)
			})
		},
	}
}

func (a *app) admissionKeyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "rotate-key", Short: "Sign tokens with a new key; those of the two keys before stay good", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				key, err := s.RotateWaitingKey(ctx, a.staff())
				if err != nil {
					return err
				}
				return output.One(a.print, admissionKeyColumns, admissionKeyView{int(key.ID), key.MadeAt})
			})
		},
	}
}

// onRoom runs fn for the pool or event that text names.
func (a *app) onRoom(cmd *cobra.Command, text string, f admissionFlags,
	fn func(context.Context, *pgstore.Store, inventory.WaitingRoomChange) error,
) error {
	ref, err := inventory.ParsePoolRef("room", text) // an event's has the same form
	if err != nil {
		return err
	}
	if f.pool && f.event {
		return usage("--pool and --event contradict each other")
	}
	return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
		kind, err := roomKind(ctx, s, ref, f)
		if err != nil {
			return err
		}
		return fn(ctx, s, inventory.WaitingRoomChange{Venue: ref.Venue, Name: ref.Pool, Kind: kind})
	})
}

// roomKind tells whether a name is that of a pool or of an event.
func roomKind(ctx context.Context, s *pgstore.Store, ref inventory.PoolRef, f admissionFlags) (inventory.ClaimKind, error) {
	_, poolErr := s.Pool(ctx, ref)
	_, eventErr := s.Event(ctx, inventory.EventRef{Venue: ref.Venue, Event: ref.Pool})
	for _, err := range []error{poolErr, eventErr} {
		if err != nil && !errors.Is(err, inventory.ErrNotFound) {
			return "", err
		}
	}
	switch {
	case f.pool:
		return inventory.ClaimPool, poolErr
	case f.event:
		return inventory.ClaimSeats, eventErr
	case poolErr == nil && eventErr == nil:
		return "", usage("%s is the name of a pool and of an event: say --pool or --event", ref)
	case poolErr == nil:
		return inventory.ClaimPool, nil
	}
	return inventory.ClaimSeats, eventErr
}

type admissionView struct {
	Room      string  `json:"room"`
	Kind      string  `json:"kind"` // pool or event
	Open      bool    `json:"open"`
	Rate      float64 `json:"rate"`
	MaxActive int     `json:"maxActive"`
	Pass      span    `json:"pass"`
	Waiting   int64   `json:"waiting"`
	Active    int64   `json:"active"`
	Admitted  int64   `json:"admitted"`
	Version   int     `json:"version"`
}

func viewAdmission(r inventory.WaitingRoom) admissionView {
	kind := "event"
	if r.Kind == inventory.ClaimPool {
		kind = "pool"
	}
	return admissionView{r.Ref(), kind, r.Open, r.Rate, r.MaxActive, span(r.PassLife), r.Waiting, r.Active, r.Admitted, r.Version}
}

var admissionColumns = []output.Column[admissionView]{
	{Name: "room", Value: func(v admissionView) string { return v.Room }},
	{Name: "kind", Value: func(v admissionView) string { return v.Kind }},
	{Name: "state", Value: func(v admissionView) string {
		if v.Open {
			return "open"
		}
		return "closed"
	}},
	{Name: "rate", Number: true, Value: func(v admissionView) string { return strconv.FormatFloat(v.Rate, 'f', -1, 64) }},
	{Name: "max_active", Number: true, Value: func(v admissionView) string { return decimal(v.MaxActive) }},
	{Name: "pass", Value: func(v admissionView) string { return v.Pass.String() }},
	{Name: "waiting", Number: true, Value: func(v admissionView) string { return decimal(v.Waiting) }},
	{Name: "active", Number: true, Value: func(v admissionView) string { return decimal(v.Active) }},
	{Name: "admitted", Number: true, Value: func(v admissionView) string { return decimal(v.Admitted) }},
	{Name: "version", Number: true, Value: func(v admissionView) string { return decimal(v.Version) }},
}

type admissionKeyView struct {
	Key    int       `json:"key"`
	MadeAt time.Time `json:"madeAt"`
}

var admissionKeyColumns = []output.Column[admissionKeyView]{
	{Name: "key", Number: true, Value: func(v admissionKeyView) string { return decimal(v.Key) }},
	{Name: "made_at", Value: func(v admissionKeyView) string { return instant(v.MadeAt) }},
}
