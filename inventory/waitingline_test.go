package inventory_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/inventory"
)

var noon = time.Date(2027, time.June, 1, 12, 0, 0, 0, time.UTC)

func room(rate float64, maxActive int, life time.Duration) inventory.WaitingRoom {
	r := inventory.NewWaitingRoom("harbour", "gala", inventory.ClaimSeats)
	r.Rate, r.MaxActive, r.PassLife, r.Open = rate, maxActive, life, true
	return r
}

// Whatever comes in, whoever uses a pass, however often and late the line is
// looked at: never more than MaxActive are in, no window lets in more than the
// rate and the burst, the order is kept, and a pass lives as long as promised.
func TestWaitingLine_rule(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := room(rapid.Float64Range(0.05, 2000).Draw(rt, "rate"), rapid.IntRange(1, 300).Draw(rt, "max active"),
			time.Duration(rapid.Int64Range(int64(10*time.Second), int64(2*time.Minute)).Draw(rt, "life")))
		l, now := inventory.WaitingLine{MovedAt: noon}, noon
		burst := max(1, r.Rate)
		type admission struct {
			at           time.Time
			number, used int64
			until        time.Time
		}
		var let []admission
		for range rapid.IntRange(1, 60).Draw(rt, "looks") {
			now = now.Add(time.Duration(rapid.OneOf(rapid.Int64Range(0, int64(400*time.Millisecond)), rapid.Int64Range(0, int64(90*time.Second))).Draw(rt, "pause")))
			l.Given += rapid.Int64Range(0, 500).Draw(rt, "joined")
			before := l
			after, moved := l.Advance(r, now)
			if moved != (after.Admitted > before.Admitted) {
				rt.Fatalf("moved = %v from %d to %d", moved, before.Admitted, after.Admitted)
			}
			l = after
			for n := before.Admitted + 1; n <= l.Admitted; n++ {
				place := l.Place(n, now)
				if life := place.ExpiresAt.Sub(now); !place.IsAdmitted() || life < r.PassLife || life > r.PassLife+r.PassLife/64 {
					rt.Fatalf("the pass of %d lives %s, want %s and little more", n, life, r.PassLife)
				}
				let = append(let, admission{at: now, number: n, until: place.ExpiresAt})
			}
			if l.Admitted > l.Given || l.Admitted < before.Admitted {
				rt.Fatalf("admitted %d of %d, was %d", l.Admitted, l.Given, before.Admitted)
			}
			active := int64(0)
			for _, a := range let {
				place := l.Place(a.number, now)
				if good := now.Before(a.until); place.IsAdmitted() != good || place.IsOver() == good {
					rt.Fatalf("%d at %s = %+v, its pass was good until %s", a.number, now, place, a.until)
				}
				if now.Before(a.until) {
					active += 1 - a.used
				}
			}
			if active != l.Active(now) || active > int64(r.MaxActive) {
				rt.Fatalf("%d are in, the line says %d, at most %d", active, l.Active(now), r.MaxActive)
			}
			if place := l.Place(l.Admitted+1, now); place.Position != 1 {
				rt.Fatalf("the next one stands at %d", place.Position)
			}
			// Some of those who are in place their holds.
			for i := range let {
				if let[i].used == 0 && now.Before(let[i].until) && rapid.IntRange(0, 3).Draw(rt, "places") == 0 {
					let[i].used = 1
					l.Steps = use(l.Steps, let[i].number)
				}
			}
		}
		for i := range let {
			for _, j := range []int{i, (i + len(let)) / 2, len(let) - 1} {
				window, n := let[j].at.Sub(let[i].at).Seconds(), float64(j-i+1)
				if n > r.Rate*window+burst+1e-6 {
					rt.Fatalf("%v were let in within %v s at %v a second", n, window, r.Rate)
				}
			}
		}
	})
}

// use counts the pass of a number as used in a copy of steps.
func use(steps []inventory.WaitingStep, number int64) []inventory.WaitingStep {
	steps = slices.Clone(steps)
	for i, s := range steps {
		if s.First <= number && number <= s.Last {
			steps[i].Used++
		}
	}
	return steps
}

// A line that always has people in it moves at the rate, not below it.
func TestWaitingLine_keepsUpWithTheRate(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{0.5, 1, 7, 50, 333, 2000} {
		r := room(rate, 1_000_000, time.Hour)
		l := inventory.WaitingLine{Given: 1_000_000, MovedAt: noon}
		now := noon
		for range 4 * 60 {
			now = now.Add(250 * time.Millisecond)
			l, _ = l.Advance(r, now)
		}
		if want := int64(rate * 60); l.Admitted < want-1 || l.Admitted > want+1 {
			t.Errorf("at %v a second %d were let in within a minute, want %d", rate, l.Admitted, want)
		}
		if len(l.Steps) > 66 {
			t.Errorf("%d steps are kept", len(l.Steps))
		}
	}
}

