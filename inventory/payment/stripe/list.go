package stripe

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	stripego "github.com/stripe/stripe-go/v82"

	"holdfast/inventory/payment"
)

const (
	pageSize = 100
	maxItems = 20 * pageSize // what one question may page through
)

// lists asks for lists page by page. stripe-go's iterators are not used: they
// take null and {} for an empty list, and here "none" is an answer that releases
// places and sends refunds again.
type lists struct {
	backend stripego.Backend
	key     APIKey
}

// page is one page of a list or of a search.
type page[T any] struct {
	stripego.APIResource
	Object   string `json:"object"`
	HasMore  bool   `json:"has_more"`
	NextPage string `json:"next_page"` // of a search
	Data     []*T   `json:"data"`
}

// collect pages through a list, up to a limit beyond which the answer is not
// known: half a list must not pass for the whole.
func collect[T stripego.PaymentIntent | stripego.Refund](ctx context.Context, l lists, path string, query url.Values) ([]*T, error) {
	query.Set("limit", strconv.Itoa(pageSize))
	var all []*T
	for {
		var got page[T]
		err := l.backend.CallRaw(http.MethodGet, path, l.key.text, []byte(query.Encode()), &stripego.Params{Context: ctx}, &got)
		if err != nil {
			return nil, err
		}
		if got.Data == nil || got.Object != "list" && got.Object != "search_result" {
			return nil, fmt.Errorf("%w: it is %q and not a list", payment.ErrWrongAnswer, cut(got.Object))
		}
		for _, item := range got.Data {
			if item == nil || idOf(item) == "" {
				return nil, fmt.Errorf("%w: something in it has no id", payment.ErrWrongAnswer)
			}
		}
		all = append(all, got.Data...)
		switch {
		case !got.HasMore:
			return all, nil
		case len(got.Data) == 0:
			return nil, fmt.Errorf("%w: it is empty and promises more", payment.ErrWrongAnswer)
		case len(all) >= maxItems:
			return nil, fmt.Errorf("%w: there are over %d", payment.ErrNoAnswer, maxItems)
		case got.NextPage != "":
			query.Set("page", got.NextPage)
		default:
			query.Set("starting_after", idOf(got.Data[len(got.Data)-1]))
		}
	}
}

func idOf(item any) string {
	switch o := item.(type) {
	case *stripego.PaymentIntent:
		return o.ID
	case *stripego.Refund:
		return o.ID
	}
	return ""
}
