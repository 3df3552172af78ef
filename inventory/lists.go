package inventory

import "time"

// BookingFilter narrows a list of bookings. Zero fields do not filter.
type BookingFilter struct {
	Venue  string         // slug
	Pool   string         // slug, only with Venue
	States []BookingState // empty: holds (HELD and PAYMENT_PENDING)
	Buyer  string         // exact
	Search string         // part of a buyer, a pool, or the end of an id; any case
	Order  BookingOrder
	Limit  int // 1..1000; 0 = 200
}

// BookingOrder is how a list of bookings is sorted; ties go by id.
type BookingOrder string

// Orders of a list of bookings.
const (
	OrderByExpiry BookingOrder = "expiry" // the one that ends first comes first
	OrderByNewest BookingOrder = "newest"
)

// BookingList is a bounded answer to a BookingFilter.
type BookingList struct {
	Bookings []Booking
	More     bool // there are more than Limit
	Counts   HoldCounts
	AsOf     time.Time // database clock: countdowns are measured against it
}

// HoldCounts sums up the holds that match a filter's venue and pool.
type HoldCounts struct {
	Held    int     // HELD, due ones included
	Paying  int     // PAYMENT_PENDING
	Due     int     // HELD past their end, not swept yet: still counted as taken
	AtStake []Money // sum of their amounts, by currency
}

// ZombieFilter narrows the list of zombies.
type ZombieFilter struct {
	Venue string // slug; "" = all, unmatched money included
	Limit int
}

// ZombieList is a bounded list of open zombies, oldest first.
type ZombieList struct {
	Zombies []Zombie
	Total   int     // all that match, also beyond the limit
	AtStake []Money // by currency
	AsOf    time.Time
}

// RefundFilter narrows the list of refunds, newest first.
type RefundFilter struct {
	Venue string
	State RefundState // "" = all
	Limit int
}

// AuditFilter narrows the audit, newest first.
type AuditFilter struct {
	Who     string // login or actor, exact
	Subject string // beginning of the subject
	Since   time.Time
	Limit   int
}

// AuditEntry is one staff action or configuration edit.
type AuditEntry struct {
	ID      int64
	At      time.Time
	Login   string // the database login that did it
	Actor   string // the person it did it for
	Action  string
	Subject string
	Before  []byte // JSON of what changed, nil for a new object
	After   []byte
	Reason  string
}

// JobName names a scheduled job.
type JobName string

// The jobs. Those of later work are known by name already, so that a script
// can be written against them.
const (
	JobSweep     JobName = "sweep"
	JobReconcile JobName = "reconcile"
	JobRefund    JobName = "refund"
	JobRelay     JobName = "relay"
	JobHorizon   JobName = "horizon"
	JobCheck     JobName = "check"
	JobPurge     JobName = "purge"
)

// JobStatus is what is known of one job over all daemons.
type JobStatus struct {
	Name        JobName
	Paused      bool
	PausedBy    string
	PauseReason string
	PausedAt    time.Time
	LastRun     JobRun // zero if it never ran
	LastSuccess time.Time
	Failures    int // failed runs in the last hour
}

// JobRun is one run of a job by one daemon.
type JobRun struct {
	ID         int64
	Job        JobName
	Instance   string
	StartedAt  time.Time
	FinishedAt time.Time // zero while it runs
	Outcome    string    // "ok", "failed", "" while it runs
	Done       int       // what it counts: holds expired, days made, refunds sent
	Detail     string    // counts in words
	Error      string
}

// Violation is one broken invariant, as `holdfast check` prints it.
type Violation struct {
	Invariant string
	Object    string
	Detail    string
}

// PayRequest asks to start paying for a hold (daemon-driven).
type PayRequest struct {
	BookingID      BookingID
	Client         Client
	IdempotencyKey string
	Provider       string
	Actor          Actor
}

// SweepResult counts one pass of the sweep.
type SweepResult struct {
	Expired   int  // holds moved to EXPIRED
	Days      int  // pool days touched
	Events    int  // events whose seats came back
	Resources int  // resources whose time came back
	Skipped   int  // pool days somebody else kept locked
	More      bool // overdue holds remain: run again soon
}

// RefundTask is a refund that is due to be sent, with what the provider needs.
type RefundTask struct {
	Refund          Refund
	ProviderPayment string // the provider's payment id
}

// ClientRecord is an API client as staff see it; the token itself is stored
// nowhere.
type ClientRecord struct {
	Client
	CreatedAt  time.Time
	LastUsedAt time.Time // zero if never
	RevokedAt  time.Time // zero while it works
}

// InboxFilter narrows the list of stored callbacks, newest first.
type InboxFilter struct {
	State InboxState // "" = all
	Limit int
}

// OutboxStatus sums up what waits to be published.
type OutboxStatus struct {
	Open      int       // rows to be published
	Oldest    time.Time // when the oldest of them happened; zero if none
	Parked    int       // rows that a person must look at
	Published int       // in the last hour
}

// OutboxRow is one message with the state of its delivery.
type OutboxRow struct {
	OutboxMessage
	PublishedAt time.Time
	ParkedAt    time.Time
	NextTryAt   time.Time
	LastError   string
}

// OutboxFilter narrows the list of messages, newest first.
type OutboxFilter struct {
	Parked bool // parked ones only
	Open   bool // those to be published only
	Limit  int
}
