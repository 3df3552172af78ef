package ui

import (
	"context"
	"errors"
	"time"
)

// Clock tells the time; timezone.Clock and the clocks of tests are ones.
type Clock interface{ Now() time.Time }

// ErrLeft is the cause of reads that were cancelled because their screen left.
var ErrLeft = errors.New("the screen was left")

// Session is what all screens of one console share. The app changes it, always
// from the event loop; screens read it through their Env.
type Session struct {
	Clock    Clock
	Venue    Venue
	ReadOnly string        // why this session may not change data; empty: it may
	UTC      bool          // show times in UTC instead of the venue's zone
	Offset   time.Duration // database clock minus this machine's
	Link     Link

	ctx    context.Context // the program's; kept because a tea.Cmd is given none
	cancel context.CancelFunc
}

// NewSession returns a session whose commands end with ctx or with End.
func NewSession(ctx context.Context, clock Clock) *Session {
	s := &Session{Clock: clock}
	s.ctx, s.cancel = context.WithCancel(ctx)
	return s
}

// End cancels every command of the session.
func (s *Session) End() { s.cancel() }

// Now is the database's clock as well as this machine can tell it.
func (s *Session) Now() time.Time { return s.Clock.Now().Add(s.Offset) }

// Zone is the zone in which times are shown.
func (s *Session) Zone() *time.Location {
	if s.UTC || s.Venue.Zone == nil {
		return time.UTC
	}
	return s.Venue.Zone
}

// NewEnv returns the surroundings of one screen.
func (s *Session) NewEnv() *Env {
	e := &Env{session: s}
	e.Enter()
	return e
}

// Env is what one screen knows of the program round it. It is used in Update
// and Draw only; commands get copies of what they need.
type Env struct {
	session *Session
	ctx     context.Context // the visit's; kept because a tea.Cmd is given none
	leave   context.CancelCauseFunc
}

// Now is the database's clock, by which holds end.
func (e *Env) Now() time.Time { return e.session.Now() }

// Venue is the venue in focus.
func (e *Env) Venue() Venue { return e.session.Venue }

// Zone is the zone in which times are to be shown: the venue's, or UTC when the
// reader has switched.
func (e *Env) Zone() *time.Location { return e.session.Zone() }

// Link is how the console stands with the database.
func (e *Env) Link() Link { return e.session.Link }

// NoSave says why nothing can be saved now, and is empty when it can. Bindings
// with Writes are refused by the app for the same reason; screens need it only
// to say so in their own words.
func (e *Env) NoSave() string { return e.session.NoSave() }

// Offset is how far the database's clock is ahead of this machine's.
func (e *Env) Offset() time.Duration { return e.session.Offset }

// Enter begins a visit of the screen: reads asked for from now on live until
// Leave. The app calls it.
func (e *Env) Enter() {
	if e.ctx == nil || e.ctx.Err() != nil {
		e.ctx, e.leave = context.WithCancelCause(e.session.ctx)
	}
}

// Leave cancels the reads of the present visit. The app calls it.
func (e *Env) Leave() { e.leave(ErrLeft) }
