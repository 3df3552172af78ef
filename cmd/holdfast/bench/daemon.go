package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	startLimit = 30 * time.Second
	stopLimit  = 30 * time.Second
	readyText  = "the daemon is ready"
	simSecret  = "only of this measurement"
)

// daemon is holdfast as a process of its own, so that what it needs is its own
// and neither the generator's nor the measurement's.
type daemon struct {
	cmd      *exec.Cmd
	address  string
	troubles atomic.Int64 // lines of its log from "warn" up
	exited   chan error
}

// startDaemons starts n of them beside those that run.
func (b *bench) startDaemons(ctx context.Context, n int) error {
	for range n {
		d, err := startDaemon(ctx, b.cfg.Binary, b.dsn)
		if err != nil {
			return fmt.Errorf("daemon: %w", err)
		}
		b.daemons = append(b.daemons, d)
		b.undo = append(b.undo, func(context.Context) { _ = d.stop() })
	}
	return nil
}

func startDaemon(ctx context.Context, binary, dsn string) (*daemon, error) {
	cmd := exec.CommandContext(ctx, binary, "daemon", "--listen", "127.0.0.1:0", "--metrics-listen", "off")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopLimit
	cmd.Env = append(foreign(os.Environ()), "HOLDFAST_CONFIG="+os.DevNull, "HOLDFAST_DB="+dsn, "HOLDFAST_ACTOR=bench",
		"HOLDFAST_SIM_SECRET="+simSecret, "HOLDFAST_PROVIDER_URL=http://127.0.0.1:1") // nobody is there: only callbacks are used
	log, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	d := &daemon{cmd: cmd, exited: make(chan error, 1)}
	ready, last := make(chan string, 1), make(chan string, 1)
	go func() {
		last <- d.follow(log, ready)
		d.exited <- cmd.Wait()
	}()
	select {
	case d.address = <-ready:
		return d, nil
	case line := <-last:
		return nil, fmt.Errorf("it ended: %s", line)
	case <-time.After(startLimit):
		return nil, errors.Join(fmt.Errorf("it was not ready within %s", startLimit), cmd.Cancel())
	}
}

// foreign leaves out what is meant for this process and not for a measurement.
func foreign(env []string) []string {
	var kept []string
	for _, v := range env {
		if !strings.HasPrefix(v, "HOLDFAST_") {
			kept = append(kept, v)
		}
	}
	return kept
}

// follow reads the log to its end and returns the last line.
func (d *daemon) follow(log io.Reader, ready chan<- string) (last string) {
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		last = lines.Text()
		var entry struct {
			Level   string `json:"level"`
			Message string `json:"msg"`
			Address string `json:"address"`
		}
		if json.Unmarshal(lines.Bytes(), &entry) != nil {
			continue
		}
		if entry.Message == readyText {
			ready <- entry.Address
		}
		if entry.Level == "WARN" || entry.Level == "ERROR" {
			d.troubles.Add(1)
		}
	}
	_, _ = io.Copy(io.Discard, log)
	return last
}

// stop ends it as an operator would.
func (d *daemon) stop() error {
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-d.exited:
		return err
	case <-time.After(stopLimit):
		return errors.Join(fmt.Errorf("%s after SIGTERM it still runs", stopLimit), d.cmd.Process.Kill())
	}
}

// peak is the most memory that it ever had resident, in bytes, where the system
// tells.
func (d *daemon) peak() (int64, bool) {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(d.cmd.Process.Pid) + "/status")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "kB")), 10, 64)
			return kib << 10, err == nil
		}
	}
	return 0, false
}
