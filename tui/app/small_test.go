package app_test

import "testing"

// In a terminal too small to show a dialog nobody can answer one: the keys go
// nowhere until there is room again.
func TestApp_TooSmallTakesNoAnswer(t *testing.T) {
	t.Parallel()
	s := shelfOf("Gala", "Tour")
	c := open(t, s)
	c.Press("L", "shift+tab")
	c.Type("by phone")
	c.Shows("Cancel")
	c.Resize(20, 5)
	c.Press("tab", "tab", "enter")
	c.Resize(80, 24)
	c.Shows("Cancel")
	if len(s.dropped) != 0 {
		t.Errorf("dropped %v through a dialog that nobody could see", s.dropped)
	}
}
