package venues

import (
	"errors"
	"fmt"
	"time"

	"holdfast/inventory"
	"holdfast/tui/widget"
)

// The inputs are named as inventory names the fields in its errors, so that a
// refusal finds its line.
const (
	inVenue    = "venue"
	inName     = "name"
	inZone     = "zone"
	inCurrency = "currency"
	inTTL      = "hold_ttl"
	inJitter   = "hold_jitter"
	inMaxLife  = "hold_max_life"
	inPolicy   = "late_policy"
	inDeadline = "late_deadline"
	inDoubt    = "doubt_after"
	inDoubtCap = "doubt_cap"
	inReason   = "reason"
)

// spans are the inputs that are lengths of time.
var spans = []string{inTTL, inJitter, inMaxLife, inDeadline, inDoubt, inDoubtCap}

// editable are the fields that can differ between two versions of a venue, as
// they are shown side by side.
var editable = []string{inName, inZone, inTTL, inJitter, inMaxLife, inPolicy, inDeadline, inDoubt, inDoubtCap}

// values writes a venue as the form shows it.
func values(v inventory.Venue) map[string]string {
	return map[string]string{
		inVenue: v.Slug, inName: v.Name, inZone: v.Zone, inCurrency: string(v.Currency),
		inTTL: short(v.HoldTTL), inJitter: short(v.HoldJitter), inMaxLife: short(v.HoldMaxLife),
		inPolicy: string(v.LatePolicy), inDeadline: short(v.LateDeadline), inDoubt: short(v.DoubtAfter), inDoubtCap: short(v.DoubtCap),
	}
}

// rules are the inputs that adding and editing have in common.
func rules(v map[string]string) []widget.Input {
	policies := make([]string, len(inventory.LatePolicies))
	for i, p := range inventory.LatePolicies {
		policies[i] = string(p)
	}
	return []widget.Input{
		noted(widget.TextInput(inTTL, "A hold lives", v[inTTL], "10m"), "such as 10m"),
		noted(widget.TextInput(inJitter, "and up to", v[inJitter], "30s"), "more, at random"),
		noted(widget.TextInput(inMaxLife, "extended up to", v[inMaxLife], "1h"), "from its start"),
		widget.ChoiceInput(inPolicy, "Late money", v[inPolicy], policies...),
		noted(widget.TextInput(inDeadline, "ask waits", v[inDeadline], "24h"), "then refund"),
		noted(widget.TextInput(inDoubt, "In doubt", v[inDoubt], "15m"), "then ask provider"),
		noted(widget.TextInput(inDoubtCap, "at most", v[inDoubtCap], "24h"), "then given up"),
	}
}

func noted(in widget.Input, note string) widget.Input {
	in.Note = note
	return in
}

// venueFrom puts what was typed on top of base and says what is wrong with it,
// by input.
func venueFrom(base inventory.Venue, typed map[string]string) (inventory.Venue, map[string]string) {
	v, wrong := base, map[string]string{}
	take := func(name string, to *string) {
		if s, ok := typed[name]; ok {
			*to = s
		}
	}
	take(inVenue, &v.Slug)
	take(inName, &v.Name)
	take(inZone, &v.Zone)
	take(inCurrency, (*string)(&v.Currency))
	take(inPolicy, (*string)(&v.LatePolicy))
	to := map[string]*time.Duration{
		inTTL: &v.HoldTTL, inJitter: &v.HoldJitter, inMaxLife: &v.HoldMaxLife, inDeadline: &v.LateDeadline,
		inDoubt: &v.DoubtAfter, inDoubtCap: &v.DoubtCap,
	}
	for _, name := range spans {
		d, err := parseSpan(typed[name])
		if err != nil {
			wrong[name] = err.Error()
			continue
		}
		*to[name] = d
	}
	problems(v.Validate(), wrong)
	return v, wrong
}

// problems adds the field errors inside err to wrong; what is there already is
// more to the point.
func problems(err error, wrong map[string]string) {
	for _, f := range inventory.FieldErrors(err) {
		if wrong[f.Field] == "" {
			wrong[f.Field] = f.Problem
		}
	}
}

// fieldProblems returns the field errors inside err by input.
func fieldProblems(err error) map[string]string {
	wrong := map[string]string{}
	problems(err, wrong)
	return wrong
}

func parseSpan(s string) (time.Duration, error) {
	if s == "0" {
		return 0, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, errors.New("write a length of time with its unit, such as 10m, 30s or 24h")
	}
	return d, nil
}

// differ lists in words what differs between two versions of a venue.
func differ(before, after inventory.Venue) []string {
	b, a := values(before), values(after)
	var out []string
	for _, name := range editable {
		if b[name] != a[name] {
			out = append(out, fmt.Sprintf("%s: %s -> %s", labels[name], b[name], a[name]))
		}
	}
	return out
}

// labels are the fields in the words of the conflict and of putting back.
var labels = map[string]string{
	inName: "name", inZone: "zone", inTTL: "a hold lives", inJitter: "and up to", inMaxLife: "extended to",
	inPolicy: "late money", inDeadline: "ask waits", inDoubt: "in doubt", inDoubtCap: "at most",
}
