package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/inventory/payment/simulated"
)

const (
	buyersPerSecond = 10
	mostInside      = 200 // buyers at once, times the speed
	lookEvery       = 400 * time.Millisecond
)

// journey is what one buyer does with a hold.
type journey func(d *Demo, ctx context.Context, s *shop, b booking) error

// crowd is the order in which kinds of buyers come in. Late ones come first, so
// that even a short demo has time for what follows from them.
var crowd = []journey{
	payLate, payLate, payAtShop, walkAway, payHere, payLate, payAtShop, payTwice, walkAway, payAfterDecline,
	payAtShop, payHere, giveBack, payAtShop, payLate, payAtShop, walkAway, payHere, payAtShop, walkAway,
}

// openDoors lets buyers in until doors closes; those inside may stay until inside
// ends. The answer is closed when the last has left.
func (d *Demo) openDoors(doors, inside context.Context) <-chan struct{} {
	s := newShop(d.URL())
	slots := make(chan struct{}, int(mostInside*max(1, d.opts.Speed)))
	left := make(chan struct{})
	go func() {
		defer close(left)
		var buyers sync.WaitGroup
		defer buyers.Wait()
		ticker := time.NewTicker(time.Duration(float64(time.Second) / (buyersPerSecond * d.opts.Speed)))
		defer ticker.Stop()
		for n := 0; ; n++ {
			select {
			case <-doors.Done():
				return
			case <-ticker.C:
			}
			select {
			case slots <- struct{}{}:
			default:
				continue // the house is full; this one goes home
			}
			buyers.Go(func() {
				defer func() { <-slots }()
				d.visit(inside, s, n)
			})
		}
	}()
	return left
}

// visit is one buyer from the door to the end.
func (d *Demo) visit(ctx context.Context, s *shop, n int) {
	b, err := d.takeHold(ctx, s, n)
	if err != nil {
		d.blame(ctx, err)
		return
	}
	d.tally.of(b).holds.Add(1)
	if err := crowd[n%len(crowd)](d, ctx, s, b); err != nil {
		d.blame(ctx, err)
	}
}

// takeHold asks for what the buyer wants. Each round of kinds of buyers begins at
// another stall, so that every kind comes to every stall.
func (d *Demo) takeHold(ctx context.Context, s *shop, n int) (booking, error) {
	wish, err := d.sample[(n+n/len(crowd))%len(d.sample)].wish(ctx, s, n)
	if err != nil {
		return booking{}, err
	}
	return s.hold(ctx, uuid.NewString(), fmt.Sprintf("buyer %05d", n), wish)
}

// blame counts an error: a refusal is daily business, an interruption nothing.
func (d *Demo) blame(ctx context.Context, err error) {
	var no *refusal
	switch {
	case ctx.Err() != nil:
	case errors.As(err, &no) && no.Status == http.StatusConflict:
		d.tally.refused.Add(1)
	case errors.As(err, &no) && (no.Code == "BUSY" || no.Status == http.StatusTooManyRequests):
		d.tally.busy.Add(1)
	default:
		d.tally.errors.Add(1)
		d.opts.Log.LogAttrs(ctx, slog.LevelWarn, "a buyer met an error", slog.Any("error", err))
	}
}

// charge takes the money at the provider as the shop itself: our booking id is
// the reference.
func (d *Demo) charge(ctx context.Context, b booking) error {
	_, err := d.provider.Charge(ctx, uuid.NewString(), b.BookingID, b.Amount)
	return err
}

