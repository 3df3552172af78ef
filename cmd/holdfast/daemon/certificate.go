package daemon

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// LoadTLS reads a certificate and its key, and reads them again for a new
// connection after the files have changed, so that a renewal needs no restart.
// A renewed pair that cannot be used is logged, and the old one stays.
func LoadTLS(certFile, keyFile string, log *slog.Logger) (*tls.Config, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log}
	if err := c.load(); err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}, nil
}

type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu      sync.Mutex
	pair    *tls.Certificate
	changed time.Time // of the file that pair was read from
}

func (c *certificate) load() error {
	info, err := os.Stat(c.certFile)
	if err != nil {
		return fmt.Errorf("tls certificate: %w", err)
	}
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	c.changed = info.ModTime() // also of a pair that is no use: it is tried once
	if err != nil {
		return fmt.Errorf("tls certificate: %w", err)
	}
	c.pair = &pair
	return nil
}

func (c *certificate) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if info, err := os.Stat(c.certFile); err == nil && !info.ModTime().Equal(c.changed) {
		if err := c.load(); err != nil {
			c.log.LogAttrs(hello.Context(), slog.LevelError, "the renewed certificate cannot be used", slog.Any("error", err))
		}
	}
	return c.pair, nil
}
