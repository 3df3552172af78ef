package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"holdfast/inventory"
)

const bookingPath = "/bookings/01a22cee-a1aa-77ce-9da2-683d6a9405e9"

// kept is a double that has one booking of each kind, by who asks.
func kept(t *testing.T, kind inventory.ClaimKind) *double {
	t.Helper()
	d := &double{ofEvents: ofEvents{zone: "Europe/Berlin"}}
	d.booking = func(id inventory.BookingID) (inventory.Booking, error) {
		b := inventory.Booking{ID: id, Kind: kind, Buyer: "u-1", State: inventory.StateHeld, Version: 3, Quantity: 1, Zone: "Europe/Berlin"}
		switch kind {
		case inventory.ClaimPool:
			b.Pool = inventory.PoolRef{Venue: "harbour", Pool: "main"}
		case inventory.ClaimSeats:
			b.EventID = eventID(t, eventText)
		case inventory.ClaimRange:
			b.Resource = inventory.ResourceRef{Venue: "harbour", Resource: "studio-a"}
		}
		return b, nil
	}
	return d
}

// What is asked reaches the store with the version that was seen, and never
// with a price that stays.
func TestMoveBooking(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind inventory.ClaimKind
		body string
		want string
	}{
		"day":      {inventory.ClaimPool, `{"day":"2027-01-16"}`, "day 2027-01-16"},
		"quantity": {inventory.ClaimPool, `{"quantity":3}`, "quantity 3"},
		"both":     {inventory.ClaimPool, `{"quantity":3,"day":"2027-01-16","seats":null}`, "day 2027-01-16 quantity 3"},
		"seats":    {inventory.ClaimSeats, `{"seats":["12","11"]}`, "seats [12 11]"},
		"range":    {inventory.ClaimRange, `{"from":"2027-01-15T10:00","to":"2027-01-15T12:30"}`, "2027-01-15T09:00:00Z 2027-01-15T11:30:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := kept(t, c.kind)
			var asked inventory.MoveRequest
			d.move = func(r inventory.MoveRequest) (inventory.Booking, error) {
				asked = r
				b, err := d.booking(r.ID)
				b.Version = 4
				return b, err
			}
			r := noAuth(t, d).send(t, http.MethodPatch, bookingPath, c.body, "If-Match", `"3"`)
			if r.status != http.StatusOK || r.header.Get("ETag") != `"4"` || r.body["version"] != 4.0 {
				t.Fatalf("= %d %s, ETag %s", r.status, r.text, r.header.Get("ETag"))
			}
			var got []string
			if asked.Day != nil {
				got = append(got, "day "+asked.Day.String())
			}
			if asked.Quantity != nil {
				got = append(got, fmt.Sprintf("quantity %d", *asked.Quantity))
			}
			if asked.Seats != nil {
				got = append(got, fmt.Sprintf("seats %v", asked.Seats))
			}
			if asked.During != nil {
				got = append(got, asked.During.From.UTC().Format("2006-01-02T15:04:05Z"), asked.During.To.UTC().Format("2006-01-02T15:04:05Z"))
			}
			if strings.Join(got, " ") != c.want || asked.Version != 3 || asked.KeepAmount || asked.Resource != nil || asked.Actor.Kind != inventory.ActorClient {
				t.Errorf("asks for %s in %+v, want %s", got, asked, c.want)
			}
		})
	}
}

