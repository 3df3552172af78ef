package ops_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"holdfast/cmd/holdfast/ops"
)

type source struct{ Type, UID string }

type dashboard struct {
	Title         string
	UID           string
	SchemaVersion int
	Templating    struct {
		List []struct{ Name, Type, Query string }
	}
	Panels []struct {
		ID          int
		Type, Title string
		Datasource  source
		GridPos     struct{ X, Y, W, H int }
		Targets     []struct {
			Expr, RefID string
			Datasource  source
		}
	}
}

// Grafana takes the file as it is: it asks for the data source, and no panel
// names one of its own or lies over another.
func TestDashboard_canBeImported(t *testing.T) {
	t.Parallel()
	var d dashboard
	if err := json.Unmarshal(ops.Dashboard, &d); err != nil {
		t.Fatal(err)
	}
	if d.Title == "" || d.UID == "" || d.SchemaVersion < 36 {
		t.Errorf("title %q, uid %q, schemaVersion %d", d.Title, d.UID, d.SchemaVersion)
	}
	if l := d.Templating.List; len(l) != 1 || l[0].Name != "datasource" || l[0].Type != "datasource" || l[0].Query != "prometheus" {
		t.Errorf("variables: %+v", l)
	}
	want := source{"prometheus", "${datasource}"}
	ids, cells, rows := map[int]bool{}, map[[2]int]string{}, []string{}
	for _, p := range d.Panels {
		if p.ID == 0 || ids[p.ID] {
			t.Errorf("panel %q has the id %d", p.Title, p.ID)
		}
		ids[p.ID] = true
		if p.GridPos.W < 1 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("panel %q lies at %+v", p.Title, p.GridPos)
		}
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if other := cells[at]; other != "" {
					t.Fatalf("panel %q lies over %q", p.Title, other)
				}
				cells[at] = p.Title
			}
		}
		if p.Type == "row" {
			rows = append(rows, p.Title)
			continue
		}
		if p.Title == "" || p.Datasource != want || len(p.Targets) == 0 {
			t.Errorf("panel %q: %+v", p.Title, p)
		}
		for _, target := range p.Targets {
			if target.Expr == "" || target.RefID == "" || target.Datasource != want {
				t.Errorf("panel %q asks %+v", p.Title, target)
			}
			balanced(t, p.Title, target.Expr)
		}
	}
	if strings.Join(rows, ", ") != "On-sale, Money, Jobs, Database" {
		t.Errorf("rows: %v", rows)
	}
}

// Each alert says in plain words what is wrong and what to do.
func TestAlerts_sayWhatToDo(t *testing.T) {
	t.Parallel()
	rules := readRules(t, string(ops.Alerts))
	if len(rules) < 15 {
		t.Fatalf("%d rules", len(rules))
	}
	seen := map[string]bool{}
	for _, r := range rules {
		name := r["alert"]
		if !regexp.MustCompile(`^Holdfast[A-Z][A-Za-z]+$`).MatchString(name) || seen[name] {
			t.Errorf("alert %q", name)
		}
		seen[name] = true
		if r["severity"] != "critical" && r["severity"] != "warning" {
			t.Errorf("%s: severity %q", name, r["severity"])
		}
		if wait := r["for"]; wait != "" && !regexp.MustCompile(`^[1-9][0-9]*[mh]$`).MatchString(wait) {
			t.Errorf("%s: for %q", name, wait)
		}
		for _, key := range []string{"summary", "action"} {
			if text := r[key]; len(text) < 30 || !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %s %q", name, key, text)
			}
		}
		balanced(t, name, r["expr"])
		for _, found := range regexp.MustCompile(`\$labels\.([a-z_]+)`).FindAllStringSubmatch(r["summary"]+r["action"], -1) {
			if !regexp.MustCompile(`by \([a-z, ]*\b` + found[1] + `\b`).MatchString(r["expr"]) {
				t.Errorf("%s speaks of the label %s, which its expression does not keep", name, found[1])
			}
		}
	}
}

// ruleLine is a line of the rule file: only a small part of YAML is written
// there, and nothing that this does not read.
var ruleLine = regexp.MustCompile(`^( *)(- )?([a-z]+):(?: (.*))?$`)

// readRules reads the rules of a file, flat, and refuses what is not plain.
func readRules(t *testing.T, text string) []map[string]string {
	t.Helper()
	var rules []map[string]string
	depth := map[string]int{
		"groups": 0, "name": 4, "rules": 4, "alert": 8, "expr": 8, "for": 8, "labels": 8, "severity": 10, "annotations": 8, "summary": 10, "action": 10,
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m := ruleLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("not plain: %q", line)
		}
		key, value := m[3], m[4]
		if want, known := depth[key]; !known || len(m[1])+len(m[2]) != want {
			t.Fatalf("%s stands at %d: %q", key, len(m[1])+len(m[2]), line)
		}
		if strings.HasPrefix(value, `"`) {
			if err := json.Unmarshal([]byte(value), &value); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
		} else if strings.ContainsAny(value[:min(1, len(value))], "`'*&!|>%@{[?-#,") || strings.Contains(value, ": ") || strings.Contains(value, " #") {
			t.Fatalf("needs quotes: %q", line)
		}
		switch key {
		case "alert":
			rules = append(rules, map[string]string{key: value})
		case "groups", "rules", "labels", "annotations", "name":
		default:
			if _, twice := rules[len(rules)-1][key]; twice || value == "" {
				t.Fatalf("twice or empty: %q", line)
			}
			rules[len(rules)-1][key] = value
		}
	}
	return rules
}

// balanced looks whether an expression closes what it opens.
func balanced(t *testing.T, where, expr string) {
	t.Helper()
	var open []rune
	closing := map[rune]rune{')': '(', '}': '{', ']': '['}
	for _, r := range regexp.MustCompile(`"[^"]*"`).ReplaceAllString(expr, "") {
		switch r {
		case '(', '{', '[':
			open = append(open, r)
		case ')', '}', ']':
			if len(open) == 0 || open[len(open)-1] != closing[r] {
				t.Errorf("%s: %q closes what was not opened", where, expr)
				return
			}
			open = open[:len(open)-1]
		}
	}
	if expr == "" || len(open) > 0 {
		t.Errorf("%s: %q is not closed", where, expr)
	}
}
