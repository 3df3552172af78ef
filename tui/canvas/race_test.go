//go:build race

package canvas_test

// slowdown is how much slower the race detector makes everything.
const slowdown = 20
