package inventory_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/rickb777/date"
	"pgregory.net/rapid"

	"holdfast/inventory"
)

var midday = time.Date(2026, 12, 4, 12, 0, 0, 0, time.UTC)

func pulse(instance string, ago time.Duration, placed int) inventory.Pulse {
	return inventory.Pulse{Instance: instance, At: midday.Add(-ago), Span: 2 * time.Second, Placed: placed}
}

func TestPaceOf(t *testing.T) {
	t.Parallel()
	pulses := []inventory.Pulse{
		pulse("a", time.Minute, 9999), // long ago
		pulse("a", 5*time.Second, 100), pulse("a", 3*time.Second, 200), pulse("b", 2*time.Second, 7777), pulse("a", time.Second, 300),
	}
	pulses[1].Refused = map[string]int{"SOLD_OUT": 12, "BUSY": 60}
	pulses[1].P99, pulses[2].P99 = time.Second, 2*time.Second
	pulses[4].Queue, pulses[1].Queue = 3, 99
	pulses[2].BatchMean, pulses[2].BatchMax = 8, 64
	p := inventory.PaceOf(pulses, "a", midday)
	if p.Second != 100 || p.P99 != 2*time.Second || p.Queue != 3 || p.BatchMean != 8 || p.BatchMax != 64 || !p.Last.Equal(midday.Add(-time.Second)) {
		t.Errorf("pace = %+v", p)
	}
	if len(p.Refused) != 2 || p.Refused[0] != (inventory.Refusals{Code: "BUSY", Second: 10}) || p.RefusedSecond() != 12 {
		t.Errorf("refused = %+v", p.Refused)
	}
	later := inventory.PaceOf(pulses, "a", midday.Add(time.Minute))
	if later.Second != 0 || later.P99 != 0 || !later.Last.Equal(p.Last) {
		t.Errorf("a minute later: %+v, want nothing but when it was", later)
	}
	both := inventory.Together([]inventory.Pace{p, inventory.PaceOf(pulses, "b", midday)})
	if math.Abs(both.Second-(100+7777.0/2)) > 1e-9 || both.P99 != 2*time.Second || both.Queue != 3 || both.RefusedSecond() != 12 {
		t.Errorf("together = %+v", both)
	}
	if got := strings.Join(inventory.Instances(pulses), " "); got != "a b" {
		t.Errorf("instances %q", got)
	}
}

func TestPaceLine(t *testing.T) {
	t.Parallel()
	now := midday.Add(3 * time.Second) // the step that ended at noon is told of for sure
	pulses := []inventory.Pulse{
		{At: midday.Add(-4 * time.Second), Span: 2 * time.Second, Placed: 20},   // half of it in the step before
		{At: midday.Add(-1 * time.Second), Span: 2 * time.Second, Placed: 10},   // within the last
		{At: midday.Add(2 * time.Second), Span: 2 * time.Second, Placed: 70},    // not shown yet
		{At: midday.Add(-16 * time.Second), Span: 2 * time.Second, Placed: 500}, // too old
	}
	line := inventory.PaceLine(pulses, now, 5*time.Second, 3)
	want := []float64{0, 2, 4}
	for i := range want {
		if len(line) != 3 || math.Abs(line[i]-want[i]) > 1e-9 {
			t.Fatalf("line = %v, want %v", line, want)
		}
	}
	// A moment later within the same step nothing has moved.
	for i, x := range inventory.PaceLine(pulses, now.Add(4*time.Second), 5*time.Second, 3) {
		if x != line[i] {
			t.Errorf("step %d became %v", i, x)
		}
	}
	if inventory.PaceLine(pulses, now, 0, 3) != nil || inventory.PaceLine(pulses, now, time.Second, 0) != nil {
		t.Error("a line of nothing")
	}
}

// Whatever daemons write: nothing is counted twice, nothing comes from nowhere.
func TestPaceLine_addsUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var pulses []inventory.Pulse
		total := 0.0
		for range rapid.IntRange(0, 20).Draw(rt, "pulses") {
			span := time.Duration(rapid.Int64Range(1, int64(20*time.Second)).Draw(rt, "span"))
			ago := time.Duration(rapid.Int64Range(int64(10*time.Second), int64(30*time.Second)).Draw(rt, "ago"))
			placed := rapid.IntRange(0, 1<<30).Draw(rt, "placed")
			pulses = append(pulses, inventory.Pulse{At: midday.Add(-ago), Span: span, Placed: placed})
			total += float64(placed)
		}
		step := time.Duration(rapid.Int64Range(int64(time.Second), int64(7*time.Second)).Draw(rt, "step"))
		n := int(2*time.Minute/step) + 1
		sum := 0.0
		for _, x := range inventory.PaceLine(pulses, midday, step, n) {
			if x < 0 || math.IsNaN(x) {
				rt.Fatalf("a step of %v", x)
			}
			sum += x * step.Seconds()
		}
		if math.Abs(sum-total) > 1e-6*max(1, total) {
			rt.Fatalf("the line adds up to %v, want %v", sum, total)
		}
	})
}

func TestHoldScope_validate(t *testing.T) {
	t.Parallel()
	day := inventory.HoldScope{Pool: inventory.PoolRef{Venue: "harbour", Pool: "main"}, Day: date.New(2026, time.December, 4)}
	event := inventory.HoldScope{Event: inventory.EventRef{Venue: "harbour", Event: "gala"}}
	both := day
	both.Event = event.Event
	for name, tc := range map[string]struct {
		scope inventory.HoldScope
		ok    bool
	}{
		"day": {day, true}, "event": {event, true}, "both": {both, false}, "none": {inventory.HoldScope{}, false},
		"noDay": {inventory.HoldScope{Pool: day.Pool}, false},
	} {
		if err := tc.scope.Validate(); (err == nil) != tc.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
