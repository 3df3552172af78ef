package bench

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/inventory/payment/signature"
)

// confirm takes money for holds: signed callbacks of the simulated provider, each
// for another hold.
func (b *bench) confirm(ctx context.Context) error {
	secret, err := signature.NewSecret(simSecret)
	if err != nil {
		return err
	}
	signer := signature.NewSigner(secret)
	if err := b.store.PauseJob(ctx, staff, inventory.JobSweep, "measured"); err != nil { // the holds are overdue for a moment
		return err
	}
	defer func() { _ = b.store.ResumeJob(context.WithoutCancel(ctx), staff, inventory.JobSweep) }()
	for _, clients := range b.cfg.Clients {
		ids, err := b.holdsToConfirm(ctx, int((b.cfg.For+warmUp).Seconds()*confirmMost))
		if err != nil {
			return err
		}
		var next atomic.Int64
		l, err := run{
			clients: clients, length: b.cfg.For, targets: b.targets(),
			ask: func(int, int) request {
				id := ids[int(next.Add(1)-1)%len(ids)] // more than once is harmless, and would show
				event := uuid.NewString()
				body := `{"type":"payment.succeeded","id":"evt_` + event + `","created":` + strconv.FormatInt(time.Now().Unix(), 10) +
					`,"live":false,"data":{"payment":"pay_` + event + `","reference":"` + id + `","amountMinor":2500,"currency":"EUR"}}`
				header := http.Header{}
				if err := signer.Sign(header, "evt_"+event, time.Now(), []byte(body)); err != nil {
					return request{} // refused, and seen by check
				}
				lines := ""
				for name := range header {
					lines += name + ": " + header.Get(name) + "\r\n"
				}
				return request{method: http.MethodPost, path: "/payments/webhook", header: lines, body: body}
			},
			check: func(_ int, r reply) error {
				if r.status != http.StatusNoContent {
					return fmt.Errorf("a callback was answered %d %s", r.status, r.body)
				}
				return nil
			},
		}.do(ctx)
		if err != nil {
			return err
		}
		if n := next.Load(); n > int64(len(ids)) {
			return fmt.Errorf("%d callbacks and only %d holds: --for is too long for this scenario", n, len(ids))
		}
		b.say(named(Confirm, clients), l)
	}
	return nil
}

// confirmMost is how many callbacks a second there are holds for.
const confirmMost = 4000

// holdsToConfirm makes n holds that have an hour to go.
func (b *bench) holdsToConfirm(ctx context.Context, n int) ([]string, error) {
	if err := b.fill(ctx, fillOverdue, n); err != nil {
		return nil, err
	}
	rows, err := b.pool.Query(ctx, `UPDATE booking SET expires_at = now() + interval '1 hour', version = version + 1, last_cause = 'extended', updated_at = now()
		WHERE state = 'HELD' AND last_actor = 'system:bench' AND version = 1 RETURNING id::text`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
