package httpapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"holdfast/inventory"
)

// seatMapView is how the seats of an event stood a moment ago.
type seatMapView struct {
	AsOf  string     `json:"asOf" format:"date-time" doc:"when the seats stood like this"`
	Event string     `json:"event" format:"uuid"`
	Seats []seatView `json:"seats" nullable:"false" doc:"in the order of the hall"`
}

type seatView struct {
	ID       string    `json:"id"`
	Section  string    `json:"section" example:"PARKETT"`
	Row      string    `json:"row" example:"D"`
	Number   int       `json:"number" example:"7"`
	Category string    `json:"category"`
	Price    moneyView `json:"price"`
	State    string    `json:"state" enum:"AVAILABLE,HELD,BOOKED,KILLED" doc:"KILLED: out of sale"`
}

// seatMap is the answer to everybody who asks for a map, made once.
type seatMap struct {
	readAt time.Time // when the read of the database was over
	mark   string    // of what was read
	tag    string    // of the seats without asOf: weak, since asOf makes the bytes differ
	plain  []byte

	zip    sync.Once // of the first who takes it so
	zipped []byte
}

// again is the same map of seats that were looked at again and are as they were.
func (m *seatMap) again(asOf, readAt time.Time) *seatMap {
	plain := bytes.Clone(m.plain) // somebody may still be reading the other
	copy(plain[len(asOfHead):], asOf.UTC().Format(instantForm))
	return &seatMap{readAt: readAt, mark: m.mark, tag: m.tag, plain: plain}
}

// compressed is the map for whoever takes it so.
func (m *seatMap) compressed() []byte {
	m.zip.Do(func() { m.zipped = compress(m.plain) })
	return m.zipped
}

func (m *seatMap) remembered(now time.Time) bool {
	age := now.Sub(m.readAt)
	return age >= 0 && age < seatMapMemory
}

func (m *seatMap) fresh(now time.Time) bool {
	age := now.Sub(m.readAt)
	return age >= 0 && age < seatMapLife
}

// size leaves out the compressed bytes, a twentieth on top.
func (m *seatMap) size() int { return cap(m.plain) }

// asOfHead is how the document of a map begins. The time behind it always has
// the same length, so it is filled in after the seats are hashed.
const asOfHead = `{"asOf":"`

func buildSeatMap(from inventory.SeatMap, readAt time.Time) (*seatMap, error) {
	view := seatMapView{AsOf: instantForm, Event: from.Event.ID.String(), Seats: make([]seatView, len(from.Seats))}
	for i, s := range from.Seats {
		view.Seats[i] = viewSeat(s)
	}
	var out bytes.Buffer
	out.Grow(usualHead + usualSeat*len(from.Seats))
	if err := json.MarshalWrite(&out, view); err != nil {
		return nil, fmt.Errorf("write the seat map of event %s: %w", from.Event.ID, err)
	}
	plain := out.Bytes()
	hash := sha256.Sum256(plain)
	copy(plain[len(asOfHead):], from.AsOf.UTC().Format(instantForm))
	return &seatMap{readAt: readAt, tag: `W/"` + base64.RawURLEncoding.EncodeToString(hash[:18]) + `"`, plain: plain}, nil
}

// How many bytes to expect, so that the buffer need not grow.
const (
	usualHead = 128
	usualSeat = 160
)

// compress is quick rather than thorough: a hall in demand is built four times
// a second, and its seats resemble each other.
func compress(plain []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed) // which is a level
	_, _ = w.Write(plain)                             // a buffer takes everything
	_ = w.Close()
	return bytes.Clone(out.Bytes()) // without the room that the buffer grew
}

// viewSeat leaves out who has the seat and why it is out of sale. One that
// contradicts itself is not sold before staff have looked, whatever it says.
func viewSeat(s inventory.Seat) seatView {
	state := s.State
	if s.NeedsRepair && state == inventory.SeatAvailable {
		state = inventory.SeatKilled
	}
	return seatView{
		s.ID.String(), s.Section, s.Row, s.Number, s.Category, moneyView{int64(s.Price.Minor), string(s.Price.Currency)}, string(state),
	}
}

// listSeats answers the map of an event, up to 250 ms old.
func (a *API) listSeats(w http.ResponseWriter, r *http.Request) error {
	id, err := inventory.ParseEventID(r.PathValue("eventId"))
	if err != nil {
		return inventory.ErrNotFound
	}
	m, err := a.seatMaps.get(r.Context(), id)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("ETag", m.tag)
	h.Set("Cache-Control", "private, no-cache") // may be kept, and is asked for again each time
	h.Set("Vary", "Accept-Encoding")
	if noneMatch(r.Header, m.tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	body := m.plain
	if acceptsGzip(r.Header) {
		h.Set("Content-Encoding", "gzip")
		body = m.compressed()
	}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // the caller may have gone
	return nil
}
