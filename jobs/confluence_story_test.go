package jobs_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"holdfast/inventory"
	"holdfast/inventory/payment/simulated"
)

// story is what happened at the provider about one booking, and what its pool
// does with late money. It is over before anybody hears of it.
type story struct {
	policy  inventory.LatePolicy
	room    bool // the place stays free once it has left; else somebody takes it at once
	ours    bool // the first payment is an attempt of ours; else the shop takes all the money
	charges []charge
}

// charge is one payment in the provider's ledger.
type charge struct {
	path  []simulated.State // the states it went through; none: the call never got there
	wrong bool              // its amount is not the booking's
	twin  bool              // made under the reference of the first, by a key used past its life

	// A refund made in the provider's dashboard, with the states it went through.
	back []simulated.State
	part bool // of part of the money
}

func (c charge) final() simulated.State {
	if len(c.path) == 0 {
		return ""
	}
	return c.path[len(c.path)-1]
}

func (c charge) captured() bool { return c.final() == simulated.StateSucceeded }

// fits reports whether the booking could stand on this money.
func (c charge) fits() bool { return c.captured() && !c.wrong }

// givenBack reports whether the refund made elsewhere was of all the money, and
// whether it lasts.
func (c charge) givenBack() (whole, lasts bool) {
	if len(c.back) == 0 {
		return false, false
	}
	return !c.part, c.back[len(c.back)-1] == simulated.StateSucceeded
}

// The phases in which a callback may arrive.
const (
	inTime     = iota // before the hold's end
	pastTheEnd        // after it, and before the sweep
	afterSweep        // and before anybody is asked
	afterDoubt        // after the provider was asked once
	veryLate          // after everything had come to rest
	phases
)

// telling is one way in which a story is heard: which callback arrives when,
// how often, and in which order.
type telling struct {
	story
	answered bool // what the provider said to our own call was written down
	heard    []hearing
}

// hearing is one arrival of one callback: step n of a charge's path, or, from
// len(path) on, of its refund.
type hearing struct{ charge, step, phase int }

func drawStory(t *rapid.T, label string) story {
	const pending, succeeded, failed, cancelled = simulated.StatePending, simulated.StateSucceeded, simulated.StateFailed, simulated.StateCancelled
	paths := [][]simulated.State{
		{succeeded},
		{pending, succeeded},
		{failed},
		{pending, failed},
		{pending, cancelled},
		{pending},
		{failed, succeeded},
		{pending, failed, succeeded}, // the buyer tried another card
	}
	backs := [][]simulated.State{{succeeded}, {pending, succeeded}, {failed}, {pending, failed}, {succeeded, failed}}

	s := story{
		policy: rapid.SampledFrom(inventory.LatePolicies).Draw(t, label+" policy"),
		ours:   rapid.Bool().Draw(t, label+" ours"),
		room:   rapid.Bool().Draw(t, label+" room"),
	}
	for i := range rapid.IntRange(1, 2).Draw(t, label+" charges") {
		name := fmt.Sprintf("%s charge %d", label, i)
		c := charge{
			path:  rapid.SampledFrom(paths).Draw(t, name),
			wrong: rapid.IntRange(0, 3).Draw(t, name+" wrong") == 3,
			twin:  i == 1 && s.ours && rapid.Bool().Draw(t, name+" twin"),
		}
		if i == 0 && s.ours && rapid.IntRange(0, 7).Draw(t, name+" lost") == 7 {
			c.path = nil
		}
		elsewhere := i > 0 && len(s.charges[0].back) > 0 // one refund made elsewhere is enough
		if c.captured() && !elsewhere && rapid.IntRange(0, 3).Draw(t, name+" refunded") == 3 {
			c.back = rapid.SampledFrom(backs).Draw(t, name+" refund")
			c.part = rapid.Bool().Draw(t, name+" part")
		}
		s.charges = append(s.charges, c)
	}
	if len(s.charges) == 2 && len(s.charges[0].path) == 0 {
		s.charges[1].twin = false
	}
	return s
}

// drawTelling draws how a story is heard. Providers repeat a callback until it
// is accepted, so every one arrives at least once; those of our own attempt may
// be lost all the same where a question brings to light what they say.
func drawTelling(t *rapid.T, s story, label string) telling {
	d := telling{story: s}
	twins := len(s.charges) == 2 && s.charges[1].twin
	for i, c := range s.charges {
		ours := s.ours && i == 0
		failedFirst := slices.Contains(c.path, simulated.StateFailed) && c.captured()
		for step := range len(c.path) + len(c.back) {
			least := 1
			if ours && !twins && !failedFirst && step < len(c.path) {
				least = 0
			}
			for range rapid.IntRange(least, 3).Draw(t, fmt.Sprintf("%s times %d.%d", label, i, step)) {
				d.heard = append(d.heard, hearing{i, step, rapid.IntRange(0, phases-1).Draw(t, label+" phase")})
			}
		}
		if ours && len(c.path) > 0 {
			d.answered = rapid.Bool().Draw(t, label+" answered")
		}
	}
	if len(d.heard) > 1 {
		d.heard = rapid.Permutation(d.heard).Draw(t, label+" order")
	}
	slices.SortStableFunc(d.heard, func(a, b hearing) int { return a.phase - b.phase })
	return d
}
