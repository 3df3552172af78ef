package httpapi

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"holdfast/inventory"
)

const (
	maxBody     = 64 << 10
	maxCallback = 256 << 10
	maxQuoted   = 64
	maxNested   = 4
)

// decode reads exactly one JSON document of a known form into into. Members
// that are unknown, doubled, spelled in another case or of the wrong type are
// refused with their name.
func decode(w http.ResponseWriter, r *http.Request, into any) error {
	if err := checkContentType(r.Header); err != nil {
		return err
	}
	body, err := readBody(w, r, maxBody)
	if err != nil {
		return err
	}
	if len(body) == 0 {
		return inventory.Invalid("body", "is missing")
	}
	return fieldError(json.Unmarshal(body, into, json.RejectUnknownMembers(true)))
}

// decodeOptional is decode for a body that may be left out.
func decodeOptional(w http.ResponseWriter, r *http.Request, into any) error {
	if r.ContentLength == 0 {
		return nil
	}
	return decode(w, r, into)
}

// readBody reads a body of at most limit bytes. One that says that it is
// longer is refused before any of it is read.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if enc := r.Header.Get("Content-Encoding"); enc != "" && !strings.EqualFold(enc, "identity") {
		return nil, problem{status: http.StatusUnsupportedMediaType, code: "UNSUPPORTED_MEDIA_TYPE", detail: "Content-Encoding is not accepted"}
	}
	tooLarge := problem{
		status: http.StatusRequestEntityTooLarge, code: "TOO_LARGE",
		detail: fmt.Sprintf("the body may have %d bytes at most", limit),
	}
	if r.ContentLength > limit {
		return nil, tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, tooLarge
	}
	if err != nil {
		return nil, problem{status: http.StatusBadRequest, code: "BAD_REQUEST", detail: "the body could not be read to its end"}
	}
	return body, nil
}

// checkContentType accepts JSON in UTF-8 only.
func checkContentType(h http.Header) error {
	if values := h["Content-Type"]; len(values) == 1 && values[0] == "application/json" {
		return nil // as nearly everybody says it
	}
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	charset := params["charset"]
	if err != nil || kind != "application/json" || len(h.Values("Content-Type")) != 1 ||
		charset != "" && !strings.EqualFold(charset, "utf-8") {
		return problem{status: http.StatusUnsupportedMediaType, code: "UNSUPPORTED_MEDIA_TYPE", detail: "Content-Type must be application/json"}
	}
	return nil
}

// fieldError turns the decoder's error into one that names the member.
func fieldError(err error) error {
	semantic, isSemantic := errors.AsType[*json.SemanticError](err)
	syntactic, isSyntactic := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case err == nil:
		return nil
	case isSemantic && errors.Is(err, json.ErrUnknownName):
		return inventory.Invalid(member(semantic.JSONPointer), "is not a field here")
	case isSemantic && semantic.JSONKind == jsontext.KindNumber:
		return inventory.Invalid(member(semantic.JSONPointer), "must be a whole number in range, in plain digits")
	case isSemantic:
		return inventory.Invalid(member(semantic.JSONPointer), "has the wrong type")
	case isSyntactic && errors.Is(err, jsontext.ErrDuplicateName):
		return inventory.Invalid(member(syntactic.JSONPointer), "is there twice")
	case isSyntactic:
		return inventory.Invalid(member(syntactic.JSONPointer), "is not well-formed JSON (byte %d)", syntactic.ByteOffset)
	}
	return inventory.Invalid("body", "is not one JSON document")
}

// member writes "/method/kind" as "method.kind"; what is nested deeper than
// any body of ours is named by where it begins.
func member(p jsontext.Pointer) string {
	var parts []string
	for token := range p.Tokens() {
		if len(parts) == maxNested {
			break
		}
		parts = append(parts, token)
	}
	if len(parts) == 0 {
		return "body"
	}
	return quoted(strings.Join(parts, "."))
}

// quoted returns a name that a caller made up, fit to be shown: plain names as
// they are, others cut and escaped.
func quoted(name string) string {
	plain := name != "" && len(name) <= maxQuoted
	for _, r := range name {
		plain = plain && r > ' ' && r <= '~' && r != '"'
	}
	if plain {
		return name
	}
	return strconv.QuoteToASCII(cut(name))
}

// cut shortens what a caller made up.
func cut(text string) string {
	letters := []rune(text)
	return string(letters[:min(len(letters), maxQuoted)])
}

func parseQuery(r *http.Request) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, inventory.Invalid("query", "is not well-formed")
	}
	return values, nil
}

// idempotencyKey reads the header, quoted as a structured-field string or
// bare: both spell the same key.
func idempotencyKey(h http.Header) (string, error) {
	values := h.Values("Idempotency-Key")
	if len(values) > 1 {
		return "", inventory.Invalid("Idempotency-Key", "must be there once")
	}
	key := ""
	if len(values) == 1 {
		key = strings.Trim(values[0], " \t")
	}
	if strings.HasPrefix(key, `"`) {
		bare, ok := unquote(key)
		if !ok {
			return "", inventory.Invalid("Idempotency-Key", "is not a well-formed quoted string")
		}
		key = bare
	}
	if key == "" {
		return "", problem{
			status: http.StatusBadRequest, code: "IDEMPOTENCY_KEY_MISSING",
			detail: "send an Idempotency-Key header, and the same one when you repeat the request",
		}
	}
	return key, inventory.CheckIdempotencyKey(key)
}

// unquote reads a string of RFC 8941: only \" and \\ are escapes.
func unquote(s string) (string, bool) {
	if len(s) < 2 || s[len(s)-1] != '"' {
		return "", false
	}
	var b strings.Builder
	inner := s[1 : len(s)-1]
	for i := 0; i < len(inner); i++ {
		switch c := inner[i]; {
		case c == '"':
			return "", false
		case c != '\\':
			b.WriteByte(c)
		case i+1 < len(inner) && (inner[i+1] == '"' || inner[i+1] == '\\'):
			i++
			b.WriteByte(inner[i])
		default:
			return "", false
		}
	}
	return b.String(), true
}
