package jobs

import (
	"log/slog"
	"time"
)

type standardStore interface {
	sweepStore
	horizonStore
	reconcileStore
	refundStore
	checkStore
	relayStore
	purgeStore
}

// Standard returns the daemon's jobs with their intervals. What each interval
// costs in the worst case, with every daemon but one dead:
//
//	sweep      a place that nobody asked for stays taken 5 s longer; a buyer who
//	           asks for it does not wait (the hold reclaims it)
//	reconcile  an event that was stored but not applied waits 5 s more, a payment
//	           in doubt is asked about 5 s later than its backoff says
//	refund     a refund waits 5 s more
//	relay      a message waits 2 s more
//	horizon    a new local day at the far end of the horizon is 10 min late
//	check      a violation is seen 15 min later
//	purge      what is over stays 10 min longer
//
// Without a sink there is no relay, and messages wait. keep must be valid.
func Standard(store standardStore, providers map[string]Provider, sink OutboxSink, keep Retention, log *slog.Logger) []Schedule {
	schedules := []Schedule{
		{Job: NewSweep(store), Every: 5 * time.Second, Timeout: 30 * time.Second},
		{Job: NewReconcile(store, providers, log), Every: 5 * time.Second, Timeout: time.Minute},
		{Job: NewRefund(store, providers, log), Every: 5 * time.Second, Timeout: 2 * time.Minute},
		{Job: NewHorizon(store), Every: 10 * time.Minute, Timeout: 2 * time.Minute},
		{Job: NewCheck(store, log), Every: 15 * time.Minute, Timeout: 5 * time.Minute},
		{Job: NewPurge(store, keep), Every: 10 * time.Minute, Timeout: 2 * time.Minute},
	}
	if sink != nil {
		schedules = append(schedules, Schedule{Job: NewRelay(store, sink, log), Every: 2 * time.Second, Timeout: 3 * time.Minute})
	}
	return schedules
}
