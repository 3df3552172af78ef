package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
)

func (a *app) seatCommand() *cobra.Command {
	return group("seat", "The numbered seats of an event",
		a.seatImportCommand(), a.seatMapCommand(), a.seatListCommand(),
		a.seatKillCommand("kill", "Take seats out of sale", (*pgstore.Store).KillSeats),
		a.seatKillCommand("unkill", "Bring seats back on sale", (*pgstore.Store).UnkillSeats))
}

// standardInput is the name of a file that means what is piped in.
const standardInput = "-"

func (a *app) seatImportCommand() *cobra.Command {
	return &cobra.Command{
		Use: "import VENUE/EVENT FILE.csv", Short: "Add the seats of a file, all of them or none", Args: exactly("VENUE/EVENT", "FILE.csv"),
		Long: `Add the seats of a file, all of them or none. "-" reads standard input.

The file is CSV in UTF-8 with the header ` + inventory.SeatFileHeader + `.
Its order is the order of the hall; seats of a row whose numbers are one apart are
neighbours.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := a.openInput(args[1])
			if err != nil {
				return err
			}
			defer func() { _ = file.Close() }() // it was only read
			return a.onEvent(cmd, args[0], func(ctx context.Context, s *pgstore.Store, e inventory.Event) error {
				seats, err := inventory.ParseSeats(file, e.Currency)
				if err != nil {
					return err
				}
				added, err := s.ImportSeats(ctx, a.staff(), e.Ref, seats)
				if err != nil {
					return err
				}
				if e, err = s.Event(ctx, e.Ref); err != nil {
					return fmt.Errorf("%d seats are added, but: %w", added, err)
				}
				return output.One(a.print, importColumns, importView{e.Ref.String(), added, seatCountsView(e.Seats)})
			})
		},
	}
}

// openInput opens a file that a person named.
func (a *app) openInput(name string) (io.ReadCloser, error) {
	if name == standardInput {
		return io.NopCloser(a.stdin), nil
	}
	file, err := os.Open(name)
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, inventory.Invalid("file", "%s: %s", name, path.Err)
	}
	return file, err
}

func (a *app) seatMapCommand() *cobra.Command {
	return &cobra.Command{
		Use: "map VENUE/EVENT", Short: "The hall, a letter for each seat", Args: exactly("VENUE/EVENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onEvent(cmd, args[0], func(ctx context.Context, s *pgstore.Store, e inventory.Event) error {
				m, err := s.SeatMap(ctx, e.ID)
				if err != nil {
					return err
				}
				switch a.print.Format() {
				case output.JSON:
					return a.print.Document(viewSeatMap(m))
				case output.CSV:
					return output.Rows(a.print, seatColumns, mapped(m.Seats, viewSeat))
				case output.Table:
				}
				for _, line := range drawHall(m.Seats) {
					if err := a.print.Line("%s", line); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

func (a *app) seatListCommand() *cobra.Command {
	var state, section, category string
	cmd := &cobra.Command{
		Use: "list VENUE/EVENT", Short: "Seats of an event, a line each", Args: exactly("VENUE/EVENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted := inventory.SeatState(strings.ToUpper(state))
			if state != "" && !slices.Contains(seatStates, wanted) {
				return inventory.Invalid("state", "%q is none of AVAILABLE, HELD, BOOKED, KILLED", state)
			}
			return a.onEvent(cmd, args[0], func(ctx context.Context, s *pgstore.Store, e inventory.Event) error {
				m, err := s.SeatMap(ctx, e.ID)
				if err != nil {
					return err
				}
				seats := slices.DeleteFunc(m.Seats, func(seat inventory.Seat) bool {
					return state != "" && seat.State != wanted ||
						section != "" && seat.Section != section || category != "" && seat.Category != category
				})
				return output.Rows(a.print, seatColumns, mapped(seats, viewSeat))
			})
		},
	}
	cmd.Flags().StringVar(&state, "state", "", "only AVAILABLE, HELD, BOOKED or KILLED ones")
	cmd.Flags().StringVar(&section, "section", "", "only of this section")
	cmd.Flags().StringVar(&category, "category", "", "only of this category")
	return cmd
}

var seatStates = []inventory.SeatState{inventory.SeatAvailable, inventory.SeatHeld, inventory.SeatBooked, inventory.SeatKilled}

// killOrUnkill is what Store.KillSeats and Store.UnkillSeats have in common.
type killOrUnkill func(*pgstore.Store, context.Context, inventory.Actor, inventory.EventID, []inventory.SeatID, string) ([]inventory.Seat, error)

func (a *app) seatKillCommand(name, short string, do killOrUnkill) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: name + " VENUE/EVENT SEAT... --reason TEXT", Short: short + ", all of them or none",
		Long: short + `, all of them or none. SEAT is "PARKETT D-07", D-07 if only one section has
it, or an id.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usage("%stakes VENUE/EVENT SEAT...", place(cmd))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := inventory.CheckReason(reason); err != nil {
				return err
			}
			return a.onEvent(cmd, args[0], func(ctx context.Context, s *pgstore.Store, e inventory.Event) error {
				named, err := s.SeatsByName(ctx, e.ID, args[1:])
				if err != nil {
					return err
				}
				seats, err := do(s, ctx, a.staff(), e.ID, seatIDs(named), reason)
				if err != nil {
					return nameSeats(err, named)
				}
				return output.Rows(a.print, seatColumns, mapped(seats, viewSeat))
			})
		},
	}
	reasonFlag(cmd.Flags(), &reason)
	return cmd
}

func seatIDs(seats []inventory.Seat) []inventory.SeatID {
	return mapped(seats, func(s inventory.Seat) inventory.SeatID { return s.ID })
}
