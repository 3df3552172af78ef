//go:build !linux

package pgtest

// dataParent is where the test server keeps its data; "" means the system's
// directory for temporary files.
func dataParent() string { return "" }
