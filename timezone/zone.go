package timezone

import (
	"fmt"
	"time"

	_ "time/tzdata" // so that zones load on a machine without a zone database
)

// Zone is the time zone of a place. The zero Zone is no zone: IsZero reports
// it, and asking it for a time panics as a nil *time.Location does, because any
// zone put in its place would be a guess.
//
// Compare zones by Name: a *time.Location keeps the rules it was loaded with,
// so two readings of one zone need not be the same value.
type Zone struct {
	name string
	loc  *time.Location
}

// ParseZone returns the zone with this IANA name, spelled exactly so.
//
// Accepted are the names of places in the tz project's zone.tab and zone1970.tab
// (Europe/Berlin), old names of those (Asia/Calcutta, US/Eastern, GB), which
// become today's name (Asia/Kolkata, America/New_York, Europe/London), and UTC
// with Etc/UTC as its old name. Everything else is an *InputError with the
// reason: abbreviations (EST), fixed offsets (UTC+3, Etc/GMT+3), the machine's
// zone (Local), files of the database that are no zones (posixrules, Factory),
// other spellings (europe/berlin).
//
// The rules come from $ZONEINFO, else from the machine, else from the copy in
// the binary, and are read anew by each call. Any other error than an
// *InputError means that a known zone could not be loaded.
func ParseZone(name string) (Zone, error) {
	current, ok := zoneNames().current(name)
	if !ok {
		return Zone{}, refuseZone(name)
	}
	loc, err := time.LoadLocation(current)
	if err != nil {
		return Zone{}, fmt.Errorf("load time zone %s: %w", current, err)
	}
	return Zone{current, loc}, nil
}

// UTC returns the zone UTC.
func UTC() Zone { return Zone{"UTC", time.UTC} }

// Name returns today's IANA name of the zone, "" for the zero Zone.
func (z Zone) Name() string { return z.name }

// Location returns the zone's rules, nil for the zero Zone.
func (z Zone) Location() *time.Location { return z.loc }

// IsZero reports whether z is no zone at all.
func (z Zone) IsZero() bool { return z.loc == nil }

// String returns the zone's name.
func (z Zone) String() string { return z.name }

// MarshalText returns the zone's name.
func (z Zone) MarshalText() ([]byte, error) { return []byte(z.name), nil }

// UnmarshalText reads a name as ParseZone does.
func (z *Zone) UnmarshalText(text []byte) error {
	parsed, err := ParseZone(string(text))
	if err != nil {
		return err
	}
	*z = parsed
	return nil
}
