package pgstore

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
	"holdfast/timezone"
)

// rulesHorizon is how many years of two copies of the zone rules are compared.
const rulesHorizon = 10

// ruleDifference is an instant at which Go and PostgreSQL give a zone different
// offsets.
type ruleDifference struct {
	at           time.Time
	here, stored timezone.Offset
}

// agreedZone reads a zone that Go and PostgreSQL both know, by the same rules.
// The database lists and prints by its own copy: where the two differ, people
// would be told times that are not those that the program means.
func (s *Store) agreedZone(ctx context.Context, tx pgx.Tx, name string) (timezone.Zone, error) {
	zone, err := knownZone(ctx, tx, name)
	if err != nil {
		return zone, err
	}
	now, err := s.clock(ctx, tx)
	if err != nil {
		return zone, err
	}
	differ, err := compareRules(ctx, tx, name, zone, now)
	if err != nil || len(differ) == 0 {
		return zone, err
	}
	d := differ[0]
	return zone, inventory.Invalid("zone", "the program and the database have different rules for %s: at %s it is %s here and %s in the database; update the older time zone data first",
		name, d.at.Format(time.RFC3339), d.here, d.stored)
}

// knownZone reads a zone that Go and PostgreSQL both know.
func knownZone(ctx context.Context, tx pgx.Tx, name string) (timezone.Zone, error) {
	zone, err := timezone.ParseZone(name)
	if err != nil {
		return zone, inventory.Invalid("zone", "%s", err.Error())
	}
	return zone, zoneKnown(ctx, tx, name)
}

// compareRules asks PostgreSQL for its offsets in one round trip. The name is
// that of the zone as it is stored, which may be an old one.
func compareRules(ctx context.Context, tx pgx.Tx, name string, zone timezone.Zone, now time.Time) ([]ruleDifference, error) {
	at := ruleSamples(zone, now)
	rows, _ := tx.Query(ctx, sqlZoneOffsets, pgx.StrictNamedArgs{"zone": name, "at": at})
	seconds, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return nil, err
	}
	var differ []ruleDifference
	for i, t := range at {
		stored := timezone.Offset(time.Duration(seconds[i]) * time.Second)
		if here := timezone.OffsetAt(t, zone); here != stored {
			differ = append(differ, ruleDifference{t, here, stored})
		}
	}
	return differ, nil
}

// ruleSamples are the instants at which rules are compared: each clock change
// that Go knows and the second before it, and the first of each month, for
// changes that only the other side knows.
func ruleSamples(zone timezone.Zone, now time.Time) []time.Time {
	y, m, _ := now.UTC().Date()
	end := time.Date(y+rulesHorizon, m, 1, 0, 0, 0, 0, time.UTC)
	var at []time.Time
	for i := range 12*rulesHorizon + 1 {
		at = append(at, time.Date(y, m+time.Month(i), 1, 0, 0, 0, 0, time.UTC))
	}
	const mostAYear = 4 // Morocco: back and forth around Ramadan, and room
	for _, change := range timezone.NextChanges(zone, now, mostAYear*rulesHorizon) {
		if change.At.Before(end) {
			at = append(at, change.At.Add(-time.Second), change.At)
		}
	}
	slices.SortFunc(at, time.Time.Compare)
	return at
}
