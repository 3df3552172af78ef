package app_test

import (
	"testing"

	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

func open(t *testing.T, s *shelf) *tuitest.Console {
	t.Helper()
	return tuitest.Open(t, tuitest.Options{Screen: func(env *ui.Env) ui.Screen { return newDemo(env, s) }})
}

func TestApp_Frame(t *testing.T) {
	t.Parallel()

	t.Run("many", func(t *testing.T) {
		t.Parallel()
		c := open(t, shelfOf("Morning tour", "日本武道館ホール大", "Gala"))
		c.Press("down")
		c.Frame("list")
		c.Press("L")
		c.Frame("confirm")
		c.Press("esc", "?")
		c.Frame("help")
		c.Press("esc", ":")
		c.Type("go")
		c.Frame("palette")
	})
}
