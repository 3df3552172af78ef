package httpapi

import (
	"net/http"
	"net/http/httptest"
	"reflect"
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
