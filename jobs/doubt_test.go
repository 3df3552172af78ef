package jobs

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"holdfast/inventory"
)

// fakeDoubts is a reconcileStore in memory that hands out its payments once.
type fakeDoubts struct {
	mu       sync.Mutex
	due      []inventory.DoubtfulPayment
	answered map[inventory.PaymentID][]inventory.ProviderPayment
	causes   map[inventory.PaymentID]string
	givenUp  map[inventory.PaymentID]bool
	noteErr  error
	claims   int
}

func newDoubts(n int) *fakeDoubts {
	f := &fakeDoubts{
		answered: map[inventory.PaymentID][]inventory.ProviderPayment{},
		causes:   map[inventory.PaymentID]string{}, givenUp: map[inventory.PaymentID]bool{},
	}
	for range n {
		f.due = append(f.due, inventory.DoubtfulPayment{Payment: inventory.Payment{
			ID: inventory.NewPaymentID(), Provider: "simulated", ProviderKey: "key", AskTries: 1, Amount: price, State: inventory.PaymentCreated,
		}})
	}
	return f
}

var price = inventory.Money{Minor: 2500, Currency: "EUR"}

func (*fakeDoubts) ApplyPendingEvents(context.Context, int) (int, error) { return 0, nil }

func (f *fakeDoubts) ClaimDoubtful(_ context.Context, _ []string, limit int) ([]inventory.DoubtfulPayment, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.claims++
	n := min(limit, len(f.due))
	claimed := f.due[:n]
	f.due = f.due[n:]
	return claimed, nil
}

func (f *fakeDoubts) PaymentAnswered(ctx context.Context, id inventory.PaymentID, p inventory.ProviderPayment) (inventory.Booking, inventory.Payment, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answered[id] = append(f.answered[id], p)
	return inventory.Booking{}, inventory.Payment{ID: id, State: f.answered[id][0].State, Amount: price}, errors.Join(ctx.Err(), f.noteErr)
}

func (f *fakeDoubts) PaymentUnanswered(ctx context.Context, id inventory.PaymentID, cause string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.causes[id] = cause
	return errors.Join(ctx.Err(), f.noteErr)
}

func (f *fakeDoubts) GiveUpDoubt(_ context.Context, id inventory.PaymentID) (inventory.Booking, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.givenUp[id] = true
	return inventory.Booking{}, nil
}

func (f *fakeDoubts) run(ctx context.Context, p Provider) (Result, error) {
	return NewReconcile(f, map[string]Provider{"simulated": p}, quiet()).Run(ctx)
}

