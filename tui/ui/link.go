package ui

import "time"

// LinkState is how the console stands with the database.
type LinkState uint8

// The states.
const (
	Waiting LinkState = iota // no answer yet since the start
	Live                     // answers come
	Stale                    // the last polls were missed; numbers are from before
	Offline                  // the database cannot be reached
)

// Link is the state of the connection and since when.
type Link struct {
	State  LinkState
	LastOK time.Time // when the last answer came, by this machine's clock
	Since  time.Time // when the state began
	Tries  int       // how often it was tried since it is offline
	Cause  string    // why it is offline, in plain words
}

// NoSave says why nothing can be saved now, and is empty when it can.
func (s *Session) NoSave() string {
	switch {
	case s.ReadOnly != "":
		return s.ReadOnly
	case s.Link.State == Live:
		return ""
	case s.Link.State == Waiting:
		return "saving is off until the database has answered"
	case s.Link.State == Stale:
		return "the numbers are stale: saving is off until they are fresh"
	}
	return "offline: saving is off until the database is back"
}
