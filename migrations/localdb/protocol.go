package localdb

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// protocolVersion is compared on attaching, so that two versions of holdfast on
// one Kept directory say so instead of misunderstanding each other.
const protocolVersion = 1

const (
	databaseName = "holdfast"
	superuser    = "holdfast"
)

// spec is what a client tells the supervisor that it has just executed. It
// goes over the first connection and not through argv or the environment, where
// other users could read it.
type spec struct {
	Dir      string
	Run      string
	Siblings string // pattern of directories like ours, to clear up after dead supervisors
	Kind     Kind
	BinDir   string
	Cache    string // where downloaded binaries are kept
	NoFsync  bool
	Linger   time.Duration
	Settings map[string]string
}

// word is what the supervisor tells a client: once when the server is ready or
// has failed, and once when it lets the client go.
type word struct {
	Version int
	Ready   *endpoint `json:",omitempty"`
	Failed  string    `json:",omitempty"`
	NoBin   bool      `json:",omitempty"` // Failed because there are no binaries
	Stopped bool      `json:",omitempty"`
}

// endpoint is where the server listens.
type endpoint struct {
	Run      string // directory of the unix socket
	Port     int
	Password string
}

func (e endpoint) socketURL(database string) string {
	return e.url("", database, url.Values{"host": {e.Run}, "port": {strconv.Itoa(e.Port)}})
}

func (e endpoint) tcpURL(database string) string {
	return e.url(net.JoinHostPort("127.0.0.1", strconv.Itoa(e.Port)), database, url.Values{})
}

// url names sslmode because a PGSSLMODE in the user's environment would
// otherwise apply to this server too, which has no certificate.
func (e endpoint) url(host, database string, query url.Values) string {
	query.Set("sslmode", "disable")
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(superuser, e.Password),
		Host:     host,
		Path:     "/" + database,
		RawQuery: strings.ReplaceAll(query.Encode(), "+", "%20"), // libpq and pgx take a + for a plus
	}
	return u.String()
}

// send writes one message as a line. Messages are far smaller than a socket's
// buffer, so a peer that does not read cannot block it.
func send(w io.Writer, message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// receive reads one message. A peer that went away gives io.EOF.
func receive(r *bufio.Reader, message any) error {
	line, err := r.ReadBytes('\n')
	if err != nil {
		if errors.Is(err, io.EOF) || len(line) == 0 {
			return io.EOF
		}
		return err
	}
	if err := json.Unmarshal(line, message); err != nil {
		return fmt.Errorf("unreadable message: %w", err)
	}
	return nil
}
