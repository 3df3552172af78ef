// Command loud is the same program without the cure, to show that the test
// would notice.
package main

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"
)

var _ tea.Model

func main() { fmt.Println("begun") }
