// Command quiet starts like holdfast does, with Bubble Tea on board, and says
// that main has begun.
package main

import (
	"fmt"
	"os"

	"holdfast/tui/quietterm"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
)

var _ tea.Model

func main() {
	quietterm.Restore()
	lipgloss.SetHasDarkBackground(false)
	_, set := os.LookupEnv("TERM")
	fmt.Printf("begun TERM=%q set=%v dark=%v\n", os.Getenv("TERM"), set, lipgloss.HasDarkBackground())
}
