// Command emptyroot shows that zones load on a machine that has none.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/rickb777/date"

	"holdfast/timezone"
)

func main() {
	d := date.New(2027, time.March, 28)
	for _, name := range []string{"Europe/Berlin", "Asia/Calcutta"} {
		zone, err := timezone.ParseZone(name)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		start, _ := timezone.DayStart(d, zone)
		fmt.Println(zone, start.Format(time.RFC3339), timezone.DayLength(d, zone))
	}
}
