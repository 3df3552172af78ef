package pgstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"holdfast/inventory"
	"holdfast/timezone"
)

// HoldRange takes a resource for [From, To) for a limited time. Whether the
// resource is open then and the stay is allowed is reckoned here, by the zone
// of its venue; whether the time is free is decided by the exclusion
// constraint. Keys work as for PlaceHold.
//
// Refusals: ErrNotFound (no such resource), FieldErrors for from and to
// (closed, too short, not on the grid), *RangeTakenError (ErrRangeTaken),
// ErrStopSell, ErrCutoffPassed (it has begun), ErrInProgress, ErrBusy.
func (s *Store) HoldRange(ctx context.Context, r inventory.RangeHoldRequest) (inventory.Booking, bool, error) {
	if err := r.Validate(); err != nil {
		return inventory.Booking{}, false, err
	}
	r.During = inventory.Range{From: r.During.From.UTC(), To: r.During.To.UTC()}
	k := keyUse{r.Client, r.IdempotencyKey, rangeFingerprint(r)}
	t := turn{lane: r.Resource.String(), claim: fmt.Sprint(r.Resource, r.During.From, r.During.To)}
	b, replayed, err := s.placeOnce(ctx, "hold "+r.Resource.String(), t, k,
		func(ctx context.Context, tx pgx.Tx) (inventory.Booking, bool, error) {
			return s.holdRange(ctx, tx, r, k)
		})
	return b, replayed, s.nameClash(ctx, err, r.Resource, r.During)
}

// holdRange locks the resource, so that equal wishes wait for each other here
// and not, with a deadlock, inside the constraint; and then inserts, which
// decides.
func (s *Store) holdRange(ctx context.Context, tx pgx.Tx, r inventory.RangeHoldRequest, k keyUse) (inventory.Booking, bool, error) {
	first, err := findKey(ctx, tx, k.client, k.key, k.print)
	if err != nil {
		return inventory.Booking{}, false, err
	}
	if first != nil {
		b, err := first.hold(ctx, tx)
		return b, true, err
	}
	c, err := s.rangeClaim(ctx, tx, r.Resource, r.During)
	if err == nil {
		err = s.rangeFree(ctx, tx, c)
	}
	if err == nil {
		err = s.lockResources(ctx, tx, c.resource)
	}
	if err == nil {
		err = s.expireOverdueRanges(ctx, tx, c)
	}
	if err != nil {
		return inventory.Booking{}, false, k.unlessTaken(ctx, tx, err)
	}
	b, err := s.insertRange(ctx, tx, c, r, k)
	return b, false, err
}

// rangeClaim is a range of a resource, with everything that is reckoned of it.
type rangeClaim struct {
	resource inventory.Resource
	during   inventory.Range
	blocked  inventory.Range // during and the turnaround behind it
	local    inventory.LocalRange
	amount   inventory.Money
	ttl      time.Duration
	jitter   time.Duration
}

// rangeClaim reads the resource and checks the range against its hours, grid
// and stays.
func (s *Store) rangeClaim(ctx context.Context, tx pgx.Tx, ref inventory.ResourceRef, during inventory.Range) (rangeClaim, error) {
	c := rangeClaim{during: during}
	var err error
	if c.resource, err = getResource(ctx, tx, ref); err != nil {
		if isNoRows(err) {
			err = fmt.Errorf("resource %s: %w", ref, inventory.ErrNotFound)
		}
		return c, err
	}
	zone, err := timezone.ParseZone(c.resource.Zone)
	if err != nil {
		return c, fmt.Errorf("zone of resource %s: %w", ref, err)
	}
	if err := c.resource.Check(during, zone); err != nil {
		return c, err
	}
	c.blocked = inventory.Range{From: during.From, To: during.To.Add(c.resource.Turnaround)}
	c.local = inventory.LocalRange{From: timezone.WallTimeOf(during.From, zone), To: timezone.WallTimeOf(during.To, zone)}
	c.amount = c.resource.Price(during.Length())
	err = tx.QueryRow(ctx, sqlHoldTimes, pgx.StrictNamedArgs{"venue": c.resource.VenueID}).Scan(&c.ttl, &c.jitter)
	return c, err
}

// rangeFree refuses, without a lock, what is hopeless: closed for sale, begun,
// or taken by a booking that is not overdue.
func (s *Store) rangeFree(ctx context.Context, tx pgx.Tx, c rangeClaim) error {
	var refusal zeronull.Text
	var taken bool
	err := tx.QueryRow(ctx, sqlRangeLook, c.args(pgx.StrictNamedArgs{"now": s.now})).Scan(&refusal, &taken)
	switch {
	case err != nil:
		return err
	case refusal != "":
		return refused(string(refusal))
	case taken:
		return inventory.ErrRangeTaken
	}
	return nil
}

// args adds what statements about ranges name.
func (c rangeClaim) args(more pgx.StrictNamedArgs) pgx.StrictNamedArgs {
	more["resource"] = c.resource.ID
	more["from"], more["to"], more["blocked_to"] = c.during.From, c.during.To, c.blocked.To
	return more
}

