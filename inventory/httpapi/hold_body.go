package httpapi

import (
	"errors"
	"slices"
	"strconv"

	"holdfast/inventory"
	"holdfast/timezone"
)

// holdBody is the body of POST /holds: one kind of claim and who it is for. A
// member that is not there is nil, so that members of two kinds are told from
// empty ones.
type holdBody struct {
	Pool     *string  `json:"pool,omitzero" nullable:"false" example:"harbour/main" doc:"places: VENUE/POOL"`
	Day      *string  `json:"day,omitzero" nullable:"false" format:"date" example:"2027-01-15" doc:"places: local date at the venue"`
	Quantity *int     `json:"quantity,omitzero" nullable:"false" minimum:"1" maximum:"10000" example:"2" doc:"places: how many"`
	Event    *string  `json:"event,omitzero" nullable:"false" doc:"seats: the event's id, or VENUE/EVENT"`
	Seats    []string `json:"seats,omitzero" nullable:"false" minItems:"1" maxItems:"50" doc:"seats: their ids, all or none"`
	Best     *int     `json:"best,omitzero" nullable:"false" minimum:"1" maximum:"50" doc:"seats: instead of ids, so many together wherever they are best"`
	Category *string  `json:"category,omitzero" nullable:"false" maxLength:"200" doc:"with best: only of this category"`
	Section  *string  `json:"section,omitzero" nullable:"false" maxLength:"200" doc:"with best: only in this section"`
	Resource *string  `json:"resource,omitzero" nullable:"false" example:"harbour/studio-a" doc:"a range: VENUE/RESOURCE"`
	From     *string  `json:"from,omitzero" nullable:"false" example:"2027-01-15T10:00" doc:"a range: local wall time of the venue; an offset behind it settles an hour that comes twice"`
	To       *string  `json:"to,omitzero" nullable:"false" example:"2027-01-15T11:00" doc:"a range: where it ends, like from"`
	Buyer    string   `json:"buyer" maxLength:"200" example:"u-1" doc:"your own name for the buyer"`
}

// claimMember is a member of a body that belongs to one kind of claim.
type claimMember struct {
	name string
	kind inventory.ClaimKind
	set  bool
}

// members lists those that name a claim; the head of each kind comes first.
func (b holdBody) members() []claimMember {
	return []claimMember{
		{"pool", inventory.ClaimPool, b.Pool != nil},
		{"event", inventory.ClaimSeats, b.Event != nil},
		{"resource", inventory.ClaimRange, b.Resource != nil},
		{"day", inventory.ClaimPool, b.Day != nil},
		{"quantity", inventory.ClaimPool, b.Quantity != nil},
		{"seats", inventory.ClaimSeats, b.Seats != nil},
		{"best", inventory.ClaimSeats, b.Best != nil},
		{"category", inventory.ClaimSeats, b.Category != nil},
		{"section", inventory.ClaimSeats, b.Section != nil},
		{"from", inventory.ClaimRange, b.From != nil},
		{"to", inventory.ClaimRange, b.To != nil},
	}
}

// kind is the kind of the first member that names a claim, which is that of
// its head if there is one. Every member of another kind is an error; a body
// without any is one of a pool that lacks everything.
func (b holdBody) kind() (inventory.ClaimKind, error) {
	all := b.members()
	first := slices.IndexFunc(all, func(m claimMember) bool { return m.set })
	if first < 0 {
		return inventory.ClaimPool, nil
	}
	var errs []error
	for _, m := range all[first:] {
		if m.set && m.kind != all[first].kind {
			errs = append(errs, inventory.Invalid(m.name, "cannot be asked together with %s", all[first].name))
		}
	}
	return all[first].kind, errors.Join(errs...)
}

// poolRequest says body in the domain's terms, or everything that is wrong in it.
func (b holdBody) poolRequest(client inventory.Client, key string) (inventory.HoldRequest, error) {
	pool, poolErr := inventory.ParsePoolRef("pool", value(b.Pool))
	day, dayErr := timezone.ParseDay(value(b.Day))
	if dayErr != nil {
		dayErr = inventory.Invalid("day", "%s", dayErr)
	}
	r := inventory.HoldRequest{
		Pool: pool, Day: day, Quantity: value(b.Quantity), Buyer: b.Buyer,
		Client: client, IdempotencyKey: key, Actor: actorOf(client),
	}
	return r, errors.Join(poolErr, dayErr, r.Validate())
}

// seatRequest is poolRequest for seats of the event with this id; eventErr is
// what was wrong with how it was named.
func (b holdBody) seatRequest(event inventory.EventID, eventErr error, client inventory.Client, key string) (inventory.SeatHoldRequest, error) {
	seats, seatsErr := parseSeats(b.Seats)
	r := inventory.SeatHoldRequest{
		Event: event, Seats: seats, Best: value(b.Best), Category: value(b.Category), Section: value(b.Section), Buyer: b.Buyer,
		Client: client, IdempotencyKey: key, Actor: actorOf(client),
	}
	errs := []error{eventErr, seatsErr}
	if b.Best != nil && r.Best == 0 {
		r.Best = -1 // 0 would mean that it was not asked for; both are refused by its name
	}
	for _, only := range []struct {
		name string
		text *string
	}{{"category", b.Category}, {"section", b.Section}} {
		switch {
		case only.text == nil:
		case b.Best == nil:
			errs = append(errs, inventory.Invalid(only.name, "goes with best only"))
		default:
			errs = append(errs, inventory.CheckText(only.name, *only.text, maxText))
		}
	}
	return r, errors.Join(append(errs, r.Validate())...)
}

// rangeRequest is poolRequest for a resource in zone; refErr is what was wrong
// with how it was named. Without a zone, from and to are looked at for their
// being there only.
func (b holdBody) rangeRequest(ref inventory.ResourceRef, refErr error, zone timezone.Zone, client inventory.Client, key string) (inventory.RangeHoldRequest, error) {
	during, duringErr := parseRange(b.From, b.To, zone)
	r := inventory.RangeHoldRequest{
		Resource: ref, During: during, Buyer: b.Buyer,
		Client: client, IdempotencyKey: key, Actor: actorOf(client),
	}
	if zone.IsZero() {
		return r, errors.Join(refErr, duringErr, inventory.CheckText("buyer", b.Buyer, maxText))
	}
	return r, errors.Join(refErr, duringErr, r.Validate())
}

// maxText is the longest name that is taken, in characters.
const maxText = 200

// parseSeats reads ids of seats. It says what is wrong with the first that is
// none; how many there may be is the domain's affair, so more than that are
// not looked at.
func parseSeats(texts []string) ([]inventory.SeatID, error) {
	var seats []inventory.SeatID
	for i, text := range texts {
		if i > inventory.MaxSeatsPerHold {
			break
		}
		id, err := inventory.ParseSeatID("seats", text)
		if err != nil {
			return nil, inventory.Invalid("seats", "%s is not the id of a seat", strconv.QuoteToASCII(cut(text)))
		}
		seats = append(seats, id)
	}
	return seats, nil
}

// value is what p points to, or the zero value: a member that is not there.
func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
