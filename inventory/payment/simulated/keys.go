package simulated

import (
	"net/http"
	"time"
)

// keyStore remembers what was answered to which idempotency key, for as long
// as the key lives. After that the same key is a new request and pays again,
// as it does at real providers. The caller holds the server's lock.
type keyStore struct{ byKey map[string]*keyed }

type keyed struct {
	fingerprint string
	expires     time.Time
	running     bool // its first request was not answered yet
	done        outcome
}

// replay answers a request whose key was used before.
func (k *keyed) replay(fingerprint string) outcome {
	switch {
	case k.fingerprint != fingerprint:
		return refused(http.StatusUnprocessableEntity, codeKeyReused, "the key was used with another request")
	case k.running:
		return refused(http.StatusConflict, codeKeyInUse, "the first request with this key is still running")
	}
	return k.done
}

// purgeEvery is how many keys are added between two looks for dead ones.
const purgeEvery = 4096

func (s *keyStore) find(key string, now time.Time) (*keyed, bool) {
	k, ok := s.byKey[key]
	if ok && !k.running && !now.Before(k.expires) {
		delete(s.byKey, key)
		return nil, false
	}
	return k, ok
}

func (s *keyStore) add(key string, k *keyed, now time.Time) {
	s.byKey[key] = k
	if len(s.byKey)%purgeEvery != 0 {
		return
	}
	for name, old := range s.byKey {
		if !old.running && !now.Before(old.expires) {
			delete(s.byKey, name)
		}
	}
}
