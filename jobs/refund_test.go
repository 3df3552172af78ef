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

// fakeRefunds is a refundStore with canned tasks.
type fakeRefunds struct {
	mu         sync.Mutex
	overdue    int
	tasks      []inventory.RefundTask
	noteErr    error
	answered   map[inventory.RefundID]inventory.RefundState
	unanswered map[inventory.RefundID]string
}

func (f *fakeRefunds) DecideOverdueZombies(context.Context, int) (int, error) { return f.overdue, nil }

func (f *fakeRefunds) ClaimRefunds(context.Context, []string, int) ([]inventory.RefundTask, error) {
	return f.tasks, nil
}

func (f *fakeRefunds) RefundAnswered(ctx context.Context, id inventory.RefundID, r inventory.ProviderRefund) (inventory.Refund, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answered[id] = r.State
	return inventory.Refund{}, errors.Join(ctx.Err(), f.noteErr)
}

func (f *fakeRefunds) RefundUnanswered(ctx context.Context, id inventory.RefundID, cause string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unanswered[id] = cause
	return errors.Join(ctx.Err(), f.noteErr)
}

func TestRefund_Run(t *testing.T) {
	t.Parallel()
	setup := func(n int) *fakeRefunds {
		f := &fakeRefunds{answered: map[inventory.RefundID]inventory.RefundState{}, unanswered: map[inventory.RefundID]string{}}
		for range n {
			f.tasks = append(f.tasks, inventory.RefundTask{Refund: inventory.Refund{ID: inventory.NewRefundID(), Provider: "simulated"}})
		}
		return f
	}
	run := func(ctx context.Context, f *fakeRefunds, send func(context.Context, inventory.RefundTask) (inventory.ProviderRefund, error)) (Result, error) {
		return NewRefund(f, map[string]Provider{"simulated": &fakeProvider{refund: send}}, quiet()).Run(ctx)
	}
	succeed := func(context.Context, inventory.RefundTask) (inventory.ProviderRefund, error) {
		return inventory.ProviderRefund{State: inventory.RefundSucceeded}, nil
	}

	t.Run("answersAreWrittenDown", func(t *testing.T) {
		t.Parallel()
		f := setup(3)
		f.overdue = 2
		states := []inventory.RefundState{inventory.RefundSucceeded, inventory.RefundPending, inventory.RefundFailed}
		byID := map[inventory.RefundID]inventory.RefundState{}
		for i, task := range f.tasks {
			byID[task.Refund.ID] = states[i]
		}
		res, err := run(t.Context(), f, func(_ context.Context, task inventory.RefundTask) (inventory.ProviderRefund, error) {
			return inventory.ProviderRefund{State: byID[task.Refund.ID]}, nil
		})
		want := Result{Done: 3, Detail: "2 zombies past their deadline, 1 refunds done, 1 pending at the provider, 1 failed"}
		if err != nil || res != want {
			t.Errorf("Run = %+v, %v; want %+v", res, err, want)
		}
		for id, state := range byID {
			if f.answered[id] != state {
				t.Errorf("refund %s written as %s, want %s", id, f.answered[id], state)
			}
		}
	})

	// B42: the row that panics must not block the others.
	t.Run("B42_panicBelongsToOneRefund", func(t *testing.T) {
		t.Parallel()
		f := setup(5)
		h13 := f.tasks[1].Refund.ID
		res, err := run(t.Context(), f, func(ctx context.Context, task inventory.RefundTask) (inventory.ProviderRefund, error) {
			if task.Refund.ID == h13 {
				panic("h13")
			}
			return succeed(ctx, task)
		})
		if err != nil || res.Done != 4 || f.unanswered[h13] != "panic: h13" {
			t.Errorf("Run = %+v, %v, h13 %q; want 4 done and h13 kept for later", res, err, f.unanswered[h13])
		}
	})

	t.Run("hangingProviderIsCutOffAndTheRefundKept", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			f := setup(providerCalls + 3)
			from := time.Now()
			res, err := run(t.Context(), f, func(ctx context.Context, _ inventory.RefundTask) (inventory.ProviderRefund, error) {
				<-ctx.Done()
				return inventory.ProviderRefund{}, ctx.Err()
			})
			if took := time.Since(from); err != nil || res.Done != 0 || took > 2*providerCallLimit {
				t.Errorf("Run = %+v, %v in %v", res, err, took)
			}
			for id, cause := range f.unanswered {
				if !strings.HasPrefix(cause, "refund.send took over 10s") {
					t.Errorf("refund %s: cause %q", id, cause)
				}
			}
			if len(f.unanswered) != providerCalls+3 {
				t.Errorf("%d kept for later, want all", len(f.unanswered))
			}
		})
	})

	t.Run("stopDuringACallIsStillWrittenDown", func(t *testing.T) {
		t.Parallel()
		f := setup(1)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := run(ctx, f, func(ctx context.Context, _ inventory.RefundTask) (inventory.ProviderRefund, error) {
			cancel()
			return inventory.ProviderRefund{}, ctx.Err()
		})
		if err != nil || len(f.unanswered) != 1 {
			t.Errorf("Run = %v with %d written down, want 1", err, len(f.unanswered))
		}
	})

	t.Run("unknownProviderIsNoAnswer", func(t *testing.T) {
		t.Parallel()
		f := setup(1)
		f.tasks[0].Refund.Provider = "stripe"
		if _, err := run(t.Context(), f, succeed); err != nil || f.unanswered[f.tasks[0].Refund.ID] == "" {
			t.Errorf("Run = %v, kept %v; want the refund kept with the reason", err, f.unanswered)
		}
	})

	t.Run("answersThatCannotBeWrittenFailTheRun", func(t *testing.T) {
		t.Parallel()
		f := setup(2)
		f.noteErr = inventory.ErrUnavailable
		if _, err := run(t.Context(), f, succeed); !errors.Is(err, inventory.ErrUnavailable) || !strings.Contains(err.Error(), "2 answers") {
			t.Errorf("Run = %v, want the count and the cause", err)
		}
	})
}

