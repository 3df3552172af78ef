package httpapi_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"holdfast/inventory"
)

const (
	eventText = "01a22cee-a1aa-77ce-9da2-683d6a9405e9"
	goodSeats = `{"event":"` + eventText + `","seats":["11","12"],"buyer":"u-1"}`
	goodRange = `{"resource":"harbour/studio-a","from":"2027-01-15T10:00","to":"2027-01-15T11:00","buyer":"u-1"}`
)

func eventID(t *testing.T, text string) inventory.EventID {
	t.Helper()
	id, err := inventory.ParseEventID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// seatNumbers is a JSON list of n ids of seats.
func seatNumbers(n int) string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("%q", fmt.Sprint(i+1))
	}
	return "[" + strings.Join(ids, ",") + "]"
}

// Bad input is refused with every wrong member named, and nothing is held.
func TestPlaceHold_badInputOfSeatsAndRanges(t *testing.T) {
	t.Parallel()
	d := &double{ofEvents: ofEvents{zone: "Europe/Berlin"}}
	l := noAuth(t, d)
	seats := func(old, with string) string { return strings.Replace(goodSeats, old, with, 1) }
	within := func(old, with string) string { return strings.Replace(goodRange, old, with, 1) }
	best := func(with string) string { return seats(`"seats":["11","12"]`, with) }
	for name, c := range map[string]struct {
		body   string
		fields []string
	}{
		"eventMissing":           {seats(`"event":"`+eventText+`",`, ``), []string{"event"}},
		"eventEmpty":             {seats(eventText, ``), []string{"event"}},
		"eventIsNoID":            {seats(eventText, `gala`), []string{"event"}},
		"eventIsAURN":            {seats(eventText, `urn:uuid:`+eventText), []string{"event"}},
		"eventInCapitals":        {seats(eventText, `Harbour/gala`), []string{"event"}},
		"eventWithThreeParts":    {seats(eventText, `harbour/gala/x`), []string{"event"}},
		"eventIsANumber":         {seats(`"`+eventText+`"`, `7`), []string{"event"}},
		"seatsMissing":           {seats(`"seats":["11","12"],`, ``), []string{"seats"}},
		"seatsNull":              {seats(`["11","12"]`, `null`), []string{"seats"}},
		"seatsEmpty":             {seats(`["11","12"]`, `[]`), []string{"seats"}},
		"seatsAreNoList":         {seats(`["11","12"]`, `"11"`), []string{"seats"}},
		"seatIsANumber":          {seats(`"12"`, `12`), []string{"seats.1"}},
		"seatIsNegative":         {seats(`"12"`, `"-12"`), []string{"seats"}},
		"seatIsZero":             {seats(`"12"`, `"0"`), []string{"seats"}},
		"seatWithLeadingZero":    {seats(`"12"`, `"012"`), []string{"seats"}},
		"seatAboveInt64":         {seats(`"12"`, `"9223372036854775808"`), []string{"seats"}},
		"seatIsAName":            {seats(`"12"`, `"PARKETT D-07"`), []string{"seats"}},
		"seatEscapes":            {seats(`"12"`, `"\u001b[2J"`), []string{"seats"}},
		"seatTwice":              {seats(`"12"`, `"11"`), []string{"seats"}},
		"seats51":                {seats(`["11","12"]`, seatNumbers(51)), []string{"seats"}},
		"seats2000":              {seats(`["11","12"]`, seatNumbers(2000)), []string{"seats"}},
		"seatsWithoutBuyer":      {seats(`,"buyer":"u-1"`, ``), []string{"buyer"}},
		"best0":                  {best(`"best":0`), []string{"best"}},
		"bestNegative":           {best(`"best":-1`), []string{"best"}},
		"best51":                 {best(`"best":51`), []string{"best"}},
		"bestHuge":               {best(`"best":99999999999999999999`), []string{"best"}},
		"bestAsText":             {best(`"best":"2"`), []string{"best"}},
		"bestAndSeats":           {best(`"best":2,"seats":["11"]`), []string{"best"}},
		"categoryOfNamedSeats":   {seats(`{`, `{"category":"A",`), []string{"category"}},
		"sectionOfNamedSeats":    {seats(`{`, `{"section":"A",`), []string{"section"}},
		"categoryWithNUL":        {best(`"best":2,"category":"A\u0000"`), []string{"category"}},
		"categoryEmpty":          {best(`"best":2,"category":""`), []string{"category"}},
		"sectionTooLong":         {best(`"best":2,"section":"` + strings.Repeat("x", 201) + `"`), []string{"section"}},
		"seatsOfAnUnknownMember": {seats(`{`, `{"row":"D",`), []string{"row"}},
		"poolAndEvent":           {seats(`{`, `{"pool":"harbour/main",`), []string{"event", "seats", "day", "quantity"}},
		"seatsAndADay":           {seats(`{`, `{"day":"2027-01-15",`), []string{"day"}},
		"seatsAndAQuantity":      {seats(`{`, `{"quantity":2,`), []string{"quantity"}},
		"seatsAndARange":         {seats(`{`, `{"from":"2027-01-15T10:00","to":"2027-01-15T11:00",`), []string{"from", "to"}},
		"allThree":               {seats(`{`, `{"pool":"harbour/main","resource":"harbour/studio-a",`), []string{"event", "resource", "seats", "day", "quantity"}},
		"poolAndSeats":           {strings.Replace(goodHold, `{`, `{"seats":["1"],`, 1), []string{"seats"}},
		"poolAndTo":              {strings.Replace(goodHold, `{`, `{"to":"",`, 1), []string{"to"}},
		"allAtOnce":              {`{"event":"x","seats":["y"],"day":"z","buyer":""}`, []string{"day", "event", "seats", "buyer"}},

		"resourceMissing":       {within(`"resource":"harbour/studio-a",`, ``), []string{"resource"}},
		"resourceWithoutVenue":  {within(`harbour/studio-a`, `studio-a`), []string{"resource"}},
		"resourceIsSQL":         {within(`studio-a`, `studio-a';--`), []string{"resource"}},
		"fromMissing":           {within(`"from":"2027-01-15T10:00",`, ``), []string{"from"}},
		"toMissing":             {within(`"to":"2027-01-15T11:00",`, ``), []string{"to"}},
		"fromEmpty":             {within(`2027-01-15T10:00`, ``), []string{"from"}},
		"toIsNull":              {within(`"2027-01-15T11:00"`, `null`), []string{"to"}},
		"fromIsANumber":         {within(`"2027-01-15T10:00"`, `1800000000`), []string{"from"}},
		"toBeforeFrom":          {within(`T11:00`, `T09:00`), []string{"to"}},
		"toIsFrom":              {within(`T11:00`, `T10:00`), []string{"to"}},
		"fromDoesNotExist":      {within(`2027-01-15T10:00`, `2026-02-30T10:00`), []string{"from"}},
		"fromWithoutTime":       {within(`2027-01-15T10:00`, `2027-01-15`), []string{"from"}},
		"hour25":                {within(`T11:00`, `T25:00`), []string{"to"}},
		"halfASecond":           {within(`T10:00`, `T10:00:00.5`), []string{"from"}},
		"offsetThatIsNotThere":  {within(`T10:00`, `T10:00+09:00`), []string{"from"}},
		"longAgo":               {within(`2027-01-15T10:00`, `1027-01-15T10:00`), []string{"from"}},
		"rangeWithoutBuyer":     {within(`u-1`, ``), []string{"buyer"}},
		"rangeAndAQuantity":     {within(`{`, `{"quantity":1,`), []string{"quantity"}},
		"rangeOfAnUnknownField": {within(`{`, `{"until":"x",`), []string{"until"}},
		"bothEndsWrong":         {within(`2027-01-15T10:00","to":"2027-01-15T11:00`, `x","to":"y`), []string{"from", "to"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := l.send(t, http.MethodPost, "/holds", c.body, "Idempotency-Key", "k-1")
			if r.status != http.StatusUnprocessableEntity || r.code() != "INVALID" || !slices.Equal(r.fields(), c.fields) {
				t.Errorf("= %d %s, want INVALID about %q", r.status, r.text, c.fields)
			}
			if strings.ContainsRune(r.text, 0x1b) {
				t.Errorf("an escape came back: %q", r.text)
			}
		})
	}
	t.Cleanup(func() {
		if n := d.calls.Load(); n != 0 {
			t.Errorf("the store was asked %d times", n)
		}
	})
	for _, body := range []string{goodSeats, goodRange} {
		if r := l.send(t, http.MethodPost, "/holds", body); r.status != http.StatusBadRequest || r.code() != "IDEMPOTENCY_KEY_MISSING" {
			t.Errorf("without a key = %d %s", r.status, r.text)
		}
	}
}

