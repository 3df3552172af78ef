package deliveries

// Front is the records listed on the side in front and which of them is under
// the cursor, for tests of its identity.
func (m *Model) Front() (listed []string, cursor string) {
	switch s := m.sides[m.front].(type) {
	case *messages:
		for _, r := range s.table.Rows() {
			listed = append(listed, r.ID())
		}
		if r, ok := s.table.Selected(); ok {
			cursor = r.ID()
		}
	case *callbacks:
		for _, r := range s.table.Rows() {
			listed = append(listed, r.Provider+" "+r.ID)
		}
		if r, ok := s.table.Selected(); ok {
			cursor = r.Provider + " " + r.ID
		}
	}
	return listed, cursor
}

// Says is says, for a test on what the store really writes.
var Says = says
