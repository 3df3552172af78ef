package pgstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
	"github.com/rickb777/date"

	"holdfast/inventory"
)

// MoveBooking changes what a live booking claims: it takes the new claim
// through the same admission rule as a hold and gives the old one back in one
// transaction, or changes nothing. A claim that is no other than the present
// one changes nothing and is no error.
//
// Refusals: those of a hold of the new claim; FieldErrors for what does not
// belong to the booking's kind; ErrHoldExpired (its time is over), ErrNotAllowed
// (not live), *StaleError, ErrPriceChanges.
func (s *Store) MoveBooking(ctx context.Context, r inventory.MoveRequest) (inventory.Booking, error) {
	if err := r.Validate(); err != nil {
		return inventory.Booking{}, err
	}
	r.Seats = slices.Clone(r.Seats)
	slices.Sort(r.Seats)
	var moved inventory.Booking
	err := s.inTx(ctx, "move booking "+r.ID.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		b, err := getBooking(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		if err := r.Fits(b.Kind); err != nil {
			return err
		}
		switch b.Kind {
		case inventory.ClaimPool:
			moved, err = s.moveDay(ctx, tx, b, r)
		case inventory.ClaimSeats:
			moved, err = s.moveSeats(ctx, tx, b, r)
		case inventory.ClaimRange:
			moved, err = s.moveRange(ctx, tx, b, r)
		}
		return err
	})
	if err != nil {
		if r.During != nil {
			err = s.nameClash(ctx, err, moved.Resource, *r.During)
		}
		return inventory.Booking{}, err
	}
	return s.Booking(ctx, r.ID)
}

// lockMoving locks the booking, whose old and new claims are locked, and
// reports why it cannot be moved. was is the booking as it was read before.
func (s *Store) lockMoving(ctx context.Context, tx pgx.Tx, was inventory.Booking, version int) (inventory.Booking, error) {
	b, err := lockBooking(ctx, tx, was.ID)
	if err != nil {
		return b, err
	}
	if err := seen(b, version); err != nil {
		return b, err
	}
	if !sameClaim(was, b) {
		return b, errClaimMoved
	}
	switch b.State {
	case inventory.StateHeld:
		now, err := s.clock(ctx, tx)
		if err == nil && !now.Before(b.ExpiresAt) {
			err = inventory.ErrHoldExpired
		}
		return b, err
	case inventory.StatePaymentPending, inventory.StateConfirmed:
		return b, nil
	case inventory.StateExpired:
		return b, inventory.ErrHoldExpired
	case inventory.StateCancelled, inventory.StateNone:
	}
	return b, inventory.ErrNotAllowed
}

// newAmount is what a booking costs after a move. A payment that is captured or
// under way is for the old amount: only staff may leave it at that.
func (s *Store) newAmount(ctx context.Context, tx pgx.Tx, b inventory.Booking, price inventory.Minor, keep bool) (inventory.Minor, error) {
	if keep || price == b.Amount.Minor {
		return b.Amount.Minor, nil
	}
	if b.State == inventory.StatePaymentPending {
		return 0, inventory.ErrPriceChanges
	}
	_, paid, err := appliedPayment(ctx, tx, b.ID)
	if err == nil && paid {
		err = fmt.Errorf("%d instead of %d: %w", price, b.Amount.Minor, inventory.ErrPriceChanges)
	}
	return price, err
}

// claimNote is what a move adds to its message: what was claimed before.
type claimNote struct {
	Before beforeMove `json:"before"`
}

type beforeMove struct {
	Day      *date.Date         `json:"day,omitempty"`
	Quantity int                `json:"quantity,omitempty"`
	Seats    []inventory.SeatID `json:"seats,omitempty"`
	Resource string             `json:"resource,omitempty"`
	From     string             `json:"from,omitempty"`
	To       string             `json:"to,omitempty"`
	Amount   *inventory.Money   `json:"amount,omitempty"`
}

