package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/inventory/pgstore"
)

func (a *app) saleCommand() *cobra.Command {
	return group("sale", "How an on-sale goes", a.saleShowCommand())
}

const (
	saleRows = 20
	saleStep = 5 * time.Second
	saleLine = time.Minute // of the pace
)

func (a *app) saleShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show [VENUE]", Short: "Holds a second, refusals, answer times, what is left, and who waits, as the console's On-sale screen", Args: atMost("VENUE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			venue := strings.Join(args, "")
			return a.withStore(cmd, func(ctx context.Context, s *pgstore.Store) error {
				v, err := readSale(ctx, s, venue)
				if err != nil {
					return err
				}
				return a.showSale(v)
			})
		},
	}
}

func readSale(ctx context.Context, s *pgstore.Store, venue string) (saleView, error) {
	var v saleView
	if venue != "" {
		if _, err := s.Venue(ctx, venue); err != nil {
			return v, err
		}
	}
	pulses, err := s.Pulses(ctx, saleLine+time.Minute)
	if err != nil {
		return v, err
	}
	selling, err := s.Selling(ctx, venue, saleRows)
	if err != nil {
		return v, err
	}
	rooms, err := s.WaitingRooms(ctx)
	if err != nil {
		return v, err
	}
	v.At, v.Selling, v.Rooms, v.Daemons = pulses.AsOf, []sellingView{}, []admissionView{}, []daemonView{}
	var paces []inventory.Pace
	for _, name := range inventory.Instances(pulses.Pulses) {
		p := inventory.PaceOf(pulses.Pulses, name, pulses.AsOf)
		paces = append(paces, p)
		v.Daemons = append(v.Daemons, daemonView{name, p.Last, viewPace(p)})
	}
	v.paceView = viewPace(inventory.Together(paces))
	v.Line = inventory.PaceLine(pulses.Pulses, pulses.AsOf, saleStep, int(saleLine/saleStep))
	for _, r := range selling.Rows {
		v.Selling = append(v.Selling, viewSelling(r, selling.Minute(r)))
	}
	for _, r := range rooms {
		if r.Open && (venue == "" || r.Venue == venue) {
			v.Rooms = append(v.Rooms, viewAdmission(r))
		}
	}
	return v, nil
}

func (a *app) showSale(v saleView) error {
	switch a.print.Format() {
	case output.JSON:
		return a.print.Document(v)
	case output.CSV:
		return output.Rows(a.print, sellingColumns, v.Selling)
	case output.Table:
	}
	if err := output.One(a.print, saleColumns, v); err != nil {
		return err
	}
	if err := a.print.Line(""); err != nil {
		return err
	}
	if err := output.Rows(a.print, sellingColumns, v.Selling); err != nil || len(v.Rooms) == 0 {
		return err
	}
	if err := a.print.Line(""); err != nil {
		return err
	}
	return output.Rows(a.print, admissionColumns, v.Rooms)
}

// paceView is how sales go; times are in milliseconds and 0 where nothing was
// measured.
type paceView struct {
	HoldsPerSecond float64       `json:"holdsPerSecond"`
	Refused        []refusalView `json:"refused"` // most first
	P50            float64       `json:"p50Ms"`
	P95            float64       `json:"p95Ms"`
	P99            float64       `json:"p99Ms"`
	BatchMean      float64       `json:"batchMean"`
	BatchMax       int           `json:"batchMax"`
	LockWait       float64       `json:"lockWaitMs"`
	Queue          int           `json:"queue"`
}

type refusalView struct {
	Code      string  `json:"code"`
	PerSecond float64 `json:"perSecond"`
}

type daemonView struct {
	Instance string    `json:"instance"`
	LastSeen time.Time `json:"lastSeen"`
	paceView
}

type saleView struct {
	At time.Time `json:"at"`
	paceView
	Line    []float64       `json:"lastMinute"` // holds a second, in steps of 5 s, oldest first
	Daemons []daemonView    `json:"daemons"`
	Selling []sellingView   `json:"selling"`
	Rooms   []admissionView `json:"waitingRooms"`
}

