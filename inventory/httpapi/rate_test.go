package httpapi

import (
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// In any stretch of time there are as many as the rate earns and the burst, and
// whoever waits as long as was said is let in.
func TestLimiter_rule(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		rate := Rate{PerSecond: rapid.Float64Range(0.1, 1000).Draw(rt, "rate"), Burst: rapid.IntRange(1, 50).Draw(rt, "burst")}
		l := newLimiter[string](rate)
		now := june
		var let []time.Time
		for range rapid.IntRange(1, 200).Draw(rt, "tries") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(3*time.Second/time.Duration(1+rate.PerSecond))).Draw(rt, "pause")))
			wait := l.take("k", now)
			if wait == 0 {
				let = append(let, now)
				continue
			}
			if again := l.take("k", now); again != wait {
				rt.Fatalf("a refusal took something: %s, then %s", wait, again)
			}
			now = now.Add(wait)
			if again := l.take("k", now); again != 0 {
				rt.Fatalf("after %s still %s", wait, again)
			}
			let = append(let, now)
		}
		for i := range let {
			n, window := float64(len(let)-i), let[len(let)-1].Sub(let[i]).Seconds()
			if n > rate.PerSecond*window*(1+1e-6)+float64(rate.Burst)+1e-6 {
				rt.Fatalf("%v within %v s at %+v", n, window, rate)
			}
		}
	})
}

func TestLimiter_burst(t *testing.T) {
	t.Parallel()
	l := newLimiter[int](Rate{PerSecond: 20, Burst: 40})
	n := 0
	for l.take(1, june) == 0 {
		n++
	}
	if n != 40 || l.take(2, june) != 0 {
		t.Errorf("%d at once, want 40, and others are not touched", n)
	}
	if wait := l.take(1, june); wait != 50*time.Millisecond {
		t.Errorf("the next in %s, want 50ms", wait)
	}
	// A clock that was put back by an hour locks nobody out for an hour.
	if wait := l.take(1, june.Add(-time.Hour)); wait > 50*time.Millisecond {
		t.Errorf("after the clock was put back the next in %s", wait)
	}
	if none := newLimiter[int](Rate{}); none.take(1, june) != 0 {
		t.Error("no limit limits")
	}
}

// A rate whose burst is longer than time can be counted is a limit all the same.
func TestLimiter_doesNotOverflow(t *testing.T) {
	t.Parallel()
	for _, r := range []Rate{{PerSecond: 0.0001, Burst: 1_000_000}, {PerSecond: 1e-300, Burst: 2}, {PerSecond: 1e-300, Burst: 1 << 60}} {
		l := newLimiter[int](r)
		n := 0
		for n < 1000 && l.take(1, june) == 0 {
			n++
		}
		if n == 0 || r.Burst == 2 && n > 2 || l.burst < 0 || l.every <= 0 {
			t.Errorf("%+v lets %d in at once", r, n)
		}
	}
}

// Strangers who make up keys fill no memory, and a frequent key stays limited
// among them.
func TestLimiter_isBounded(t *testing.T) {
	t.Parallel()
	l := newLimiter[string](Rate{PerSecond: 0.001, Burst: 1})
	l.take("frequent", june)
	for i := range 5 * maxBuckets {
		l.take(strconv.Itoa(i), june)
		if i%(maxBuckets/2) == 0 && i <= maxBuckets && l.take("frequent", june) == 0 {
			t.Fatalf("forgotten after %d others", i)
		}
	}
	if all := len(l.young) + len(l.old); all > 2*maxBuckets {
		t.Errorf("%d buckets are kept, want %d at most", all, 2*maxBuckets)
	}
}
