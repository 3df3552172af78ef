package httpapi

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/inventory"
)

func waitingKey(id uint16, fill byte) inventory.WaitingKey {
	return inventory.WaitingKey{ID: id, Secret: bytes.Repeat([]byte{fill}, 32)}
}

var june = time.Date(2027, time.June, 1, 10, 0, 0, 0, time.UTC)

func TestToken_comesBackAsItWas(t *testing.T) {
	t.Parallel()
	keys := []inventory.WaitingKey{waitingKey(9, 1), waitingKey(8, 2)}
	rapid.Check(t, func(rt *rapid.T) {
		want := admissionToken{
			room: rapid.Int64().Draw(rt, "room"), number: rapid.Int64().Draw(rt, "number"), client: rapid.Int64().Draw(rt, "client"),
			buyer: hashBuyer(rapid.String().Draw(rt, "buyer")), issued: june,
		}
		if rapid.Bool().Draw(rt, "is a pass") {
			want.expires = june.Add(time.Duration(rapid.Int64Range(0, 1<<40).Draw(rt, "life")) * time.Millisecond)
		}
		key := rapid.SampledFrom(keys).Draw(rt, "key")
		text := want.sign(key)
		if got, ok := parseToken(text, keys); !ok || got != want || len(text) != 100 {
			rt.Fatalf("%s = %+v, %v; want %+v", text, got, ok, want)
		}
		// One changed character, wherever it is, makes it nobody's.
		i := rapid.IntRange(0, len(text)-1).Draw(rt, "at")
		c := rapid.SampledFrom([]byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")).Draw(rt, "to")
		if forged := text[:i] + string(c) + text[i+1:]; forged != text {
			if _, ok := parseToken(forged, keys); ok {
				rt.Fatalf("%s is taken for %s", forged, text)
			}
		}
	})
}

func TestToken_refused(t *testing.T) {
	t.Parallel()
	ours, other := waitingKey(1, 1), waitingKey(2, 2)
	token := admissionToken{room: 1, number: 2, client: 3, buyer: hashBuyer("u-1"), issued: june}
	text := token.sign(ours)
	impostor := other
	impostor.ID = ours.ID
	for name, c := range map[string]struct {
		text string
		keys []inventory.WaitingKey
	}{
		"noKeys":            {text, nil},
		"keyIsGone":         {text, []inventory.WaitingKey{other}},
		"signedBySomebody":  {token.sign(impostor), []inventory.WaitingKey{ours, other}},
		"empty":             {"", []inventory.WaitingKey{ours}},
		"padded":            {text + "=", []inventory.WaitingKey{ours}},
		"cut":               {text[:96], []inventory.WaitingKey{ours}},
		"doubled":           {text + text, []inventory.WaitingKey{ours}},
		"lineBreak":         {text[:50] + "\n" + text[51:], []inventory.WaitingKey{ours}},
		"anotherAlphabet":   {"+" + text[1:], []inventory.WaitingKey{ours}},
		"anotherVersion":    {"B" + text[1:], []inventory.WaitingKey{ours}},
		"nothingButZeroes":  {strings.Repeat("A", 100), []inventory.WaitingKey{ours}},
		"emptyKeyIsNoOne's": {token.sign(inventory.WaitingKey{ID: 1}), []inventory.WaitingKey{ours}},
	} {
		if _, ok := parseToken(c.text, c.keys); ok {
			t.Errorf("%s: %q is taken", name, c.text)
		}
	}
}

// A new key signs only when every daemon has read it; the old ones verify.
func TestSigningKey(t *testing.T) {
	t.Parallel()
	old, fresh := waitingKey(1, 1), waitingKey(2, 2)
	old.MadeAt, fresh.MadeAt = june.Add(-time.Hour), june
	for after, want := range map[time.Duration]uint16{0: 1, keySpread: 1, keySpread + time.Second: 2} {
		key, ok := signingKey(inventory.WaitingNow{At: june.Add(after), Keys: []inventory.WaitingKey{fresh, old}})
		if !ok || key.ID != want {
			t.Errorf("%s after it was made, key %d signs", after, key.ID)
		}
	}
	if key, ok := signingKey(inventory.WaitingNow{At: june, Keys: []inventory.WaitingKey{fresh}}); !ok || key.ID != 2 {
		t.Errorf("the only key, just made: %d, %v", key.ID, ok)
	}
	if _, ok := signingKey(inventory.WaitingNow{}); ok {
		t.Error("no key signs")
	}
}

// Whatever is sent as a token, it is taken only if it is one of ours, spelled
// the one way that we spell it.
func FuzzParseToken(f *testing.F) {
	key := waitingKey(7, 7)
	f.Add(admissionToken{room: 1, number: 4711, client: 5, buyer: hashBuyer("u-1"), issued: june}.sign(key))
	f.Add(admissionToken{room: 1, number: 4711, issued: june, expires: june.Add(time.Hour)}.sign(key))
	f.Add("")
	f.Add(strings.Repeat("A", 100))
	f.Fuzz(func(t *testing.T, text string) {
		token, ok := parseToken(text, []inventory.WaitingKey{key})
		if ok && token.sign(key) != text {
			t.Fatalf("%q is taken for %+v", text, token)
		}
	})
}
