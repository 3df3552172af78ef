package httpapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"holdfast/inventory"
)

// admissionToken is where one buyer stands in the line of one waiting room.
// The buyer keeps it, signed; we keep nothing.
type admissionToken struct {
	room, number int64
	client       int64 // who asked for it
	buyer        buyerHash
	issued       time.Time // bounds how long it may wait
	expires      time.Time // of the pass; zero: it waits
}

// buyerHash stands for a shop's name for a buyer, which no token shows.
type buyerHash [16]byte

func hashBuyer(buyer string) buyerHash {
	sum := sha256.Sum256([]byte(buyer))
	return buyerHash(sum[:])
}

// The form of a token: version, key, six fields of fixed size, and half of an
// HMAC-SHA256 over all before it. 75 bytes are 100 characters without padding.
const (
	tokenVersion  = 1
	tokenHead     = 1 + 2
	tokenUnsigned = tokenHead + 5*8 + len(buyerHash{})
	tokenSize     = tokenUnsigned + 16
)

// tokenText writes bytes the one way that is read: another spelling of the same
// bytes is refused.
var tokenText = base64.RawURLEncoding.Strict()

// sign writes a token.
func (t admissionToken) sign(key inventory.WaitingKey) string {
	b := make([]byte, 0, tokenSize+sha256.Size)
	b = append(b, tokenVersion)
	b = binary.BigEndian.AppendUint16(b, key.ID)
	for _, n := range []int64{t.room, t.number, t.client, t.issued.UnixMilli(), millisOrZero(t.expires)} {
		b = binary.BigEndian.AppendUint64(b, uint64(n)) //nolint:gosec // read back the same way
	}
	b = append(b, t.buyer[:]...)
	mac := hmac.New(sha256.New, key.Secret)
	mac.Write(b)
	return tokenText.EncodeToString(mac.Sum(b)[:tokenSize])
}

func millisOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// parseToken reads a token that one of keys signed; false is every reason why
// it is none.
func parseToken(text string, keys []inventory.WaitingKey) (admissionToken, bool) {
	var b [tokenSize]byte
	if len(text) != tokenText.EncodedLen(tokenSize) {
		return admissionToken{}, false
	}
	if n, err := tokenText.Decode(b[:], []byte(text)); err != nil || n != tokenSize || b[0] != tokenVersion {
		return admissionToken{}, false
	}
	id := binary.BigEndian.Uint16(b[1:])
	for _, key := range keys {
		if key.ID != id {
			continue
		}
		mac := hmac.New(sha256.New, key.Secret)
		mac.Write(b[:tokenUnsigned])
		if !hmac.Equal(mac.Sum(nil)[:tokenSize-tokenUnsigned], b[tokenUnsigned:]) {
			return admissionToken{}, false
		}
		return readToken(b[tokenHead:tokenUnsigned]), true
	}
	return admissionToken{}, false
}

func readToken(b []byte) admissionToken {
	next := func() int64 {
		n := int64(binary.BigEndian.Uint64(b)) //nolint:gosec // written the same way
		b = b[8:]
		return n
	}
	t := admissionToken{room: next(), number: next(), client: next(), issued: time.UnixMilli(next()).UTC()}
	if ms := next(); ms != 0 {
		t.expires = time.UnixMilli(ms).UTC()
	}
	t.buyer = buyerHash(b)
	return t
}

// signingKey is the newest key that every daemon has read by now.
func signingKey(now inventory.WaitingNow) (inventory.WaitingKey, bool) {
	if len(now.Keys) == 0 {
		return inventory.WaitingKey{}, false
	}
	for _, key := range now.Keys { // newest first
		if now.At.Sub(key.MadeAt) > keySpread {
			return key, true
		}
	}
	return now.Keys[len(now.Keys)-1], true
}

// keySpread is how long a new key is read and not used: longer than any daemon
// serves what it read.
const keySpread = 10 * time.Second
