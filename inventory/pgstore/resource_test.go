package pgstore_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
)

func hours(t *testing.T, text string) timezone.Hours {
	t.Helper()
	h, err := timezone.ParseHours(text)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func parsedDay(t *testing.T, text string) date.Date {
	t.Helper()
	d, err := timezone.ParseDay(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestAddResource_isReadBackAsAdded(t *testing.T) {
	t.Parallel()
	shop := pgtest.OpenShop(t)
	week := inventory.OpenEveryDay(hours(t, "18:00-02:00"))
	week[2], week[6] = timezone.Hours{}, hours(t, "00:00-24:00")
	week[5] = hours(t, "09:00-24:00")
	closed := []date.Date{shop.Day.Add(3), shop.Day.Add(9)}
	s := pgtest.StudioIn(t, shop, func(r *inventory.Resource) {
		r.Name, r.Week, r.ClosedDays = "Студия №1 🎹", week, closed
		r.Slot, r.Turnaround, r.MinStay, r.MaxStay = 24*time.Hour, 24*time.Hour, 0, 366*24*time.Hour
	})
	for name, read := range map[string]func() (inventory.Resource, error){
		"added":  func() (inventory.Resource, error) { return s.Resource, nil },
		"read":   func() (inventory.Resource, error) { return s.Store.Resource(t.Context(), s.Resource.Ref) },
		"listed": func() (inventory.Resource, error) { return only(s.Store.Resources(t.Context(), "harbour")) },
		"of all": func() (inventory.Resource, error) { return only(s.Store.Resources(t.Context(), "")) },
	} {
		r, err := read()
		if err != nil || r.Name != "Студия №1 🎹" || r.Week != week || !slices.Equal(r.ClosedDays, closed) || r.Version != 1 || r.Zone != "Europe/Berlin" ||
			r.VenueID != shop.Venue.ID || r.Slot != 24*time.Hour || r.Turnaround != 24*time.Hour || r.MinStay != inventory.DefaultMinStay ||
			r.MaxStay != 366*24*time.Hour || r.PricePerHour != (inventory.Money{Minor: 2000, Currency: "EUR"}) || r.StopSell {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

func only[T any](list []T, err error) (T, error) {
	var zero T
	if err == nil && len(list) != 1 {
		err = errors.New("not one")
	}
	if err != nil {
		return zero, err
	}
	return list[0], nil
}

func TestAddResource_refusals(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, nil)
	for _, c := range []struct {
		name  string
		spoil func(*inventory.Resource)
		want  string
	}{
		{"taken slug", func(*inventory.Resource) {}, "ALREADY_EXISTS"},
		{"no such venue", func(r *inventory.Resource) { r.Ref.Venue = "nowhere" }, "NOT_FOUND"},
		{"another currency", func(r *inventory.Resource) { r.PricePerHour.Currency = "JPY" }, "INVALID"},
		{"slug that is none", func(r *inventory.Resource) { r.Ref.Resource = "Studio A" }, "INVALID"},
		{"closed day out of bounds", func(r *inventory.Resource) { r.ClosedDays = []date.Date{date.New(2200, 1, 1)} }, "INVALID"},
	} {
		r := s.Resource
		c.spoil(&r)
		if _, err := s.Store.AddResource(t.Context(), mira, r); inventory.Code(err) != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if n := countRows(t, s.Shop, "resource"); n != 1 {
		t.Errorf("%d resources: a refused one was stored", n)
	}
	if _, err := s.Store.Resource(t.Context(), inventory.ResourceRef{Venue: "harbour", Resource: "none"}); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("no such resource: %v", err)
	}
}

// Case B31 for resources: the second editor is told who was first, and saving
// what stands already makes no version.
func TestEditResource_staleAndUnchanged(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, nil)
	ctx, ref := t.Context(), s.Resource.Ref
	week := s.Resource.Week
	week[0], week[1] = timezone.Hours{}, hours(t, "10:00-18:00")
	name, turnaround, day := "Studio B", 15*time.Minute, s.Day
	edit := inventory.ResourceEdit{Name: &name, Week: &week, Turnaround: &turnaround, CloseDays: []date.Date{day}}
	after, err := s.Store.EditResource(ctx, mira, ref, 1, edit, "repairs")
	if err != nil || after.Version != 2 || after.Name != name || after.Week != week || after.Turnaround != turnaround || !slices.Equal(after.ClosedDays, []date.Date{day}) {
		t.Fatalf("EditResource = %+v, %v", after, err)
	}
	_, err = s.Store.EditResource(ctx, jan, ref, 1, inventory.ResourceEdit{CloseDays: []date.Date{day.Add(1)}}, "")
	var stale *inventory.StaleError
	if !errors.As(err, &stale) || stale.Current != 2 || stale.By != "staff:mira" {
		t.Errorf("the second editor: %v", err)
	}
	same, err := s.Store.EditResource(ctx, jan, ref, 2, edit, "again")
	if err != nil || same.Version != 2 {
		t.Errorf("saving what stands: v%d, %v", same.Version, err)
	}
	opened, err := s.Store.EditResource(ctx, jan, ref, 0, inventory.ResourceEdit{OpenDays: []date.Date{day, day.Add(1)}}, "")
	if err != nil || opened.Version != 3 || len(opened.ClosedDays) != 0 {
		t.Errorf("opening days: %+v, %v", opened, err)
	}
	short := 30 * time.Minute
	for _, bad := range []inventory.ResourceEdit{
		{MaxStay: &short}, // shorter than a slot
		{CloseDays: []date.Date{day}, OpenDays: []date.Date{day}},
		{Name: new(string)},
	} {
		if _, err := s.Store.EditResource(ctx, jan, ref, 0, bad, ""); inventory.Code(err) != "INVALID" {
			t.Errorf("%+v: %v, want INVALID", bad, err)
		}
	}
	stored, err := s.Store.Resource(ctx, ref)
	if err != nil || stored.Version != 3 {
		t.Errorf("a refused edit left v%d, %v", stored.Version, err)
	}
}

// Everything that staff change of a resource is in the audit, in the words that
// a search begins with.
func TestEditResource_isAudited(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, nil)
	week := s.Resource.Week
	week[0], week[1] = timezone.Hours{}, hours(t, "10:00-18:00")
	if _, err := s.Store.EditResource(t.Context(), mira, s.Resource.Ref, 1, inventory.ResourceEdit{Week: &week, CloseDays: []date.Date{s.Day}}, "repairs"); err != nil {
		t.Fatal(err)
	}
	rows, err := s.Store.Audit(t.Context(), inventory.AuditFilter{Who: "mira", Subject: "resource harbour/studio-a"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range rows {
		got = append(got, a.Action+" "+a.Subject)
		if a.Reason != "repairs" {
			t.Errorf("%s without its reason: %q", a.Action, a.Reason)
		}
	}
	slices.Sort(got)
	want := []string{
		"resource.update resource harbour/studio-a",
		"resource_closed_day.insert resource harbour/studio-a closed " + s.Day.String(),
		"resource_hours.delete resource harbour/studio-a hours",
		"resource_hours.update resource harbour/studio-a hours",
	}
	if !slices.Equal(got, want) {
		t.Errorf("audit %q, want %q", got, want)
	}
}

// Closed days that are over are not shown, but the venue's yesterday is: its
// hours may reach into today. Where the zone is unknown, nothing is guessed.
func TestResource_forgetsClosedDaysThatAreOver(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, nil, pgtest.Zone("Pacific/Kiritimati"))
	today := timezone.DayOf(s.Now(t), s.Zone)
	for back := range 4 {
		edit := inventory.ResourceEdit{CloseDays: []date.Date{today.Add(-periodOfDays(back))}}
		if _, err := s.Store.EditResource(t.Context(), mira, s.Resource.Ref, 0, edit, ""); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Store.Resource(t.Context(), s.Resource.Ref)
	if err != nil || !slices.Equal(r.ClosedDays, []date.Date{today.Add(-1), today}) {
		t.Errorf("closed days %v, %v", r.ClosedDays, err)
	}
	listed, err := only(s.Store.Resources(t.Context(), "harbour"))
	if err != nil || !slices.Equal(listed.ClosedDays, []date.Date{today.Add(-1), today}) {
		t.Errorf("listed with closed days %v, %v", listed.ClosedDays, err)
	}
	if _, err := s.DB.Pool.Exec(t.Context(), `UPDATE venue SET zone = 'Mars/Base'`); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Store.Resource(t.Context(), s.Resource.Ref); err != nil || len(r.ClosedDays) < 3 {
		t.Errorf("in an unknown zone: %v, %v", r.ClosedDays, err)
	}
	if _, err := s.Store.Slots(t.Context(), s.Resource.Ref, s.Day); inventory.Code(err) != "INVALID" || !strings.Contains(err.Error(), "Mars/Base") {
		t.Errorf("slots in an unknown zone: %v", err)
	}
}
