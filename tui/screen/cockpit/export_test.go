package cockpit

// Cursor is the row under the cursor, for tests of its identity.
func (m *Model) Cursor() (string, bool) {
	row, ok := m.table.Selected()
	return named(keyOf(row)), ok
}

// Listed is the rows of the last answer.
func (m *Model) Listed() []string {
	var out []string
	for _, r := range m.table.Rows() {
		out = append(out, named(keyOf(r)))
	}
	return out
}

func named(k key) string { return k.kind + " " + k.ref + " " + k.day }

// Spark is the line of the pace, for a test of its heights.
var Spark = spark
