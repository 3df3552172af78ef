package config

import (
	"strconv"
	"strings"
	"time"
)

// longestAge keeps ages far inside what a duration can hold.
const longestAge = 100 * 366 // days

// age reads an elapsed time: a number of days such as 90d, each of 24 hours,
// or hours and minutes such as 72h30m.
func age(field func(*Config) *time.Duration) func(*Config, string) error {
	return func(c *Config, s string) error {
		d, ok := parseAge(s)
		if !ok {
			return problem("must be a number of days such as 90d, or a duration such as 72h")
		}
		*field(c) = d
		return nil
	}
}

// parseAge reports false for what is no elapsed time up to longestAge.
func parseAge(s string) (time.Duration, bool) {
	if days, isDays := strings.CutSuffix(s, "d"); isDays {
		n, err := strconv.ParseUint(days, 10, 32)
		if err != nil || n > longestAge {
			return 0, false
		}
		return time.Duration(n) * 24 * time.Hour, true
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d >= 0 && d <= longestAge*24*time.Hour
}

// setArchiveAfter takes "never" besides an age; an age of nothing would mean
// the same without saying so.
func setArchiveAfter(c *Config, s string) error {
	if s == "never" {
		c.Keep.Archive = 0
		return nil
	}
	if err := age(func(c *Config) *time.Duration { return &c.Keep.Archive })(c, s); err != nil {
		return err
	}
	if c.Keep.Archive == 0 {
		return problem(`must be an age, or "never"`)
	}
	return nil
}