func TestReconcile_whatAnswersMean(t *testing.T) {
	t.Parallel()
	const pending, succeeded, failed, cancelled = inventory.PaymentPending, inventory.PaymentSucceeded, inventory.PaymentFailed, inventory.PaymentCancelled
	silent := errors.New("no answer")
	for name, c := range map[string]struct {
		found     []inventory.PaymentState // at the provider, by our reference
		findErr   error
		cancelled inventory.PaymentState // what cancel answers; "" = it does not
		tries     int
		held      bool
		pastCap   bool
		want      []inventory.PaymentState // answers written down, in order
		cause     string                   // part of what is noted
		givesUp   bool
		detail    string
	}{
		"captured":               {found: []inventory.PaymentState{succeeded}, want: []inventory.PaymentState{succeeded}, detail: "1 payments found captured"},
		"declined":               {found: []inventory.PaymentState{failed}, want: []inventory.PaymentState{failed}, detail: "1 found ended without money"},
		"openIsCancelled":        {found: []inventory.PaymentState{pending}, cancelled: cancelled, want: []inventory.PaymentState{cancelled}, detail: "1 found ended without money"},
		"openWasCapturedJustNow": {found: []inventory.PaymentState{pending}, cancelled: succeeded, want: []inventory.PaymentState{succeeded}, detail: "1 payments found captured"},
		"openStaysOpen":          {found: []inventory.PaymentState{pending}, cancelled: pending, want: []inventory.PaymentState{pending}, detail: "1 still open at the provider"},
		"openStaysOpenPastTheCap": {
			found: []inventory.PaymentState{pending}, cancelled: pending, pastCap: true,
			want: []inventory.PaymentState{pending}, givesUp: true, detail: "1 still open at the provider, 1 given up",
		},
		"openInALiveHoldIsLeftAlone": {found: []inventory.PaymentState{pending}, held: true, want: []inventory.PaymentState{pending}, detail: "1 still open at the provider"},
		"cancelWithoutAnAnswer":      {found: []inventory.PaymentState{pending}, want: []inventory.PaymentState{pending}, cause: "no answer", detail: "1 without an answer"},
		"severalUnderOneReference":   {found: []inventory.PaymentState{failed, pending, succeeded}, cancelled: cancelled, want: []inventory.PaymentState{succeeded, failed, cancelled}, detail: "1 payments found captured"},
		"noAnswer":                   {findErr: silent, cause: "no answer", detail: "1 without an answer"},
		"noAnswerPastTheCap":         {findErr: silent, pastCap: true, cause: "no answer", givesUp: true, detail: "1 without an answer, 1 given up"},
		"notThereOnce":               {tries: 2, cause: "no such payment", detail: "1 without an answer"},
		"notThereThreeTimes":         {tries: 3, want: []inventory.PaymentState{cancelled}, detail: "1 found ended without money"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newDoubts(1)
			one := &f.due[0]
			one.Held, one.PastCap, one.Payment.AskTries = c.held, c.pastCap, max(1, c.tries)
			id := one.Payment.ID
			res, err := f.run(t.Context(), &fakeProvider{
				find: func(_ context.Context, reference string) ([]inventory.ProviderPayment, error) {
					var found []inventory.ProviderPayment
					for i, state := range c.found {
						found = append(found, inventory.ProviderPayment{ID: string(rune('a' + i)), Reference: reference, State: state, Amount: price})
					}
					return found, c.findErr
				},
				cancel: func(_ context.Context, pay string) (inventory.ProviderPayment, error) {
					if c.cancelled == "" || c.held {
						return inventory.ProviderPayment{}, silent
					}
					return inventory.ProviderPayment{ID: pay, Reference: id.String(), State: c.cancelled, Amount: price}, nil
				},
			})
			var got []inventory.PaymentState
			for _, a := range f.answered[id] {
				got = append(got, a.State)
			}
			if err != nil || res.Detail != c.detail || len(got) != len(c.want) || f.givenUp[id] != c.givesUp {
				t.Errorf("Run = %+v, %v; answers %v, given up %t", res, err, got, f.givenUp[id])
			}
			for i, state := range got {
				if state != c.want[i] {
					t.Errorf("answer %d is %s, want %s", i, state, c.want[i])
				}
			}
			if c.cause == "" != (f.causes[id] == "") || !strings.Contains(f.causes[id], c.cause) {
				t.Errorf("noted %q, want %q in it", f.causes[id], c.cause)
			}
		})
	}
}

// An answer about something else decides nothing.
func TestReconcile_contradictions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		known  string // the provider's id, if we have one
		key    string
		answer inventory.ProviderPayment
		err    error
		taken  bool
	}{
		"otherReference":               {"", "key", inventory.ProviderPayment{ID: "pay_1", Reference: "somebody else's"}, nil, false},
		"otherPayment":                 {"pay_1", "key", inventory.ProviderPayment{ID: "pay_2"}, nil, false},
		"otherReferenceOfAKnownOne":    {"pay_1", "key", inventory.ProviderPayment{ID: "pay_1", Reference: "somebody else's"}, nil, false},
		"aShopsOwnReferenceIsItsOwn":   {"pay_1", "", inventory.ProviderPayment{ID: "pay_1", Reference: "a booking's id"}, nil, true},
		"itWasKnownAndIsNotThere":      {"pay_1", "key", inventory.ProviderPayment{}, inventory.ErrNotFound, false},
		"notThereByReferenceIsNoProof": {"", "key", inventory.ProviderPayment{}, inventory.ErrNotFound, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newDoubts(1)
			p := &f.due[0].Payment
			p.ProviderPayment, p.ProviderKey, p.AskTries = c.known, c.key, 9
			c.answer.State, c.answer.Amount = inventory.PaymentSucceeded, price
			id := p.ID
			if _, err := f.run(t.Context(), &fakeProvider{
				get: func(context.Context, string) (inventory.ProviderPayment, error) { return c.answer, c.err },
				find: func(context.Context, string) ([]inventory.ProviderPayment, error) {
					return []inventory.ProviderPayment{c.answer}, c.err
				},
			}); err != nil {
				t.Fatalf("Run = %v", err)
			}
			if taken := len(f.answered[id]) == 1; taken != c.taken || taken == (f.causes[id] != "") {
				t.Errorf("answers %v, noted %q", f.answered[id], f.causes[id])
			}
		})
	}
}

