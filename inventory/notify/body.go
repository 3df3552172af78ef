package notify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"holdfast/inventory"
)

// envelope is the body that every sink sends.
type envelope struct {
	Type      string          `json:"type"`
	BookingID string          `json:"bookingId"`
	Seq       int             `json:"seq"`
	At        time.Time       `json:"at"`
	Data      json.RawMessage `json:"data"`
}

// encode returns the body of m, the same bytes on every attempt. It fails if
// Data is neither empty nor a JSON object.
func encode(m inventory.OutboxMessage) ([]byte, error) {
	data := bytes.TrimSpace(m.Data)
	switch {
	case len(data) == 0:
		data = []byte("{}")
	case data[0] != '{':
		return nil, fmt.Errorf("message %s: its data is not a JSON object", m.ID())
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(envelope{m.Topic, m.BookingID.String(), m.Seq, m.At.UTC(), data})
	if err != nil {
		return nil, fmt.Errorf("message %s: encode: %w", m.ID(), err)
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}