// await looks at the booking until done says so.
func (d *Demo) await(ctx context.Context, s *shop, id string, done func(booking) bool) (booking, error) {
	for {
		b, err := s.booking(ctx, id)
		if err == nil && done(b) {
			return b, nil
		}
		var no *refusal
		busy := errors.As(err, &no) && no.Status == http.StatusServiceUnavailable
		if err != nil && !busy {
			return b, err
		}
		if err := pause(ctx, lookEvery); err != nil {
			return b, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func confirmed(b booking) bool { return b.State == inventory.StateConfirmed }
func over(b booking) bool {
	return b.State == inventory.StateExpired || b.State == inventory.StateCancelled
}

func (d *Demo) awaitConfirmed(ctx context.Context, s *shop, b booking) error {
	b, err := d.await(ctx, s, b.BookingID, func(b booking) bool { return confirmed(b) || over(b) })
	if err == nil && confirmed(b) {
		d.tally.of(b).confirmed.Add(1)
	}
	return err
}

// payAtShop pays in time where the shop takes the money itself.
func payAtShop(d *Demo, ctx context.Context, s *shop, b booking) error {
	if err := d.charge(ctx, b); err != nil {
		return err
	}
	return d.awaitConfirmed(ctx, s, b)
}

// payHere pays in time through the daemon.
func payHere(d *Demo, ctx context.Context, s *shop, b booking) error {
	if err := s.pay(ctx, uuid.NewString(), b.BookingID); err != nil {
		return err
	}
	return d.awaitConfirmed(ctx, s, b)
}

// payTwice presses the shop's button twice, each press with a key of its own.
func payTwice(d *Demo, ctx context.Context, s *shop, b booking) error {
	if err := d.charge(ctx, b); err != nil {
		return err
	}
	if err := d.charge(ctx, b); err != nil {
		return err
	}
	if err := d.awaitConfirmed(ctx, s, b); err != nil {
		return err
	}
	d.tally.zombies.Add(1)
	return d.awaitMoney(ctx, s, b)
}

// payAfterDecline has a card declined and pays with another.
func payAfterDecline(d *Demo, ctx context.Context, s *shop, b booking) error {
	d.sim.SetBehaviour(b.BookingID, 1, simulated.Behaviour{Mode: simulated.ModeDecline})
	if err := d.charge(ctx, b); err != nil {
		return err
	}
	d.tally.declined.Add(1)
	return payAtShop(d, ctx, s, b)
}

// giveBack releases the hold.
func giveBack(d *Demo, ctx context.Context, s *shop, b booking) error {
	if err := s.release(ctx, b.BookingID); err != nil {
		return err
	}
	d.tally.released.Add(1)
	return nil
}

// walkAway never comes back.
func walkAway(d *Demo, ctx context.Context, s *shop, b booking) error {
	return d.awaitExpired(ctx, s, b)
}

func (d *Demo) awaitExpired(ctx context.Context, s *shop, b booking) error {
	if err := pause(ctx, time.Until(b.HeldUntil)); err != nil {
		return err
	}
	if _, err := d.await(ctx, s, b.BookingID, over); err != nil {
		return err
	}
	d.tally.of(b).expired.Add(1)
	return nil
}

// payLate pays when the hold is over. What becomes of the money is up to the
// venue's policy or its staff.
func payLate(d *Demo, ctx context.Context, s *shop, b booking) error {
	if err := d.awaitExpired(ctx, s, b); err != nil {
		return err
	}
	if err := d.charge(ctx, b); err != nil {
		return err
	}
	d.tally.zombies.Add(1)
	return d.awaitMoney(ctx, s, b)
}

// awaitMoney waits until a zombie of the booking is revived or refunded.
func (d *Demo) awaitMoney(ctx context.Context, s *shop, b booking) error {
	paidTwice := false
	b, err := d.await(ctx, s, b.BookingID, func(b booking) bool {
		paidTwice = len(b.Payments) > 1
		return b.standing(inventory.StandingRefunded) || !paidTwice && confirmed(b)
	})
	switch {
	case err != nil:
		return err
	case b.standing(inventory.StandingRefunded):
		d.tally.of(b).refunded.Add(1)
	default:
		d.tally.of(b).revived.Add(1)
		d.tally.of(b).confirmed.Add(1)
	}
	return nil
}
