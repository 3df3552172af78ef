package pgstore_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

func TestImportSeats_fromAFileInItsOrder(t *testing.T) {
	t.Parallel()
	h := pgtest.HallIn(t, pgtest.OpenShop(t), pgtest.Rows("PARKETT", "CAT 1", 5000, 2, "A"))
	// Neither rows nor numbers come in their own order: the file's is the hall's.
	seats, err := inventory.ParseSeats(strings.NewReader("price,number,row,section,category\n"+
		"12.50,9,ZZ,RANG,CAT 2\n30,2,B,PARKETT,CAT 1\n0,1,B,PARKETT,CAT 3\n12.50,8,ZZ,RANG,CAT 2\n"), "EUR")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := h.Store.ImportSeats(t.Context(), inventory.Staff("mira"), h.Event.Ref, seats); err != nil || n != 4 {
		t.Fatalf("imported %d, %v", n, err)
	}
	m, err := h.Store.SeatMap(t.Context(), h.Event.ID)
	if err != nil || m.Event.Seats.Available != 6 || m.Event.Version != h.Event.Version {
		t.Fatalf("%+v, %v", m.Event, err)
	}
	got := m.Seats[2:] // behind those that were there
	for i := range got {
		want := seats[i]
		want.ID, want.Version = got[i].ID, 1
		if got[i] != want || got[i].ID <= m.Seats[i+1].ID {
			t.Errorf("seat %d is %+v, want %+v", i, got[i], want)
		}
	}
	entries, err := h.Store.Audit(t.Context(), inventory.AuditFilter{Subject: "event harbour/gala seats"})
	if err != nil || len(entries) != 2 || entries[0].Action != "seat.import" || entries[0].Actor != "staff:mira" ||
		!strings.Contains(string(entries[0].After), `"seats": 4`) {
		t.Errorf("an import is one row of the audit: %+v, %v", entries, err)
	}
}

func TestImportSeats_allOrNone(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	known := pgtest.Rows("PARKETT", "CAT 1", 5000, 10, "D", "B", "A") // row D is new
	for _, c := range []struct {
		name, ref string
		seats     []inventory.Seat
		code, in  string
	}{
		{"seats that are there: the first in the file's order is named", "gala", known, "ALREADY_EXISTS", "seat PARKETT B-01: exists already"},
		{"a seat twice", "gala", append(pgtest.Rows("X", "C", 1, 2, "A"), pgtest.Rows("X", "C", 1, 1, "A")...), "INVALID", "seat 3: is the same seat as seat 1"},
		{"no seats", "gala", nil, "INVALID", "seats: is missing"},
		{"no such event", "none", known, "NOT_FOUND", ""},
		{"another currency", "gala", []inventory.Seat{{Section: "X", Row: "A", Number: 1, Category: "C", Price: inventory.Money{Minor: 1, Currency: "USD"}}}, "INVALID", "seat 1 price: must be in the venue's currency, EUR"},
		{"words that are none", "gala", []inventory.Seat{{Section: "X\x1b[2J", Row: "A", Number: 10_000, Category: "", Price: inventory.Money{Minor: -1, Currency: "EUR"}}}, "INVALID", "seat 1 category: is missing"},
		{"more than an event may have", "gala", make([]inventory.Seat, inventory.MaxSeatsPerEvent+1), "INVALID", "seats: must be at most 100000"},
	} {
		n, err := h.Store.ImportSeats(t.Context(), inventory.Staff("mira"), inventory.EventRef{Venue: "harbour", Event: c.ref}, c.seats)
		if n != 0 || inventory.Code(err) != c.code || c.in != "" && !strings.Contains(inventory.Message(err), c.in) {
			t.Errorf("%s: imported %d, %s %q, want %s %q", c.name, n, inventory.Code(err), inventory.Message(err), c.code, c.in)
		}
	}
	if e, err := h.Store.Event(t.Context(), h.Event.Ref); err != nil || e.Seats.Total() != 30 {
		t.Errorf("%d seats after refused imports, %v", e.Seats.Total(), err)
	}
}

