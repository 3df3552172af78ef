package stripe

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	stripego "github.com/stripe/stripe-go/v82"

	"holdfast/inventory"
)

const (
	// searchLag is how far Stripe's search may lie behind: "up to an hour" by its
	// documentation, which is not a promise.
	searchLag = 90 * time.Minute

	// clockSlack is how far our clock and Stripe's may be apart.
	clockSlack = 10 * time.Minute
)

// FindByReference lists the payments that carry our reference, oldest first:
// none if Stripe never heard of it, and more than one if a key was used past its
// life. It is unknown when there are too many recent payments to look through;
// within KeyLifetime repeating Create is the cheaper question.
func (p *Provider) FindByReference(ctx context.Context, ours string) ([]inventory.ProviderPayment, error) {
	const name = "find payments"
	// What is too new for the search is in the list, and the other way round.
	since := p.clock.Now().Add(-searchLag)
	older := true
	if born, ok := bornAt(ours); ok && born.Add(-clockSlack).After(since) {
		since, older = born.Add(-clockSlack), false // nothing of ours is older than our own id
	}
	found, err := p.recent(ctx, name, ours, since)
	if err != nil {
		return nil, err
	}
	if older {
		indexed, err := p.indexed(ctx, name, ours)
		if err != nil {
			return nil, err
		}
		found = append(found, indexed...)
	}
	slices.SortStableFunc(found, func(a, b *stripego.PaymentIntent) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	found = slices.CompactFunc(found, func(a, b *stripego.PaymentIntent) bool { return a.ID == b.ID })

	known := make([]inventory.ProviderPayment, 0, len(found))
	for _, one := range found {
		translated, err := p.payment(one)
		if err != nil {
			return nil, fmt.Errorf("%s for %q: %w", name, cut(ours), err)
		}
		known = append(known, translated)
	}
	return known, nil
}

// bornAt is the time in one of our ids; ok is false for any other text.
func bornAt(reference string) (at time.Time, ok bool) {
	id, err := uuid.Parse(reference)
	if err != nil || id.Version() != 7 {
		return time.Time{}, false
	}
	sec, nsec := id.Time().UnixTime()
	return time.Unix(sec, nsec).UTC(), true
}

// recent looks through all payments since then. Lists are exact.
func (p *Provider) recent(ctx context.Context, name, ours string, since time.Time) ([]*stripego.PaymentIntent, error) {
	var all []*stripego.PaymentIntent
	err := p.call(ctx, name, func(ctx context.Context) (err error) {
		all, err = collect[stripego.PaymentIntent](ctx, p.lists, "/v1/payment_intents", url.Values{"created[gte]": {strconv.FormatInt(since.Unix(), 10)}})
		return err
	})
	return withReference(all, ours), err
}

// indexed searches, and asks for each find by its id: the search also returns
// states of an hour ago.
func (p *Provider) indexed(ctx context.Context, name, ours string) ([]*stripego.PaymentIntent, error) {
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(ours)
	query := url.Values{"query": {fmt.Sprintf("metadata['%s']:'%s'", MetadataReference, quoted)}}
	var hits []*stripego.PaymentIntent
	err := p.call(ctx, name, func(ctx context.Context) (err error) {
		hits, err = collect[stripego.PaymentIntent](ctx, p.lists, "/v1/payment_intents/search", query)
		return err
	})
	if err != nil {
		return nil, err
	}
	hits = withReference(hits, ours)
	for i, hit := range hits {
		err := p.call(ctx, name, func(ctx context.Context) (err error) {
			hits[i], err = p.api.V1PaymentIntents.Retrieve(ctx, hit.ID, nil)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return hits, nil
}

// withReference keeps what carries exactly our reference: the search ignores case.
func withReference(all []*stripego.PaymentIntent, ours string) []*stripego.PaymentIntent {
	return slices.DeleteFunc(all, func(one *stripego.PaymentIntent) bool {
		return !strings.HasPrefix(one.ID, intentPrefix) || ours == "" || one.Metadata[MetadataReference] != ours
	})
}
