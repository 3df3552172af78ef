package output

import (
	"io"
	"strings"

	"holdfast/tui/canvas"
)

// writeTable aligns columns by cell width; the last one is not padded, so that
// long text there costs no blanks.
func writeTable[T any](w io.Writer, columns []Column[T], rows []T) error {
	cells := make([][]string, len(rows)+1)
	widths := make([]int, len(columns))
	for y := range cells {
		cells[y] = make([]string, len(columns))
		for x, c := range columns {
			if y == 0 {
				cells[y][x] = strings.ToUpper(c.title())
			} else {
				cells[y][x] = canvas.Clean(c.Value(rows[y-1]))
			}
			widths[x] = max(widths[x], canvas.Width(cells[y][x]))
		}
	}
	var b strings.Builder
	for _, line := range cells {
		var row strings.Builder
		for x, cell := range line {
			gap := strings.Repeat(" ", widths[x]-canvas.Width(cell))
			switch {
			case columns[x].Number:
				row.WriteString(gap + cell)
			default:
				row.WriteString(cell + gap)
			}
			row.WriteString("  ")
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
