package main

import (
	"fmt"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	tuiapp "holdfast/tui/app"
	"holdfast/tui/ui"
)

// screens is the one place that knows every screen of the console and the
// store behind them.
func screens(_ *pgstore.Store, _ inventory.Actor) ([]tuiapp.Tab, ui.Builder) {
	tabs := []tuiapp.Tab{}
	build := func(_ *ui.Env, r ui.Route) (ui.Screen, error) {
		return nil, fmt.Errorf("there is no screen %q", r.Screen)
	}
	return tabs, build
}
