package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// warmUp is how long clients ask before anything counts: connections are opened,
// plans are made.
const warmUp = time.Second

// run is one measurement of a closed loop: each client asks again as soon as it
// has its answer.
type run struct {
	clients int
	length  time.Duration
	targets []string                        // clients are dealt out to these addresses
	ask     func(client, n int) request     // the nth request of a client
	check   func(client int, r reply) error // nil: any answer without an error status will do
	every   time.Duration                   // from question to question of one client; 0: at once
}

// load is what a measurement saw.
type load struct {
	clients  int
	took     time.Duration
	answers  int
	statuses map[int]int
	refusals map[string]int
	waits    []time.Duration // of each answer, sorted
}

func (l load) perSecond() float64 { return float64(l.answers) / l.took.Seconds() }

// quantile is the wait that q of the answers did not pass, in milliseconds.
func (l load) quantile(q float64) float64 {
	if len(l.waits) == 0 {
		return 0
	}
	return float64(l.waits[min(int(q*float64(len(l.waits))), len(l.waits)-1)]) / float64(time.Millisecond)
}

func (r run) do(ctx context.Context) (load, error) {
	ctx, cancel := context.WithTimeout(ctx, warmUp+r.length)
	defer cancel()
	began := time.Now()
	parts := make([]load, r.clients)
	errs := make([]error, r.clients)
	var all sync.WaitGroup
	for i := range r.clients {
		all.Go(func() { parts[i], errs[i] = r.one(ctx, i, began.Add(warmUp)) })
	}
	all.Wait()
	sum := load{clients: r.clients, took: time.Since(began) - warmUp, statuses: map[int]int{}, refusals: map[string]int{}}
	for _, p := range parts {
		sum.answers += p.answers
		sum.waits = append(sum.waits, p.waits...)
		for k, n := range p.statuses {
			sum.statuses[k] += n
		}
		for k, n := range p.refusals {
			sum.refusals[k] += n
		}
	}
	slices.Sort(sum.waits)
	if err := errors.Join(errs...); err != nil {
		return sum, err
	}
	if sum.answers == 0 {
		return sum, errors.New("no answer came in the time that counts")
	}
	return sum, nil
}

// one is one client's loop; only what is answered after from counts.
func (r run) one(ctx context.Context, i int, from time.Time) (load, error) {
	c := &client{address: r.targets[i%len(r.targets)]}
	defer c.close()
	l := load{statuses: map[int]int{}, refusals: map[string]int{}}
	due := time.Now().Add(r.every * time.Duration(i) / time.Duration(r.clients)) // not all in the same moment
	for n := 0; ctx.Err() == nil; n++ {
		asked := time.Now()
		if r.every > 0 {
			if !sleep(ctx, time.Until(due)) {
				return l, nil
			}
			asked, due = due, due.Add(r.every) // who is asked late has waited, too
		}
		answer, err := c.do(ctx, r.ask(i, n))
		if err != nil {
			if ctx.Err() != nil {
				return l, nil
			}
			return l, fmt.Errorf("client %d: %w", i, err)
		}
		if r.check != nil {
			if err := r.check(i, answer); err != nil {
				return l, err
			}
		}
		now := time.Now()
		if now.Before(from) {
			continue
		}
		l.answers++
		l.statuses[answer.status]++
		l.waits = append(l.waits, now.Sub(asked))
		if answer.status >= 400 {
			l.refusals[answer.code()]++
		}
	}
	return l, nil
}

// sleep returns false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// say tells what a measurement saw, under a name that says how many asked.
func (b *bench) say(name string, l load) {
	for _, f := range []Figure{
		{name, "throughput", l.perSecond(), "/s"},
		{name, "p50", l.quantile(.5), "ms"},
		{name, "p95", l.quantile(.95), "ms"},
		{name, "p99", l.quantile(.99), "ms"},
	} {
		b.cfg.Say(f)
	}
	for _, code := range slices.Sorted(maps.Keys(l.refusals)) {
		b.cfg.Say(Figure{name, "refusals " + code, float64(l.refusals[code]) / l.took.Seconds(), "/s"})
	}
}

// middle makes a measurement as often as cfg says, together with another one if
// there is one, turn by turn, and returns the middle one of each by throughput.
// On a machine with neighbours, turns meet the same weather.
func (b *bench) middle(first, second func() (load, error)) (load, load, error) {
	var ones, twos []load
	for range b.cfg.Rounds {
		l, err := first()
		if err != nil {
			return load{}, load{}, err
		}
		ones = append(ones, l)
		if second == nil {
			continue
		}
		if l, err = second(); err != nil {
			return load{}, load{}, err
		}
		twos = append(twos, l)
	}
	return median(ones), median(twos), nil
}

func median(all []load) load {
	if len(all) == 0 {
		return load{}
	}
	slices.SortFunc(all, func(a, b load) int {
		switch {
		case a.perSecond() < b.perSecond():
			return -1
		case a.perSecond() > b.perSecond():
			return 1
		}
		return 0
	})
	return all[len(all)/2]
}

func (b *bench) targets() []string {
	all := make([]string, len(b.daemons))
	for i, d := range b.daemons {
		all[i] = d.address
	}
	return all
}

func named(s Scenario, clients int) string { return fmt.Sprintf("%s/%d", s, clients) }
