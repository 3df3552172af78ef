package config

import (
	"strings"
	"testing"
	"time"
)

func TestLoad_retention(t *testing.T) {
	t.Parallel()
	c, err := Load(source(t, map[string]string{"retention_callbacks": "8d", "archive_after": "never"}, map[string]string{"HOLDFAST_RETENTION_KEYS": "96h30m"}, `retention_runs = "2d"`, 0o644))
	if err != nil {
		t.Fatal(err)
	}
	k := c.Keep
	if k.Keys != 96*time.Hour+30*time.Minute || k.Callbacks != 8*24*time.Hour || k.Runs != 48*time.Hour || k.Archive != 0 {
		t.Errorf("retention = %+v", k)
	}
	for value, fault := range map[string]string{
		"71h":     "retention-keys: must be at least 72h",
		"2d":      "retention-keys: must be at least 72h",
		"soon":    "--retention-keys: must be a number of days",
		"-5d":     "--retention-keys: must be a number of days",
		"-80h":    "--retention-keys: must be a number of days",
		"99999d":  "--retention-keys: must be a number of days",
		"1e3d":    "--retention-keys: must be a number of days",
		"900000h": "--retention-keys: must be a number of days",
	} {
		if _, err := Load(source(t, map[string]string{"retention_keys": value}, nil, "", 0)); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("retention_keys = %s: %v, want %q", value, err, fault)
		}
	}
	for value, fault := range map[string]string{"29d": "archive-after: must be at least 720h", "0": `--archive-after: must be an age, or "never"`} {
		if _, err := Load(source(t, map[string]string{"archive_after": value}, nil, "", 0)); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("archive_after = %s: %v, want %q", value, err, fault)
		}
	}
}