// People who took a number and left free their place when their pass is over.
func TestWaitingLine_unusedPassesFreeTheirPlace(t *testing.T) {
	t.Parallel()
	r := room(10, 5, time.Minute)
	l, now := inventory.WaitingLine{Given: 100, MovedAt: noon}, noon
	look := func(after time.Duration) {
		now = now.Add(after)
		l, _ = l.Advance(r, now)
	}
	for range 50 {
		look(200 * time.Millisecond)
	}
	if l.Admitted != 5 || l.Active(now) != 5 {
		t.Fatalf("%d are let in and %d active, want 5", l.Admitted, l.Active(now))
	}
	l.Steps = use(l.Steps, 2)
	if look(time.Second); l.Admitted != 6 {
		t.Errorf("after one hold %d are let in, want 6", l.Admitted)
	}
	if look(2 * time.Minute); l.Admitted != 11 || l.Active(now) != 5 || !l.Place(5, now).IsOver() {
		t.Errorf("after all passes are over %d are let in, want 11; number 5 is %+v", l.Admitted, l.Place(5, now))
	}
}

// A database whose clock was put back by an hour stops no line for an hour.
func TestWaitingLine_clockPutBack(t *testing.T) {
	t.Parallel()
	r := room(10, 500, time.Minute)
	l := inventory.WaitingLine{Given: 100, MovedAt: noon}
	back := noon.Add(-time.Hour)
	l, moved := l.Advance(r, back)
	if !moved || l.Admitted != 0 {
		t.Fatalf("moved = %v, %d let in", moved, l.Admitted)
	}
	if l, _ = l.Advance(r, back.Add(500*time.Millisecond)); l.Admitted != 5 {
		t.Errorf("half a second later %d are let in, want 5", l.Admitted)
	}
}

func TestWaitingLine_wait(t *testing.T) {
	t.Parallel()
	r := room(50, 500, 5*time.Minute)
	free := inventory.WaitingLine{Given: 500_000, MovedAt: noon}
	if wait := free.Wait(r, 500_000, noon); wait != 10_000*time.Second {
		t.Errorf("the last of 500000 waits %s", wait)
	}
	// Full since a minute, while 600 came and 100 of them placed holds: 10 a second.
	full := inventory.WaitingLine{Given: 1000, Admitted: 600, MovedAt: noon, Steps: []inventory.WaitingStep{
		{First: 1, Last: 600, Used: 100, ExpiresAt: noon.Add(-time.Minute + r.PassLife + r.PassLife/64)},
	}}
	if wait := full.Wait(r, 100, noon).Round(time.Second); wait != 10*time.Second {
		t.Errorf("100th at a full room waits %s, want 10s", wait)
	}
	if wait := full.Wait(room(0.01, 1, time.Hour), 1<<62, noon); wait <= 0 {
		t.Errorf("a very long wait is %s", wait)
	}
}

// Nobody asks later than the turn, nor than half a pass's life, nor more often
// than each second; and those who ask together come back apart.
func TestWaitingPause(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		wait := time.Duration(rapid.Int64Range(0, int64(48*time.Hour)).Draw(rt, "wait"))
		life := time.Duration(rapid.Int64Range(int64(10*time.Second), int64(24*time.Hour)).Draw(rt, "life"))
		spread := rapid.Float64Range(0, 0.999).Draw(rt, "spread")
		pause := inventory.WaitingPause(wait, life, spread)
		if pause < time.Second || pause > max(2*time.Second, min(wait, life/2, 5*time.Minute)) {
			rt.Fatalf("pause of %s for a wait of %s, a life of %s", pause, wait, life)
		}
	})
	early, late := inventory.WaitingPause(time.Hour, 10*time.Minute, 0.999), inventory.WaitingPause(time.Hour, 10*time.Minute, 0)
	if late != 5*time.Minute || late-early < 74*time.Second {
		t.Errorf("pauses lie between %s and %s", early, late)
	}
}

func TestWaitingRoom_validate(t *testing.T) {
	t.Parallel()
	if err := inventory.NewWaitingRoom("harbour", "main", inventory.ClaimPool).Validate(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	bad := inventory.WaitingRoom{Kind: inventory.ClaimRange, Rate: -1}
	var fields []string
	for _, f := range inventory.FieldErrors(bad.Validate()) {
		fields = append(fields, f.Field)
	}
	if want := []string{"venue", "name", "kind", "rate", "max_active", "pass"}; !slices.Equal(fields, want) {
		t.Errorf("%v are wrong, want %v", fields, want)
	}
}
