package daemon

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/timezone"
)

const (
	vitalsEvery = 5 * time.Second // however often somebody asks
	vitalsLimit = 2 * time.Second
)

// vitals exports how the installation stands, as the database tells it: the same
// from every daemon. It is read when somebody asks, and not more often than
// every 5 s. While the database does not answer holdfast_up is 0 and what it
// said before is not said again.
type vitals struct {
	read  func(context.Context) (pgstore.Vitals, error)
	clock timezone.Clock
	log   *slog.Logger

	mu    sync.Mutex
	asked time.Time // the last time, whatever came of it; zero: never
	took  time.Duration
	last  pgstore.Vitals
	err   error     // of that time
	good  time.Time // the last time that it answered
}

func watchVitals(r prometheus.Registerer, read func(context.Context) (pgstore.Vitals, error), clock timezone.Clock, log *slog.Logger) {
	r.MustRegister(&vitals{read: read, clock: clock, log: log})
}

func vitalDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("holdfast_"+name, help, labels, nil)
}

var (
	vitalUp   = vitalDesc("up", "1 if the database answered when its vitals were last read, 0 if not; then none of them is shown.")
	vitalAge  = vitalDesc("vitals_age_seconds", "Time since the vitals were last read; left out if they never were.")
	vitalTook = vitalDesc("vitals_read_seconds", "How long reading them took.")

	vitalOverdue  = vitalDesc("holds_overdue", "Holds whose time is over and that no sweep has expired, 10000 at most.")
	vitalSweepLag = vitalDesc("sweep_lag_seconds", "How long the oldest of them has been over.")
	vitalDoubtful = vitalDesc("bookings_in_doubt", "Bookings whose payment is in doubt for longer than the venue waits, 10000 at most.")

	vitalOutbox       = vitalDesc("outbox_messages", "Messages about bookings that are not published yet, 10000 at most.")
	vitalOutboxAge    = vitalDesc("outbox_age_seconds", "Age of the oldest of them.")
	vitalOutboxParked = vitalDesc("outbox_parked", "Messages that were refused too often and wait for staff, 10000 at most.")
	vitalInbox        = vitalDesc("inbox_waiting", "Callbacks that wait: stored and not applied, or unmatched, 10000 together at most.", "state")
	vitalInboxAge     = vitalDesc("inbox_age_seconds", "Age of the oldest callback that is stored and not applied.")

	vitalZombies  = vitalDesc("zombies", "Captured payments without a live booking, by kind, 10000 together at most.", "kind")
	vitalMoney    = vitalDesc("zombie_money_minor", "Their money, in minor units of its currency.", "currency")
	vitalDeadline = vitalDesc("zombie_deadline_timestamp_seconds", "When the first zombie is refunded if staff do not decide; left out if there is none.")
	vitalRefunds  = vitalDesc("refunds", "Refunds that are REQUESTED or PENDING; of the last 24 hours those that SUCCEEDED, and FAILED ones that nobody tried again.", "state")

	vitalRooms    = vitalDesc("waiting_rooms_open", "Waiting rooms that let buyers in.")
	vitalWaiting  = vitalDesc("waiting_buyers", "Buyers with a number who are not let in yet, over all open rooms.")
	vitalActive   = vitalDesc("waiting_active_buyers", "Buyers who were let in and have placed no hold yet, over all open rooms.")
	vitalAdmitted = vitalDesc("waiting_admitted_total", "Numbers let in, over all rooms.")

	vitalJobSuccess = vitalDesc("job_last_success_timestamp_seconds", "When a run of the job last ended well in any daemon; 0 if none of the last 100 did.", "name")
	vitalJobPaused  = vitalDesc("job_paused", "1 if staff paused the job.", "name")
	vitalViolations = vitalDesc("violations", "Violated invariants that the last check found; left out until a check has looked.")
)

// Describe implements prometheus.Collector.
func (*vitals) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		vitalUp, vitalAge, vitalTook, vitalOverdue, vitalSweepLag, vitalDoubtful, vitalOutbox, vitalOutboxAge, vitalOutboxParked,
		vitalInbox, vitalInboxAge, vitalZombies, vitalMoney, vitalDeadline, vitalRefunds, vitalRooms, vitalWaiting, vitalActive,
		vitalAdmitted, vitalJobSuccess, vitalJobPaused, vitalViolations,
	} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (v *vitals) Collect(to chan<- prometheus.Metric) {
	v.mu.Lock()
	defer v.mu.Unlock() // who asks meanwhile gets the same answer
	v.refresh()
	now := v.clock.Now()
	if !v.good.IsZero() {
		gauge(to, vitalAge, max(0, now.Sub(v.good).Seconds()))
	}
	gauge(to, vitalTook, v.took.Seconds())
	if v.err != nil {
		gauge(to, vitalUp, 0)
		return
	}
	gauge(to, vitalUp, 1)
	sendVitals(to, v.last)
}