func TestMoveBooking_badInput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind   inventory.ClaimKind
		body   string
		fields []string
	}{
		"nothing":             {inventory.ClaimPool, `{}`, []string{"day"}},
		"onlyNulls":           {inventory.ClaimPool, `{"day":null,"seats":null}`, []string{"day"}},
		"unknown":             {inventory.ClaimPool, `{"buyer":"u-2"}`, []string{"buyer"}},
		"amountFromOutside":   {inventory.ClaimPool, `{"day":"2027-01-16","keepAmount":true}`, []string{"keepAmount"}},
		"resource":            {inventory.ClaimRange, `{"resource":"harbour/studio-b"}`, []string{"resource"}},
		"dayDoesNotExist":     {inventory.ClaimPool, `{"day":"2026-02-30"}`, []string{"day"}},
		"dayEmpty":            {inventory.ClaimPool, `{"day":""}`, []string{"day"}},
		"quantity0":           {inventory.ClaimPool, `{"quantity":0}`, []string{"quantity"}},
		"quantityHuge":        {inventory.ClaimPool, `{"quantity":2147483648}`, []string{"quantity"}},
		"seatsOfAPool":        {inventory.ClaimPool, `{"seats":["1"]}`, []string{"seats"}},
		"rangeOfAPool":        {inventory.ClaimPool, `{"from":"2027-01-15T10:00","to":"2027-01-15T12:30"}`, []string{"from", "to"}},
		"toOfAPool":           {inventory.ClaimPool, `{"to":"2027-01-15T12:30"}`, []string{"to"}},
		"dayOfSeats":          {inventory.ClaimSeats, `{"day":"2027-01-16","quantity":2}`, []string{"day", "quantity"}},
		"seatsEmpty":          {inventory.ClaimSeats, `{"seats":[]}`, []string{"seats"}},
		"seats51":             {inventory.ClaimSeats, `{"seats":` + seatNumbers(51) + `}`, []string{"seats"}},
		"seatTwice":           {inventory.ClaimSeats, `{"seats":["1","1"]}`, []string{"seats"}},
		"seatIsNoID":          {inventory.ClaimSeats, `{"seats":["1","x"]}`, []string{"seats"}},
		"seatsOfARange":       {inventory.ClaimRange, `{"seats":["1"]}`, []string{"seats"}},
		"fromWithoutTo":       {inventory.ClaimRange, `{"from":"2027-01-15T10:00"}`, []string{"to"}},
		"toWithoutFrom":       {inventory.ClaimRange, `{"to":"2027-01-15T10:00"}`, []string{"from"}},
		"toBeforeFrom":        {inventory.ClaimRange, `{"from":"2027-01-15T10:00","to":"2027-01-15T09:00"}`, []string{"to"}},
		"fromDoesNotExist":    {inventory.ClaimRange, `{"from":"2026-02-30T10:00","to":"2027-01-15T09:00"}`, []string{"from"}},
		"fromIsSkipped":       {inventory.ClaimRange, `{"from":"2027-03-28T02:30","to":"2027-03-28T09:00"}`, []string{"from"}},
		"quantityIsFractured": {inventory.ClaimPool, `{"quantity":1.5}`, []string{"quantity"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := kept(t, c.kind)
			r := noAuth(t, d).send(t, http.MethodPatch, bookingPath, c.body, "If-Match", `"3"`)
			code := "INVALID"
			if name == "fromIsSkipped" {
				code = "LOCAL_TIME_MISSING"
			}
			if r.status != http.StatusUnprocessableEntity || r.code() != code || !slices.Equal(r.fields(), c.fields) || d.calls.Load() != 0 {
				t.Errorf("= %d %s, want %s about %q", r.status, r.text, code, c.fields)
			}
		})
	}
}

// Without a version nothing is changed; with an old one the caller is shown
// the booking as it stands, and not who changed it.
func TestMoveBooking_versions(t *testing.T) {
	t.Parallel()
	d := kept(t, inventory.ClaimPool)
	fails := error(nil)
	d.move = func(inventory.MoveRequest) (inventory.Booking, error) { return inventory.Booking{}, fails }
	l := noAuth(t, d)
	const body = `{"quantity":2}`
	if r := l.send(t, http.MethodPatch, bookingPath, body); r.status != http.StatusPreconditionRequired || r.code() != "IF_MATCH_MISSING" {
		t.Errorf("without If-Match = %d %s", r.status, r.text)
	}
	for _, tag := range []string{"3", "*", `W/"3"`, `"0"`, `"3", "4"`} {
		if r := l.send(t, http.MethodPatch, bookingPath, body, "If-Match", tag); r.status != 422 || !slices.Equal(r.fields(), []string{"If-Match"}) {
			t.Errorf("If-Match: %s = %d %s", tag, r.status, r.text)
		}
	}
	if n := d.calls.Load(); n != 0 {
		t.Errorf("the store was asked %d times", n)
	}
	fails = &inventory.StaleError{Object: "booking", Seen: 2, Current: 3, By: "mira"}
	r := l.send(t, http.MethodPatch, bookingPath, body, "If-Match", `"2"`)
	current, _ := r.body["booking"].(map[string]any)
	if r.status != http.StatusPreconditionFailed || r.code() != "VERSION_CONFLICT" || current["version"] != 3.0 || r.header.Get("ETag") != `"3"` ||
		strings.Contains(r.text, "mira") {
		t.Errorf("an old version = %d %s", r.status, r.text)
	}
	fails = inventory.ErrPriceChanges
	if r := l.send(t, http.MethodPatch, bookingPath, body, "If-Match", `"3"`); r.status != http.StatusConflict || r.code() != "PRICE_CHANGES" {
		t.Errorf("another price = %d %s", r.status, r.text)
	}
	fails = inventory.ErrUnknownOutcome
	if r := l.send(t, http.MethodPatch, bookingPath, body, "If-Match", `"3"`); r.status != http.StatusGatewayTimeout || strings.Contains(r.text, "Idempotency-Key") {
		t.Errorf("an unknown outcome = %d %s: there is no key to repeat", r.status, r.text)
	}
	d.booking = func(id inventory.BookingID) (inventory.Booking, error) {
		return inventory.Booking{ID: id, ClientID: 7, Kind: inventory.ClaimPool, Version: 3}, nil
	}
	if r := l.send(t, http.MethodPatch, bookingPath, body, "If-Match", `"3"`); r.status != http.StatusNotFound {
		t.Errorf("another client's booking = %d %s", r.status, r.text)
	}
}

func TestGetBooking_tag(t *testing.T) {
	t.Parallel()
	r := noAuth(t, kept(t, inventory.ClaimRange)).send(t, http.MethodGet, bookingPath, "")
	if r.status != http.StatusOK || r.header.Get("ETag") != `"3"` {
		t.Errorf("= %d %s, ETag %s", r.status, r.text, r.header.Get("ETag"))
	}
}
