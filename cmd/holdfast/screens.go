package main

import (
	"fmt"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	tuiapp "holdfast/tui/app"
	"holdfast/tui/screen/calendar"
	"holdfast/tui/screen/cockpit"
	"holdfast/tui/screen/deliveries"
	"holdfast/tui/screen/holds"
	"holdfast/tui/screen/line"
	"holdfast/tui/screen/refunds"
	"holdfast/tui/screen/seats"
	"holdfast/tui/screen/venues"
	"holdfast/tui/screen/zombies"
	"holdfast/tui/ui"
)

// Routes of the screens, in the order of their number keys.
const (
	routeCalendar   = "calendar"
	routeHolds      = holds.Name
	routeZombies    = zombies.Name
	routeRefunds    = refunds.Name
	routeDeliveries = deliveries.Name
	routeSeats      = seats.Name
	routeLine       = line.Name
	routeOnSale     = cockpit.Name
	routeVenues     = venues.Name
)

// screens is the one place that knows every screen of the console and the
// store behind them.
func screens(s *pgstore.Store, actor inventory.Actor) ([]tuiapp.Tab, ui.Builder) {
	tabs := []tuiapp.Tab{
		{Title: "Calendar", Route: ui.Route{Screen: routeCalendar}},
		{Title: "Holds", Route: ui.Route{Screen: routeHolds}},
		{Title: "Zombies", Route: ui.Route{Screen: routeZombies}},
		{Title: "Refunds", Route: ui.Route{Screen: routeRefunds}},
		{Title: "Deliveries", Route: ui.Route{Screen: routeDeliveries}},
		{Title: "Seats", Route: ui.Route{Screen: routeSeats}},
		{Title: "Line", Route: ui.Route{Screen: routeLine}},
		{Title: "On-sale", Route: ui.Route{Screen: routeOnSale}},
		{Title: "Venues", Route: ui.Route{Screen: routeVenues}},
	}
	return tabs, func(env *ui.Env, r ui.Route) (ui.Screen, error) {
		switch r.Screen {
		case routeCalendar:
			return calendar.New(env, s, actor), nil
		case routeHolds:
			return holds.New(env, s, actor), nil
		case routeZombies:
			return zombies.New(env, s, actor), nil
		case routeRefunds:
			return refunds.New(env, s, actor), nil
		case routeDeliveries:
			return deliveries.New(env, s, actor), nil
		case routeSeats:
			return seats.New(env, s, actor), nil
		case routeLine:
			return line.New(env, s, actor), nil
		case routeOnSale:
			return cockpit.New(env, s, actor), nil
		case routeVenues:
			return venues.New(env, s, actor), nil
		}
		return nil, fmt.Errorf("there is no screen %q", r.Screen)
	}
}