func viewPace(p inventory.Pace) paceView {
	v := paceView{
		HoldsPerSecond: p.Second, Refused: []refusalView{}, P50: milliseconds(p.P50), P95: milliseconds(p.P95), P99: milliseconds(p.P99),
		BatchMean: p.BatchMean, BatchMax: p.BatchMax, LockWait: milliseconds(p.LockWait), Queue: p.Queue,
	}
	for _, r := range p.Refused {
		v.Refused = append(v.Refused, refusalView{r.Code, r.Second})
	}
	return v
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

var saleColumns = []output.Column[saleView]{
	{Name: "holds a second", Value: func(v saleView) string { return tenths(v.HoldsPerSecond) }},
	{Name: "last minute", Value: func(v saleView) string {
		words := make([]string, len(v.Line))
		for i, x := range v.Line {
			words[i] = tenths(x)
		}
		return strings.Join(words, " ")
	}},
	{Name: "refused a second", Value: func(v saleView) string {
		words := make([]string, len(v.Refused))
		for i, r := range v.Refused {
			words[i] = r.Code + " " + tenths(r.PerSecond)
		}
		return strings.Join(append(words, yes(len(words) == 0, "0")), " ")
	}},
	{Name: "answers", Value: func(v saleView) string {
		return yes(v.P99 > 0, "half within "+tenths(v.P50)+" ms, 95 of 100 within "+tenths(v.P95)+" ms, 99 of 100 within "+tenths(v.P99)+" ms")
	}},
	{Name: "together", Value: func(v saleView) string {
		return yes(v.BatchMax > 0, tenths(v.BatchMean)+" holds at a time, "+decimal(v.BatchMax)+" at most")
	}},
	{Name: "lock wait", Value: func(v saleView) string { return yes(v.LockWait > 0, tenths(v.LockWait)+" ms") }},
	{Name: "queue", Value: func(v saleView) string { return decimal(v.Queue) }},
	{Name: "daemons", Value: func(v saleView) string {
		words := make([]string, len(v.Daemons))
		for i, d := range v.Daemons {
			words[i] = d.Instance + " (" + tenths(d.HoldsPerSecond) + "/s, seen " + instant(d.LastSeen) + ")"
		}
		return strings.Join(append(words, yes(len(words) == 0, "none was seen in the last two minutes")), " ")
	}},
}

func tenths(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

type sellingView struct {
	Kind           string  `json:"kind"` // pool or event
	Ref            string  `json:"ref"`
	Name           string  `json:"name"`
	Day            string  `json:"day"`
	Limit          int     `json:"limit"`
	Taken          int     `json:"taken"`
	Left           int     `json:"left"`
	Held           int     `json:"held"` // of taken: places of holds
	Holds          int     `json:"holds"`
	Paying         int     `json:"paying"`
	Zombies        int     `json:"zombies"`
	HoldsPerMinute float64 `json:"holdsPerMinute"`
	StopSell       bool    `json:"stopSell"`
	Version        int     `json:"version"`
}

func viewSelling(r inventory.Selling, minute float64) sellingView {
	return sellingView{
		kindName(r.Kind), r.Ref(), r.Name, r.Day.String(), r.Limit, r.Taken, r.Left(), r.Held, r.Holds, r.Paying, r.Zombies, minute, r.StopSell, r.Version,
	}
}

func kindName(kind inventory.ClaimKind) string {
	if kind == inventory.ClaimPool {
		return "pool"
	}
	return "event"
}

var sellingColumns = []output.Column[sellingView]{
	{Name: "left", Number: true, Value: func(v sellingView) string { return decimal(v.Left) }},
	{Name: "taken", Number: true, Value: func(v sellingView) string { return decimal(v.Taken) }},
	{Name: "limit", Number: true, Value: func(v sellingView) string { return decimal(v.Limit) }},
	{Name: "held", Number: true, Value: func(v sellingView) string { return decimal(v.Held) }},
	{Name: "holds", Number: true, Value: func(v sellingView) string { return decimal(v.Holds) }},
	{Name: "paying", Number: true, Value: func(v sellingView) string { return decimal(v.Paying) }},
	{Name: "zombies", Number: true, Value: func(v sellingView) string { return decimal(v.Zombies) }},
	{Name: "holds_per_minute", Title: "/min", Number: true, Value: func(v sellingView) string { return tenths(v.HoldsPerMinute) }},
	{Name: "stop_sell", Title: "sales", Value: func(v sellingView) string { return yes(v.StopSell, "stopped") }},
	{Name: "day", Value: func(v sellingView) string { return v.Day }},
	{Name: "kind", Value: func(v sellingView) string { return v.Kind }},
	{Name: "ref", Value: func(v sellingView) string { return v.Ref }},
	{Name: "name", Value: func(v sellingView) string { return v.Name }},
}
