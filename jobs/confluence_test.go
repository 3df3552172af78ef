package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rickb777/date"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"holdfast/inventory"
	"holdfast/inventory/payment/simulated"
	"holdfast/inventory/pgstore"
	"holdfast/migrations/pgtest"
)

// Confluence: whatever the provider says about a booking, in any order, any
// number of times and with any delay, ends in one state, which its ledger
// decides; see outcomes for what may depend on order. Each of a hundred checks
// tells two stories in five ways: a thousand cases.
func TestConfluence(t *testing.T) {
	t.Parallel()
	f := openFair(t)
	rapid.Check(t, func(rt *rapid.T) {
		var cases []*telling
		for i := range 2 {
			s := drawStory(rt, fmt.Sprintf("story %d", i))
			for j := range 5 {
				d := drawTelling(rt, s, fmt.Sprintf("story %d, telling %d", i, j))
				cases = append(cases, &d)
			}
		}
		f.refundMode = rapid.SampledFrom([]simulated.Mode{
			simulated.ModeSucceed, simulated.ModeSucceed, simulated.ModePending, simulated.ModeTimeoutAfterEffect,
		}).Draw(rt, "refunds")
		seed := rapid.Uint64().Draw(rt, "order of refund callbacks")
		if err := f.play(t.Context(), cases, seed); err != nil {
			rt.Fatal(err)
		}
	})
	f.market.DB.AssertNoDeadlocks(t)
}

// fair is a market with a place of its own for every case.
type fair struct {
	market
	refundMode simulated.Mode
	pools      map[inventory.LatePolicy]*stall
}

// stall is a pool with one place on each of its days.
type stall struct {
	pool inventory.PoolRef
	next date.Date
	left int
}

const stallDays = 700

func openFair(t *testing.T) *fair {
	t.Helper()
	return &fair{
		market: openMarket(t, 700*time.Millisecond, pgtest.Capacity(1, 0), pgtest.PerBuyer(0)),
		pools:  map[inventory.LatePolicy]*stall{},
	}
}

// place returns a pool day with one place that nobody else uses.
func (f *fair) place(ctx context.Context, policy inventory.LatePolicy) (inventory.PoolRef, date.Date, error) {
	s := f.pools[policy]
	if s == nil || s.left == 0 {
		p := f.Pool
		p.Ref.Pool = "p-" + inventory.NewRefundID().Short()
		p.HorizonDays, p.Late = stallDays, inventory.LateRule{Policy: policy}
		if _, err := f.Store.AddPool(ctx, mira, p); err != nil {
			return p.Ref, date.Date{}, err
		}
		if _, err := f.Store.ExtendHorizon(ctx, 10*stallDays); err != nil {
			return p.Ref, date.Date{}, err
		}
		s = &stall{p.Ref, f.Day, stallDays - 10}
		f.pools[policy] = s
	}
	s.left--
	s.next = s.next.Add(1)
	return s.pool, s.next, nil
}

// performance is one telling on the stage.
type performance struct {
	*telling
	request inventory.HoldRequest
	booking inventory.Booking
	attempt inventory.Payment           // of ours, if there is one
	made    []inventory.ProviderPayment // by charge; zero where the call never got there
	letters [][]letter                  // by charge and step
}

