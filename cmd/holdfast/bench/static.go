package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ServeStatic is the least that a server can do: it sends the bytes that come in
// to everybody, under an ETag. It writes its address to out and serves until ctx
// ends. The seat map is compared with it, so it is a process of its own, too.
func ServeStatic(ctx context.Context, tag string, in io.Reader, out io.Writer) error {
	body, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	})}
	stop := context.AfterFunc(ctx, func() { _ = srv.Close() })
	defer stop()
	if _, err := fmt.Fprintln(out, ln.Addr()); err != nil {
		return err
	}
	if err := srv.Serve(ln); ctx.Err() == nil {
		return err
	}
	return nil
}

// startStatic runs ServeStatic in another process.
func startStatic(ctx context.Context, binary, tag string, body []byte) (address string, stop func(), err error) {
	cmd := exec.CommandContext(ctx, binary, "bench", "static", tag)
	cmd.Stdin = bytes.NewReader(body)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}
	if address, err = bufio.NewReader(out).ReadString('\n'); err != nil {
		stop()
		return "", nil, fmt.Errorf("the static handler did not start: %w", err)
	}
	return strings.TrimSpace(address), stop, nil
}