func noteOfMove(b inventory.Booking) (string, error) {
	n := beforeMove{Quantity: b.Quantity, Amount: &b.Amount}
	switch b.Kind {
	case inventory.ClaimPool:
		n.Day = &b.Day
	case inventory.ClaimSeats:
		n.Seats = seatIDs(b.Seats)
	case inventory.ClaimRange:
		n.Resource, n.From, n.To = b.Resource.String(), b.During.From.Format(instantForm), b.During.To.Format(instantForm)
	}
	text, err := json.Marshal(claimNote{n})
	return string(text), err
}

const instantForm = "2006-01-02T15:04:05Z07:00"

// write makes the move's step on the locked booking: sql sets the claim, and
// repeats the version that the booking was locked with.
func (s *Store) writeMove(ctx context.Context, tx pgx.Tx, sql string, b inventory.Booking, r inventory.MoveRequest, amount inventory.Minor, args pgx.StrictNamedArgs) error {
	note, err := noteOfMove(b)
	if err != nil {
		return err
	}
	args["id"], args["version"], args["amount"] = b.ID, b.Version, amount
	args["actor"], args["reason"], args["data"], args["now"] = r.Actor.String(), r.Reason, note, s.now
	tag, err := tx.Exec(ctx, sql, args)
	if err == nil && tag.RowsAffected() == 0 {
		err = fmt.Errorf("booking %s is no longer at version %d: %w", b.ID, b.Version, inventory.ErrStale)
	}
	return err
}

// moveDay moves a booking to another day of its pool, or changes how many
// places it has.
func (s *Store) moveDay(ctx context.Context, tx pgx.Tx, b inventory.Booking, r inventory.MoveRequest) (inventory.Booking, error) {
	day, quantity := b.Day, b.Quantity
	if r.Day != nil {
		day = *r.Day
	}
	if r.Quantity != nil {
		quantity = *r.Quantity
	}
	var f dayFacts
	err := tx.QueryRow(ctx, sqlMoveFacts, pgx.StrictNamedArgs{"id": b.ID}).Scan(&f.poolID, &f.price, &f.maxPerBuyer)
	if err != nil {
		return b, err
	}
	rows, _ := tx.Query(ctx, sqlMoveDaysLock, pgx.StrictNamedArgs{"pool": f.poolID, "days": daysArg([]date.Date{b.Day, day})})
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return b, err
	}
	if !slices.Contains(found, day.String()) {
		return b, inventory.ErrNotOnSale
	}
	if b, err = s.lockMoving(ctx, tx, b, r.Version); err != nil || day == b.Day && quantity == b.Quantity {
		return b, err
	}
	amount, err := s.newAmount(ctx, tx, b, f.price*inventory.Minor(quantity), r.KeepAmount)
	if err != nil {
		return b, err
	}
	more := quantity
	if day == b.Day {
		more -= b.Quantity
	} else {
		if _, err := s.expireOverdueOf(ctx, tx, f, day.String(), b.Buyer); err != nil {
			return b, err
		}
		if err := s.checkBuyer(ctx, tx, f, day.String(), b.Buyer, b.ClientID); err != nil {
			return b, err
		}
		if err := s.giveBack(ctx, tx, f.poolID, b.Day, b.Quantity); err != nil {
			return b, err
		}
	}
	if more < 0 {
		err = s.giveBack(ctx, tx, f.poolID, day, -more)
	} else if more > 0 {
		err = s.take(ctx, tx, f.poolID, day.String(), more)
	}
	if err != nil {
		return b, err
	}
	return b, s.writeMove(ctx, tx, sqlMoveDay, b, r, amount, pgx.StrictNamedArgs{"day": day.String(), "quantity": quantity})
}

// giveBack lowers what is taken of a locked day.
func (s *Store) giveBack(ctx context.Context, tx pgx.Tx, pool int64, day date.Date, quantity int) error {
	_, err := tx.Exec(ctx, sqlMoveGiveBack, pgx.StrictNamedArgs{"pool": pool, "day": day.String(), "quantity": quantity})
	return err
}

