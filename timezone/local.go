package timezone

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ParseWallTime reads what a calendar and a clock show, written as
// 2027-01-15T10:00 or 2027-01-15T10:00:30 in ASCII digits; blanks and tabs around
// it are ignored. The day is taken as ParseDay takes it, the time is 00:00 to
// 23:59:59. Anything else, also an offset, is an *InputError.
func ParseWallTime(text string) (WallTime, error) {
	trimmed := strings.Trim(text, " \t")
	if trimmed == "" {
		return WallTime{}, &InputError{Input: text, Problem: "a local time is needed, as YYYY-MM-DDTHH:MM"}
	}
	return parseWallTime(text, trimmed)
}

// ParseLocal reads a wall time of z, which an offset may follow: "+01:00",
// "-03:30" or "Z". Without one, a time that the clocks skip or show twice is the
// *WallTimeError of InstantOf. The offset settles which of two times is meant; one
// that z does not have at that time is an *InputError that says what it has.
func ParseLocal(text string, z Zone) (time.Time, error) {
	trimmed := strings.Trim(text, " \t")
	typed, zulu := strings.CutSuffix(trimmed, "Z")
	offset := ""
	if n := len(trimmed) - len("+00:00"); zulu {
		offset = "Z"
	} else if n >= 0 && (looksLike(trimmed[n:], "+00:00") || looksLike(trimmed[n:], "-00:00")) {
		typed, offset = trimmed[:n], trimmed[n:]
	}
	if offset == "" {
		w, err := ParseWallTime(text)
		if err != nil {
			return time.Time{}, err
		}
		return InstantOf(w, z)
	}
	w, err := parseWallTime(text, typed)
	if err != nil {
		return time.Time{}, err
	}
	refuse := func(problem, suggestion string) (time.Time, error) {
		return time.Time{}, &InputError{Input: text, Problem: problem, Word: offset, At: strings.LastIndex(text, offset), Suggestion: suggestion}
	}
	o, ok := parseOffset(offset)
	if !ok {
		return refuse(offset+" is no offset written as +01:00, -03:30 or Z", "")
	}
	if at := o.instantOf(w.face()); OffsetAt(at, z) == o {
		return at, nil
	}
	has, suggestion := offsetsOf(w, z)
	return refuse(fmt.Sprintf("%s in %s %s, not %s", w, z, has, offset), suggestion)
}

// offsetsOf says which offsets the wall in z has when it shows w, and how to
// write the time with it if there is one.
func offsetsOf(w WallTime, z Zone) (has, suggestion string) {
	at, err := InstantOf(w, z)
	var choice *WallTimeError
	switch {
	case !errors.As(err, &choice):
		o := OffsetAt(at, z)
		return fmt.Sprintf("has the offset %s", o), w.String() + o.String()
	case choice.Missing:
		return fmt.Sprintf("is skipped by the clocks and has no offset (there is %s and %s)", stamp(choice.Earlier, z), stamp(choice.Later, z)), ""
	}
	return fmt.Sprintf("has the offsets %s and %s", OffsetAt(choice.Earlier, z), OffsetAt(choice.Later, z)), ""
}

// parseWallTime reads a wall time out of text, which errors show as it is.
func parseWallTime(text, typed string) (WallTime, error) {
	refuse := func(problem string, args ...any) (WallTime, error) {
		return WallTime{}, &InputError{Input: text, Problem: fmt.Sprintf(problem, args...)}
	}
	if !looksLike(typed, "0000-00-00T00:00") && !looksLike(typed, "0000-00-00T00:00:00") {
		return refuse("%s is not a local time written as YYYY-MM-DDTHH:MM, such as 2026-06-01T19:30", quote(strings.Trim(text, " \t")))
	}
	d, err := ParseDay(typed[:10])
	var input *InputError
	if errors.As(err, &input) {
		return refuse("%s", input.Problem)
	}
	clock := typed[11:]
	t, ok := timeOfDay(clock)
	if !ok {
		return refuse("%s is not a time that a clock shows: times are 00:00 to 23:59", clock)
	}
	return WallTime{d, t}, nil
}

// parseOffset reads +01:00, -03:30 or Z. It takes no -00:00, which says that the
// offset is unknown.
func parseOffset(text string) (Offset, bool) {
	if text == "Z" {
		return 0, true
	}
	t, ok := timeOfDay(text[1:])
	if text[0] == '-' {
		return -Offset(t), ok && t != 0
	}
	return Offset(t), ok
}
