package pgstore

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"holdfast/inventory"
)

// sweepQueue hands days out to the workers of one call and counts what became
// of them.
type sweepQueue struct {
	mu      sync.Mutex
	days    []dayKey // nobody has them yet
	left    int      // holds that may still be expired
	touched int      // days that gave places back
	locked  []dayKey // somebody else keeps them
}

// next hands out a group of days and how many holds of them may be expired.
// Workers get different days, and none is idle while there are some.
func (q *sweepQueue) next() (group []dayKey, most int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.days) == 0 || q.left <= 0 {
		return nil, 0
	}
	n := min(sweepGroup, (len(q.days)+sweepWorkers-1)/sweepWorkers)
	group, q.days = q.days[:n:n], q.days[n:]
	most = q.left
	q.left = 0
	if len(q.days) > 0 {
		// The others need some of it, too; what is not used comes back.
		q.left = most / 2
		most -= q.left
	}
	return group, most
}

// done takes back what a worker did not get through, in front of the others.
func (q *sweepQueue) done(group []dayKey, most int, res sweptDays) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, place := range res.locked {
		q.locked = append(q.locked, group[place-1])
	}
	q.touched += res.touched
	q.left += most - res.expired
	if rest := group[res.finished:]; len(rest) > 0 {
		q.days = append(rest[:len(rest):len(rest)], q.days...)
	}
}

// sweepFree sweeps the days of the queue that nobody else keeps locked, until
// none is left or the queue's limit is reached. Between two transactions whoever
// waits for a day gets it.
func (s *Store) sweepFree(ctx context.Context, q *sweepQueue) error {
	workers, ctx := errgroup.WithContext(ctx)
	for range min(sweepWorkers, len(q.days)) {
		workers.Go(func() error {
			for {
				group, most := q.next()
				if group == nil {
					return nil
				}
				var res sweptDays
				err := s.inTx(ctx, "sweep holds", beginJob, func(ctx context.Context, tx pgx.Tx) error {
					var err error
					res, err = s.sweepDays(ctx, tx, group, most)
					return err
				})
				if err != nil {
					return err
				}
				q.done(group, most, res)
			}
		})
	}
	return workers.Wait()
}

// sweptDays is what one transaction did with a group of days.
type sweptDays struct {
	expired  int
	touched  int     // days that gave places back
	finished int     // days, from the front, that need no further look
	locked   []int32 // places in the group, from 1, of those that somebody else keeps
}

func (s *Store) sweepDays(ctx context.Context, tx pgx.Tx, group []dayKey, most int) (sweptDays, error) {
	var res sweptDays
	pools, days := splitKeys(group)
	err := tx.QueryRow(ctx, sqlSweepDays, pgx.StrictNamedArgs{
		"pools": pools, "days": days, "most": most, "span": sweepSpan.Microseconds(),
		"actor": inventory.Job(string(inventory.JobSweep)).String(), "now": s.now,
	}).Scan(&res.expired, &res.touched, &res.finished, &res.locked)
	return res, err
}
