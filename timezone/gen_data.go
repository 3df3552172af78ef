//go:build ignore

// Command gen_data writes data/*.tsv, the names that package timezone accepts.
//
// Sources, all public domain: the zone database that Go embeds in binaries
// ($GOROOT/lib/time/zoneinfo.zip) says which names exist; zone.tab,
// zone1970.tab, iso3166.tab and tzdata.zi of the tz project (Debian puts them
// into /usr/share/zoneinfo) say which of them are places, where, and which are
// old names for what. tzdata.zi must be built with PACKRATLIST=zone.tab, as
// Debian's and Go's data are; otherwise Europe/Oslo would count as an old name
// of Europe/Berlin.
//
// Run it as `go generate ./timezone` after an update of Go, and read the diff:
// a venue's stored zone must stay acceptable.
package main

import (
	"archive/zip"
	"bufio"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const tabs = "/usr/share/zoneinfo/"

func main() {
	log.SetFlags(0)
	embedded := embeddedNames()

	place := map[string][]string{} // name -> countries, the name's own first
	var order []string             // as in zone.tab: by country, big cities first
	note := map[string]string{}
	for _, file := range []string{"zone.tab", "zone1970.tab"} {
		for _, f := range rows(tabs+file, "\t") {
			name := f[2]
			if place[name] == nil {
				order = append(order, name)
			}
			if !embedded[name] {
				log.Fatalf("%s lists %s, which Go's database lacks", file, name)
			}
			for code := range strings.SplitSeq(f[0], ",") {
				if !slices.Contains(place[name], code) {
					place[name] = append(place[name], code)
				}
			}
			if file == "zone.tab" && len(f) > 3 {
				note[name] = f[3]
			}
		}
	}

	var zones, aliases, countries []string
	for _, name := range order {
		zones = append(zones, name+"\t"+strings.Join(place[name], ",")+"\t"+note[name])
	}
	for _, f := range rows(tabs+"tzdata.zi", " ") {
		if f[0] != "L" {
			continue
		}
		target, old := f[1], f[2]
		if place[old] == nil && place[target] != nil && embedded[old] && !abbreviation(old) {
			aliases = append(aliases, old+"\t"+target)
		}
	}
	for _, f := range rows(tabs+"iso3166.tab", "\t") {
		countries = append(countries, f[0]+"\t"+f[1])
	}
	slices.Sort(aliases)
	write("zones.tsv", "name, countries (own first), which part of the country", zones)
	write("aliases.tsv", "old name, today's name", aliases)
	write("countries.tsv", "ISO 3166 code, name", countries)
}

// abbreviation reports names such as EST and PST8PDT: since 2024b the tz
// project links them to places, but nobody who types them means that place.
func abbreviation(name string) bool {
	return slices.Contains(strings.Fields("EST MST HST EST5EDT CST6CDT MST7MDT PST8PDT CET EET MET WET"), name)
}

func embeddedNames() map[string]bool {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		log.Fatal(err)
	}
	archive, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib/time/zoneinfo.zip"))
	if err != nil {
		log.Fatal(err)
	}
	defer archive.Close()
	names := map[string]bool{}
	for _, f := range archive.File {
		names[f.Name] = true
	}
	return names
}

func rows(path, separator string) [][]string {
	file, err := os.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	var all [][]string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if line := lines.Text(); line != "" && line[0] != '#' {
			all = append(all, strings.Split(line, separator))
		}
	}
	return all
}

func write(name, what string, lines []string) {
	text := fmt.Sprintf("# %s; written by gen_data.go\n%s\n", what, strings.Join(lines, "\n"))
	if err := os.WriteFile(filepath.Join("data", name), []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}
}