func TestReconcile_oneQuestionDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	captured := func(_ context.Context, reference string) ([]inventory.ProviderPayment, error) {
		return []inventory.ProviderPayment{{ID: "pay_" + reference, Reference: reference, State: inventory.PaymentSucceeded, Amount: price}}, nil
	}

	t.Run("B42_panic", func(t *testing.T) {
		t.Parallel()
		f := newDoubts(5)
		bad := f.due[2].Payment.ID
		res, err := f.run(t.Context(), &fakeProvider{find: func(ctx context.Context, reference string) ([]inventory.ProviderPayment, error) {
			if reference == bad.String() {
				panic("h13")
			}
			return captured(ctx, reference)
		}})
		if err != nil || res.Detail != "4 payments found captured, 1 without an answer" || f.causes[bad] != "panic: h13" {
			t.Errorf("Run = %+v, %v, noted %q", res, err, f.causes[bad])
		}
	})

	t.Run("slow", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			f := newDoubts(40)
			slow := f.due[0].Payment.ID
			from := time.Now()
			var last time.Duration
			var mu sync.Mutex
			res, err := f.run(t.Context(), &fakeProvider{find: func(ctx context.Context, reference string) ([]inventory.ProviderPayment, error) {
				if reference == slow.String() {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				time.Sleep(100 * time.Millisecond)
				mu.Lock()
				last = max(last, time.Since(from))
				mu.Unlock()
				return captured(ctx, reference)
			}})
			if err != nil || res.Done != 39 || !strings.HasPrefix(f.causes[slow], "payment.find took over 10s") {
				t.Errorf("Run = %+v, %v, noted %q", res, err, f.causes[slow])
			}
			if took := time.Since(from); took > 12*time.Second {
				t.Errorf("the run took %v, want one limit and a little", took)
			}
		})
	})

	t.Run("anotherProviderThatHangs", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			f := newDoubts(doubtBatch)
			for i := range doubtBatch / 2 {
				f.due[i].Payment.Provider = "other"
			}
			var answers []time.Duration
			var mu sync.Mutex
			from := time.Now()
			job := NewReconcile(f, map[string]Provider{
				"other": &fakeProvider{find: func(ctx context.Context, _ string) ([]inventory.ProviderPayment, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				}},
				"simulated": &fakeProvider{find: func(ctx context.Context, reference string) ([]inventory.ProviderPayment, error) {
					mu.Lock()
					defer mu.Unlock()
					answers = append(answers, time.Since(from))
					return captured(ctx, reference)
				}},
			}, quiet())
			if _, err := job.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(answers) != doubtBatch/2 || answers[len(answers)-1] > time.Second {
				t.Errorf("answers after %v, want all at once", answers)
			}
		})
	})

	t.Run("providerThatIsDownIsAskedOneBatch", func(t *testing.T) {
		t.Parallel()
		f := newDoubts(10 * doubtBatch)
		res, err := f.run(t.Context(), &fakeProvider{})
		if err != nil || f.claims != 1 || res.Detail != "16 without an answer" {
			t.Errorf("Run = %+v, %v after %d claims", res, err, f.claims)
		}
	})

	t.Run("answersThatCannotBeWrittenFailTheRun", func(t *testing.T) {
		t.Parallel()
		f := newDoubts(3)
		f.noteErr = inventory.ErrUnavailable
		if _, err := f.run(t.Context(), &fakeProvider{find: captured}); !errors.Is(err, inventory.ErrUnavailable) || !strings.Contains(err.Error(), "3 answers") {
			t.Errorf("Run = %v, want the count and the cause", err)
		}
	})

	t.Run("stopDuringAQuestionIsStillWrittenDown", func(t *testing.T) {
		t.Parallel()
		f := newDoubts(1)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := f.run(ctx, &fakeProvider{find: func(ctx context.Context, _ string) ([]inventory.ProviderPayment, error) {
			cancel()
			return nil, ctx.Err()
		}})
		if err != nil || len(f.causes) != 1 {
			t.Errorf("Run = %v with %d noted, want 1", err, len(f.causes))
		}
	})
}
