package inventory

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
	"time"
)

// Pulse is how one daemon's sales went for a short while. It is measured by the
// daemon and decides nothing.
type Pulse struct {
	Instance string
	At       time.Time      // the end of that while, by the database's clock
	Span     time.Duration  // how long it was
	Placed   int            // holds placed
	Refused  map[string]int // refusals by the word of Code

	// Of answers to holds, placed or refused: so many of 100 took no longer. Zero:
	// none was given.
	P50, P95, P99 time.Duration

	BatchMean float64       // holds decided together; zero: no batch was
	BatchMax  int           // of the largest batch, at most
	LockWait  time.Duration // 95 of 100 waits for places took no longer; zero: nobody waited
	Queue     int           // holds that waited at the end of it
}

// Answers counts what was decided.
func (p Pulse) Answers() int {
	n := p.Placed
	for _, count := range p.Refused {
		n += count
	}
	return n
}

// Idle reports that nobody asked for anything.
func (p Pulse) Idle() bool { return p.Answers() == 0 && p.Queue == 0 }

const (
	maxInstance   = 200
	longestPulse  = time.Hour
	maxPulseCodes = 50
)

// Validate reports every field that is wrong.
func (p Pulse) Validate() error {
	errs := []error{CheckText("instance", p.Instance, maxInstance)}
	if p.Span < time.Millisecond || p.Span > longestPulse {
		errs = append(errs, Invalid("span", "must be from 1ms to %s", longestPulse))
	}
	for name, n := range map[string]int{"placed": p.Placed, "batch_max": p.BatchMax, "queue": p.Queue} {
		if n < 0 || n > math.MaxInt32 {
			errs = append(errs, Invalid(name, "must be from 0 to %d", math.MaxInt32))
		}
	}
	if len(p.Refused) > maxPulseCodes {
		errs = append(errs, Invalid("refused", "has more than %d codes", maxPulseCodes))
	}
	for code, n := range p.Refused {
		if err := CheckText("refused", code, maxSlug); err != nil {
			errs = append(errs, err)
		}
		if n < 0 || n > math.MaxInt32 {
			errs = append(errs, Invalid("refused", "%q must be from 0 to %d", code, math.MaxInt32))
		}
	}
	if math.IsNaN(p.BatchMean) || p.BatchMean < 0 {
		errs = append(errs, Invalid("batch_mean", "must not be negative"))
	}
	return errors.Join(errs...)
}

// PulseList is the pulses of a while, oldest first.
type PulseList struct {
	Pulses []Pulse
	AsOf   time.Time // the database's clock
}

// Refusals is how often something was refused for one reason.
type Refusals struct {
	Code   string
	Second float64 // times a second
}

// Pace is how sales go: of one daemon, or of all together.
type Pace struct {
	Second        float64    // holds placed a second
	Refused       []Refusals // most first
	P50, P95, P99 time.Duration
	BatchMean     float64
	BatchMax      int
	LockWait      time.Duration
	Queue         int
	Last          time.Time // of the newest pulse, however old; zero: there is none
}

// RefusedSecond is how many were refused a second.
func (p Pace) RefusedSecond() float64 {
	sum := 0.0
	for _, r := range p.Refused {
		sum += r.Second
	}
	return sum
}

// pulseLag is how long after something happened its pulse is there for sure.
const pulseLag = 3 * time.Second

// paceSpan is what "now" means: long enough for three pulses of a busy daemon.
const paceSpan = 7 * time.Second

// PaceOf says how one daemon's sales go at now. A daemon that wrote nothing of
// late sold nothing: a busy one writes every other second.
func PaceOf(pulses []Pulse, instance string, now time.Time) Pace {
	var out Pace
	var span time.Duration
	placed, refused, batches := 0, map[string]int{}, 0
	for _, p := range pulses {
		if p.Instance != instance {
			continue
		}
		if p.At.After(out.Last) {
			out.Last = p.At
		}
		if now.Sub(p.At) > paceSpan {
			continue
		}
		span += p.Span
		placed += p.Placed
		for code, n := range p.Refused {
			refused[code] += n
		}
		out.P50, out.P95, out.P99 = max(out.P50, p.P50), max(out.P95, p.P95), max(out.P99, p.P99)
		out.BatchMax, out.LockWait, out.Queue = max(out.BatchMax, p.BatchMax), max(out.LockWait, p.LockWait), p.Queue
		if p.BatchMean > 0 {
			out.BatchMean += p.BatchMean
			batches++
		}
	}
	if span <= 0 {
		return out
	}
	if batches > 0 {
		out.BatchMean /= float64(batches)
	}
	out.Second = float64(placed) / span.Seconds()
	for code, n := range refused {
		out.Refused = append(out.Refused, Refusals{code, float64(n) / span.Seconds()})
	}
	sortRefusals(out.Refused)
	return out
}

// Together adds up the paces of several daemons. Times are those of the slowest.
func Together(paces []Pace) Pace {
	var out Pace
	refused, batches := map[string]float64{}, 0
	for _, p := range paces {
		out.Second += p.Second
		for _, r := range p.Refused {
			refused[r.Code] += r.Second
		}
		out.P50, out.P95, out.P99 = max(out.P50, p.P50), max(out.P95, p.P95), max(out.P99, p.P99)
		out.BatchMax, out.LockWait, out.Queue = max(out.BatchMax, p.BatchMax), max(out.LockWait, p.LockWait), out.Queue+p.Queue
		if p.BatchMean > 0 {
			out.BatchMean += p.BatchMean
			batches++
		}
		if p.Last.After(out.Last) {
			out.Last = p.Last
		}
	}
	if batches > 0 {
		out.BatchMean /= float64(batches)
	}
	for code, second := range refused {
		out.Refused = append(out.Refused, Refusals{code, second})
	}
	sortRefusals(out.Refused)
	return out
}

func sortRefusals(all []Refusals) {
	slices.SortFunc(all, func(a, b Refusals) int {
		return cmp.Or(cmp.Compare(b.Second, a.Second), cmp.Compare(a.Code, b.Code))
	})
}

// Instances names the daemons of pulses, sorted.
func Instances(pulses []Pulse) []string {
	seen := map[string]bool{}
	for _, p := range pulses {
		seen[p.Instance] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// PaceLine is the holds placed a second over the last n steps before now, oldest
// first. Steps lie on whole multiples of step, so that a line that is drawn
// again and again does not shimmer; a step that not all pulses can have told of
// is left out.
func PaceLine(pulses []Pulse, now time.Time, step time.Duration, n int) []float64 {
	if step <= 0 || n <= 0 {
		return nil
	}
	line := make([]float64, n)
	end := now.Add(-pulseLag).Truncate(step)
	begin := end.Add(-time.Duration(n) * step)
	for _, p := range pulses {
		if p.Span <= 0 || p.Placed == 0 {
			continue
		}
		from := p.At.Add(-p.Span)
		first := max(0, int(from.Sub(begin)/step))
		for i := first; i < n; i++ {
			a, b := begin.Add(time.Duration(i)*step), begin.Add(time.Duration(i+1)*step)
			if !a.Before(p.At) {
				break
			}
			if share := earliest(b, p.At).Sub(latest(a, from)); share > 0 {
				line[i] += float64(p.Placed) * share.Seconds() / p.Span.Seconds() / step.Seconds()
			}
		}
	}
	return line
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
