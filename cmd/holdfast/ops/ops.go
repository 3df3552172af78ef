// Package ops holds what those who watch an installation load into their own
// tools. Both files name only metrics that the daemon exports; a test compares
// them.
package ops

import _ "embed" // of the two files below

// Dashboard is a dashboard for Grafana 10 or newer, as JSON to import. It asks
// for the Prometheus data source to read from.
//
//go:embed dashboard.json
var Dashboard []byte

// Alerts is a rule file for Prometheus, as YAML.
//
//go:embed alerts.yaml
var Alerts []byte
