package tuitest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"holdfast/tui/canvas"
)

var update = flag.Bool("update", false, "rewrite the golden frames of the console")

// Sizes are the screens that golden frames are made for.
var sizes = [][2]int{{80, 24}, {160, 50}}

// Frame compares the picture at 80x24 and 160x50 with
// testdata/<test>/<name>-<size>.golden; go test -update rewrites the files.
// The size is put back afterwards.
func (c *Console) Frame(name string) {
	c.t.Helper()
	w, h := c.w, c.h
	for _, s := range sizes {
		c.Resize(s[0], s[1])
		golden(c.t, fmt.Sprintf("%s-%dx%d", name, s[0], s[1]), c.View())
	}
	c.Resize(w, h)
}

// FrameAt is Frame for one size.
func (c *Console) FrameAt(name string, w, h int) {
	c.t.Helper()
	w0, h0 := c.w, c.h
	c.Resize(w, h)
	golden(c.t, fmt.Sprintf("%s-%dx%d", name, w, h), c.View())
	c.Resize(w0, h0)
}

func golden(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(t.Name()), name+".golden")
	got += "\n"
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatalf("golden frame: %v", err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatalf("golden frame: %v", err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("golden frame: %v (run with -update to make it)\n%s", err, got)
	}
	if string(want) != got {
		t.Errorf("%s differs from the golden frame (-update accepts it)\ngot:\n%swant:\n%s", path, got, want)
	}
}

// Exact fails the test unless the picture has exactly h lines of exactly w
// cells and no control character in them.
func Exact(t testing.TB, view string, w, h int) {
	t.Helper()
	if h <= 0 || w <= 0 {
		return
	}
	lines := strings.Split(view, "\n")
	if len(lines) != h {
		t.Errorf("the picture has %d lines, want %d", len(lines), h)
	}
	for i, l := range lines {
		if got := ansi.StringWidth(l); got != w {
			t.Errorf("line %d is %d cells wide, want %d: %q", i, got, w, l)
		}
		if clean := canvas.Clean(l); clean != l {
			t.Errorf("line %d holds what must not reach a terminal: %q", i, l)
		}
	}
}