// refresh reads the vitals if the last time was long enough ago.
func (v *vitals) refresh() {
	began := v.clock.Now()
	if since := began.Sub(v.asked); !v.asked.IsZero() && since >= 0 && since < vitalsEvery {
		return
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), vitalsLimit, errors.New("vitals.read took over "+vitalsLimit.String()))
	defer cancel()
	before := v.err
	v.last, v.err = v.read(ctx)
	v.asked = v.clock.Now()
	v.took = max(0, v.asked.Sub(began))
	switch {
	case v.err == nil:
		v.good = v.asked
	case before == nil: // said once, not every 5 s
		v.log.LogAttrs(ctx, slog.LevelWarn, "the vitals could not be read", slog.Any("error", v.err))
	}
}

func gauge(to chan<- prometheus.Metric, d *prometheus.Desc, value float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
}

func sendVitals(to chan<- prometheus.Metric, v pgstore.Vitals) {
	gauge(to, vitalOverdue, float64(v.Overdue))
	gauge(to, vitalSweepLag, age(v, v.OverdueSince))
	gauge(to, vitalDoubtful, float64(v.Doubtful))
	gauge(to, vitalOutbox, float64(v.OutboxOpen))
	gauge(to, vitalOutboxAge, age(v, v.OutboxSince))
	gauge(to, vitalOutboxParked, float64(v.OutboxParked))
	gauge(to, vitalInbox, float64(v.InboxStored), "stored")
	gauge(to, vitalInbox, float64(v.InboxUnmatched), "unmatched")
	gauge(to, vitalInboxAge, age(v, v.InboxSince))
	sendMoney(to, v)
	gauge(to, vitalRooms, float64(v.RoomsOpen))
	gauge(to, vitalWaiting, float64(v.RoomWaiting))
	gauge(to, vitalActive, float64(v.RoomActive))
	to <- prometheus.MustNewConstMetric(vitalAdmitted, prometheus.CounterValue, float64(v.RoomAdmitted))
	for _, j := range v.Jobs {
		paused := 0.0
		if j.Paused {
			paused = 1
		}
		gauge(to, vitalJobPaused, paused, string(j.Name))
		if j.Ran {
			gauge(to, vitalJobSuccess, unix(j.LastSuccess), string(j.Name))
		}
	}
	if !v.ViolationsAsked.IsZero() {
		gauge(to, vitalViolations, float64(v.Violations))
	}
}

// sendMoney says 0 of what there might be, so that a graph has no holes.
func sendMoney(to chan<- prometheus.Metric, v pgstore.Vitals) {
	kinds := map[inventory.ZombieKind]int{
		inventory.ZombieLate: 0, inventory.ZombieDuplicate: 0, inventory.ZombieMismatch: 0, inventory.ZombieUnmatched: 0,
	}
	money := map[inventory.Currency]inventory.Minor{}
	for _, z := range v.Zombies {
		kinds[z.Kind] += z.Count
		money[z.Currency] += z.Minor
	}
	for kind, n := range kinds {
		gauge(to, vitalZombies, float64(n), string(kind))
	}
	for currency, minor := range money {
		gauge(to, vitalMoney, float64(minor), string(currency))
	}
	if !v.ZombieDeadline.IsZero() {
		gauge(to, vitalDeadline, unix(v.ZombieDeadline))
	}
	for _, state := range []inventory.RefundState{
		inventory.RefundRequested, inventory.RefundPending, inventory.RefundSucceeded, inventory.RefundFailed,
	} {
		gauge(to, vitalRefunds, float64(v.Refunds[state]), string(state))
	}
}

// age is how long before the vitals were read since lies, in seconds; 0 for the
// zero time.
func age(v pgstore.Vitals, since time.Time) float64 {
	if since.IsZero() {
		return 0
	}
	return max(0, v.At.Sub(since).Seconds())
}

// unix is an instant in seconds since 1970; 0 for the zero time.
func unix(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMicro()) / 1e6
}