// moveSeats gives a booking other seats of its event, all or none. Seats that
// it keeps stay untouched.
func (s *Store) moveSeats(ctx context.Context, tx pgx.Tx, b inventory.Booking, r inventory.MoveRequest) (inventory.Booking, error) {
	old := seatIDs(b.Seats)
	added := without(r.Seats, old)
	f, err := s.lookAtEvent(ctx, tx, b.EventID)
	if err != nil {
		return b, err
	}
	rows, _ := tx.Query(ctx, sqlSeatsLook, pgx.StrictNamedArgs{"event": b.EventID, "seats": added, "now": s.now})
	wanted, err := pgx.CollectRows(rows, scanSeatFacts)
	if err == nil {
		err = errors.Join(allOfEvent(added, wanted))
	}
	if err == nil {
		err = takenOf(wanted)
	}
	if err != nil {
		return b, err
	}
	if err := s.lockSeatsAnd(ctx, tx, b.EventID, wanted, old); err != nil {
		return b, err
	}
	if b, err = s.lockMoving(ctx, tx, b, r.Version); err != nil || len(added) == 0 && len(r.Seats) == len(old) {
		return b, err
	}
	if len(added) > 0 && f.refusal != "" {
		return b, f.refused()
	}
	var price inventory.Minor
	var took int
	if err := tx.QueryRow(ctx, sqlMoveSeats, pgx.StrictNamedArgs{
		"id": b.ID, "event": b.EventID, "added": added, "gone": without(old, r.Seats), "now": s.now,
	}).Scan(&took); err != nil {
		return b, err
	}
	if took != len(added) {
		return b, s.whyNotTaken(ctx, tx, b.EventID, added, b.ID)
	}
	if err := tx.QueryRow(ctx, sqlMoveSeatsPrice, pgx.StrictNamedArgs{"id": b.ID}).Scan(&price); err != nil {
		return b, err
	}
	amount, err := s.newAmount(ctx, tx, b, price, r.KeepAmount)
	if err != nil {
		return b, err
	}
	return b, s.writeMove(ctx, tx, sqlMoveSeatsDone, b, r, amount, pgx.StrictNamedArgs{"quantity": len(r.Seats)})
}

// moveRange gives a booking another time, or another resource of its venue.
func (s *Store) moveRange(ctx context.Context, tx pgx.Tx, b inventory.Booking, r inventory.MoveRequest) (inventory.Booking, error) {
	ref, during := b.Resource, b.During
	if r.Resource != nil {
		ref = *r.Resource
	}
	if r.During != nil {
		during = inventory.Range{From: r.During.From.UTC(), To: r.During.To.UTC()}
	}
	if ref.Venue != b.Resource.Venue {
		return b, inventory.Invalid("resource", "must be of the same venue")
	}
	c, err := s.rangeClaim(ctx, tx, ref, during)
	if err != nil {
		return b, err
	}
	was, err := getResource(ctx, tx, b.Resource)
	if err != nil {
		return b, err
	}
	if err := s.lockResources(ctx, tx, was, c.resource); err != nil {
		return b, err
	}
	if b, err = s.lockMoving(ctx, tx, b, r.Version); err != nil {
		return b, err
	}
	if ref == b.Resource && during.From.Equal(b.During.From) && during.To.Equal(b.During.To) {
		return b, nil
	}
	var refusal zeronull.Text
	var taken bool // by this very booking, perhaps: the constraint decides
	if err := tx.QueryRow(ctx, sqlRangeLook, c.args(pgx.StrictNamedArgs{"now": s.now})).Scan(&refusal, &taken); err != nil {
		return b, err
	}
	if refusal != "" {
		return b, refused(string(refusal))
	}
	if err := s.expireOverdueRanges(ctx, tx, c); err != nil {
		return b, err
	}
	amount, err := s.newAmount(ctx, tx, b, c.amount.Minor, r.KeepAmount)
	if err != nil {
		return b, err
	}
	b.Resource = ref // for the clash, if there is one
	return b, s.writeMove(ctx, tx, sqlMoveRange, b, r, amount, c.args(pgx.StrictNamedArgs{
		"local_from": wallArg(c.local.From), "local_to": wallArg(c.local.To), "zone": c.resource.Zone,
	}))
}
