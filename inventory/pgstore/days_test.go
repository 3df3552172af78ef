package pgstore_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
)

var mira, jan = inventory.Staff("mira"), inventory.Staff("jan")

func set(n int) *inventory.Adjust { return &inventory.Adjust{N: n} }

// Case B31: the last of two edits must not silently win.
func TestSaveDays_B31_secondEditorIsTold(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	days := []date.Date{s.Day}
	first, err := s.Store.PlanDays(ctx, s.Pool.Ref, days, inventory.DayEdit{Capacity: set(20)})
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Store.PlanDays(ctx, s.Pool.Ref, days, inventory.DayEdit{OverbookLimit: set(5)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.SaveDays(ctx, mira, first, ""); err != nil {
		t.Fatal(err)
	}
	_, err = s.Store.SaveDays(ctx, jan, second, "")
	var moved *inventory.StaleDays
	if !errors.As(err, &moved) || !errors.Is(err, inventory.ErrStale) {
		t.Fatalf("SaveDays = %v, want *StaleDays", err)
	}
	if d := moved.Days[0]; d.Now.Capacity != 20 || d.Now.Version != d.Seen.Version+1 || d.Now.EditedBy != "staff:mira" {
		t.Errorf("told %+v", d)
	}
	if got := s.PoolDay(t); got.OverbookLimit != 2 {
		t.Errorf("overbook_limit = %d: the refused edit was saved", got.OverbookLimit)
	}
}

func TestSaveDays_salesNeverCollideWithEdits(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	plan, err := s.Store.PlanDays(t.Context(), s.Pool.Ref, []date.Date{s.Day}, inventory.DayEdit{Capacity: set(20)})
	if err != nil {
		t.Fatal(err)
	}
	s.Hold(t, "u-1", 1)
	if _, err := s.Store.SaveDays(t.Context(), mira, plan, ""); err != nil {
		t.Errorf("an edit collided with a sale: %v", err)
	}
}

func TestSaveDays_withoutChangesKeepsTheVersion(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	before := s.PoolDay(t)
	s.SetDay(t, inventory.DayEdit{Capacity: set(before.Capacity)})
	if after := s.PoolDay(t); after.Version != before.Version || countRows(t, s, "change_set") != 0 {
		t.Errorf("version %d -> %d, %d change sets", before.Version, after.Version, countRows(t, s, "change_set"))
	}
}

func TestSaveDays_allOrNothing(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	days := []date.Date{s.Day, s.Day.Add(1), s.Day.Add(2)}
	plan, err := s.Store.PlanDays(ctx, s.Pool.Ref, days, inventory.DayEdit{Capacity: set(50)})
	if err != nil {
		t.Fatal(err)
	}
	s.SetDay(t, inventory.DayEdit{Capacity: set(11)})
	if _, err := s.Store.SaveDays(ctx, jan, plan, ""); !errors.Is(err, inventory.ErrStale) {
		t.Fatalf("SaveDays = %v, want ErrStale", err)
	}
	got, err := s.Store.Days(ctx, s.Pool.Ref, inventory.DayRange{From: s.Day, To: s.Day.Add(2)})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{11, 10, 10} {
		if got[i].Capacity != want {
			t.Errorf("%s: capacity %d, want %d", got[i].Day, got[i].Capacity, want)
		}
	}
}

func TestUndoDays_putsBackOnce(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	s.SetDay(t, inventory.DayEdit{Capacity: set(50)})
	undo, err := s.Store.UndoDays(ctx, inventory.Staff("test"), 0, "")
	if err != nil || undo.Undoes == 0 || s.PoolDay(t).Capacity != 10 {
		t.Fatalf("UndoDays = %+v, %v; capacity %d", undo, err, s.PoolDay(t).Capacity)
	}
	if _, err := s.Store.UndoDays(ctx, inventory.Staff("test"), undo.Undoes, ""); !errors.Is(err, inventory.ErrNotAllowed) {
		t.Errorf("undone twice: %v, want ErrNotAllowed", err)
	}
	if _, err := s.Store.UndoDays(ctx, inventory.Staff("test"), 0, ""); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("nothing left to undo: %v, want ErrNotFound", err)
	}
}

func TestUndoDays_undoAfterUndoWalksBack(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	for _, n := range []int{20, 30} {
		s.SetDay(t, inventory.DayEdit{Capacity: set(n)})
	}
	for _, want := range []int{20, 10} {
		if _, err := s.Store.UndoDays(t.Context(), inventory.Staff("test"), 0, ""); err != nil {
			t.Fatal(err)
		}
		if got := s.PoolDay(t).Capacity; got != want {
			t.Errorf("capacity = %d, want %d", got, want)
		}
	}
}

func TestUndoDays_doesNotOverwriteANewerEdit(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	s.SetDay(t, inventory.DayEdit{Capacity: set(50)})
	plan, err := s.Store.PlanDays(t.Context(), s.Pool.Ref, []date.Date{s.Day}, inventory.DayEdit{Capacity: set(60)})
	if err == nil {
		_, err = s.Store.SaveDays(t.Context(), jan, plan, "stage moved")
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.UndoDays(t.Context(), inventory.Staff("test"), 0, ""); !errors.Is(err, inventory.ErrStale) {
		t.Errorf("UndoDays = %v, want ErrStale", err)
	}
	if got := s.PoolDay(t).Capacity; got != 60 {
		t.Errorf("capacity = %d, want jan's 60", got)
	}
}

func TestSaveDays_makesDaysBeyondTheHorizon(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	far := s.Day.Add(200)
	stop := false
	plan, err := s.Store.PlanDays(t.Context(), s.Pool.Ref, []date.Date{far}, inventory.DayEdit{Capacity: set(7), StopSell: &stop})
	if err != nil || !plan.Changes[0].Missing {
		t.Fatalf("plan = %+v, %v", plan, err)
	}
	if _, err := s.Store.SaveDays(t.Context(), mira, plan, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.UndoDays(t.Context(), mira, 0, ""); err != nil {
		t.Fatal(err)
	}
	got, err := s.Store.Days(t.Context(), s.Pool.Ref, inventory.DayRange{From: far, To: far})
	if err != nil || len(got) != 1 || !got[0].StopSell {
		t.Errorf("after undo: %+v, %v; want the day closed, not gone", got, err)
	}
}

// Case B27: capacity lowered below what is sold.
func TestSaveDays_B27_loweredBelowSold(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	s.Hold(t, "u-1", 9)
	s.SetDay(t, inventory.DayEdit{Capacity: set(5), OverbookLimit: set(0)})
	d := s.PoolDay(t)
	if d.Taken != 9 || d.Left() != 0 || d.Oversold() != 4 {
		t.Errorf("taken %d, left %d, oversold %d; want 9, 0, 4", d.Taken, d.Left(), d.Oversold())
	}
	if _, _, err := s.Store.PlaceHold(t.Context(), s.Request("u-2", 1)); !errors.Is(err, inventory.ErrSoldOut) {
		t.Errorf("PlaceHold = %v, want ErrSoldOut", err)
	}
	for _, bad := range []int{-1, 1_000_001} {
		plan, err := s.Store.PlanDays(t.Context(), s.Pool.Ref, []date.Date{s.Day}, inventory.DayEdit{Capacity: set(bad)})
		if err != nil || len(plan.Problems) != 1 || inventory.FieldErrors(plan.Problems[0])[0].Field != "capacity" {
			t.Errorf("capacity %d: %v, %v", bad, plan.Problems, err)
		}
	}
	s.SetDay(t, inventory.DayEdit{Capacity: set(0)})
}

// Case B27, the race: every commit respects one of the two limits.
func TestSaveDays_B27_loweredWhileHoldsArrive(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(10, 0))
	var wg sync.WaitGroup
	wg.Go(func() { s.SetDay(t, inventory.DayEdit{Capacity: set(5)}) })
	won := race(t, 20, func(i int) error {
		_, _, err := s.Store.PlaceHold(t.Context(), s.Request(fmt.Sprintf("u-%d", i), 1))
		return err
	}, inventory.ErrSoldOut)
	wg.Wait()
	if won < 5 || won > 10 || s.Taken(t) != won {
		t.Errorf("%d holds, taken %d; want 5 to 10, and equal", won, s.Taken(t))
	}
}

// Case B29: an oversold day blocks only itself.
func TestPlaceHold_B29_oversoldDayBlocksOnlyItself(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	s.Hold(t, "u-1", 8)
	s.SetDay(t, inventory.DayEdit{Capacity: set(5), OverbookLimit: set(0)})
	next := s.Request("u-2", 1)
	next.Day = next.Day.Add(1)
	if _, _, err := s.Store.PlaceHold(t.Context(), next); err != nil {
		t.Errorf("the day after: %v", err)
	}
	if _, _, err := s.Store.PlaceHold(t.Context(), s.Request("u-2", 1)); !errors.Is(err, inventory.ErrSoldOut) {
		t.Errorf("the oversold day: %v, want ErrSoldOut", err)
	}
}

func TestSetVenue_staleAndZone(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	moved := s.Venue
	moved.Zone = "America/New_York"
	after, err := s.Store.SetVenue(ctx, mira, moved, "typo")
	if err != nil || after.Version != s.Venue.Version+1 {
		t.Fatalf("SetVenue = %+v, %v", after, err)
	}
	zone, err := timezone.ParseZone("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	want, _ := timezone.DayStart(s.Day.Add(1), zone)
	if got := s.PoolDay(t).SalesUntil; !got.Equal(want) {
		t.Errorf("cut-off %s, want %s: the local day ends elsewhere now", got, want)
	}
	_, err = s.Store.SetVenue(ctx, jan, moved, "late")
	var stale *inventory.StaleError
	if !errors.As(err, &stale) || stale.By != "staff:mira" {
		t.Errorf("SetVenue = %v, want a StaleError by mira", err)
	}
	same, err := s.Store.SetVenue(ctx, jan, after, "nothing")
	if err != nil || same.Version != after.Version {
		t.Errorf("saving without changes: v%d, %v", same.Version, err)
	}
}

// Case B38, last part: a stored zone that is no longer known is flagged, and
// the other venues go on.
func TestExtendHorizon_B38_unknownStoredZoneIsNotGuessed(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	if _, err := s.DB.Pool.Exec(t.Context(), "UPDATE venue SET zone = 'Mars/Olympus' WHERE slug = 'harbour'"); err != nil {
		t.Fatal(err)
	}
	other := inventory.NewVenue("dock", "Dock", "Asia/Tokyo", "JPY")
	if _, err := s.Store.AddVenue(t.Context(), mira, other); err != nil {
		t.Fatal(err)
	}
	pool := s.Pool
	pool.Ref, pool.Price, pool.HorizonDays = inventory.PoolRef{Venue: "dock", Pool: "main"}, inventory.Money{Minor: 900, Currency: "JPY"}, 30
	if _, err := s.Store.AddPool(t.Context(), mira, pool); err != nil {
		t.Fatal(err)
	}
	made, err := s.Store.ExtendHorizon(t.Context(), 1000)
	if made != 30 || len(inventory.FieldErrors(err)) != 1 || inventory.FieldErrors(err)[0].Field != "zone" {
		t.Errorf("ExtendHorizon = %d, %v; want 30 days and a complaint about the zone", made, err)
	}
}

func TestExtendHorizon_followsTheVenuesLocalDate(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Zone("Pacific/Kiritimati")) // UTC+14: ahead of everybody
	zone, err := timezone.ParseZone("Pacific/Kiritimati")
	if err != nil {
		t.Fatal(err)
	}
	today := timezone.DayOf(s.Now(t), zone)
	days, err := s.Store.Days(t.Context(), s.Pool.Ref, inventory.DayRange{From: today.Add(-5), To: today.Add(60)})
	if err != nil || len(days) != 14 || days[0].Day != today {
		t.Errorf("%d days from %v, %v; want 14 from %s", len(days), days, err, today)
	}
	if made, err := s.Store.ExtendHorizon(t.Context(), 1000); err != nil || made != 0 {
		t.Errorf("again: %d, %v, want nothing to do", made, err)
	}
}
