package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// testOneSeat lets 1,000 buyers at one seat and, in the rounds of case B01, 50
// at one seat and at one hour of a studio, through two daemons of which one has
// a single processor.
func testOneSeat(t *testing.T, bin string) {
	t.Helper()
	in := newInstallation(t, bin, 2)
	file := filepath.Join(t.TempDir(), "seats.csv")
	var rows strings.Builder
	rows.WriteString("section,row,number,category,price\n")
	for n := 1; n <= 30; n++ {
		fmt.Fprintf(&rows, "PARKETT,A,%d,CAT 1,50.00\n", n)
	}
	if err := os.WriteFile(file, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, bin, in.env, "event", "add", "harbour/gala", "--start", "2027-06-01T19:30")
	must(t, bin, in.env, "seat", "import", "harbour/gala", file)
	must(t, bin, in.env, "resource", "add", "harbour/studio-a", "--open", "09:00-22:00", "--slot", "60m", "--price-per-hour", "20.00")
	var seats []struct {
		ID string `json:"seat"`
	}
	if err := json.Unmarshal([]byte(must(t, bin, in.env, "seat", "list", "harbour/gala", "-o", "json")), &seats); err != nil || len(seats) != 30 {
		t.Fatalf("%d seats, %v", len(seats), err)
	}
	var event struct {
		ID string `json:"eventId"`
	}
	if err := json.Unmarshal([]byte(must(t, bin, in.env, "event", "show", "harbour/gala", "-o", "json")), &event); err != nil {
		t.Fatal(err)
	}
	env := in.env
	for i := range in.api {
		in.env = append(env[:len(env):len(env)], fmt.Sprintf("GOMAXPROCS=%d", i+1))
		defer in.daemon(t, i).stop(t)
	}
	url := func(i int, seat string) string {
		return "http://" + in.api[i%2] + "/events/" + event.ID + "/seats/" + seat + "/hold"
	}
	answers := crowd(t, 1000, func(i int) (int, map[string]any, error) {
		key := fmt.Sprint("one-", i)
		return post(t.Context(), url(i, seats[0].ID), key, map[string]any{"buyer": key})
	})
	if len(answers) != 2 || answers["200 <nil>"] != 1 || answers["409 SEAT_TAKEN"] != 999 {
		t.Errorf("1,000 buyers for one seat: %v, want one 200 and 999 x 409 SEAT_TAKEN", answers)
	}
	for round := 1; round <= 20; round++ {
		answers = crowd(t, 50, func(i int) (int, map[string]any, error) {
			key := fmt.Sprintf("b%d-%d", round, i)
			return post(t.Context(), url(i, seats[round].ID), key, map[string]any{"buyer": key})
		})
		if len(answers) != 2 || answers["200 <nil>"] != 1 || answers["409 SEAT_TAKEN"] != 49 {
			t.Errorf("round %d, one seat: %v, want one 200 and 49 x 409 SEAT_TAKEN", round, answers)
		}
		answers = crowd(t, 50, func(i int) (int, map[string]any, error) {
			key := fmt.Sprintf("c%d-%d", round, i)
			return post(t.Context(), "http://"+in.api[i%2]+"/holds", key, map[string]any{
				"resource": "harbour/studio-a", "from": fmt.Sprintf("2027-06-%02dT10:00", round), "to": fmt.Sprintf("2027-06-%02dT11:00", round), "buyer": key,
			})
		})
		if len(answers) != 2 || answers["201 <nil>"] != 1 || answers["409 RANGE_TAKEN"] != 49 {
			t.Errorf("round %d, one hour: %v, want one 201 and 49 x 409 RANGE_TAKEN", round, answers)
		}
	}
	if out := must(t, bin, in.env, "check"); out != "0 violations\n" {
		t.Error(out)
	}
}

// crowd lets n buyers ask in the same moment and counts the answers.
func crowd(t *testing.T, n int, ask func(i int) (int, map[string]any, error)) map[string]int {
	t.Helper()
	var mu sync.Mutex
	answers := map[string]int{}
	var buyers sync.WaitGroup
	gate := make(chan struct{})
	for i := range n {
		buyers.Go(func() {
			<-gate
			status, answer, err := ask(i)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Errorf("buyer %d: %v", i, err)
			}
			if status >= http.StatusInternalServerError {
				t.Errorf("buyer %d: %d %v", i, status, answer)
			}
			answers[fmt.Sprint(status, " ", answer["code"])]++
		})
	}
	close(gate)
	buyers.Wait()
	return answers
}
