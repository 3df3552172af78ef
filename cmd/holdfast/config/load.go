package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"holdfast/inventory"
)

// Source is where a configuration is read from.
type Source struct {
	Flags  map[string]string   // those that were given, by setting key
	Getenv func(string) string // the environment
	File   string              // the file; empty: HOLDFAST_CONFIG, else the usual place if there is one
	User   func() string       // who the operating system says runs this
}

// Load puts a configuration together and reports every fault of it as a
// FieldError that names the flag, variable or file.
func Load(src Source) (Config, error) {
	c := defaults()
	fromFile, err := readFile(src)
	if err != nil {
		return c, err
	}
	var errs []error
	for _, s := range settings {
		flag := "--" + strings.ReplaceAll(s.key, "_", "-")
		variable := "HOLDFAST_" + strings.ToUpper(s.key)
		credential, err := readCredential(src, s)
		errs = append(errs, err)
		switch value, given := src.Flags[s.key]; {
		case given && s.key == "db" && holdsPassword(value):
			errs = append(errs, inventory.Invalid(flag,
				"has a password in it, which every user of this machine could read in ps: use HOLDFAST_DB, a file or ~/.pgpass"))
		case given && s.key == "db" && value == "":
			// An unset variable in a script must not mean another database.
			errs = append(errs, inventory.Invalid(flag, "is empty; leave it out for HOLDFAST_DB or the private database"))
		case given:
			errs = append(errs, s.apply(&c, value, flag))
		case src.Getenv(variable) != "":
			errs = append(errs, s.apply(&c, src.Getenv(variable), variable))
		case credential != "":
			errs = append(errs, s.apply(&c, credential, "credential "+credentialName(s)))
		default:
			if value, given := fromFile.values[s.key]; given {
				errs = append(errs, s.apply(&c, value, fromFile.path+" "+s.key))
			}
		}
	}
	if c.Actor == "" {
		c.Actor = src.User()
	}
	errs = append(errs, c.Validate())
	return c, errors.Join(errs...)
}

type file struct {
	path   string
	values map[string]string
}

func readFile(src Source) (file, error) {
	path, required := src.File, true
	if path == "" {
		path = src.Getenv("HOLDFAST_CONFIG")
	}
	if path == "" {
		path, required = usualPlace(src.Getenv), false
	}
	if path == "" {
		return file{}, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !required {
		return file{}, nil
	}
	if err != nil {
		return file{}, inventory.Invalid("config", "cannot be read: %s", err)
	}
	f := file{path: path, values: map[string]string{}}
	var raw map[string]any
	if _, err := toml.Decode(string(text), &raw); err != nil {
		return f, inventory.Invalid("config", "%s is not TOML: %s", path, firstLine(err))
	}
	if err := f.take(raw); err != nil {
		return f, err
	}
	return f, f.checkSecrecy()
}

// usualPlace is $XDG_CONFIG_HOME/holdfast/config.toml or the same in ~/.config.
func usualPlace(getenv func(string) string) string {
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home := getenv("HOME")
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "holdfast", "config.toml")
}

// take accepts plain values of keys that exist.
func (f file) take(raw map[string]any) error {
	var errs []error
	for key, value := range raw {
		if _, known := find(key); !known {
			errs = append(errs, inventory.Invalid(f.path+" "+key, "is not a setting"))
			continue
		}
		switch v := value.(type) {
		case string:
			f.values[key] = v
		case bool, int64:
			f.values[key] = fmt.Sprint(v)
		default:
			errs = append(errs, inventory.Invalid(f.path+" "+key, "must be a string, a number or true or false"))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// checkSecrecy refuses a file with a secret in it that others can read.
func (f file) checkSecrecy() error {
	secret := ""
	for key, value := range f.values {
		if s, _ := find(key); value != "" && (s.secret || key == "db" && holdsPassword(value)) {
			secret = key
		}
	}
	if secret == "" {
		return nil
	}
	info, err := os.Stat(f.path)
	if err != nil {
		return inventory.Invalid("config", "cannot be read: %s", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return inventory.Invalid("config", "%s holds a secret (%s) and others can read it: chmod 600 %s", f.path, secret, f.path)
	}
	return nil
}

func credentialName(s setting) string { return "holdfast." + s.key }

// readCredential reads a credential that systemd passed with
// LoadCredential=holdfast.KEY:FILE. Only what can be secret is looked for.
func readCredential(src Source, s setting) (string, error) {
	dir := src.Getenv("CREDENTIALS_DIRECTORY")
	if dir == "" || !s.secret && s.key != "db" {
		return "", nil
	}
	text, err := os.ReadFile(filepath.Join(dir, credentialName(s)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", inventory.Invalid("credential "+credentialName(s), "cannot be read: %s", err)
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}

// firstLine keeps a parser's message to its reason, without the excerpt of the
// file that may follow and that may hold a secret.
func firstLine(err error) string {
	if parse, ok := errors.AsType[toml.ParseError](err); ok {
		return fmt.Sprintf("line %d: a mistake in the syntax", parse.Position.Line)
	}
	return "a mistake in the syntax"
}
