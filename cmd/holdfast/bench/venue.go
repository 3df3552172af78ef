package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/jobs"
	"holdfast/migrations"
	"holdfast/timezone"
)

const (
	venueSlug   = "bench"
	spreadPools = 2
	spreadDays  = 500 // of each of them
	hallRows    = 100
	hallSeats   = 100 // in each row
	ownConns    = 4
	closeLimit  = 30 * time.Second
	plenty      = 1_000_000
)

var staff = inventory.Staff("bench")

// bench is a venue in a schema of its own, and the daemons that sell it.
type bench struct {
	cfg    Config
	schema string
	dsn    string // with the schema as its search path
	pool   *pgxpool.Pool
	store  *pgstore.Store
	token  string
	today  date.Date
	used   int // pool days that were measured on already

	daemons []*daemon
	undo    []func(context.Context) // last first
}

func open(ctx context.Context, cfg Config) (*bench, error) {
	b := &bench{cfg: cfg, schema: "holdfast_bench_" + strings.ReplaceAll(uuid.NewString()[:13], "-", "")}
	if err := b.open(ctx); err != nil {
		b.close(context.WithoutCancel(ctx))
		return nil, err
	}
	return b, nil
}

func (b *bench) open(ctx context.Context) error {
	if err := b.makeSchema(ctx); err != nil {
		return err
	}
	var err error
	if b.dsn, err = withSearchPath(b.cfg.DSN, b.schema+",public"); err != nil {
		return err
	}
	if _, err := migrations.Up(ctx, b.dsn); err != nil {
		return err
	}
	if b.pool, err = pgstore.Connect(ctx, b.dsn, pgstore.PoolConfig{MaxConns: ownConns, AppName: "holdfast bench"}); err != nil {
		return err
	}
	b.undo = append(b.undo, func(context.Context) { b.pool.Close() })
	b.store = pgstore.New(b.pool, b.cfg.Log)
	if err := b.addVenue(ctx); err != nil {
		return err
	}
	return b.startDaemons(ctx, b.cfg.Daemons)
}

func (b *bench) makeSchema(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, b.cfg.DSN)
	if err != nil {
		return fmt.Errorf("connect: %w", inventory.ErrUnavailable)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "CREATE SCHEMA "+b.schema); err != nil {
		return err
	}
	b.undo = append(b.undo, b.dropSchema)
	return nil
}

func (b *bench) dropSchema(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, closeLimit)
	defer cancel()
	conn, err := pgx.Connect(ctx, b.cfg.DSN)
	if err == nil {
		defer func() { _ = conn.Close(ctx) }()
		_, err = conn.Exec(ctx, "DROP SCHEMA "+b.schema+" CASCADE")
	}
	if err != nil {
		b.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "the schema of the measurement is still there", slog.String("schema", b.schema), slog.Any("error", err))
	}
}

// withSearchPath gives the same database with another search path.
func withSearchPath(dsn, path string) (string, error) {
	u, err := url.Parse(dsn)
	if err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql") {
		q := u.Query()
		q.Set("search_path", path)
		u.RawQuery = q.Encode()
		return u.String(), nil
	}
	if strings.Contains(dsn, "://") {
		return "", inventory.Invalid("db", "is no address of a PostgreSQL")
	}
	return dsn + " search_path='" + path + "'", nil
}

func (b *bench) close(ctx context.Context) {
	for len(b.undo) > 0 {
		last := len(b.undo) - 1
		b.undo[last](ctx)
		b.undo = b.undo[:last]
	}
}

// addVenue makes a venue with one hot pool, and others over which work spreads.
func (b *bench) addVenue(ctx context.Context) error {
	zone, err := timezone.ParseZone("Europe/Berlin")
	if err != nil {
		return err
	}
	now, err := b.store.DatabaseNow(ctx)
	if err != nil {
		return err
	}
	b.today = timezone.DayOf(now, zone)
	if _, err := b.store.AddVenue(ctx, staff, inventory.Venue{
		Slug: venueSlug, Name: "Bench", Zone: zone.Name(), Currency: "EUR", HoldTTL: 30 * time.Minute, HoldJitter: 30 * time.Second,
		HoldMaxLife: 2 * time.Hour, LatePolicy: inventory.LateAsk, LateDeadline: 24 * time.Hour, DoubtAfter: 15 * time.Minute, DoubtCap: 72 * time.Hour,
	}); err != nil {
		return err
	}
	for i := range 1 + spreadPools {
		p := inventory.Pool{
			Ref: inventory.PoolRef{Venue: venueSlug, Pool: poolSlug(i)}, Name: "Pool " + fmt.Sprint(i),
			Price: inventory.Money{Minor: 2500, Currency: "EUR"}, MaxPerBuyer: 1, HorizonDays: spreadDays + 1,
		}
		for d := range p.Week {
			p.Week[d].Capacity = plenty
		}
		if _, err := b.store.AddPool(ctx, staff, p); err != nil {
			return err
		}
	}
	for {
		r, err := jobs.NewHorizon(b.store).Run(ctx)
		if err != nil {
			return err
		}
		if r.Done == 0 {
			break
		}
	}
	_, b.token, err = b.store.AddClient(ctx, staff, "bench", inventory.Scopes)
	return err
}

func poolSlug(i int) string { return fmt.Sprintf("pool-%d", i) }

// freshDay is a day of the hot pool that nobody has a place on yet.
func (b *bench) freshDay() (date.Date, error) {
	b.used++
	if b.used >= spreadDays {
		return date.Date{}, errors.New("no day is left that was not measured on")
	}
	return b.today.Add(date.PeriodOfDays(b.used)), nil
}
