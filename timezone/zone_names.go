package timezone

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:generate go run gen_data.go

//go:embed data/zones.tsv
var zonesData string

//go:embed data/aliases.tsv
var aliasesData string

//go:embed data/countries.tsv
var countriesData string

// place is a current zone name and where it applies.
type place struct {
	name      string
	countries []string // ISO 3166 codes, the name's own country first
	note      string   // which part of the country, as the tz project words it
}

// names is the allow-list. It is read once and never changed.
type names struct {
	places    []place           // by country, as a rule its biggest city first
	index     map[string]int    // name -> index in places
	aliases   map[string]string // old name -> current name
	countries map[string]string // code -> name
}

var zoneNames = sync.OnceValue(func() *names {
	n := &names{index: map[string]int{}, aliases: map[string]string{}, countries: map[string]string{}}
	for f := range rowsOf(zonesData) {
		n.index[f[0]] = len(n.places)
		n.places = append(n.places, place{f[0], strings.Split(f[1], ","), f[2]})
	}
	for f := range rowsOf(aliasesData) {
		n.aliases[f[0]] = f[1]
	}
	for f := range rowsOf(countriesData) {
		n.countries[f[0]] = f[1]
	}
	// UTC is no place, but a venue that lives online may say so on purpose.
	n.aliases["Etc/UTC"] = "UTC"
	return n
})

// current returns today's name for an accepted name.
func (n *names) current(name string) (string, bool) {
	if to, ok := n.aliases[name]; ok {
		return to, true
	}
	_, ok := n.index[name]
	return name, ok || name == "UTC"
}

// accepted returns every accepted name: places first, then UTC and old names.
func (n *names) accepted() []string {
	all := make([]string, 0, len(n.places)+1+len(n.aliases))
	for _, p := range n.places {
		all = append(all, p.name)
	}
	return slices.AppendSeq(append(all, "UTC"), slices.Values(slices.Sorted(maps.Keys(n.aliases))))
}

func rowsOf(data string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(data) {
			if line[0] != '#' && !yield(strings.Split(strings.TrimSuffix(line, "\n"), "\t")) {
				return
			}
		}
	}
}
