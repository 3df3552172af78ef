package keys

import "slices"

// Hint is one entry of the footer.
type Hint struct {
	Label, Help string
	Disabled    bool
	Verb        Verb
}

// Width is the number of cells of the hint.
func (h Hint) Width() int { return len(h.Label) + 1 + len(h.Help) }

// gap is the space between two hints.
const gap = 2

// Footer chooses what fits into rows lines of width cells: the hints in the
// order of the tables, dropping the least important first. The hint of the help
// key is always among them and always last, so that what was dropped can be
// found.
func Footer(width, rows int, tables ...Table) [][]Hint {
	var all []Binding
	var help Binding
	for _, t := range tables {
		for _, b := range t {
			switch {
			case b.Verb == Help:
				help = b
			case !b.Hidden && len(b.Keys) > 0:
				all = append(all, b)
			}
		}
	}
	byRank := slices.Clone(all)
	slices.SortStableFunc(byRank, func(a, b Binding) int { return a.Priority - b.Priority })
	for {
		if lines, ok := wrap(width, rows, all, help); ok || len(all) == 0 {
			return lines
		}
		drop := byRank[0].Verb
		byRank = byRank[1:]
		all = slices.DeleteFunc(all, func(b Binding) bool { return b.Verb == drop })
	}
}

func wrap(width, rows int, all []Binding, help Binding) ([][]Hint, bool) {
	lines := [][]Hint{nil}
	used := 0
	for _, b := range append(slices.Clone(all), help) {
		if len(b.Keys) == 0 {
			continue
		}
		h := Hint{Label: b.Label(), Help: b.Help, Disabled: b.Disabled != "", Verb: b.Verb}
		need := h.Width()
		if used > 0 && used+gap+need > width {
			lines = append(lines, nil)
			used = 0
		}
		if used > 0 {
			used += gap
		}
		used += need
		lines[len(lines)-1] = append(lines[len(lines)-1], h)
		if len(lines) > rows || used > width {
			return lines[:min(len(lines), max(1, rows))], false
		}
	}
	return lines, true
}
