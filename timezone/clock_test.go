package timezone_test

import (
	"testing"
	"time"

	"holdfast/timezone"
)

func TestSystemClock_isUTC(t *testing.T) {
	t.Parallel()
	var clock timezone.Clock = timezone.SystemClock{}
	before := clock.Now()
	if before.Location() != time.UTC {
		t.Errorf("Now is in %v, want UTC", before.Location())
	}
	if real := time.Now(); real.Sub(before).Abs() > time.Minute {
		t.Errorf("Now = %v, the machine says %v", before, real)
	}
}

func TestFixedClock(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 12, 4, 12, 38, 7, 0, time.FixedZone("", 3600))
	got := timezone.FixedClock(at).Now()
	if !got.Equal(at) || got.Location() != time.UTC {
		t.Errorf("Now = %v, want %v in UTC", got, at)
	}
}

func TestManualClock(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 12, 4, 11, 38, 7, 0, time.UTC)
	clock := timezone.NewManualClock(start)
	if got := clock.Advance(90 * time.Second); !got.Equal(start.Add(90*time.Second)) || clock.Now() != got {
		t.Errorf("Advance = %v, Now = %v, want 90 s after %v", got, clock.Now(), start)
	}
	clock.Set(start)
	if clock.Now() != start {
		t.Errorf("Now = %v after Set, want %v", clock.Now(), start)
	}
}
