package inventory

// BookingState is where a booking stands. The words are stored as they are.
type BookingState string

// The states of a booking.
const (
	StateNone           BookingState = "NONE"            // before it exists; only ever the start of a transition
	StateHeld           BookingState = "HELD"            // the place is taken until expires_at
	StatePaymentPending BookingState = "PAYMENT_PENDING" // a payment was asked for and is unknown; the sweep leaves it alone
	StateConfirmed      BookingState = "CONFIRMED"       // paid, or given by staff with a reason
	StateExpired        BookingState = "EXPIRED"         // time ran out; the place went back
	StateCancelled      BookingState = "CANCELLED"       // released or cancelled; the place went back
)

// BookingStates lists the states a stored booking can have.
var BookingStates = []BookingState{StateHeld, StatePaymentPending, StateConfirmed, StateExpired, StateCancelled}

// Live reports whether a booking in this state owns its claim.
func (s BookingState) Live() bool {
	return s == StateHeld || s == StatePaymentPending || s == StateConfirmed
}

// Hold reports whether a booking in this state is a hold: it owns its claim
// for now and is not confirmed.
func (s BookingState) Hold() bool { return s == StateHeld || s == StatePaymentPending }

// Transition is one edge of the state graph.
type Transition struct{ From, To BookingState }

// Transitions is the whole state graph. The table allowed_transition holds the
// same edges and a test compares the two; a trigger refuses every other edge.
// A step from a state to itself is a note (a move, an extension): it counts in
// the version and is journaled, and changes nothing about who owns the place.
var Transitions = []Transition{
	{StateNone, StateHeld},
	{StateNone, StateConfirmed}, // comps and box-office sales by staff
	{StateHeld, StateHeld},
	{StateHeld, StatePaymentPending},
	{StateHeld, StateConfirmed},
	{StateHeld, StateExpired},
	{StateHeld, StateCancelled},
	{StatePaymentPending, StatePaymentPending},
	{StatePaymentPending, StateConfirmed},
	{StatePaymentPending, StateHeld}, // surely declined, time left
	{StatePaymentPending, StateExpired},
	{StatePaymentPending, StateCancelled},
	{StateConfirmed, StateConfirmed},
	{StateConfirmed, StateCancelled},
	{StateExpired, StateExpired},
	{StateExpired, StateConfirmed}, // revive
	{StateCancelled, StateCancelled},
	{StateCancelled, StateConfirmed}, // revive
}

// Allowed reports whether the state graph has this edge.
func Allowed(from, to BookingState) bool {
	for _, t := range Transitions {
		if t.From == from && t.To == to {
			return true
		}
	}
	return false
}

// Cause says why a transition happened. It is written to the journal.
type Cause string

// Causes of transitions.
const (
	CauseHold             Cause = "hold"                // a buyer took the place
	CauseComp             Cause = "comp"                // staff gave it without payment
	CausePay              Cause = "pay"                 // the buyer pressed pay
	CausePaid             Cause = "paid"                // the provider captured the money in time
	CauseLateButStillHeld Cause = "late_but_still_held" // captured after its end, but the place had never left
	CauseDeclined         Cause = "declined"            // the last open payment attempt surely failed
	CauseExpired          Cause = "expired"             // the sweep, or a buyer who needed the place
	CauseReleased         Cause = "released"            // the buyer or staff gave the hold back
	CauseCancelled        Cause = "cancelled"           // a confirmed booking was cancelled
	CauseExtended         Cause = "extended"            // staff gave the hold more time
	CauseMoved            Cause = "moved"               // it claims something else now
	CauseRevived          Cause = "revived"             // a zombie's booking took its place again
	CauseFree             Cause = "free"                // nothing to pay
	CauseGivenUp          Cause = "given_up"            // the provider never said, up to the venue's cap
)

// Causes of notes: steps from a state to itself that tell something about the
// booking's money.
const (
	CausePaymentLate     Cause = "payment_late" // captured money became a zombie
	CauseRefundSucceeded Cause = "refund_succeeded"
	CauseRefundFailed    Cause = "refund_failed"
)