// What is sent reaches the store as it was meant, and the answer says what is
// held.
func TestPlaceHold_seats(t *testing.T) {
	t.Parallel()
	asked := make(chan inventory.SeatHoldRequest, 1)
	d := &double{ofEvents: ofEvents{
		holdSeats: func(r inventory.SeatHoldRequest) (inventory.Booking, bool, error) {
			asked <- r
			return inventory.Booking{
				ID: inventory.NewBookingID(), Kind: inventory.ClaimSeats, EventID: r.Event, Quantity: 2, Buyer: r.Buyer, State: inventory.StateHeld, Version: 1,
				Seats: []inventory.Seat{{ID: 11, Section: "PARKETT", Row: "D", Number: 7}, {ID: 12, Section: "PARKETT", Row: "D", Number: 8}},
			}, true, nil
		},
		event: func(ref inventory.EventRef) (inventory.Event, error) {
			if ref.String() != "harbour/gala" {
				return inventory.Event{}, inventory.ErrNotFound
			}
			return inventory.Event{ID: eventID(t, eventText)}, nil
		},
	}}
	l := noAuth(t, d)
	id := eventID(t, eventText)
	for body, want := range map[string]inventory.SeatHoldRequest{
		goodSeats: {Seats: []inventory.SeatID{11, 12}},
		strings.Replace(goodSeats, eventText, "harbour/gala", 1):                                                       {Seats: []inventory.SeatID{11, 12}},
		strings.Replace(goodSeats, `"seats":["11","12"]`, `"best":2`, 1):                                               {Best: 2},
		strings.Replace(goodSeats, `"seats":["11","12"]`, `"best":2,"category":"A 1","section":"日本武道館","day":null`, 1): {Best: 2, Category: "A 1", Section: "日本武道館"},
	} {
		r := l.send(t, http.MethodPost, "/holds", body, "Idempotency-Key", "k-1")
		if r.status != http.StatusCreated {
			t.Fatalf("%s = %d %s", body, r.status, r.text)
		}
		got := <-asked
		want.Event, want.Buyer, want.IdempotencyKey, want.Client, want.Actor = id, "u-1", "k-1", got.Client, got.Actor
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s asks for %+v, want %+v", body, got, want)
		}
		if r.header.Get("ETag") != `"1"` || r.header.Get("Idempotency-Replayed") != "true" || r.header.Get("Location") == "" {
			t.Errorf("head = %v", r.header)
		}
		id := r.body["bookingId"]
		answer := fmt.Sprintf(`{"bookingId":%q,"state":"HELD","kind":"seats","quantity":2,"event":%q,"seats":["11","12"],"seatNames":["PARKETT D-07","PARKETT D-08"],`+
			`"buyer":"u-1","amount":{"minor":0,"currency":""},"version":1,"payments":[]}`, id, eventText)
		if r.text != answer {
			t.Errorf("= %s\nwant %s", r.text, answer)
		}
	}
	r := l.send(t, http.MethodPost, "/holds", strings.Replace(goodSeats, eventText, "harbour/attic", 1), "Idempotency-Key", "k-1")
	if r.status != http.StatusNotFound {
		t.Errorf("an event that is not there = %d %s", r.status, r.text)
	}
}

