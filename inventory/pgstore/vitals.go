package pgstore

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// VitalsMost is where Vitals stops counting: a count that large says "so many or
// more".
const VitalsMost = 10_000

// beginVitals keeps a look at the vitals from ever becoming a burden: without
// a useful index it rather fails than reads all bookings that ever were.
const beginVitals = "begin read only; set local statement_timeout = '2s'; set local enable_seqscan = off; set local enable_bitmapscan = off; set local jit = off"

// Vitals is how the installation stands at one moment, as far as it can be told
// without reading what is over. Counts of things end at VitalsMost.
type Vitals struct {
	At time.Time // PostgreSQL's clock

	Overdue      int       // holds whose time is over and that are HELD
	OverdueSince time.Time // the end of the oldest of them; zero: there is none
	Doubtful     int       // bookings whose payment is in doubt for longer than the venue waits before it asks

	OutboxOpen   int       // messages that are neither published nor parked
	OutboxSince  time.Time // when the oldest of them came to be; zero: there is none
	OutboxParked int       // messages that a receiver refused too often

	InboxStored    int       // callbacks that are stored and not applied
	InboxUnmatched int       // callbacks that fit nothing we know yet
	InboxSince     time.Time // when the oldest stored one was received; zero: there is none

	Zombies        []ZombieVitals
	ZombieDeadline time.Time // when the first zombie is refunded if staff do not decide; zero: never
	// Refunds that are REQUESTED or PENDING; of the others those of the last 24
	// hours, and failed ones only while nobody has tried again.
	Refunds map[inventory.RefundState]int

	RoomsOpen       int   // waiting rooms that let buyers in
	RoomWaiting     int64 // buyers with a number who are not let in, over the open rooms
	RoomActive      int64 // buyers who were let in and have placed no hold, over the open rooms
	RoomAdmitted    int64 // numbers let in since the rooms exist, over all rooms
	Jobs            []JobVitals
	Violations      int       // found by the last check that came to an end
	ViolationsAsked time.Time // when that was; zero: there was none lately
}

// ZombieVitals are the zombies of one kind and currency.
type ZombieVitals struct {
	Kind     inventory.ZombieKind
	Currency inventory.Currency
	Count    int
	Minor    inventory.Minor
}

// JobVitals says when a job last ended well, over all daemons.
type JobVitals struct {
	Name        inventory.JobName
	Paused      bool
	Ran         bool      // ever
	LastSuccess time.Time // zero: not among its last 100 runs
}

// Vitals reads how the installation stands, in one statement that costs a few
// milliseconds however long the history is. It fails with ErrUnavailable if the
// database is away.
func (s *Store) Vitals(ctx context.Context) (Vitals, error) {
	v := Vitals{Refunds: map[inventory.RefundState]int{}}
	var zombies, refunds, jobs vitalsRows
	err := s.inTxThatTakes(ctx, "read the vitals", beginVitals, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, sqlVitalsRead, pgx.StrictNamedArgs{"now": s.now, "most": VitalsMost}).Scan(
			&v.At, &v.Overdue, orNull(&v.OverdueSince), &v.Doubtful,
			&v.OutboxOpen, orNull(&v.OutboxSince), &v.OutboxParked,
			&v.InboxStored, &v.InboxUnmatched, orNull(&v.InboxSince),
			&zombies.names, &zombies.currencies, &zombies.counts, &zombies.sums, orNull(&v.ZombieDeadline),
			&refunds.names, &refunds.counts,
			&v.RoomsOpen, &v.RoomWaiting, &v.RoomActive, &v.RoomAdmitted,
			&jobs.names, &jobs.paused, &jobs.ran, &jobs.times,
			&v.Violations, orNull(&v.ViolationsAsked))
	})
	if err != nil {
		return Vitals{}, err
	}
	if len(zombies.names) != len(zombies.sums) || len(jobs.names) != len(jobs.times) {
		return Vitals{}, errors.New("read the vitals: lists of different length")
	}
	for i, kind := range zombies.names {
		v.Zombies = append(v.Zombies, ZombieVitals{
			inventory.ZombieKind(kind), inventory.Currency(zombies.currencies[i]), zombies.counts[i], inventory.Minor(zombies.sums[i]),
		})
	}
	for i, state := range refunds.names {
		v.Refunds[inventory.RefundState(state)] = refunds.counts[i]
	}
	for i, name := range jobs.names {
		j := JobVitals{Name: inventory.JobName(name), Paused: jobs.paused[i], Ran: jobs.ran[i]}
		if at := jobs.times[i]; at != nil {
			j.LastSuccess = *at
		}
		v.Jobs = append(v.Jobs, j)
	}
	return v, nil
}

// vitalsRows is one list of the answer, column by column.
type vitalsRows struct {
	names, currencies []string
	counts            []int
	sums              []int64
	paused, ran       []bool
	times             []*time.Time
}
