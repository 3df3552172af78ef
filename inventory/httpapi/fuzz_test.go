package httpapi

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"holdfast/inventory"
)

// What the decoder takes is one document without doubled members, and says the
// same when it is written and read again.
func FuzzDecode(f *testing.F) {
	f.Add(`{"pool":"harbour/main","day":"2027-01-15","quantity":2,"buyer":"u-1"}`)
	f.Add(`{"event":"harbour/gala","seats":["1","2"],"buyer":"u-1"}`)
	f.Add(`{"resource":"harbour/studio-a","from":"2027-01-15T10:00","to":"2027-01-15T11:00","buyer":"u-1"}`)
	f.Add(`{"seats":[],"best":null}`)
	f.Add(`{"quantity":1,"Quantity":100}`)
	f.Add(`{"quantity":1e3}`)
	f.Add("null")
	f.Add("{\"\x7f\"")
	known := map[string]bool{"buyer": true}
	for _, m := range (holdBody{}).members() {
		known[m.name] = true
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := httptest.NewRequest(http.MethodPost, "/holds", strings.NewReader(text))
		r.Header.Set("Content-Type", "application/json")
		var body holdBody
		err := decode(httptest.NewRecorder(), r, &body)
		if err != nil {
			p := problemOf(err)
			if p.status < 400 || p.status >= 500 {
				t.Fatalf("%q = %d", text, p.status)
			}
			for _, field := range p.fields {
				if strings.ContainsFunc(field.Field, func(r rune) bool { return r < ' ' || r > '~' }) {
					t.Fatalf("%q names the field %q", text, field.Field)
				}
			}
			return
		}
		for _, err := range everyRequest(body) {
			for _, f := range problemOf(err).fields {
				if !known[f.Field] {
					t.Fatalf("%q names the field %q", text, f.Field)
				}
			}
		}
		data, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		var again holdBody
		if err := json.Unmarshal(data, &again, json.RejectUnknownMembers(true)); err != nil || !reflect.DeepEqual(again, body) {
			t.Fatalf("%q became %+v, then %+v, %v", text, body, again, err)
		}
	})
}

// everyRequest is what each kind of hold has to say about body, whatever kind
// it is of.
func everyRequest(body holdBody) []error {
	_, kindErr := body.kind()
	_, poolErr := body.poolRequest(anonymous, "k-1")
	id, _, eventErr := parseEvent(value(body.Event))
	_, seatsErr := body.seatRequest(id, eventErr, anonymous, "k-1")
	ref, refErr := inventory.ParseResourceRef("resource", value(body.Resource))
	_, rangeErr := body.rangeRequest(ref, refErr, zoneOrNone("Australia/Lord_Howe"), anonymous, "k-1")
	all := []error{kindErr, poolErr, seatsErr, rangeErr}
	return slices.DeleteFunc(all, func(err error) bool { return err == nil })
}

// Every key that is taken is one that the store takes, and quoting it makes no
// difference.
func FuzzIdempotencyKey(f *testing.F) {
	f.Add("k-1")
	f.Add(`"a\"b"`)
	f.Add(`"`)
	f.Fuzz(func(t *testing.T, header string) {
		key, err := idempotencyKey(http.Header{"Idempotency-Key": {header}})
		if err != nil {
			return
		}
		if err := inventory.CheckIdempotencyKey(key); err != nil {
			t.Fatalf("%q is the key %q: %v", header, key, err)
		}
		quotedKey := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
		if again, err := idempotencyKey(http.Header{"Idempotency-Key": {quotedKey}}); err != nil || again != key {
			t.Fatalf("%q is %q, %v, and bare it is %q", quotedKey, again, err, key)
		}
	})
}
