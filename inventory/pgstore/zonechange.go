package pgstore

import (
	"context"

	"holdfast/inventory"
)

// PreviewZone tells what zone would do to a venue's future bookings; zone = the venue's own finds what new rules of it would move.
func (s *Store) PreviewZone(ctx context.Context, venue, zone string) (inventory.ZonePreview, error) {
	return inventory.ZonePreview{}, errToCome
}

// ChangeZone gives a venue another zone (or applies new rules of its own), keeping local times or instants, in one transaction.
// version is the venue's; ErrStale if it changed. Missing or doubled wall times with KeepLocal are refused (they are listed by PreviewZone).
func (s *Store) ChangeZone(ctx context.Context, actor inventory.Actor, venue string, version int, zone string, keep inventory.ZoneKeep, reason string) (inventory.Venue, error) {
	return inventory.Venue{}, errToCome
}
