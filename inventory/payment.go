package inventory

import (
	"time"
)

// PaymentState is what the provider last said of an attempt. It only moves
// forward: nothing leaves SUCCEEDED, whatever order the provider's events
// arrive in.
type PaymentState string

// States of a payment.
const (
	PaymentCreated   PaymentState = "CREATED"   // our row, the provider was not asked yet or has not answered
	PaymentPending   PaymentState = "PENDING"   // the provider knows it and has not decided
	PaymentFailed    PaymentState = "FAILED"    // declined
	PaymentCancelled PaymentState = "CANCELLED" // cancelled before any money moved
	PaymentSucceeded PaymentState = "SUCCEEDED" // captured
)

// Standing is where captured money belongs. Every captured payment has exactly
// one; a payment that is not captured has none.
type Standing string

// Standings of captured money.
const (
	StandingApplied   Standing = "applied"   // it paid for a confirmed booking
	StandingZombie    Standing = "zombie"    // it has no live booking it belongs to
	StandingRefunding Standing = "refunding" // it is on its way back
	StandingRefunded  Standing = "refunded"  // it went back
)

// ZombieKind says why captured money has no booking.
type ZombieKind string

// Kinds of zombie.
const (
	ZombieLate      ZombieKind = "late"      // captured after its hold was over
	ZombieDuplicate ZombieKind = "duplicate" // its booking was paid by another payment already
	ZombieMismatch  ZombieKind = "mismatch"  // amount or currency differ from the booking's
	ZombieUnmatched ZombieKind = "unmatched" // its reference names nothing we know
)

// Payment is one attempt to take money at a provider.
type Payment struct {
	ID              PaymentID
	BookingID       BookingID // zero for unmatched money
	Attempt         int       // 1 for the first attempt of the booking
	Provider        string
	ProviderPayment string // the provider's id, "" until known
	ProviderKey     string // our idempotency key there; "" for shop-driven payments
	Amount          Money  // expected; for unmatched money what the provider says it captured
	Captured        Money  // what the provider says it captured
	State           PaymentState
	Standing        Standing // "" until captured
	ZombieKind      ZombieKind
	ClientSecret    string
	URL             string
	CreatedAt       time.Time
	CapturedAt      time.Time
	ZombieSince     time.Time
	DecideBy        time.Time // policy `ask`: refunded then, if staff did not decide
	AskTries        int       // how often the provider was asked about it
	NextAskAt       time.Time
	LastError       string  // of the last call that got no answer
	Dispute         Dispute // "" if the payer never disputed it
	Version         int
}

// Dispute is where a payer's complaint to the bank stands.
type Dispute string

// States of a dispute.
const (
	DisputeOpen Dispute = "open" // the bank has the money for now: a refund could pay twice
	DisputeWon  Dispute = "won"
	DisputeLost Dispute = "lost" // the payer has the money back
)

// DoubtfulPayment is an attempt whose outcome is to be asked of its provider.
type DoubtfulPayment struct {
	Payment Payment
	PastCap bool // its booking has waited as long as the venue allows
	Held    bool // its booking is HELD and in time: the buyer may be paying just now
}

// Zombie is captured money without a live booking, with what staff need to
// decide about it.
type Zombie struct {
	Payment  Payment
	Booking  Booking // zero value for unmatched money
	VenueID  int64
	Venue    string // slug; "" for unmatched money
	LateBy   time.Duration
	Left     int        // places left on its day now; -1 where there is no day
	CanGo    error      // nil if admission would let it revive now, else why not
	Policy   LatePolicy // that of its pool or venue
	Disputed bool       // the bank has the money for now: it cannot be refunded
}

// RefundState is where a refund stands. Pending is not done.
type RefundState string

// States of a refund.
const (
	RefundRequested RefundState = "REQUESTED" // committed here, not known to be at the provider
	RefundPending   RefundState = "PENDING"   // the provider has it and has not finished
	RefundSucceeded RefundState = "SUCCEEDED"
	RefundFailed    RefundState = "FAILED" // back at the desk with its reason
)

// Refund is one intent to give money back. Its id is its key at the provider
// for life; trying again after a failure is a new refund.
type Refund struct {
	ID             RefundID
	PaymentID      PaymentID
	Amount         Money
	State          RefundState
	Provider       string
	ProviderRefund string
	Reason         string
	RequestedBy    string
	RequestedAt    time.Time
	DoneAt         time.Time
	Tries          int
	SentAt         time.Time // of the first try; zero: the provider has never heard of it from us
	NextTryAt      time.Time
	LastError      string
	External       bool // made in the provider's own dashboard
}

// EventKind is what a provider says happened.
type EventKind string

// Kinds of provider event.
const (
	EventPaymentSucceeded  EventKind = "payment.succeeded"
	EventPaymentFailed     EventKind = "payment.failed"
	EventPaymentProcessing EventKind = "payment.processing"
	EventPaymentCancelled  EventKind = "payment.cancelled"
	EventRefundSucceeded   EventKind = "refund.succeeded"
	EventRefundFailed      EventKind = "refund.failed"
	EventRefundPending     EventKind = "refund.pending"
	EventDisputeOpened     EventKind = "dispute.opened"
	EventDisputeWon        EventKind = "dispute.won"
	EventDisputeLost       EventKind = "dispute.lost"
)

// ProviderEvent is one verified callback of a provider, in our words.
type ProviderEvent struct {
	Provider        string
	ID              string // the provider's event id; with Provider it is unique
	Kind            EventKind
	Live            bool   // false for test mode
	ProviderPayment string // the provider's payment id
	ProviderRefund  string // the provider's refund id, for refund events
	Reference       string // ours: a payment id (daemon-driven), a booking id (shop-driven) or a refund id
	Amount          Money
	Reason          string // of a failure, in the provider's words
	Problem         string // why an authentic event must not be applied, such as test mode on a live system; "" if nothing is wrong
	Body            []byte // as received, kept for the record
}

// InboxEvent is a stored callback and what became of it.
type InboxEvent struct {
	ProviderEvent
	State      InboxState
	Note       string // what applying it did, or why it waits or is parked
	Tries      int
	ReceivedAt time.Time
	AppliedAt  time.Time
}

// InboxState is where a stored callback stands.
type InboxState string

// States of a stored callback.
const (
	InboxStored    InboxState = "STORED"    // to be applied, now or again
	InboxApplied   InboxState = "APPLIED"   // decided
	InboxUnmatched InboxState = "UNMATCHED" // names nothing we know; looked at again later
	InboxParked    InboxState = "PARKED"    // tried often enough, or must not be applied: a person decides
)

// ProviderPayment is what a provider says of a payment when asked.
type ProviderPayment struct {
	ID           string
	Reference    string
	Amount       Money
	State        PaymentState
	ClientSecret string
	URL          string
}

// ProviderRefund is what a provider says of a refund.
type ProviderRefund struct {
	ID        string
	Payment   string // the provider's payment id
	Reference string // our refund id
	Amount    Money
	State     RefundState
	Reason    string // of a failure
}
