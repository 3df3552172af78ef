package demo

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"holdfast/inventory"
)

const (
	deskEvery = 700 * time.Millisecond
	deskLimit = 3 * time.Second
	deskBatch = 20
)

// clerk is the member of staff who decides about zombies.
var clerk = inventory.Staff("demo-clerk")

// staff decides about zombies until ctx ends: revives every other one that can
// be revived and gives the rest back. Where a person watches, a venue with the
// policy `ask` is left to the person.
func (d *Demo) staff(ctx context.Context) {
	refundNext := false
	for pause(ctx, deskEvery) == nil {
		list, err := d.zombies(ctx)
		if err != nil {
			d.deskError(ctx, err)
			continue
		}
		for _, z := range list {
			if d.opts.Watched && z.Policy == inventory.LateAsk {
				continue
			}
			revive := z.CanGo == nil && !refundNext
			if err := d.decide(ctx, z, revive); err != nil {
				d.deskError(ctx, err)
				continue
			}
			if z.CanGo == nil {
				refundNext = !refundNext
			}
		}
	}
}

func (d *Demo) zombies(ctx context.Context) ([]inventory.Zombie, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, deskLimit, errors.New("demo.zombies took over "+deskLimit.String()))
	defer cancel()
	list, err := d.store.Zombies(ctx, inventory.ZombieFilter{Limit: deskBatch})
	return list.Zombies, err
}

func (d *Demo) decide(ctx context.Context, z inventory.Zombie, revive bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, deskLimit, errors.New("demo.decide took over "+deskLimit.String()))
	defer cancel()
	if revive {
		_, err := d.store.ReviveZombie(ctx, z.Payment.ID, z.Payment.Version, clerk, "the buyer called and still wants to come")
		return err
	}
	_, err := d.store.RefundPayment(ctx, z.Payment.ID, z.Payment.Version, 0, clerk, "the buyer asked for the money back")
	return err
}

// deskError tells what was no refusal: being second to a policy, or to a buyer
// who took the last place, is daily business.
func (d *Demo) deskError(ctx context.Context, err error) {
	switch inventory.Code(err) {
	case "SOLD_OUT", "SEAT_TAKEN", "RANGE_TAKEN", "CUTOFF_PASSED", "VERSION_CONFLICT", "NOT_ALLOWED", "HOLD_EXISTS", "NOT_FOUND", "BUSY":
		return
	}
	if ctx.Err() == nil {
		d.tally.errors.Add(1)
		d.opts.Log.LogAttrs(ctx, slog.LevelWarn, "the clerk met an error", slog.Any("error", err))
	}
}
