package pgstore_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
)

// slotsOf writes the slots of the shop's day: "09+" is free, "09-" is not, "09*"
// is somebody's.
func slotsOf(t *testing.T, s pgtest.Studio, store *pgstore.Store) string {
	t.Helper()
	slots, err := store.Slots(t.Context(), s.Resource.Ref, s.Day)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, slot := range slots {
		mark := "-"
		if slot.Free {
			mark = "+"
		}
		if slot.Booking != (inventory.BookingID{}) {
			mark = "*"
			if slot.Free {
				t.Errorf("%v is free and somebody's", slot)
			}
		}
		words = append(words, timezone.WallTimeOf(slot.From, s.Zone).Time.String()[:2]+mark)
	}
	return strings.Join(words, " ")
}

func TestSlots_freeAndNot(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, nil)
	want := func(store *pgstore.Store, words string) {
		t.Helper()
		if got := slotsOf(t, s, store); got != words {
			t.Errorf("slots %s, want %s", got, words)
		}
	}
	want(s.Store, "09+ 10+ 11+ 12+ 13+ 14+ 15+ 16+")
	s.HoldRange(t, "u-1", "10:00", "12:00")
	want(s.Store, "09+ 10* 11* 12+ 13+ 14+ 15+ 16+")

	overdue := s.After(t, time.Hour)
	want(overdue, "09+ 10+ 11+ 12+ 13+ 14+ 15+ 16+")
	noon := s.Store.At(s.During(t, "11:30", "12:00").From)
	want(noon, "09- 10- 11- 12+ 13+ 14+ 15+ 16+")

	stop := true
	if _, err := s.Store.EditResource(t.Context(), mira, s.Resource.Ref, 0, inventory.ResourceEdit{StopSell: &stop}, ""); err != nil {
		t.Fatal(err)
	}
	want(s.Store, "09- 10* 11* 12- 13- 14- 15- 16-")
	if _, err := s.Store.EditResource(t.Context(), mira, s.Resource.Ref, 0, inventory.ResourceEdit{CloseDays: []date.Date{s.Day}}, ""); err != nil {
		t.Fatal(err)
	}
	want(s.Store, "")
}

// What is listed as free can be had, what is not cannot, with the turnaround on
// both sides of a booking.
func TestSlots_sayWhatAHoldWouldSay(t *testing.T) {
	t.Parallel()
	shop := pgtest.OpenShop(t)
	s := pgtest.StudioIn(t, shop, func(r *inventory.Resource) { r.Turnaround = 20 * time.Minute; r.Slot = 40 * time.Minute })
	s.HoldRange(t, "u-1", "11:00", "11:40")
	// A booking beside the grid, as one that was made before the grid was changed.
	if _, err := s.DB.Pool.Exec(t.Context(), `UPDATE booking SET during = tstzrange(lower(during) - interval '10 min', upper(during)), blocked = tstzrange(lower(blocked) - interval '10 min', upper(blocked) + interval '30 min'), version = version + 1`); err != nil {
		t.Fatal(err)
	}
	slots, err := s.Store.Slots(t.Context(), s.Resource.Ref, s.Day)
	if err != nil || len(slots) != 8 {
		t.Fatalf("%d slots, %v", len(slots), err)
	}
	taken := 0
	for i, slot := range slots {
		_, _, err := s.Store.HoldRange(t.Context(), inventory.RangeHoldRequest{Resource: s.Resource.Ref, During: slot.Range, Buyer: fmt.Sprint("s-", i), Actor: mira})
		if slot.Free != (err == nil) || err != nil && !errors.Is(err, inventory.ErrRangeTaken) {
			t.Errorf("%s is listed as free %t, and a hold says %v", slot.From.In(s.Zone.Location()), slot.Free, err)
		}
		if !slot.Free {
			taken++
		}
	}
	if taken != 3 {
		t.Errorf("%d slots are not free, want the booking's, and those before and behind it", taken)
	}
}

