package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"holdfast/inventory"
)

// answerLimit bounds one request of a shop, and answerSize its answer.
const (
	answerLimit = 15 * time.Second
	answerSize  = 1 << 20
)

// shop calls the daemon as a web shop does.
type shop struct {
	url    string
	client *http.Client
}

func newShop(url string) *shop {
	return &shop{url, &http.Client{
		Timeout:   answerLimit,
		Transport: &http.Transport{MaxIdleConnsPerHost: 64},
	}}
}

// booking is the part of an answer that shops look at.
type booking struct {
	BookingID string                 `json:"bookingId"`
	Kind      inventory.ClaimKind    `json:"kind"`
	State     inventory.BookingState `json:"state"`
	HeldUntil time.Time              `json:"heldUntil"`
	Amount    inventory.Money        `json:"amount"`
	Payments  []struct {
		Standing inventory.Standing `json:"standing"`
	} `json:"payments"`
}

// standing reports whether a payment of the booking stands so.
func (b booking) standing(s inventory.Standing) bool {
	for _, p := range b.Payments {
		if p.Standing == s {
			return true
		}
	}
	return false
}

// refusal is an answer that says no.
type refusal struct {
	Status int    `json:"-"`
	Code   string `json:"code"`
}

func (r *refusal) Error() string { return fmt.Sprintf("%d %s", r.Status, r.Code) }

// seat is a seat on the map, as it stood a moment ago.
type seat struct {
	ID      string              `json:"id"`
	Section string              `json:"section"`
	Row     string              `json:"row"`
	Number  int                 `json:"number"`
	State   inventory.SeatState `json:"state"`
}

// slot is a slot of a day, with the venue's offset.
type slot struct {
	From string `json:"from"`
	To   string `json:"to"`
	Free bool   `json:"free"`
}

func (s *shop) hold(ctx context.Context, key, buyer string, wish map[string]any) (b booking, err error) {
	wish["buyer"] = buyer
	err = s.ask(ctx, http.MethodPost, "/holds", key, wish, &b)
	return b, err
}

func (s *shop) seats(ctx context.Context, event string) ([]seat, error) {
	var answer struct {
		Seats []seat `json:"seats"`
	}
	err := s.ask(ctx, http.MethodGet, "/events/"+event+"/seats", "", nil, &answer)
	return answer.Seats, err
}

func (s *shop) slots(ctx context.Context, resource, day string) (slots []slot, err error) {
	err = s.ask(ctx, http.MethodGet, "/resources/"+resource+"/slots?day="+day, "", nil, &slots)
	return slots, err
}

func (s *shop) pay(ctx context.Context, key, id string) error {
	return s.ask(ctx, http.MethodPost, "/bookings/"+id+"/pay", key, nil, nil)
}

func (s *shop) release(ctx context.Context, id string) error {
	return s.ask(ctx, http.MethodDelete, "/bookings/"+id, "", nil, nil)
}

func (s *shop) booking(ctx context.Context, id string) (b booking, err error) {
	err = s.ask(ctx, http.MethodGet, "/bookings/"+id, "", nil, &b)
	return b, err
}

// ask makes one request. A refusal is an error of type *refusal.
func (s *shop) ask(ctx context.Context, method, path, key string, body, answer any) error {
	var send io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		send = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, send)
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, answerSize))
	if err != nil {
		return err
	}
	if res.StatusCode >= 400 {
		no := &refusal{Status: res.StatusCode}
		_ = json.Unmarshal(text, no) // an answer that is no JSON has no code
		return no
	}
	if answer == nil || len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, answer)
}