// The key makes sending twice harmless only while the provider knows it.
func TestRefund_keyLifetime(t *testing.T) {
	t.Parallel()
	sent := time.Date(2027, time.January, 15, 19, 0, 0, 0, time.UTC)
	id := inventory.NewRefundID()
	ours := inventory.ProviderRefund{ID: "rf_1", Reference: id.String(), State: inventory.RefundSucceeded}
	failed := inventory.ProviderRefund{ID: "rf_0", Reference: id.String(), State: inventory.RefundFailed}
	others := inventory.ProviderRefund{ID: "rf_2", Reference: "desk-7", State: inventory.RefundSucceeded}
	for name, c := range map[string]struct {
		refund   inventory.Refund
		listed   []inventory.ProviderRefund
		listErr  error
		sends    bool
		answered inventory.RefundState // "" = noted as unanswered
	}{
		"firstTryIsSent":              {inventory.Refund{Tries: 1, NextTryAt: sent.Add(2 * time.Hour)}, nil, errUnexpected, true, inventory.RefundSucceeded},
		"withinItTheSameKeyIsSent":    {inventory.Refund{Tries: 3, NextTryAt: sent.Add(59 * time.Minute)}, nil, errUnexpected, true, inventory.RefundSucceeded},
		"pastItTheMadeOneIsAdopted":   {inventory.Refund{Tries: 3, NextTryAt: sent.Add(time.Hour)}, []inventory.ProviderRefund{others, ours}, nil, false, inventory.RefundSucceeded},
		"pastItAFailureIsAnAnswer":    {inventory.Refund{Tries: 3, NextTryAt: sent.Add(time.Hour)}, []inventory.ProviderRefund{failed}, nil, false, inventory.RefundFailed},
		"oneThatGaveMoneyBackCounts":  {inventory.Refund{Tries: 3, NextTryAt: sent.Add(time.Hour)}, []inventory.ProviderRefund{failed, ours}, nil, false, inventory.RefundSucceeded},
		"pastItOthersDoNotCount":      {inventory.Refund{Tries: 3, NextTryAt: sent.Add(time.Hour)}, []inventory.ProviderRefund{others}, nil, true, inventory.RefundSucceeded},
		"withoutTheListNothingIsSent": {inventory.Refund{Tries: 3, NextTryAt: sent.Add(time.Hour)}, nil, inventory.ErrNotFound, false, ""},
		"pendingIsAskedAbout":         {inventory.Refund{State: inventory.RefundPending, Tries: 2, NextTryAt: sent.Add(time.Minute)}, []inventory.ProviderRefund{ours}, nil, false, inventory.RefundSucceeded},
		"pendingIsFoundByItsID":       {inventory.Refund{State: inventory.RefundPending, ProviderRefund: "rf_2", Tries: 2, NextTryAt: sent.Add(time.Minute)}, []inventory.ProviderRefund{others}, nil, false, inventory.RefundSucceeded},
		"pendingIsNeverSentAgain":     {inventory.Refund{State: inventory.RefundPending, Tries: 2, NextTryAt: sent.Add(time.Minute)}, nil, nil, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.refund.ID, c.refund.Provider, c.refund.SentAt = id, "simulated", sent
			store := &fakeRefunds{
				tasks:    []inventory.RefundTask{{Refund: c.refund, ProviderPayment: "pay_1"}},
				answered: map[inventory.RefundID]inventory.RefundState{}, unanswered: map[inventory.RefundID]string{},
			}
			sends := 0
			provider := &fakeProvider{
				list: func(_ context.Context, payment string) ([]inventory.ProviderRefund, error) {
					if payment != "pay_1" {
						t.Errorf("listed the refunds of %q", payment)
					}
					return c.listed, c.listErr
				},
				refund: func(context.Context, inventory.RefundTask) (inventory.ProviderRefund, error) {
					sends++
					return inventory.ProviderRefund{State: inventory.RefundSucceeded}, nil
				},
			}
			if _, err := NewRefund(store, map[string]Provider{"simulated": provider}, quiet()).Run(t.Context()); err != nil {
				t.Fatalf("Run = %v", err)
			}
			if (sends == 1) != c.sends || store.answered[id] != c.answered || (c.answered == "") != (store.unanswered[id] != "") {
				t.Errorf("sent %d times, answered %q, unanswered %q", sends, store.answered[id], store.unanswered[id])
			}
		})
	}
}

