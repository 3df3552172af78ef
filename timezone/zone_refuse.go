package timezone

import (
	"fmt"
	"regexp"
	"strings"
)

// abbreviations are names that the zone database carries for old systems. They
// stand for an offset in many places at once, so they are refused, with the
// place that most people mean by them.
var abbreviations = map[string]string{
	"EST": "America/New_York", "EST5EDT": "America/New_York", "EDT": "America/New_York",
	"CST6CDT": "America/Chicago", "CST": "America/Chicago", "CDT": "America/Chicago",
	"MST7MDT": "America/Denver", "MDT": "America/Denver", "MST": "America/Phoenix",
	"PST8PDT": "America/Los_Angeles", "PST": "America/Los_Angeles", "PDT": "America/Los_Angeles",
	"HST": "Pacific/Honolulu",
	"CET": "Europe/Berlin", "CEST": "Europe/Berlin", "MET": "Europe/Berlin", "MEZ": "Europe/Berlin",
	"EET": "Europe/Athens", "EEST": "Europe/Athens", "WET": "Europe/Lisbon", "WEST": "Europe/Lisbon",
	"BST": "Europe/London", "IST": "Asia/Kolkata", "JST": "Asia/Tokyo",
	"GMT": "UTC", "UCT": "UTC", "Zulu": "UTC", "Z": "UTC", "Universal": "UTC", "Greenwich": "UTC",
	"GMT0": "UTC", "Etc/GMT": "UTC", "Etc/GMT0": "UTC", "Etc/UCT": "UTC", "Etc/Zulu": "UTC",
	"Etc/Universal": "UTC", "Etc/Greenwich": "UTC",
}

var fixedOffset = regexp.MustCompile(`(?i)^(etc/)?(utc?|gmt|z)?\s*[+-]\s*[0-9]{1,2}(:?[0-9]{2})?$|^[a-z]{3,5}[+-]?[0-9]{1,2}$`)

// refuseZone explains why a name is not accepted. The order matters: the most
// telling reason comes first.
func refuseZone(name string) error {
	refuse := func(suggestion, problem string, args ...any) error {
		return &InputError{Input: name, Problem: fmt.Sprintf(problem, args...), Suggestion: suggestion}
	}
	trimmed := strings.TrimSpace(name)
	lower := strings.ToLower(trimmed)
	switch {
	case trimmed == "":
		return refuse("", "a time zone is needed, such as Europe/Berlin")
	case lower == "local" || lower == "localtime":
		return refuse("", "%s is whatever zone this machine is set to; name the venue's place, such as Europe/Berlin", quote(trimmed))
	case lower == "posixrules" || lower == "factory":
		return refuse("", "%s is a file of the zone database, not a place", quote(trimmed))
	case abbreviations[trimmed] != "":
		return refuse(abbreviations[trimmed], "%s is an abbreviation, not a place, and says nothing about clock changes", quote(trimmed))
	case fixedOffset.MatchString(trimmed):
		return refuse("", "%s is a fixed offset, which knows no clock changes and whose sign is read both ways; name the place, such as Europe/Berlin", quote(trimmed))
	case strings.Contains(name, "..") || strings.HasPrefix(name, "/") || strings.Contains(name, `\`):
		return refuse("", "%s is a path, not a time zone", quote(name))
	}
	return refuseSpelling(name, trimmed, refuse)
}

// refuseSpelling handles names that mean some zone, or may.
func refuseSpelling(name, trimmed string, refuse func(suggestion, problem string, args ...any) error) error {
	n := zoneNames()
	if _, ok := n.current(trimmed); ok {
		return refuse(trimmed, "%s has a blank before or after the name", quote(name))
	}
	accepted := n.accepted()
	spelled := strings.ReplaceAll(trimmed, " ", "_")
	var city string
	for _, candidate := range accepted {
		switch {
		case strings.EqualFold(candidate, spelled):
			return refuse(candidate, "%s is not spelled as in the zone database, where case and underscores count", quote(name))
		case city == "" && strings.EqualFold(candidate[strings.LastIndex(candidate, "/")+1:], spelled):
			city = candidate
		}
	}
	if city != "" {
		return refuse(city, "%s lacks its region", quote(name))
	}
	for _, candidate := range accepted {
		if region, _, ok := strings.Cut(candidate, "/"); ok && strings.EqualFold(region, strings.TrimSuffix(spelled, "/")) {
			return refuse("", "%s is a region, not a zone; add a city, such as %s", quote(name), candidate)
		}
	}
	return refuse(nearest(spelled, accepted), "%s is not a time zone", quote(name))
}
