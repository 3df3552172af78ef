//go:build !race

package canvas_test

const slowdown = 1
