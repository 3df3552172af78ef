package migrations

import (
	"context"
	"io/fs"
)

// UpFrom is Up with other migrations.
func UpFrom(ctx context.Context, dsn string, sources fs.FS) ([]string, error) {
	return up(ctx, dsn, sources)
}

// CheckFrom is Check with other migrations.
func CheckFrom(ctx context.Context, dsn string, sources fs.FS) error {
	s, err := connectAndRead(ctx, dsn, sources)
	if err != nil {
		return err
	}
	return s.fit()
}

// JudgeServer is what Up thinks of a server's version.
var JudgeServer = judgeServer

// LockKey is what concurrent migrations wait for.
const LockKey = lockKey