// An answer that contradicts the refund decides nothing, and one bad answer
// does not make every run a failed one.
func TestRefund_contradictionIsNoAnswer(t *testing.T) {
	t.Parallel()
	id := inventory.NewRefundID()
	store := &contradicted{fakeRefunds{
		tasks:    []inventory.RefundTask{{Refund: inventory.Refund{ID: id, Provider: "simulated", Tries: 1}}},
		answered: map[inventory.RefundID]inventory.RefundState{}, unanswered: map[inventory.RefundID]string{},
	}}
	provider := &fakeProvider{refund: func(context.Context, inventory.RefundTask) (inventory.ProviderRefund, error) {
		return inventory.ProviderRefund{State: inventory.RefundSucceeded}, nil
	}}
	res, err := NewRefund(store, map[string]Provider{"simulated": provider}, quiet()).Run(t.Context())
	if err != nil || res.Done != 0 || !strings.Contains(store.unanswered[id], "amount") {
		t.Errorf("Run = %+v, %v, noted %q", res, err, store.unanswered[id])
	}
}

// contradicted refuses every answer as the real store refuses another amount.
type contradicted struct{ fakeRefunds }

func (*contradicted) RefundAnswered(context.Context, inventory.RefundID, inventory.ProviderRefund) (inventory.Refund, error) {
	return inventory.Refund{}, inventory.Invalid("amount", "the provider refunded EUR 1.00 where EUR 25.00 was asked")
}
