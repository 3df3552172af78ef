package inventory

import (
	"math"
	"slices"
	"time"
)

const (
	// waitingBurst is how long time that nobody used stays good: as many buyers
	// as it earned, one at least, may be let in at once.
	waitingBurst = time.Second
	// waitingSteps is how many steps a pass's life is cut into. Passes of one step
	// end together, so that what is live is told by some steps, not by each pass.
	waitingSteps = 64
	longestWait  = 720 * time.Hour
)

// WaitingLine is how far the line of a waiting room has come. Buyers are let in
// in the order of their numbers, which count from 1.
type WaitingLine struct {
	Given       int64         // the last number given out
	Admitted    int64         // the last number let in
	BeginsAfter int64         // numbers up to it stood in lines before this one: they are over, whatever they were promised
	Credit      float64       // buyers that time had earned at MovedAt and nobody had used
	MovedAt     time.Time     // when somebody was let in last, or the room opened
	Steps       []WaitingStep // whose passes are good, oldest first
}

// WaitingStep is a run of numbers whose passes end together.
type WaitingStep struct {
	First, Last int64
	Used        int64 // passes of it that placed a hold
	ExpiresAt   time.Time
}

// Waiting is how many numbers are not let in.
func (l WaitingLine) Waiting() int64 { return l.Given - l.Admitted }

// Active is how many passes are good and have placed no hold.
func (l WaitingLine) Active(now time.Time) int64 {
	active := int64(0)
	for _, s := range l.Steps {
		if now.Before(s.ExpiresAt) {
			active += s.Last - s.First + 1 - s.Used
		}
	}
	return active
}

// Advance is the rule of a waiting room: how far the line is at now. Over any
// stretch of time it lets in as many as the rate earns in it and one second's
// worth, one at least; never more than MaxActive at once; never anybody who has
// no number. A rate of 0 lets in nobody. A pass lives for PassLife at least and a
// 64th of it longer at most.
// It returns false if nothing changes. Deciding later on what is known now can
// only let in fewer: passes are used and numbers given meanwhile, never taken
// back.
func (l WaitingLine) Advance(r WaitingRoom, now time.Time) (WaitingLine, bool) {
	if now.Before(l.MovedAt.Add(-waitingBurst)) {
		l.MovedAt, l.Credit = now, 0 // the clock was put back: begin to count anew
		return l, true
	}
	if r.Rate <= 0 {
		return l, false // what time had earned before is not used while it is paused
	}
	elapsed := max(0, now.Sub(l.MovedAt))
	earned := min(l.Credit+r.Rate*elapsed.Seconds(), burstOf(r.Rate))
	n := min(int64(math.Floor(earned+1e-9)), l.Waiting(), int64(r.MaxActive)-l.Active(now))
	if n < 1 {
		return l, false
	}
	l.Credit, l.MovedAt = max(0, earned-float64(n)), latest(now, l.MovedAt)
	l.Steps = slices.DeleteFunc(slices.Clone(l.Steps), func(s WaitingStep) bool { return !now.Before(s.ExpiresAt) })
	if last := len(l.Steps) - 1; last >= 0 && l.Steps[last].Last == l.Admitted && now.Before(l.Steps[last].ExpiresAt.Add(-r.PassLife)) {
		l.Steps[last].Last += n
	} else {
		l.Steps = append(l.Steps, WaitingStep{First: l.Admitted + 1, Last: l.Admitted + n, ExpiresAt: now.Add(r.PassLife + r.PassLife/waitingSteps)})
	}
	l.Admitted += n
	return l, true
}

func burstOf(rate float64) float64 { return max(1, rate*waitingBurst.Seconds()) }

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// WaitingPlace is where one number stands.
type WaitingPlace struct {
	Position  int64     // in the line, 1 is next; 0 = let in
	ExpiresAt time.Time // of the pass; zero while waiting, and once the pass is over
}

// IsAdmitted reports whether the number's pass is good.
func (p WaitingPlace) IsAdmitted() bool { return p.Position == 0 && !p.ExpiresAt.IsZero() }

// IsOver reports whether the number was let in, and its pass is good no more.
func (p WaitingPlace) IsOver() bool { return p.Position == 0 && p.ExpiresAt.IsZero() }

// Place tells where a number stands at now.
func (l WaitingLine) Place(number int64, now time.Time) WaitingPlace {
	switch {
	case number <= l.BeginsAfter:
		return WaitingPlace{}
	case number > l.Admitted:
		return WaitingPlace{Position: number - l.Admitted}
	}
	for _, s := range l.Steps {
		if s.First <= number && number <= s.Last && now.Before(s.ExpiresAt) {
			return WaitingPlace{ExpiresAt: s.ExpiresAt}
		}
	}
	return WaitingPlace{}
}

// Wait estimates how long the buyer at a position waits: by the rate, or where
// the room is full by how fast places in it were freed of late. While a room is
// paused nobody knows: it is the longest wait.
func (l WaitingLine) Wait(r WaitingRoom, position int64, now time.Time) time.Duration {
	pace := r.Rate
	if l.Active(now) >= int64(r.MaxActive) {
		pace = min(r.Rate, max(l.pace(r, now), float64(r.MaxActive)/r.PassLife.Seconds()))
	}
	switch {
	case position <= 0:
		return 0
	case pace <= 0:
		return longestWait
	}
	return time.Duration(min(float64(position)/pace, longestWait.Seconds()) * float64(time.Second))
}

// pace is how many a second were let in while the steps that are still good
// were made.
func (l WaitingLine) pace(r WaitingRoom, now time.Time) float64 {
	if len(l.Steps) == 0 {
		return 0
	}
	since := now.Sub(l.Steps[0].ExpiresAt.Add(-r.PassLife - r.PassLife/waitingSteps))
	return float64(l.Admitted-l.Steps[0].First+1) / max(since, time.Second).Seconds()
}

// WaitingPause is how long a client waits before it asks for its place again,
// so that it comes shortly before its turn and never more often than it has to.
// spread, in [0, 1), is drawn at random: up to a quarter earlier, so that those
// who asked together do not come back together. It is half a pass's life at
// most: whoever is let in sooner than was said, since staff made the room
// faster, still finds a good pass.
func WaitingPause(wait, passLife time.Duration, spread float64) time.Duration {
	const least, most = time.Second, 5 * time.Minute
	pause := min(wait, passLife/2, most)
	if pause < 2*least { // too short for a quarter to make a difference
		return least + time.Duration(spread*float64(least))
	}
	return pause - time.Duration(spread*float64(pause/4))
}

// WaitingRoomNow is an open room with its line, as a listener needs it.
type WaitingRoomNow struct {
	WaitingRoom
	Event EventID // of a room of ClaimSeats
	Line  WaitingLine
}

// WaitingNow is how all open rooms stand at one instant of PostgreSQL's clock.
type WaitingNow struct {
	At    time.Time
	Rooms []WaitingRoomNow
	Keys  []WaitingKey // newest first
}

// WaitingKey signs the tokens of waiting buyers.
type WaitingKey struct {
	ID     uint16
	Secret []byte
	MadeAt time.Time
}

// PassUse is one request that wants to place its hold with a pass.
type PassUse struct {
	Room, Number int64
	Client       int64  // 0 = nameless
	Key          string // the request's idempotency key
}
