package httpapi

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"holdfast/inventory"
	"holdfast/timezone"
)

const (
	// tokenCacheLife is how long a token that was right stays right without
	// asking: a revoked one works for so long after.
	tokenCacheLife = 2 * time.Second
	maxCached      = 1024
	maxToken       = 200
	lookUpLimit    = 800 * time.Millisecond
)

// anonymous is everybody, where nobody has to say who they are.
var anonymous = inventory.Client{Name: "anonymous", Scopes: inventory.Scopes}

// clientOf returns the client that admit let in.
func clientOf(r *http.Request) inventory.Client {
	if q := requestOf(r.Context()); q != nil {
		return q.client
	}
	return inventory.Client{}
}

func actorOf(c inventory.Client) inventory.Actor {
	return inventory.Actor{Name: c.Name, Kind: inventory.ActorClient}
}

// errUnauthenticated is one answer for every reason, so that nobody learns
// which tokens exist.
var errUnauthenticated = problem{
	status: http.StatusUnauthorized, code: "UNAUTHENTICATED", detail: "send Authorization: Bearer TOKEN with a token that works",
}

// authenticate returns the client that the request's one Authorization header
// names.
func (a *API) authenticate(r *http.Request) (inventory.Client, error) {
	if a.tokens == nil {
		return anonymous, nil
	}
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return inventory.Client{}, errUnauthenticated
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > maxToken {
		return inventory.Client{}, errUnauthenticated
	}
	client, err := a.tokens.client(r.Context(), token)
	if errors.Is(err, inventory.ErrNotFound) {
		return inventory.Client{}, errUnauthenticated
	}
	if err != nil {
		return inventory.Client{}, fmt.Errorf("look up a token: %w", err)
	}
	return client, nil
}

// tokenCache spares the database the same question for each request of a busy
// client. It holds hashes, and only of tokens that were right.
type tokenCache struct {
	clients clients
	clock   timezone.Clock
	asking  singleflight.Group

	mu    sync.Mutex
	known map[[sha256.Size]byte]cachedClient
}

type cachedClient struct {
	client inventory.Client
	until  time.Time
}

func newTokenCache(c clients, clock timezone.Clock) *tokenCache {
	return &tokenCache{clients: c, clock: clock, known: map[[sha256.Size]byte]cachedClient{}}
}

func (c *tokenCache) client(ctx context.Context, token string) (inventory.Client, error) {
	hash := sha256.Sum256([]byte(token))
	c.mu.Lock()
	found, ok := c.known[hash]
	c.mu.Unlock()
	if ok && c.clock.Now().Before(found.until) {
		return found.client, nil
	}
	// One question for all who ask it at once; its limit is its own, since the
	// first to ask may hang up.
	answer, err, _ := c.asking.Do(string(hash[:]), func() (any, error) {
		ctx, cancel := limited(ctx, "clients.byToken", lookUpLimit)
		defer cancel()
		client, err := c.clients.ClientByToken(ctx, token)
		if err == nil {
			c.keep(hash, client)
		}
		return client, err
	})
	client, _ := answer.(inventory.Client)
	return client, err
}

func (c *tokenCache) keep(hash [sha256.Size]byte, client inventory.Client) {
	now := c.clock.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxCached {
		clear(c.known) // far more tokens than there are shops; start over
	}
	c.known[hash] = cachedClient{client, now.Add(tokenCacheLife)}
}
