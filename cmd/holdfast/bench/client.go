package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	dialLimit   = 5 * time.Second
	answerLimit = 30 * time.Second
)

// client is one buyer's connection: it writes a request and reads the answer,
// with as little of its own as HTTP allows, since the generator takes its share
// of the machine that is measured.
type client struct {
	address string
	conn    net.Conn
	in      *bufio.Reader
	out     []byte
	head    []byte
	body    []byte
}

// request is one request without what is the same for all.
type request struct {
	method, path string
	header       string // whole lines
	body         string
}

// reply is what came back. It is valid until the next request.
type reply struct {
	status int
	header []byte // as it came, in lines
	body   []byte
}

// get is the value of a header of one line.
func (r reply) get(name string) string {
	for line := range bytes.Lines(r.header) {
		key, value, found := bytes.Cut(line, []byte(":"))
		if found && strings.EqualFold(string(key), name) {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}

// code is the word by which a refusal is known.
func (r reply) code() string {
	_, rest, found := bytes.Cut(r.body, []byte(`"code":"`))
	if !found {
		return ""
	}
	code, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(code)
}

func (c *client) do(ctx context.Context, r request) (reply, error) {
	if c.conn == nil {
		dialer := net.Dialer{Timeout: dialLimit}
		conn, err := dialer.DialContext(ctx, "tcp", c.address)
		if err != nil {
			return reply{}, err
		}
		c.conn, c.in = conn, bufio.NewReaderSize(conn, 32<<10)
	}
	answer, err := c.exchange(r)
	if err != nil {
		c.close()
	}
	return answer, err
}

func (c *client) exchange(r request) (reply, error) {
	c.out = append(c.out[:0], r.method...)
	c.out = append(append(c.out, ' '), r.path...)
	c.out = append(append(c.out, " HTTP/1.1\r\nHost: "...), c.address...)
	c.out = append(append(c.out, "\r\n"...), r.header...)
	if r.body != "" {
		c.out = append(c.out, "Content-Type: application/json\r\nContent-Length: "...)
		c.out = append(strconv.AppendInt(c.out, int64(len(r.body)), 10), "\r\n"...)
	}
	c.out = append(append(c.out, "\r\n"...), r.body...)
	if err := c.conn.SetDeadline(time.Now().Add(answerLimit)); err != nil {
		return reply{}, err
	}
	if _, err := c.conn.Write(c.out); err != nil {
		return reply{}, err
	}
	return c.read()
}

// read takes in one answer. It knows the HTTP that our listener speaks, and no
// more: net/http's own reader costs as much as half the listener.
func (c *client) read() (reply, error) {
	c.head = c.head[:0]
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return reply{}, fmt.Errorf("the answer broke off: %w", err)
		}
		if len(line) <= 2 {
			break
		}
		c.head = append(c.head, line...)
	}
	r := reply{header: c.head}
	if len(c.head) < len("HTTP/1.1 200") || !bytes.HasPrefix(c.head, []byte("HTTP/1.1 ")) {
		return r, errors.New("the answer is no HTTP/1.1")
	}
	var err error
	if r.status, err = strconv.Atoi(string(c.head[9:12])); err != nil {
		return r, err
	}
	length := 0
	if text := r.get("Content-Length"); text != "" {
		if length, err = strconv.Atoi(text); err != nil {
			return r, err
		}
	} else if r.status != http.StatusNoContent && r.status != http.StatusNotModified {
		return r, errors.New("the answer does not say how long it is")
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	r.body = c.body[:length]
	if _, err := io.ReadFull(c.in, r.body); err != nil {
		return r, fmt.Errorf("the answer broke off: %w", err)
	}
	if strings.EqualFold(r.get("Connection"), "close") {
		c.close()
	}
	return r, nil
}

func (c *client) close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}
