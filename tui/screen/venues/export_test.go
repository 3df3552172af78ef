package venues

// Cursor is the venue under the cursor, for tests of its identity.
func (m *Model) Cursor() (string, bool) {
	row, ok := m.table.Selected()
	return row.Slug, ok
}

// Listed is the venues of the last answer.
func (m *Model) Listed() []string {
	var slugs []string
	for _, v := range m.table.Rows() {
		slugs = append(slugs, v.Slug)
	}
	return slugs
}
