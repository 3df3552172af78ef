package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
)

// rivals changes a booking behind the mover's back before each of the first
// tries.
type rivals struct {
	stored inventory.Booking
	before []func(*inventory.Booking)
	tries  int
	waits  []time.Duration
}

func (r *rivals) mover() mover {
	return mover{
		read: func(context.Context) (inventory.Booking, error) { return r.stored, nil },
		move: func(_ context.Context, version int) (inventory.Booking, error) {
			if r.tries < len(r.before) {
				r.before[r.tries](&r.stored)
				r.stored.Version++
			}
			r.tries++
			if version != r.stored.Version {
				return inventory.Booking{}, &inventory.StaleError{Seen: version, Current: r.stored.Version}
			}
			r.stored.Version++
			r.stored.Day = r.stored.Day.Add(1)
			return r.stored, nil
		},
		wait: func(_ context.Context, d time.Duration) error {
			r.waits = append(r.waits, d)
			return nil
		},
	}
}

func TestMover(t *testing.T) {
	t.Parallel()
	day := date.New(2027, time.June, 1)
	seen := inventory.Booking{Kind: inventory.ClaimPool, Day: day, Quantity: 2, Version: 1}
	extended := func(b *inventory.Booking) { b.ExpiresAt = b.ExpiresAt.Add(time.Minute) }
	repeat := func(n int, f func(*inventory.Booking)) []func(*inventory.Booking) {
		out := make([]func(*inventory.Booking), n)
		for i := range out {
			out[i] = f
		}
		return out
	}
	cases := map[string]struct {
		before    []func(*inventory.Booking)
		wantTries int
		wantErr   error
	}{
		"nobodyElse":          {nil, 1, nil},
		"extendedMeanwhile":   {repeat(2, extended), 3, nil},
		"movedMeanwhile":      {repeat(1, func(b *inventory.Booking) { b.Day = day.Add(7) }), 1, inventory.ErrStale},
		"fewerPlacesByThen":   {[]func(*inventory.Booking){extended, func(b *inventory.Booking) { b.Quantity = 1 }}, 2, inventory.ErrStale},
		"otherSeatsMeanwhile": {repeat(1, func(b *inventory.Booking) { b.Seats = []inventory.Seat{{ID: 3}} }), 1, inventory.ErrStale},
		"otherPriceMeanwhile": {repeat(1, func(b *inventory.Booking) { b.Amount.Minor = 1 }), 1, inventory.ErrStale},
		"alwaysBeaten":        {repeat(99, extended), moveTries, inventory.ErrStale},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &rivals{stored: seen, before: c.before}
			_, err := r.mover().run(t.Context(), seen)
			if !errors.Is(err, c.wantErr) || (err == nil) != (c.wantErr == nil) || r.tries != c.wantTries {
				t.Errorf("run = %v after %d tries, want %v after %d", err, r.tries, c.wantErr, c.wantTries)
			}
			for i, d := range r.waits {
				if most := moveWait << i; d < most/2 || d > most {
					t.Errorf("wait %d is %s, want %s to %s", i, d, most/2, most)
				}
			}
		})
	}
	t.Run("oneTryWhereTheVersionWasGiven", func(t *testing.T) {
		t.Parallel()
		r := &rivals{stored: seen, before: repeat(1, extended)}
		m := r.mover()
		m.tries = 1
		if _, err := m.run(t.Context(), seen); !errors.Is(err, inventory.ErrStale) || r.tries != 1 || len(r.waits) != 0 {
			t.Errorf("run = %v after %d tries and %d waits", err, r.tries, len(r.waits))
		}
	})
}
