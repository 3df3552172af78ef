package pgstore

import (
	"context"

	"github.com/rickb777/date"

	"holdfast/inventory"
)

// AddResource makes a resource with its opening hours and closed days.
func (s *Store) AddResource(ctx context.Context, actor inventory.Actor, r inventory.Resource) (inventory.Resource, error) {
	return r, errToCome
}

// EditResource changes a resource that still has this version; 0 does not check it.
func (s *Store) EditResource(ctx context.Context, actor inventory.Actor, ref inventory.ResourceRef, version int, edit inventory.ResourceEdit, reason string) (inventory.Resource, error) {
	return inventory.Resource{}, errToCome
}

// Resource returns a resource with hours and closed days, or ErrNotFound.
func (s *Store) Resource(ctx context.Context, ref inventory.ResourceRef) (inventory.Resource, error) {
	return inventory.Resource{}, errToCome
}

// Resources lists the resources of a venue ("" = all) by name.
func (s *Store) Resources(ctx context.Context, venue string) ([]inventory.Resource, error) {
	return nil, errToCome
}

// Slots lists the slots of a local day with whether each is free now.
func (s *Store) Slots(ctx context.Context, ref inventory.ResourceRef, day date.Date) ([]inventory.Slot, error) {
	return nil, errToCome
}

// ResourceDays returns what happens on one local day at every resource of a venue.
func (s *Store) ResourceDays(ctx context.Context, venue string, day date.Date) ([]inventory.ResourceDay, error) {
	return nil, errToCome
}
