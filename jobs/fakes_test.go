package jobs

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"holdfast/inventory"
)

// fakeJob does what the test says, and remembers what overlapped.
type fakeJob struct {
	name inventory.JobName
	pass func(ctx context.Context) (Result, error)

	mu      sync.Mutex
	now     int
	most    int // most passes at once
	starts  []time.Time
	endings []error
}

func (f *fakeJob) Name() inventory.JobName { return f.name }

func (f *fakeJob) Run(ctx context.Context) (res Result, err error) {
	f.mu.Lock()
	f.now++
	f.most = max(f.most, f.now)
	f.starts = append(f.starts, time.Now())
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.now--
		f.endings = append(f.endings, err)
	}()
	return f.pass(ctx)
}

func (f *fakeJob) runs() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.starts)
}

// sleepFor is a pass that takes d unless it is told to stop.
func sleepFor(d time.Duration) func(context.Context) (Result, error) {
	return func(ctx context.Context) (Result, error) {
		select {
		case <-time.After(d):
			return Result{Done: 1}, nil
		case <-ctx.Done():
			return Result{}, ctx.Err()
		}
	}
}

// record is one finished run as fakeRuns saw it.
type record struct {
	job    inventory.JobName
	done   int
	detail string
	err    error
}

// fakeRuns is a runStore in memory.
type fakeRuns struct {
	mu       sync.Mutex
	paused   map[inventory.JobName]bool
	down     error
	started  []inventory.JobName
	finished []record
}

func (f *fakeRuns) StartJobRun(_ context.Context, job inventory.JobName, _ string) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down != nil {
		return 0, f.down
	}
	if f.paused[job] {
		return 0, inventory.ErrPaused
	}
	f.started = append(f.started, job)
	return int64(len(f.started)), nil
}

func (f *fakeRuns) FinishJobRun(ctx context.Context, id int64, done int, detail string, runErr error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil {
		return errors.New("the end of a run must be written on a live context")
	}
	f.finished = append(f.finished, record{f.started[id-1], done, detail, runErr})
	return nil
}

func (f *fakeRuns) records() []record {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]record(nil), f.finished...)
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// fakeProvider answers as the test says; a nil function means that the test
// does not expect the call.
type fakeProvider struct {
	get    func(ctx context.Context, id string) (inventory.ProviderPayment, error)
	find   func(ctx context.Context, reference string) ([]inventory.ProviderPayment, error)
	cancel func(ctx context.Context, id string) (inventory.ProviderPayment, error)
	refund func(ctx context.Context, t inventory.RefundTask) (inventory.ProviderRefund, error)
	list   func(ctx context.Context, payment string) ([]inventory.ProviderRefund, error)
}

var errUnexpected = errors.New("the test did not expect this call")

func (f *fakeProvider) Get(ctx context.Context, id string) (inventory.ProviderPayment, error) {
	if f.get == nil {
		return inventory.ProviderPayment{}, errUnexpected
	}
	return f.get(ctx, id)
}

func (f *fakeProvider) FindByReference(ctx context.Context, reference string) ([]inventory.ProviderPayment, error) {
	if f.find == nil {
		return nil, errUnexpected
	}
	return f.find(ctx, reference)
}

func (f *fakeProvider) Cancel(ctx context.Context, id string) (inventory.ProviderPayment, error) {
	if f.cancel == nil {
		return inventory.ProviderPayment{}, errUnexpected
	}
	return f.cancel(ctx, id)
}

func (f *fakeProvider) Refund(ctx context.Context, t inventory.RefundTask) (inventory.ProviderRefund, error) {
	if f.refund == nil {
		return inventory.ProviderRefund{}, errUnexpected
	}
	return f.refund(ctx, t)
}

func (f *fakeProvider) ListRefunds(ctx context.Context, payment string) ([]inventory.ProviderRefund, error) {
	if f.list == nil {
		return nil, errUnexpected
	}
	return f.list(ctx, payment)
}

func (f *fakeProvider) KeyLifetime() time.Duration { return time.Hour }