func TestImportSeats_hostileNames(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	var seats []inventory.Seat
	for i, name := range hostileNames {
		seats = append(seats, inventory.Seat{
			Section: name, Row: hostileNames[len(hostileNames)-1-i], Number: 7, Category: name,
			State: inventory.SeatAvailable, Price: inventory.Money{Minor: 100, Currency: "EUR"},
		})
	}
	if _, err := h.Store.ImportSeats(t.Context(), inventory.Staff("mira"), h.Event.Ref, seats); err != nil {
		t.Fatal(err)
	}
	for _, want := range seats {
		found, err := h.Store.SeatsByName(t.Context(), h.Event.ID, []string{want.Name()})
		if err != nil || found[0].Section != want.Section || found[0].Row != want.Row || found[0].Category != want.Category {
			t.Errorf("%q: %+v, %v", want.Name(), found, err)
			continue
		}
		// The name is the subject of the audit, whatever is in it.
		if _, err := h.Store.KillSeats(t.Context(), inventory.Staff("mira"), h.Event.ID, []inventory.SeatID{found[0].ID}, want.Section); err != nil {
			t.Errorf("kill %q: %v", want.Name(), err)
		}
		entries, err := h.Store.Audit(t.Context(), inventory.AuditFilter{Subject: "seat harbour/gala " + want.Name()})
		if err != nil || len(entries) != 1 || entries[0].Reason != want.Section {
			t.Errorf("audit of %q: %+v, %v", want.Name(), entries, err)
		}
	}
	if err := second(h.Store.ImportSeats(t.Context(), inventory.Staff("mira"), h.Event.Ref, seats)); !errors.Is(err, inventory.ErrAlreadyExists) {
		t.Errorf("a second time: %v", err)
	}
}

// Two people import the same file at once: one does, one is told.
func TestImportSeats_atOnce(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	seats := pgtest.Rows("RANG", "CAT 2", 3000, 20, "A", "B")
	won := race(t, 4, func(int) error {
		return second(h.Store.ImportSeats(t.Context(), inventory.Staff("mira"), h.Event.Ref, seats))
	}, inventory.ErrAlreadyExists)
	if e, err := h.Store.Event(t.Context(), h.Event.Ref); won != 1 || err != nil || e.Seats.Total() != 70 {
		t.Errorf("%d imports were done, %d seats, %v", won, e.Seats.Total(), err)
	}
}

// tenThousand is a hall of 100 rows of 100 seats.
func tenThousand() []inventory.Seat {
	rows := make([]string, 100)
	for i := range rows {
		rows[i] = fmt.Sprint("R", i)
	}
	return pgtest.Rows("PARKETT", "CAT 1", 5000, 100, rows...)
}

// The import of 10,000 seats takes under 2 s, and their map tens of
// milliseconds. Measured up to three times, since other tests run beside it.
func TestImportSeats_tenThousandUnder2s(t *testing.T) {
	t.Parallel()
	h := pgtest.HallIn(t, pgtest.OpenShop(t), pgtest.Rows("LOGE", "CAT 0", 9000, 1, "A"))
	seats := tenThousand()
	for try := 1; ; try++ {
		for i := range seats {
			seats[i].Section = fmt.Sprint("PARKETT ", try)
		}
		began := time.Now()
		if _, err := h.Store.ImportSeats(t.Context(), inventory.Staff("mira"), h.Event.Ref, seats); err != nil {
			t.Fatal(err)
		}
		imported := time.Since(began)
		began = time.Now()
		m, err := h.Store.SeatMap(t.Context(), h.Event.ID)
		read := time.Since(began)
		if err != nil || len(m.Seats) != 10_000*try+1 || !slices.IsSortedFunc(m.Seats, func(a, b inventory.Seat) int { return int(a.ID - b.ID) }) {
			t.Fatalf("%d seats, %v", len(m.Seats), err)
		}
		t.Logf("10,000 seats imported in %s, %d read in %s", imported, len(m.Seats), read)
		if imported < 2*time.Second && read < time.Second {
			return
		}
		if try == 3 {
			t.Fatalf("the import took %s, the map %s", imported, read)
		}
	}
}

func TestImportSeats_notBeyondTheMostThereCanBe(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	most := make([]inventory.Seat, 0, inventory.MaxSeatsPerEvent)
	for n := range inventory.MaxSeatsPerEvent / 10_000 {
		for _, s := range tenThousand() {
			s.Section = fmt.Sprint("RANG ", n)
			most = append(most, s)
		}
	}
	err := second(h.Store.ImportSeats(t.Context(), inventory.Staff("mira"), h.Event.Ref, most))
	if want := "seats: the event has 30 seats: 100000 more would pass the most there can be, 100000"; err == nil || inventory.Message(err) != want {
		t.Errorf("thirty seats too many: %v", err)
	}
}
