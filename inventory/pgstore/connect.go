package pgstore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"holdfast/inventory"
)

// PoolConfig sizes a connection pool.
type PoolConfig struct {
	MaxConns int    // required: the default of the library depends on the machine
	AppName  string // shown in pg_stat_activity; "" = holdfast
}

// Connect opens a pool on dsn and checks that the server answers; it fails
// with inventory.ErrUnavailable if it does not. The error never holds the DSN.
func Connect(ctx context.Context, dsn string, cfg PoolConfig) (*pgxpool.Pool, error) {
	c, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", inventory.Invalid("db", "is not a PostgreSQL URL or keyword/value string"))
	}
	c.MaxConns = int32(cfg.MaxConns)
	c.MaxConnLifetime = 30 * time.Minute
	c.MaxConnLifetimeJitter = time.Duration(rand.Int64N(int64(5 * time.Minute)))
	c.PingTimeout = time.Second // a stalled ping must not eat the caller's deadline
	if c.ConnConfig.ConnectTimeout == 0 {
		c.ConnConfig.ConnectTimeout = 2 * time.Second // per host
	}
	params := c.ConnConfig.RuntimeParams
	params["application_name"] = cfg.AppName
	if cfg.AppName == "" {
		params["application_name"] = "holdfast"
	}
	// Frees the locks of a daemon that was frozen in the middle of a transaction.
	params["idle_in_transaction_session_timeout"] = "5s"
	params["timezone"] = "UTC"
	c.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		utc(conn.TypeMap())
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("connect: %w: %w", inventory.ErrUnavailable, err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("connect: %w: %w", inventory.ErrUnavailable, err)
	}
	return pool, nil
}

// utc makes every instant come back in UTC, whatever TZ the process has.
func utc(m *pgtype.Map) {
	m.RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID,
		Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
}