// Case B34 with the database's bookings: the first slot of each day around the
// clock changes, booked by a client elsewhere, is stored as it was listed.
func TestSlots_B34_bookedAsListed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, from, to string }{
		{"Europe/Berlin", "2027-03-26", "2027-04-01"}, {"Australia/Lord_Howe", "2027-04-03", "2027-04-05"},
	} {
		s := pgtest.OpenStudio(t, nil, pgtest.Zone(c.zone))
		for day := parsedDay(t, c.from); !day.After(parsedDay(t, c.to)); day = day.Add(1) {
			slots, err := s.Store.Slots(t.Context(), s.Resource.Ref, day)
			if err != nil || len(slots) != 8 {
				t.Fatalf("%s %s: %d slots, %v", c.zone, day, len(slots), err)
			}
			tokyo := slots[0].From.In(time.FixedZone("", 9*3600))
			b, _, err := s.Store.HoldRange(t.Context(), inventory.RangeHoldRequest{
				Resource: s.Resource.Ref, During: inventory.Range{From: tokyo, To: slots[0].To}, Buyer: "u-1", Actor: mira,
			})
			if err != nil || !b.During.From.Equal(slots[0].From) || b.LocalFrom.String() != day.String()+"T09:00" {
				t.Errorf("%s %s: held as %+v, %v", c.zone, day, b, err)
			}
		}
	}
}

func TestSlots_withoutAGrid(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, anyTime)
	if _, err := s.Store.Slots(t.Context(), s.Resource.Ref, s.Day); inventory.Code(err) != "INVALID" {
		t.Errorf("a resource without slots: %v", err)
	}
	none := inventory.ResourceRef{Venue: "harbour", Resource: "none"}
	if _, err := s.Store.Slots(t.Context(), none, s.Day); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("no such resource: %v", err)
	}
}

func TestResourceDays(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, func(r *inventory.Resource) {
		r.Slot, r.Week = 0, inventory.OpenEveryDay(timezone.Hours{Opens: timezone.NewTimeOfDay(18, 0), Closes: timezone.NewTimeOfDay(26, 0)})
	})
	other := s.Resource
	other.Ref.Resource, other.Name = "annex", "Annex"
	other.Week[(int(s.Day.Weekday())+6)%7] = timezone.Hours{}
	other.Week[(int(s.Day.Weekday())+5)%7] = timezone.Hours{}
	if _, err := s.Store.AddResource(t.Context(), mira, other); err != nil {
		t.Fatal(err)
	}
	during := s.During(t, "23:00", "23:30")
	night, _, err := s.Store.HoldRange(t.Context(), inventory.RangeHoldRequest{
		Resource: s.Resource.Ref, During: inventory.Range{From: during.From, To: during.To.Add(time.Hour)}, Buyer: "u-night", Actor: mira,
	})
	if err != nil {
		t.Fatal(err)
	}
	gone := s.HoldRange(t, "u-gone", "19:00", "20:00")
	if _, err := s.Store.ReleaseHold(t.Context(), gone.ID, 0, mira, ""); err != nil {
		t.Fatal(err)
	}
	for _, day := range []date.Date{s.Day, s.Day.Add(1)} {
		days, err := s.Store.ResourceDays(t.Context(), "harbour", day)
		if err != nil || len(days) != 2 || days[0].Resource.Name != "Annex" || days[1].Resource.Name != "Studio A" {
			t.Fatalf("%s: %+v, %v", day, days, err)
		}
		studio := days[1]
		if len(studio.Open) != 2 || studio.Day != day || studio.AsOf.IsZero() || len(studio.Bookings) != 1 || studio.Bookings[0].ID != night.ID {
			t.Errorf("%s: %+v", day, studio)
		}
		if annex := days[0]; day == s.Day && len(annex.Open) != 0 || len(annex.Bookings) != 0 {
			t.Errorf("%s: the annex is open at %v, with %v", day, annex.Open, annex.Bookings)
		}
	}
	if _, err := s.Store.ResourceDays(t.Context(), "nowhere", s.Day); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("no such venue: %v", err)
	}
	if _, err := s.DB.Pool.Exec(t.Context(), `UPDATE venue SET zone = 'Pacific/Apia'`); err != nil {
		t.Fatal(err)
	}
	days, err := s.Store.ResourceDays(t.Context(), "harbour", parsedDay(t, "2011-12-30"))
	if err != nil || len(days) != 2 || len(days[0].Open)+len(days[1].Open)+len(days[0].Bookings)+len(days[1].Bookings) != 0 {
		t.Errorf("a day that never was: %+v, %v", days, err)
	}
}