func TestPlaceHold_range(t *testing.T) {
	t.Parallel()
	asked := make(chan inventory.RangeHoldRequest, 1)
	d := &double{ofEvents: ofEvents{
		zone: "Europe/Berlin",
		holdRange: func(r inventory.RangeHoldRequest) (inventory.Booking, bool, error) {
			asked <- r
			return inventory.Booking{
				ID: inventory.NewBookingID(), Kind: inventory.ClaimRange, Resource: r.Resource, During: r.During, Zone: "Europe/Berlin",
				Quantity: 1, Buyer: r.Buyer, State: inventory.StateHeld, Version: 1,
			}, false, nil
		},
	}}
	l := noAuth(t, d)
	r := l.send(t, http.MethodPost, "/holds", goodRange, "Idempotency-Key", "k-1")
	if r.status != http.StatusCreated {
		t.Fatalf("= %d %s", r.status, r.text)
	}
	got := <-asked
	want := inventory.Range{From: time.Date(2027, time.January, 15, 9, 0, 0, 0, time.UTC), To: time.Date(2027, time.January, 15, 10, 0, 0, 0, time.UTC)}
	if !got.During.From.Equal(want.From) || !got.During.To.Equal(want.To) || got.Resource.String() != "harbour/studio-a" || got.Buyer != "u-1" {
		t.Errorf("asks for %+v", got)
	}
	if r.body["from"] != "2027-01-15T10:00:00+01:00" || r.body["to"] != "2027-01-15T11:00:00+01:00" || r.body["resource"] != "harbour/studio-a" ||
		r.body["kind"] != "range" || r.body["day"] != nil || r.body["pool"] != nil || r.body["seats"] != nil {
		t.Errorf("answer = %s", r.text)
	}
}

