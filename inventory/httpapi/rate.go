package httpapi

import (
	"math"
	"sync"
	"time"
)

// Rate is a limit on how often something may happen: PerSecond in the long run,
// Burst at once. The zero Rate is no limit.
type Rate struct {
	PerSecond float64
	Burst     int
}

// maxBuckets is how many keys one generation of a limiter knows.
const maxBuckets = 1 << 16

// limiter gives every key a token bucket. A bucket is one instant, and the
// instants lie in two generations of bounded size: when the younger one is
// full, the older one is forgotten. A key that was forgotten may begin a new
// burst; so many others came in between that it was no frequent one.
type limiter[K comparable] struct {
	every time.Duration // between two, in the long run
	burst time.Duration // how far a bucket may be ahead

	mu         sync.Mutex
	young, old map[K]int64 // when all that was taken is earned back, in nanoseconds since 1970
}

// longestBucket is the most that a bucket reckons with: no sum of instants and
// spans overflows, whatever the rate.
const longestBucket = 1000 * time.Hour

// newLimiter returns nil, which limits nothing, for the zero Rate.
func newLimiter[K comparable](r Rate) *limiter[K] {
	if r.PerSecond <= 0 {
		return nil
	}
	every := min(float64(time.Second)/r.PerSecond, float64(longestBucket))
	burst := min(math.Floor(every)*float64(max(0, r.Burst-1)), float64(longestBucket))
	return &limiter[K]{every: time.Duration(every), burst: time.Duration(burst), young: map[K]int64{}}
}

// take takes one of key at now. Where there is none left it takes nothing and
// returns how long to wait for one.
func (l *limiter[K]) take(key K, now time.Time) (wait time.Duration) {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at, isYoung := l.young[key]
	if !isYoung {
		at = l.old[key]
	}
	// Nothing is ahead further than its burst, unless the clock was put back.
	ahead := min(max(0, time.Duration(at-now.UnixNano())), l.burst+l.every)
	if ahead > l.burst {
		return ahead - l.burst
	}
	if !isYoung && len(l.young) >= maxBuckets {
		l.old, l.young = l.young, make(map[K]int64, maxBuckets)
	}
	l.young[key] = now.Add(ahead + l.every).UnixNano()
	return 0
}
