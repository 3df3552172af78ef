package localdb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// install puts stand-ins for initdb and postgres of a version into a new
// directory.
func install(t *testing.T, root, name, version string) string {
	t.Helper()
	dir := filepath.Join(root, name, "bin")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\necho 'postgres (PostgreSQL) %s'\n", version)
	for _, program := range []string{"initdb", "postgres"} {
		if err := os.WriteFile(filepath.Join(dir, program), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFindBinaries_named(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	v14, v15, v17 := install(t, root, "14", "14.9"), install(t, root, "15", "15.18 (Debian 15.18-0+deb12u1)"), install(t, root, "17", "17beta2")
	empty := t.TempDir()
	half := install(t, root, "half", "16.1")
	if err := os.Remove(filepath.Join(half, "postgres")); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		dir     string
		want    int
		major   int
		problem string
	}{
		"any":          {dir: v17, major: 17},
		"oldest":       {dir: v15, major: 15},
		"asTheData":    {dir: v15, want: 15, major: 15},
		"tooOld":       {dir: v14, problem: "it is version 14"},
		"notAsTheData": {dir: v17, want: 15, problem: "it is version 17 and the data is of version 15"},
		"empty":        {dir: empty, problem: "no such file"},
		"noServer":     {dir: half, problem: "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bin, err := findBinaries(t.Context(), tc.dir, tc.want, nil)
			if tc.problem == "" {
				if err != nil || bin.major != tc.major || bin.dir != tc.dir {
					t.Fatalf("findBinaries = %+v, %v, want version %d in %s", bin, err, tc.major, tc.dir)
				}
				return
			}
			if !errors.Is(err, ErrNoBinaries) || !strings.Contains(err.Error(), tc.problem) {
				t.Fatalf("findBinaries = %v, want ErrNoBinaries that says %q", err, tc.problem)
			}
			assertTwoLines(t, err)
		})
	}
}

func TestCandidates_newestOfTheUsualPlacesFirst(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, version := range []string{"9.6", "15", "17", "16", "100"} {
		install(t, root, version, version)
	}
	var got []string
	for _, dir := range candidates(t.Context(), []string{filepath.Join(root, "*", "bin")}) {
		if rel, err := filepath.Rel(root, dir); err == nil && !strings.HasPrefix(rel, "..") {
			got = append(got, filepath.Dir(rel))
		}
	}
	if want := []string{"100", "17", "16", "15", "9.6"}; !slices.Equal(got, want) {
		t.Errorf("looked in %v, want %v", got, want)
	}
}

func TestDataVersion(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text  string
		major int
		fails bool
	}{
		"none":     {},
		"fifteen":  {text: "15\n", major: 15},
		"nonsense": {text: "x", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if tc.text != "" {
				if err := os.WriteFile(filepath.Join(dir, "PG_VERSION"), []byte(tc.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			major, err := dataVersion(dir)
			if major != tc.major || (err != nil) != tc.fails {
				t.Errorf("dataVersion = %d, %v", major, err)
			}
		})
	}
}

// assertTwoLines holds errors about missing binaries to their promise: what is
// wrong, and what to do.
func assertTwoLines(t *testing.T, err error) {
	t.Helper()
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 2 || !strings.Contains(lines[1], "apt-get install postgresql") {
		t.Errorf("text is\n%v\nwant two lines, the second saying what to install", err)
	}
}