// A seat by its address: the short answer, and 404 for a seat that is not one
// of the event's.
func TestHoldSeat(t *testing.T) {
	t.Parallel()
	until := time.Date(2027, time.January, 15, 19, 30, 0, 0, time.UTC)
	d := &double{ofEvents: ofEvents{holdSeats: func(r inventory.SeatHoldRequest) (inventory.Booking, bool, error) {
		switch r.Seats[0] {
		case 7:
			return inventory.Booking{}, false, &inventory.SeatTakenError{Seats: r.Seats}
		case 8:
			return inventory.Booking{}, false, fmt.Errorf("hold: %w", inventory.Invalid("seats", "8 is not a seat of this event"))
		}
		return inventory.Booking{ID: inventory.NewBookingID(), Kind: inventory.ClaimSeats, State: inventory.StateHeld, ExpiresAt: until, Version: 1}, false, nil
	}}}
	l := noAuth(t, d)
	const path, body = "/events/" + eventText + "/seats/", `{"buyer":"u-1"}`
	for _, c := range []struct {
		path, body, key string
		status          int
		says            string
	}{
		{path + "11/hold", body, "k", 200, `"heldUntil":"2027-01-15T19:30:00.000Z"}`},
		{path + "7/hold", body, "k", 409, `"code":"SEAT_TAKEN","seats":["7"]`},
		{path + "8/hold", body, "k", 404, `NOT_FOUND`},
		{path + "0/hold", body, "k", 404, `NOT_FOUND`},
		{path + "011/hold", body, "k", 404, `NOT_FOUND`},
		{path + "99999999999999999999/hold", body, "k", 404, `NOT_FOUND`},
		{path + "D-07/hold", body, "k", 404, `NOT_FOUND`},
		{"/events/gala/seats/11/hold", body, "k", 404, `NOT_FOUND`},
		{path + "11/hold", body, "", 400, `IDEMPOTENCY_KEY_MISSING`},
		{path + "11/hold", `{}`, "k", 422, `"field":"buyer"`},
		{path + "11/hold", `{"buyer":"u-1","seats":["11"]}`, "k", 422, `"field":"seats"`},
		{path + "11/hold", `{"buyer":"u-1"}{}`, "k", 422, `"field":"body"`},
		{path + "11/hold?fast=1", body, "k", 422, `"field":"fast"`},
	} {
		r := l.send(t, http.MethodPost, c.path, c.body, "Idempotency-Key", c.key)
		if r.status != c.status || !strings.Contains(r.text, c.says) {
			t.Errorf("%s %s = %d %s, want %d with %s", c.path, c.body, r.status, r.text, c.status, c.says)
		}
	}
}
