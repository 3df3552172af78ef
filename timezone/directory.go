package timezone

import (
	"cmp"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Directory finds zones by what people know of them. It is immutable and holds
// the rules as they were when it was loaded.
type Directory struct {
	entries []entry
}

// Match is a zone that was found.
type Match struct {
	Zone    Zone
	Country string // name of the country, "" for UTC
	Note    string // which part of the country, "" if all of it
	By      string // how it was found: city, country, code, name, old name, offset, part
	OldName string // the old name by which it was found, else ""
	Offset  Offset // at the time of the search

	Next    ClockChange // the next change after that
	HasNext bool        // whether there is one
}

// entry is a zone with its words, folded for comparison.
type entry struct {
	zone          Zone
	country, note string
	names         []key // to be found by, the most telling first
}

// key is one way to find an entry.
type key struct {
	by    string
	text  string // folded
	old   string // the old name that text is from
	whole bool   // only the whole text counts, no part of it
}

// everyday are names of countries that ISO's table lacks and people use.
var everyday = map[string][]string{
	"AE": {"uae"},
	"CI": {"ivory coast"},
	"CZ": {"czechia"},
	"GB": {"united kingdom", "great britain", "england", "scotland", "wales"},
	"KP": {"north korea"},
	"KR": {"south korea"},
	"NL": {"holland"},
	"US": {"usa", "america"},
}

// LoadDirectory reads the rules of all zones: some 400 small files, so call it
// once and not where somebody waits for a key press. It fails if one of them
// cannot be loaded, which the copy in the binary prevents unless the machine's
// files are damaged.
func LoadDirectory() (*Directory, error) {
	n := zoneNames()
	old := map[string][]string{}
	for _, alias := range slices.Sorted(maps.Keys(n.aliases)) {
		old[n.aliases[alias]] = append(old[n.aliases[alias]], alias)
	}
	var d Directory
	var faults []error
	for _, p := range append(slices.Clone(n.places), place{name: "UTC"}) {
		zone, err := ParseZone(p.name)
		faults = append(faults, err)
		e := entry{zone: zone, note: p.note, names: n.keys(p, old[p.name])}
		if len(p.countries) > 0 {
			e.country = n.countries[p.countries[0]]
		}
		d.entries = append(d.entries, e)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return &d, nil
}

// keys lists what a place is found by.
func (n *names) keys(p place, oldNames []string) []key {
	keys := []key{{by: "city", text: city(p.name)}, {by: "name", text: fold(p.name)}}
	for _, code := range p.countries {
		keys = append(keys, key{by: "code", text: fold(code), whole: true}, key{by: "country", text: fold(n.countries[code])})
		if _, short, ok := strings.Cut(n.countries[code], "("); ok { // Britain (UK)
			keys = append(keys, key{by: "country", text: fold(short), whole: true})
		}
		for _, name := range everyday[code] {
			keys = append(keys, key{by: "country", text: name})
		}
	}
	for _, old := range oldNames {
		keys = append(keys, key{by: "old name", text: fold(old), old: old}, key{by: "old name", text: city(old), old: old})
	}
	if p.note != "" {
		keys = append(keys, key{by: "part", text: fold(p.note)})
	}
	return keys
}

// Search returns at most limit zones for what was typed: a city, a country or
// its ISO code, a region, an old name, or an offset such as +01 or -03:30 that
// is in use at now. Case, accents, blanks and underscores do not matter. Best
// matches come first; inside a country, big cities do. An empty query finds all
// zones, by name.
func (d *Directory) Search(query string, now time.Time, limit int) []Match {
	offset, byOffset := searchedOffset(query)
	query = fold(query)

	type found struct {
		*entry
		key
		rank int
	}
	var all []found
	for i := range d.entries {
		e := &d.entries[i]
		switch {
		case byOffset:
			if OffsetAt(now, e.zone) == offset {
				all = append(all, found{e, key{by: "offset"}, 0})
			}
		case query == "":
			all = append(all, found{e, key{by: "name"}, 0})
		default:
			if k, rank := e.best(query); rank < noMatch {
				all = append(all, found{e, k, rank})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b found) int {
		if byOffset || query == "" {
			return cmp.Compare(a.zone.name, b.zone.name)
		}
		return cmp.Compare(a.rank, b.rank)
	})

	matches := make([]Match, 0, min(limit, len(all)))
	for _, f := range all[:min(limit, len(all))] {
		m := Match{Zone: f.zone, Country: f.country, Note: f.note, By: f.by, OldName: f.old, Offset: OffsetAt(now, f.zone)}
		if next := NextChanges(f.zone, now, 1); len(next) > 0 {
			m.Next, m.HasNext = next[0], true
		}
		matches = append(matches, m)
	}
	return matches
}

// Ranks of a match, best first. Inside one rank, the order of the keys decides.
const (
	wholeText = 100 * iota
	beginning
	beginningOfWord
	insideWord
	noMatch
)

// best returns the best key for the folded query.
func (e *entry) best(query string) (key, int) {
	best, bestRank := key{}, noMatch
	for i, k := range e.names {
		rank := noMatch
		switch at := strings.Index(k.text, query); {
		case k.text == query:
			rank = wholeText
		case at < 0 || k.whole:
			continue
		case at == 0:
			rank = beginning
		case strings.Contains(k.text, " "+query):
			rank = beginningOfWord
		case len(query) >= 3:
			rank = insideWord
		}
		if rank+i < bestRank {
			best, bestRank = k, rank+i
		}
	}
	return best, bestRank
}

var offsetQuery = regexp.MustCompile(`^(?i:utc|gmt)?\s*([+-])([0-9]{1,2})(?::?([0-9]{2}))?$`)

func searchedOffset(query string) (Offset, bool) {
	m := offsetQuery.FindStringSubmatch(strings.TrimSpace(query))
	if m == nil {
		return 0, false
	}
	o := Offset(NewTimeOfDay(number(m[2]), number(m[3])))
	if m[1] == "-" {
		o = -o
	}
	return o, true
}

// accents covers the letters of the names that people look for; the zone
// database itself writes ASCII, ISO's country names do not.
var accents = strings.NewReplacer(
	"á", "a", "à", "a", "â", "a", "ã", "a", "ä", "a", "å", "a", "ç", "c", "é", "e", "è", "e", "ê", "e", "ë", "e",
	"í", "i", "î", "i", "ï", "i", "ñ", "n", "ó", "o", "ô", "o", "õ", "o", "ö", "o", "ø", "o",
	"ú", "u", "û", "u", "ü", "u", "ý", "y", "_", " ", "-", " ", "/", " ", "(", " ", ")", " ", ".", "", "'", "", "&", "and",
)

// fold brings text into the form in which it is compared.
func fold(text string) string {
	return strings.Join(strings.Fields(accents.Replace(strings.ToLower(text))), " ")
}

// city returns the folded last part of a zone's name.
func city(name string) string { return fold(name[strings.LastIndex(name, "/")+1:]) }