// play performs all tellings beside each other, each phase at its time, and
// compares where they end with what their stories say.
func (f *fair) play(ctx context.Context, cases []*telling, seed uint64) error {
	base, err := f.Store.DatabaseNow(ctx)
	if err != nil {
		return err
	}
	at := func(d time.Duration) *pgstore.Store { return f.Store.At(base.Add(d)) }
	shows := make([]*performance, len(cases))
	for i, d := range cases {
		shows[i] = &performance{telling: d, request: f.Request(fmt.Sprintf("u-%d", i), 1)}
		if shows[i].request.Pool, shows[i].request.Day, err = f.place(ctx, d.policy); err != nil {
			return err
		}
	}
	f.behave("", simulated.Behaviour{})
	if err := each(shows, func(p *performance) error { return f.prepare(ctx, at(0), p) }); err != nil {
		return err
	}
	f.sortLetters(shows)
	refunds := simulated.Behaviour{Mode: f.refundMode}
	if f.refundMode == simulated.ModeTimeoutAfterEffect {
		refunds.Delay = 2 * time.Second // beyond the patience of our calls
	}
	f.behave("", refunds)

	tell := func(phase int, d time.Duration) error {
		return each(shows, func(p *performance) error { return f.tell(ctx, at(d), p, phase) })
	}
	rivals := func(d time.Duration) error {
		return each(shows, func(p *performance) error { return f.rival(ctx, at(d), p) })
	}
	steps := []func() error{
		func() error { return tell(inTime, time.Minute) },
		func() error { return tell(pastTheEnd, 11*time.Minute) },
		func() error { _, err := at(11*time.Minute).SweepHolds(ctx, 500); return err },
		func() error { return rivals(11 * time.Minute) },
		func() error { return tell(afterSweep, 12*time.Minute) },
		func() error { return f.ask(ctx, at(16*time.Minute)) },
		func() error { return rivals(16 * time.Minute) },
		func() error { return tell(afterDoubt, 17*time.Minute) },
		func() error {
			return f.rest(ctx, base, 20*time.Minute, 30*time.Minute, 45*time.Minute, time.Hour, 2*time.Hour, 4*time.Hour, 8*time.Hour)
		},
		func() error { return rivals(9 * time.Hour) },
		func() error { return f.gossip(ctx, at(9*time.Hour), seed) },
		func() error { return tell(veryLate, 10*time.Hour) },
		func() error {
			return f.rest(ctx, base, 11*time.Hour, 12*time.Hour, 14*time.Hour, 16*time.Hour, 20*time.Hour, 23*time.Hour)
		},
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return f.judge(ctx, shows)
}

func each(shows []*performance, do func(*performance) error) error {
	var all errgroup.Group
	all.SetLimit(5)
	for _, p := range shows {
		all.Go(func() error { return do(p) })
	}
	return all.Wait()
}

// prepare holds the place and lets the whole story happen at the provider.
func (f *fair) prepare(ctx context.Context, store *pgstore.Store, p *performance) error {
	var err error
	if p.booking, _, err = store.PlaceHold(ctx, p.request); err != nil {
		return err
	}
	if p.ours {
		if _, p.attempt, err = store.StartPayment(ctx, inventory.PayRequest{BookingID: p.booking.ID, Provider: simulated.Name, Actor: mira}); err != nil {
			return err
		}
	}
	p.made = make([]inventory.ProviderPayment, len(p.charges))
	p.letters = make([][]letter, len(p.charges))
	for i, c := range p.charges {
		if len(c.path) == 0 {
			continue
		}
		if p.made[i], err = f.happen(ctx, p, i, c); err != nil {
			return fmt.Errorf("charge %d %v: %w", i, c.path, err)
		}
	}
	if p.answered {
		_, _, err = store.PaymentAnswered(ctx, p.attempt.ID, p.made[0])
	}
	return err
}

// happen makes one charge at the provider and takes it along its path. The
// answer is what the provider said to the first call.
func (f *fair) happen(ctx context.Context, p *performance, i int, c charge) (inventory.ProviderPayment, error) {
	reference, key := p.booking.ID.String(), fmt.Sprintf("%s-%d", p.booking.ID, i)
	if p.ours && (i == 0 || c.twin) {
		reference = p.attempt.ID.String()
	}
	amount := p.booking.Amount
	if c.wrong {
		amount.Minor -= 100
	}
	f.behave(reference, simulated.Behaviour{Mode: map[simulated.State]simulated.Mode{
		simulated.StatePending: simulated.ModePending, simulated.StateFailed: simulated.ModeDecline, simulated.StateSucceeded: simulated.ModeSucceed,
	}[c.path[0]]})
	made, err := f.provider.Charge(ctx, key, reference, amount)
	if err != nil {
		return made, err
	}
	for _, state := range c.path[1:] {
		if _, err := f.sim.Settle(made.ID, state); err != nil {
			return made, err
		}
	}
	if len(c.back) == 0 {
		return made, nil
	}
	var part inventory.Minor // 0: all of it
	if c.part {
		part = 1000
	}
	back, err := f.sim.RefundElsewhere(made.ID, part, "desk-"+made.ID, c.back[0])
	for _, state := range c.back[1:] {
		if err == nil {
			back, err = f.sim.SettleRefund(back.ID, state)
		}
	}
	return made, err
}

// sortLetters hands each charge its callbacks, in the order of its story.
func (f *fair) sortLetters(shows []*performance) {
	byPayment := map[string][]letter{}
	for _, l := range f.post.take() {
		byPayment[l.event.ProviderPayment] = append(byPayment[l.event.ProviderPayment], l)
	}
	for _, p := range shows {
		for i, made := range p.made {
			p.letters[i] = byPayment[made.ID]
		}
	}
}

// tell delivers the callbacks of one phase.
func (f *fair) tell(ctx context.Context, store *pgstore.Store, p *performance, phase int) error {
	for _, h := range p.heard {
		if h.phase != phase {
			continue
		}
		if err := deliverTo(ctx, store, p.letters[h.charge][h.step].event); err != nil {
			return err
		}
		if err := f.rival(ctx, store, p); err != nil {
			return err
		}
	}
	return nil
}

// deliverTo is what the listener does. What cannot be applied yet is kept, and
// left to the reconcile job.
func deliverTo(ctx context.Context, store *pgstore.Store, e inventory.ProviderEvent) error {
	if _, err := store.StoreEvent(ctx, e); err != nil {
		return err
	}
	if err := store.ApplyEvent(ctx, e.Provider, e.ID); !waits(err) {
		return err
	}
	return nil
}

// waits reports whether a callback could not be applied for a reason that
// passes: it is about a refund made elsewhere, and nothing is left for it while
// ours is on its way.
func waits(err error) bool {
	return errors.Is(err, inventory.ErrNotAllowed) || errors.Is(err, inventory.ErrBusy) || len(inventory.FieldErrors(err)) > 0
}

// rival takes the place of a story without room the moment it is free.
func (f *fair) rival(ctx context.Context, store *pgstore.Store, p *performance) error {
	if p.room {
		return nil
	}
	r := p.request
	r.Buyer, r.IdempotencyKey, r.Comp, r.Reason, r.Actor = "rival", "", true, "took the place", mira
	_, _, err := store.PlaceHold(ctx, r)
	if errors.Is(err, inventory.ErrSoldOut) {
		return nil
	}
	return err
}

// rest runs the jobs at each time until nothing is left to do.
func (f *fair) rest(ctx context.Context, base time.Time, times ...time.Duration) error {
	for _, d := range times {
		store := f.Store.At(base.Add(d))
		if err := f.ask(ctx, store); err != nil {
			return err
		}
		if _, err := f.refunds(store).Run(ctx); err != nil {
			return err
		}
		var left int
		err := f.DB.Pool.QueryRow(ctx, `select (select count(*) from webhook_event where state in ('STORED', 'UNMATCHED'))
			+ (select count(*) from payment where state in ('CREATED', 'PENDING'))
			+ (select count(*) from refund where state in ('REQUESTED', 'PENDING') and not external)`).Scan(&left)
		if err != nil || left == 0 {
			return err
		}
		for _, r := range f.sim.Ledger().Refunds { // what was accepted is done some time later
			if r.State == simulated.StatePending && r.Key != "" {
				if _, err := f.sim.SettleRefund(r.ID, simulated.StateSucceeded); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// ask runs the reconcile job.
func (f *fair) ask(ctx context.Context, store *pgstore.Store) error {
	if _, err := f.reconcile(store).Run(ctx); !waits(err) {
		return err
	}
	return nil
}

// gossip delivers what the provider says of all refunds of ours: some twice,
// some never.
func (f *fair) gossip(ctx context.Context, store *pgstore.Store, seed uint64) error {
	letters := f.post.take()
	for i, l := range letters {
		for range seed >> (i % 60) & 3 { // none to three times
			other := letters[(i+int(seed%7))%len(letters)]
			for _, e := range []inventory.ProviderEvent{other.event, l.event} {
				if err := deliverTo(ctx, store, e); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// judge compares the end of every performance with its story's outcomes, and
// the refunds here with those at the provider.
func (f *fair) judge(ctx context.Context, shows []*performance) error {
	ledger := f.sim.Ledger()
	for _, p := range shows {
		got, err := f.end(ctx, p, ledger)
		if err != nil {
			return fmt.Errorf("%+v: %w", *p.telling, err)
		}
		allowed := p.outcomes(p.inPlace())
		if !slices.ContainsFunc(allowed, func(o outcome) bool { return o.String() == got.String() }) {
			return fmt.Errorf("%+v\nends as %s\nwant    %v (heard in place: %t)", *p.telling, got, allowed, p.inPlace())
		}
	}
	return nil
}

// end is where a booking and its money have come to rest.
func (f *fair) end(ctx context.Context, p *performance, ledger simulated.Ledger) (outcome, error) {
	b, err := f.Store.Booking(ctx, p.booking.ID)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{booking: b.State}
	for i, made := range p.made {
		word, err := f.money(ctx, b, made.ID, ledger)
		if err != nil {
			return o, fmt.Errorf("charge %d: %w", i, err)
		}
		o.money = append(o.money, word)
	}
	for _, row := range b.Payments {
		if row.State == inventory.PaymentCreated || row.State == inventory.PaymentPending {
			return o, fmt.Errorf("payment %q is still %s after %d questions, the last: %q", row.ProviderPayment, row.State, row.AskTries, row.LastError)
		}
	}
	return o, nil
}

// money is where a charge has come to rest. Both sides must agree on how much
// of it went back, and nothing that we know of may stay open at the provider.
func (f *fair) money(ctx context.Context, b inventory.Booking, id string, ledger simulated.Ledger) (string, error) {
	i := slices.IndexFunc(b.Payments, func(row inventory.Payment) bool { return id != "" && row.ProviderPayment == id })
	if i < 0 {
		return moneyNone, nil
	}
	row := b.Payments[i]
	var there inventory.Minor
	for _, r := range ledger.Refunds {
		if r.Payment == id && r.State == simulated.StateSucceeded {
			there += r.AmountMinor
		}
	}
	for _, at := range ledger.Payments {
		if at.ID == id && at.State == simulated.StatePending {
			return "", errors.New("it is still open at the provider")
		}
	}
	var here inventory.Minor
	err := f.DB.Pool.QueryRow(ctx, `select coalesce(sum(amount_minor), 0)::bigint from refund where payment_id = $1 and state = 'SUCCEEDED'`, row.ID).Scan(&here)
	switch {
	case err != nil:
		return "", err
	case here != there:
		return "", fmt.Errorf("%d went back here, %d at the provider", here, there)
	case row.Standing == "":
		return moneyNone, nil
	case row.Standing == inventory.StandingZombie:
		return fmt.Sprintf("zombie %s", row.ZombieKind), nil
	}
	return string(row.Standing), nil
}
