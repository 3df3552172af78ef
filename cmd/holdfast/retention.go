package main

import "github.com/spf13/pflag"

// retentionFlags say how long the purge job keeps what is over.
func retentionFlags(flags *pflag.FlagSet) {
	settingFlag(flags, "retention_keys", "", "7d", "how long idempotency keys are known, at least 72h")
	settingFlag(flags, "retention_callbacks", "", "90d", "how long the bodies of applied callbacks are kept, at least 7d")
	settingFlag(flags, "retention_runs", "", "14d", "how long runs of jobs are listed, at least 1d")
	settingFlag(flags, "archive_after", "", "400d", "when bookings that came to nothing go to the archive, at least 30d, or never")
}