// lockResources locks resources in the order of ids. One that was edited since
// it was read is errClaimMoved: what was reckoned from it may be wrong.
func (s *Store) lockResources(ctx context.Context, tx pgx.Tx, resources ...inventory.Resource) error {
	seen := make(map[int64]int, len(resources))
	ids := make([]int64, 0, len(resources))
	for _, r := range resources {
		if _, twice := seen[r.ID]; !twice {
			ids = append(ids, r.ID)
		}
		seen[r.ID] = r.Version
	}
	rows, _ := tx.Query(ctx, sqlResourcesLock, pgx.StrictNamedArgs{"resources": ids})
	var id int64
	var version int
	_, err := pgx.ForEachRow(rows, []any{&id, &version}, func() error {
		if seen[id] != version {
			return errClaimMoved
		}
		return nil
	})
	return err
}

// expireOverdueRanges expires the overdue holds that a range runs into.
func (s *Store) expireOverdueRanges(ctx context.Context, tx pgx.Tx, c rangeClaim) error {
	_, err := tx.Exec(ctx, sqlExpireRangesInTheWay, c.args(pgx.StrictNamedArgs{
		"actor": inventory.Job(string(inventory.JobSweep)).String(), "now": s.now,
	}))
	return err
}

func (s *Store) insertRange(ctx context.Context, tx pgx.Tx, c rangeClaim, r inventory.RangeHoldRequest, k keyUse) (inventory.Booking, error) {
	b := inventory.Booking{
		ID: inventory.NewBookingID(), VenueID: c.resource.VenueID, Kind: inventory.ClaimRange, Name: c.resource.Name, Resource: r.Resource,
		Day: c.local.From.Day, Quantity: 1, During: r.During, LocalFrom: c.local.From, LocalTo: c.local.To, Zone: c.resource.Zone,
		Buyer: r.Buyer, State: inventory.StateHeld, ClientID: r.Client.ID, IdempotencyKey: r.IdempotencyKey, Version: 1, Amount: c.amount,
	}
	cause, ttl := inventory.CauseHold, zeronull.Int8(c.ttl/time.Microsecond)
	if r.Comp {
		b.State, cause, ttl = inventory.StateConfirmed, inventory.CauseComp, 0
	}
	err := tx.QueryRow(ctx, sqlRangePlace, c.args(pgx.StrictNamedArgs{
		"id": b.ID, "venue": b.VenueID, "buyer": r.Buyer, "state": b.State,
		"local_from": wallArg(c.local.From), "local_to": wallArg(c.local.To), "zone": b.Zone,
		"ttl": ttl, "jitter": int64(c.jitter / time.Microsecond), "amount": b.Amount.Minor, "currency": b.Amount.Currency,
		"client": numberOrNull(r.Client.ID), "key": textOrNull(k.key), "print": k.print,
		"cause": cause, "actor": r.Actor.String(), "reason": r.Reason, "now": s.now,
	})).Scan(orNull(&b.ExpiresAt), &b.CreatedAt)
	switch {
	case isNoRows(err): // the admission rule said no in the same statement
		return inventory.Booking{}, cmp.Or(s.rangeFree(ctx, tx, c), inventory.ErrRangeTaken)
	case isKeyTaken(err):
		return inventory.Booking{}, errKeyTaken
	case err != nil:
		return inventory.Booking{}, err
	}
	b.UpdatedAt = b.CreatedAt
	return b, nil
}

// retakeRange frees what stands in the way of a dead booking's range as far as
// that is overdue; the transition itself then takes the range again or not.
func (s *Store) retakeRange(ctx context.Context, tx pgx.Tx, b inventory.Booking) error {
	c := rangeClaim{during: b.During}
	if err := tx.QueryRow(ctx, sqlRangeOfBooking, pgx.StrictNamedArgs{"id": b.ID}).Scan(&c.resource.ID, &c.blocked.To); err != nil {
		return err
	}
	if err := s.rangeFree(ctx, tx, c); err != nil {
		return err
	}
	return s.expireOverdueRanges(ctx, tx, c)
}

// nameClash tells, for the eyes of staff, which booking stands in the way.
func (s *Store) nameClash(ctx context.Context, err error, ref inventory.ResourceRef, during inventory.Range) error {
	if !errors.Is(err, inventory.ErrRangeTaken) {
		return err
	}
	taken := &inventory.RangeTakenError{}
	look := s.read(ctx, "look what is in the way", func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, sqlRangeClash, pgx.StrictNamedArgs{
			"venue": ref.Venue, "resource": ref.Resource, "from": during.From, "to": during.To,
		}).Scan(&taken.Booking, &taken.Buyer, &taken.During.From, &taken.During.To)
	})
	if look != nil {
		return err // it has gone meanwhile, or cannot be seen: the answer stays the same
	}
	return fmt.Errorf("%w: %w", taken, err)
}

func rangeFingerprint(r inventory.RangeHoldRequest) []byte {
	return fingerprint("hold range", r.Resource.String(), r.During.From.Format(time.RFC3339), r.During.To.Format(time.RFC3339), r.Buyer, fmt.Sprint(r.Comp))
}
